// Package native is the server's own protocol, /api/v1: REST and SSE. Its
// handlers take and return plain values and *core.Error; package api lists
// their routes and knows HTTP's side of errors and credentials.
package native

import (
	"context"
	"io"
	"time"

	"kaoju/internal/auth"
	"kaoju/internal/chat"
	"kaoju/internal/core"
)

// AddRequest is a document to add. Data is read once, to its end.
type AddRequest struct {
	Base     string // id or name of the knowledge base
	FolderID string
	Name     string // file name, as the user knows it
	Bulk     bool   // one of many
	Source   string // "upload", "text", or where the client says it is from
	Data     io.Reader
}

// Documents adds and removes documents.
type Documents interface {
	// AddDocument queues a document. added is false where the base holds the
	// same content already; the document is then that one.
	AddDocument(ctx context.Context, scope core.Scope, req AddRequest) (d core.Document, added bool, err error)
	DeleteDocument(ctx context.Context, scope core.Scope, id string) error
}

// Bases makes and removes knowledge bases.
type Bases interface {
	// CreateBase fills in the rest of b and gives it back.
	CreateBase(ctx context.Context, scope core.Scope, b core.KnowledgeBase) (core.KnowledgeBase, error)
	DeleteBase(ctx context.Context, scope core.Scope, id string) error
}

// Library reads what is there, within the caller's scope.
type Library interface {
	Base(ctx context.Context, scope core.Scope, idOrName string) (core.KnowledgeBase, error)
	ListBases(ctx context.Context, scope core.Scope) ([]core.KnowledgeBase, error)
	Document(ctx context.Context, scope core.Scope, id string) (core.Document, error)
	// ListDocuments gives one page and the total.
	ListDocuments(ctx context.Context, scope core.Scope, baseID string, offset, limit int) ([]core.Document, int, error)
	Chunk(ctx context.Context, scope core.Scope, id string) (core.Chunk, error)
}

// Traces reads what a turn did.
type Traces interface {
	Trace(ctx context.Context, scope core.Scope, messageID string) (core.Trace, error)
}

// Usage tells what models cost.
type Usage interface {
	// Usage gives the last days, the newest first.
	Usage(ctx context.Context, scope core.Scope, days int) ([]core.DayUsage, error)
}

// Counts are the documents of a base, or of all visible ones, by state.
type Counts struct {
	Queued     int `json:"queued"`
	Processing int `json:"processing"`
	Ready      int `json:"ready"`
	Failed     int `json:"failed"`
}

// Progress tells how far ingestion is.
type Progress interface {
	// Progress counts the documents of a base, of all visible ones for "".
	Progress(ctx context.Context, scope core.Scope, baseID string) (Counts, error)
	// Changed gives a channel that is closed when a document changes its
	// state. Take it before counting, so that no change is missed.
	Changed() <-chan struct{}
}

// Options are what the handlers work with.
type Options struct {
	Chat      *chat.Service
	Documents Documents
	Bases     Bases
	Library   Library
	Reading   Reading
	Traces    Traces
	Usage     Usage
	Progress  Progress
	// Assistants keeps who answers, Rules how questions are routed; nil means
	// that their routes are not there.
	Assistants Assistants
	Rules      RuleBook
	Feedback   Feedback
	Ratings    Ratings
	// Models and ModelTools are the registry; nil means that its routes are not
	// there.
	Models     Models
	ModelTools ModelTools
	// Examples loads what comes with the program; nil means that its route is
	// not there.
	Examples Examples
	// Enrichments say what models add to documents.
	Enrichments Enrichments
	// FAQ edits the entries of FAQ bases, Finder finds them.
	FAQ      FAQs
	FAQFiles FAQFiles
	// BaseFiles takes whole bases in and out.
	BaseFiles BaseFiles
	Finder    FAQFinder
	// Passages, Settings, Desk, Anew, Shelves, Names and Folders are what editors do.
	Passages Passages
	Pages    Pages
	Settings Settings
	Desk     Desk
	Anew     Anew
	Shelves  Shelves
	Names    Names
	Folders  Folders
	// Wiki and what follows it keep the pages of wiki bases; a nil Wiki means
	// that their routes are not there.
	Wiki        WikiPages
	WikiHistory WikiHistory
	WikiFiles   WikiFiles
	WikiJobs    WikiJobs
	WikiWork    WikiWork
	// Glossaries are the bases' own words.
	Glossaries Glossaries
	Version    string
	Heartbeat  time.Duration    // of an idle stream; 0 means 15 s
	Closing    <-chan struct{}  // closed when the server stops: streams without an end of their own end; nil means never
	Now        func() time.Time // nil means time.Now
	// Ready says whether questions can be answered; nil means always.
	Ready func(ctx context.Context) error
}

// Handlers answer the routes. They hold no state of their own.
type Handlers struct {
	Options
	started time.Time
}

// New makes the handlers.
func New(o Options) *Handlers {
	if o.Heartbeat == 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Handlers{Options: o, started: o.Now()}
}

// Empty is the input or the output of a route that has none.
type Empty struct{}

// Reply is a JSON answer.
type Reply[T any] struct{ Body T }

func reply[T any](v T, err error) (*Reply[T], error) {
	if err != nil {
		return nil, err
	}
	return &Reply[T]{Body: v}, nil
}

// List is one page and the total.
type List[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total"`
}

func list[T any](items []T, total int, err error) (*Reply[List[T]], error) {
	return reply(List[T]{Items: orEmpty(items), Total: total}, err)
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// Page chooses a part of a list.
type Page struct {
	Offset int `query:"offset" minimum:"0" default:"0" doc:"items to pass over"`
	Limit  int `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"items to give"`
}

// ByID names one object.
type ByID struct {
	ID string `path:"id"`
}

func scopeOf(ctx context.Context) core.Scope { return auth.ScopeOf(ctx) }
