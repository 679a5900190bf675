// Package ragchat serves /api/rag-chat: sessions over several knowledge bases,
// with numeric ids and the envelope {code, message, data}.
//
//	handlers := ragchat.New(ragchat.Options{Chat: service, Bases: store, Numbers: store})
//
// They are the same sessions that every other protocol sees; only their names
// differ. An answer that streams carries plain text, a line an event, with its
// line breaks written as \n and \r. It goes on when its reader leaves: the
// session's detail has all of it, and the text so far of one that failed or
// was stopped.
package ragchat

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"kaoju/internal/api/fault"
	"kaoju/internal/auth"
	"kaoju/internal/chat"
	"kaoju/internal/core"
)

// Prefix is where the protocol's paths begin.
const Prefix = "/api/rag-chat/"

// Bases reads the knowledge bases within the caller's scope.
type Bases interface {
	Base(ctx context.Context, scope core.Scope, idOrName string) (core.KnowledgeBase, error)
	ListBases(ctx context.Context, scope core.Scope) ([]core.KnowledgeBase, error)
}

// Kind is a kind of object that has numbers.
type Kind string

// Kinds of numbered objects.
const (
	Sessions       Kind = "session"
	Messages       Kind = "message"
	KnowledgeBases Kind = "base"
)

// Numbers ties numbers to ids.
type Numbers interface {
	// Numbers gives the number of each id, in order.
	Numbers(ctx context.Context, kind Kind, ids []string) ([]int64, error)
	// NumberedID gives the id behind a number, core.CodeNotFound where there
	// is none. Whether the caller may see the object is another question.
	NumberedID(ctx context.Context, kind Kind, number int64) (string, error)
}

// Options are what the handlers work with.
type Options struct {
	Chat      *chat.Service
	Bases     Bases
	Numbers   Numbers
	Heartbeat time.Duration // of an idle stream; 0 means 15 s
	Logger    *slog.Logger  // nil means slog.Default
}

// Handlers answer the routes. They hold no state of their own.
type Handlers struct{ Options }

// New makes the handlers.
func New(o Options) *Handlers {
	if o.Heartbeat == 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return &Handlers{o}
}

// Result is the envelope of every answer that is not a stream. Code is 200
// where all went well.
type Result struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data"`
}

// Codes of the protocol for a model that fails; other errors have their HTTP
// status for a code.
const (
	codeModelUnavailable = 7001
	codeModelTimeout     = 7002
	codeTooBusy          = 7005
)

// WriteFault sends an error in the envelope.
func WriteFault(w http.ResponseWriter, f fault.Fault) {
	code := f.Status
	switch f.Code {
	case core.CodeUnavailable:
		code = codeModelUnavailable
	case core.CodeTimeout:
		code = codeModelTimeout
	case core.CodeBusy:
		code = codeTooBusy
	}
	write(w, f.Status, Result{Code: code, Message: f.Message})
}

func done(w http.ResponseWriter, data any) error {
	write(w, http.StatusOK, Result{Code: http.StatusOK, Message: "success", Data: data})
	return nil
}

func write(w http.ResponseWriter, status int, v Result) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // a caller that left is all that can go wrong
}

func scopeOf(r *http.Request) core.Scope { return auth.ScopeOf(r.Context()) }

var (
	errNoSession = core.Errorf(core.CodeNotFound, "会话不存在")
	errNoBase    = core.Errorf(core.CodeNotFound, "部分知识库不存在")
)

// session gives the caller's session that the path names.
func (h *Handlers) session(r *http.Request) (core.Session, error) {
	number, err := strconv.ParseInt(r.PathValue("sessionId"), 10, 64)
	if err != nil {
		return core.Session{}, core.Errorf(core.CodeInvalid, "sessionId is not a number")
	}
	id, err := h.Numbers.NumberedID(r.Context(), Sessions, number)
	if err != nil {
		return core.Session{}, named(err, errNoSession)
	}
	s, err := h.Chat.Session(r.Context(), scopeOf(r), id)
	return s, named(err, errNoSession)
}

// named gives what is not found the words of the protocol.
func named(err error, missing *core.Error) error {
	if core.CodeOf(err) == core.CodeNotFound {
		return missing
	}
	return err
}
