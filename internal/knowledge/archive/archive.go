// Package archive is the file that holds a whole knowledge base: a gzipped tar
// whose entries come in an order that lets both sides work as a stream, in
// memory that does not grow with the base.
//
//	manifest.json       what the base is and how it is embedded; always first
//	folders.json        its folders
//	glossary.json       its own words
//	original            the file of the document that comes next
//	records.jsonl       {"document": …} and behind it its {"passage": …}, a line each;
//	                    a document begins an entry, its passages may take several
//	vectors.bin         of passages of the records before it: 16 bytes of id, then the vector
//	end.json            counts, and the SHA-256 of all that came before; always last
//
// originals, records and vectors come as often as it takes. Write with a
// Writer; Read checks everything and hands it to a Sink.
package archive

import (
	"time"

	"kaoju/internal/core"
)

// Format and Version name the format; a reader refuses other ones.
const (
	Format  = "kaoju-knowledge-base"
	Version = 1
)

// Names of the entries.
const (
	nameManifest = "manifest.json"
	nameFolders  = "folders.json"
	nameGlossary = "glossary.json"
	nameOriginal = "original"
	nameRecords  = "records.jsonl"
	nameVectors  = "vectors.bin"
	nameEnd      = "end.json"
)

// Manifest says what the base is.
type Manifest struct {
	Format     string             `json:"format"`
	Version    int                `json:"version"`
	ExportedAt time.Time          `json:"exported_at"`
	Base       core.KnowledgeBase `json:"knowledge_base"`
	// Model is the embedding model of the vectors, VectorBytes the length of
	// one (index.EncodeVector); both zero without vectors.
	Model       string `json:"embedding_model,omitempty"`
	VectorBytes int    `json:"vector_bytes,omitempty"`
	// LeftOut is how many documents were not ready and are not in the file.
	LeftOut int `json:"left_out,omitempty"`
}

// Document is a document with where it stands.
type Document struct {
	core.Document
	Original bool `json:"original"` // its file comes right before it
}

// Passage is a passage as it stands, or has stood.
type Passage struct {
	core.Chunk
	Live     bool      `json:"live"` // it is searched; else it is a parent or an older revision
	Revision *Revision `json:"revision,omitempty"`
	Vector   []byte    `json:"-"`
}

// Revision says where an edit by hand stands, by whom and when.
type Revision struct {
	RootID    string    `json:"root_id"`
	UserID    string    `json:"user_id,omitempty"`
	CreatedAt time.Time `json:"created_at,omitzero"`
}

// Counts are what a file holds.
type Counts struct {
	Folders   int `json:"folders"`
	Glossary  int `json:"glossary_entries"`
	Documents int `json:"documents"`
	Passages  int `json:"passages"`
	Vectors   int `json:"vectors"`
	Originals int `json:"originals"`
}

type end struct {
	Counts Counts `json:"counts"`
	SHA256 string `json:"sha256"`
}

// record is a line of records.jsonl.
type record struct {
	Document *Document `json:"document,omitempty"`
	Passage  *Passage  `json:"passage,omitempty"`
}
