package core

import (
	"path"
	"strings"
	"time"
)

// BaseKind says what a knowledge base holds.
type BaseKind string

// Kinds of knowledge base.
const (
	BaseDocument BaseKind = "document"
	BaseFAQ      BaseKind = "faq"
	BaseWiki     BaseKind = "wiki"
)

// KnowledgeBase is a named collection of documents that is published in
// versions.
type KnowledgeBase struct {
	ID            string     `json:"id"`
	TenantID      string     `json:"tenant_id"`
	DatasetID     string     `json:"dataset_id"`
	Name          string     `json:"name"`
	Description   string     `json:"description"`
	Kind          BaseKind   `json:"kind"`
	Visibility    Visibility `json:"visibility"`
	Roles         []string   `json:"roles,omitempty"`    // roles that may read it; none means all
	Chunking      *Chunking  `json:"chunking,omitempty"` // nil: as the server's options say
	ActiveVersion int64      `json:"active_version"`     // 0 until the first publish
	// EmbeddingModel is the model whose vectors the base is searched by. Where
	// it is not the configured one, the base is being embedded anew.
	EmbeddingModel string    `json:"embedding_model,omitempty"`
	Documents      int       `json:"documents"` // documents that are ready in the active version
	CreatedAt      time.Time `json:"created_at"`
	UpdatedAt      time.Time `json:"updated_at"`
}

// Folder is a place inside a knowledge base.
type Folder struct {
	ID       string `json:"id"`
	BaseID   string `json:"knowledge_base_id"`
	ParentID string `json:"parent_id,omitempty"`
	Name     string `json:"name"`
}

// DocumentState is where a document stands on its way into the index.
type DocumentState string

// States of a document. Ready, Failed and Deleted are final until somebody
// acts.
const (
	DocumentQueued     DocumentState = "queued"
	DocumentProcessing DocumentState = "processing"
	DocumentReady      DocumentState = "ready"
	DocumentFailed     DocumentState = "failed"
	DocumentDisabled   DocumentState = "disabled" // kept, listed, and found by no search
	DocumentDeleted    DocumentState = "deleted"
)

// Document is one file, page or text inside a knowledge base.
type Document struct {
	ID          string        `json:"id"`
	BaseID      string        `json:"knowledge_base_id"`
	FolderID    string        `json:"folder_id,omitempty"`
	Name        string        `json:"name"`   // file name, as the user knows it
	Title       string        `json:"title"`  // from the content, else the name without its extension
	Source      string        `json:"source"` // path or "upload" or "text"
	Format      string        `json:"format"` // what the content is: "pdf", "docx", "markdown" …
	Size        int64         `json:"size"`   // bytes of the original
	ContentHash string        `json:"content_hash"`
	State       DocumentState `json:"state"`
	ErrorCode   Code          `json:"error_code,omitempty"`
	Error       string        `json:"error,omitempty"` // for the person who added it
	Warnings    []string      `json:"warnings,omitempty"`
	Chunks      int           `json:"chunks"`
	Tags        []string      `json:"tags,omitempty"` // names, sorted; filled in where one document is asked for, and in lists
	// Enrichment is what models add to it, step by step; filled in where one
	// document is asked for.
	Enrichment []Enriched `json:"enrichment,omitempty"`
	Bulk       bool       `json:"-"` // one of many: its job goes after those that somebody waits for
	CreatedAt  time.Time  `json:"created_at"`
	UpdatedAt  time.Time  `json:"updated_at"`
}

// DefaultTitle is the title of a document that neither its maker nor its
// content gave one: its name without the extension.
func (d Document) DefaultTitle() string { return strings.TrimSuffix(d.Name, path.Ext(d.Name)) }

// ChunkType says what a chunk's text is.
type ChunkType string

// Types of chunk.
const (
	ChunkText         ChunkType = "text"
	ChunkParentText   ChunkType = "parent_text"
	ChunkTableRow     ChunkType = "table_row"
	ChunkTableSummary ChunkType = "table_summary"
	ChunkTableColumn  ChunkType = "table_column"
	ChunkImageOCR     ChunkType = "image_ocr"
	ChunkImageCaption ChunkType = "image_caption"
	ChunkSummary      ChunkType = "summary"
	ChunkFAQ          ChunkType = "faq"
	ChunkFAQQuestion  ChunkType = "faq_question" // one question of an FAQ entry; its parent is the entry's chunk
	ChunkWikiPage     ChunkType = "wiki_page"
	ChunkEntity       ChunkType = "entity"
	ChunkRelationship ChunkType = "relationship"
	ChunkWebSearch    ChunkType = "web_search"
)

// Chunk is a passage of a document: what is indexed, retrieved and cited.
//
// Start and End are byte offsets into the document's extracted text (see
// parse.Document.Text), so that text[Start:End] is the chunk's source; a
// chunk that repeats a table header has Content longer than that range.
type Chunk struct {
	ID         string    `json:"id"`
	BaseID     string    `json:"knowledge_base_id"`
	DocumentID string    `json:"document_id"`
	ParentID   string    `json:"parent_id,omitempty"` // the parent_text chunk that contains this one
	Type       ChunkType `json:"type"`
	Index      int       `json:"index"` // order in the document, from 0; parents and children count apart
	Start      int       `json:"start"`
	End        int       `json:"end"`
	Content    string    `json:"content"`
	Headings   []string  `json:"headings,omitempty"` // heading path, outermost first
	Page       int       `json:"page,omitempty"`     // 1-based; 0 where the format has no pages
	Sheet      string    `json:"sheet,omitempty"`
	Row        int       `json:"row,omitempty"` // 1-based row of the sheet or table, for table rows
	FAQ        *FAQEntry `json:"faq,omitempty"`
	// Questions are what a model says that the passage answers; it is found by
	// them too.
	Questions []string `json:"generated_questions,omitempty"`
}

// Indexed reports whether a chunk of this type goes into the search index.
// Parents are read when a child is found, and never searched themselves.
func (t ChunkType) Indexed() bool { return t != ChunkParentText }

// AnswerStrategy says which of an FAQ entry's answers is given.
type AnswerStrategy string

// Strategies of an FAQ entry.
const (
	AnswerAll    AnswerStrategy = "all"
	AnswerRandom AnswerStrategy = "random"
)

// FAQEntry is a question that has a standard answer.
type FAQEntry struct {
	Question string         `json:"standard_question"`
	Similar  []string       `json:"similar_questions,omitempty"`
	Negative []string       `json:"negative_questions,omitempty"` // a question equal to one of these never finds the entry
	Answers  []string       `json:"answers"`
	Strategy AnswerStrategy `json:"answer_strategy,omitempty"` // empty means all
	Disabled bool           `json:"disabled,omitempty"`        // kept, and never found
}

// Interval is a half-open range of versions, [Since, Until). Until 0 means
// that it is still open.
type Interval struct {
	Since int64 `json:"since"`
	Until int64 `json:"until"`
}

// Holds reports whether version v lies inside the interval.
func (i Interval) Holds(v int64) bool {
	return i.Since <= v && (i.Until == 0 || v < i.Until)
}

// Version is one published state of a knowledge base.
type Version struct {
	BaseID      string    `json:"knowledge_base_id"`
	Number      int64     `json:"number"` // from 1, never reused
	BuiltOn     int64     `json:"built_on"`
	Note        string    `json:"note"`
	CreatedAt   time.Time `json:"created_at"`
	ActivatedAt time.Time `json:"activated_at"`
}

// Tag is a word that documents and FAQ entries of a base are marked with.
type Tag struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Documents int    `json:"documents"` // that have it
}

// Revision is what has stood in the place of a passage that was edited by
// hand.
type Revision struct {
	ChunkID   string    `json:"chunk_id"`
	Content   string    `json:"content"`
	UserID    string    `json:"user_id,omitempty"`   // who wrote it; empty for what was read from the file
	CreatedAt time.Time `json:"created_at,omitzero"` // zero for what was read from the file
	Current   bool      `json:"current"`             // it is what is searched
}

// Chunking says how a base cuts its documents; sizes are in characters. A zero
// field means what the server's options say, or how it is done without the
// field.
type Chunking struct {
	Size         int      `json:"chunk_size,omitempty" doc:"50 to 4,000 characters"`
	Overlap      int      `json:"chunk_overlap,omitempty" doc:"at most 1,000 characters; -1 for none"`
	Parent       int      `json:"parent_size,omitempty" doc:"100 to 20,000 characters"`
	Separators   []string `json:"separators,omitempty" doc:"where running text is cut in place of its sentences: behind the first of these that it has, what is too long then behind the next"`
	HeadingLevel int      `json:"heading_level,omitempty" doc:"the smallest heading that parts passages, 1 to 6; 0: all part them, -1: none does"`
	Rows         RowCut   `json:"rows,omitempty" enum:"data,all,none" doc:"which tables are cut into a passage for each row: those of spreadsheets, CSV and JSON (data), all, or none"`
}

// RowCut says which tables are cut by row.
type RowCut string

// Which tables are cut by row.
const (
	RowsOfData RowCut = "data" // those of spreadsheets, CSV and JSON; "" means the same
	RowsOfAll  RowCut = "all"
	RowsOfNone RowCut = "none"
)

// IsZero tells whether everything is as the server's options say.
func (c Chunking) IsZero() bool {
	return c.Size == 0 && c.Overlap == 0 && c.Parent == 0 && len(c.Separators) == 0 && c.HeadingLevel == 0 && (c.Rows == "" || c.Rows == RowsOfData)
}
