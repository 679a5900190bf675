// Package openai serves assistants to clients of the OpenAI API: GET /v1/models
// and POST /v1/chat/completions, streaming and not.
//
//	handlers := openai.New(openai.Options{Chat: service})
//
// An assistant is a model. The last user message is the question, what stands
// before it is what was said before. References, citations and confidence
// ride beside the text in fields of their own.
//
// The protocol has no sessions. Each call is a real turn in a hidden session:
// its message can be read by id for a day and is in no list. And it has no
// way to come back to an answer, so that a caller who leaves stops the turn.
package openai

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"kaoju/internal/api/fault"
	"kaoju/internal/auth"
	"kaoju/internal/chat"
	"kaoju/internal/core"
)

// Prefix is where the protocol's paths begin.
const Prefix = "/v1/"

// Options are what the handlers work with.
type Options struct {
	Chat *chat.Service
	// Assistants lists the models; nil means the default assistant alone.
	Assistants Assistants
	Heartbeat  time.Duration // of an idle stream; 0 means 15 s
	Logger     *slog.Logger  // nil means slog.Default
}

// Assistants lists the assistants of the scope's tenant.
type Assistants interface {
	List(ctx context.Context, scope core.Scope) ([]core.Assistant, error)
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
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return &Handlers{Options: o, started: time.Now()}
}

// Failure is the protocol's error body.
type Failure struct {
	Error FailureDetail `json:"error"`
}

// FailureDetail says what went wrong. Param is always null.
type FailureDetail struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    string  `json:"code"`
}

func failure(f fault.Fault) Failure {
	return Failure{FailureDetail{Message: f.Message, Type: typeOf(f.Code, f.Status), Code: codeOf(f.Code)}}
}

// WriteFault sends an error in the protocol's shape.
func WriteFault(w http.ResponseWriter, f fault.Fault) {
	if f.Code == core.CodeBusy {
		f.Status = http.StatusTooManyRequests // what its clients wait for and try again
	}
	writeJSON(w, f.Status, failure(f))
}

// typeOf gives the protocol's name for a kind of error.
func typeOf(code core.Code, status int) string {
	switch {
	case code == core.CodeUnauthorized:
		return "authentication_error"
	case code == core.CodeForbidden:
		return "permission_error"
	case code == core.CodeBusy:
		return "rate_limit_error"
	case status >= http.StatusInternalServerError:
		return "server_error"
	default:
		return "invalid_request_error"
	}
}

// codeOf gives the protocol's code where it has one, and else ours.
func codeOf(code core.Code) string {
	switch code {
	case core.CodeUnauthorized:
		return "invalid_api_key"
	case core.CodeBusy:
		return "rate_limit_exceeded"
	default:
		return string(code)
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // a caller that left is all that can go wrong
}

// Model is one model, as the protocol lists it.
type Model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"` // Unix seconds
	OwnedBy string `json:"owned_by"`
}

// ModelList is the list of models.
type ModelList struct {
	Object string  `json:"object"`
	Data   []Model `json:"data"`
}

func (h *Handlers) model(id string) Model {
	return Model{ID: id, Object: "model", Created: h.started.Unix(), OwnedBy: "kaoju"}
}

// Models lists the assistants.
func (h *Handlers) Models(w http.ResponseWriter, r *http.Request) error {
	list := ModelList{Object: "list", Data: []Model{}}
	assistants, err := h.assistants(r)
	for _, a := range assistants {
		list.Data = append(list.Data, h.model(a.ID))
	}
	if err == nil {
		writeJSON(w, http.StatusOK, list)
	}
	return err
}

// assistants gives those that the caller may ask.
func (h *Handlers) assistants(r *http.Request) ([]core.Assistant, error) {
	if h.Assistants != nil {
		return h.Assistants.List(r.Context(), scopeOf(r))
	}
	a, err := h.Chat.AssistantOf(r.Context(), scopeOf(r), "")
	return []core.Assistant{a}, err
}

// Model gives one assistant.
func (h *Handlers) Model(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("model")
	if err := h.checkModel(r, id); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, h.model(id))
	return nil
}

func (h *Handlers) checkModel(r *http.Request, id string) error {
	_, err := h.Chat.AssistantOf(r.Context(), scopeOf(r), id)
	if core.CodeOf(err) == core.CodeNotFound {
		return core.Errorf(core.CodeNotFound, "there is no model %q; GET /v1/models lists what there is", id)
	}
	return err
}

func scopeOf(r *http.Request) core.Scope { return auth.ScopeOf(r.Context()) }
