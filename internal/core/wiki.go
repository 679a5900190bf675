package core

import "time"

// WikiType says what a page of a wiki is about.
type WikiType string

// Types of wiki page. People write pages; the others come from documents too.
const (
	WikiTypePage    WikiType = "page"
	WikiTypeSummary WikiType = "summary" // of one document
	WikiTypeEntity  WikiType = "entity"  // a person, an organisation, a product, a place …
	WikiTypeConcept WikiType = "concept"
	WikiTypeIndex   WikiType = "index" // lists the others
)

// WikiStatus says whether a page is found.
type WikiStatus string

// States of a wiki page. Only published pages are searched and cited.
const (
	WikiPublished WikiStatus = "published"
	WikiDraft     WikiStatus = "draft"
	WikiArchived  WikiStatus = "archived"
)

// WikiAuthor says who wrote a revision.
type WikiAuthor string

// Authors of a revision.
const (
	WikiByPerson WikiAuthor = "person"
	WikiByModel  WikiAuthor = "model"
)

// WikiPage is a page of a wiki base as its current revision has it. The page is
// a document of its base: its id is a document id, and its passages are of
// type wiki_page.
//
// Content is Markdown in which [[slug]] and [[slug|text]] link to other pages,
// and [^1] points at the source of that number.
type WikiPage struct {
	ID        string       `json:"id"`
	BaseID    string       `json:"knowledge_base_id"`
	Slug      string       `json:"slug"` // unique in the base; parts between "/" make the tree
	Title     string       `json:"title"`
	Type      WikiType     `json:"type"`
	Status    WikiStatus   `json:"status"`
	Summary   string       `json:"summary"`
	Aliases   []string     `json:"aliases"`           // other names, which links may use
	Content   string       `json:"content,omitempty"` // left out of lists
	Sources   []WikiSource `json:"sources,omitempty"` // what the text rests on; left out of lists
	Revision  int          `json:"revision"`          // from 1; a change names the one that it follows
	Author    WikiAuthor   `json:"author"`            // of the revision
	UserID    string       `json:"user_id,omitempty"` // who wrote it, or asked the model to
	Proposals int          `json:"proposals"`         // revisions that wait for somebody to take or dismiss them
	CreatedAt time.Time    `json:"created_at"`
	UpdatedAt time.Time    `json:"updated_at"`
}

// WikiSource is a passage that a page rests on.
type WikiSource struct {
	Number     int    `json:"number"` // of its marks [^1] in the text
	DocumentID string `json:"document_id"`
	ChunkID    string `json:"chunk_id"`
	Title      string `json:"title"`          // of the document; "" where it is gone, or not the reader's to see
	Text       string `json:"text,omitempty"` // of the passage; "" likewise
}

// WikiLink is a link from a page to another.
type WikiLink struct {
	Slug   string `json:"slug"`              // of the page at the other end; of a broken link, what it says
	Text   string `json:"text"`              // what the reader sees
	PageID string `json:"page_id,omitempty"` // of the page at the other end; "" of a broken link
	Title  string `json:"title,omitempty"`   // of that page
}

// WikiRevision is what a page said at some time, or would say.
type WikiRevision struct {
	Number    int          `json:"number"`
	Slug      string       `json:"slug"`
	Title     string       `json:"title"`
	Type      WikiType     `json:"type"`
	Status    WikiStatus   `json:"status"`
	Summary   string       `json:"summary"`
	Aliases   []string     `json:"aliases"`
	Content   string       `json:"content,omitempty"` // left out of lists
	Author    WikiAuthor   `json:"author"`
	UserID    string       `json:"user_id,omitempty"`
	Note      string       `json:"note"`
	Proposed  bool         `json:"proposed"` // it waits; a person wrote what it would replace
	Current   bool         `json:"current"`
	CreatedAt time.Time    `json:"created_at"`
	Sources   []WikiSource `json:"sources,omitempty"` // left out of lists
}

// WikiStep is a part of a job that writes pages of documents.
type WikiStep string

// Steps of such a job, in order: documents are read, topics get pages,
// documents get theirs, and the index lists all.
const (
	WikiStepRead    WikiStep = "read"
	WikiStepTopics  WikiStep = "topics"
	WikiStepSummary WikiStep = "summaries"
	WikiStepIndex   WikiStep = "index"
)

// WikiJob is durable work of a model that writes pages of documents.
type WikiJob struct {
	ID        string        `json:"id"`
	BaseID    string        `json:"knowledge_base_id"`        // the wiki
	SourceID  string        `json:"source_knowledge_base_id"` // whose documents are read
	TenantID  string        `json:"-"`
	UserID    string        `json:"user_id"`
	State     JobState      `json:"state"`
	Step      WikiStep      `json:"step"`
	Done      int           `json:"done"`  // items, of all steps so far
	Total     int           `json:"total"` // grows when topics are known
	Failed    int           `json:"failed"`
	Added     int           `json:"added"`
	Changed   int           `json:"changed"`
	Proposed  int           `json:"proposed"` // pages that people wrote: the model's text waits
	Problems  []WikiProblem `json:"problems"` // the first 20 items that failed
	ErrorCode Code          `json:"error_code,omitempty"`
	Error     string        `json:"error,omitempty"`
	CreatedAt time.Time     `json:"created_at"`
	UpdatedAt time.Time     `json:"updated_at"`
}

// WikiProblem is an item of a job that failed.
type WikiProblem struct {
	Step  WikiStep `json:"step"`
	Name  string   `json:"name"` // of the document or topic
	Error string   `json:"error"`
}
