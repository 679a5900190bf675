package native

import (
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"kaoju/internal/chat"
	"kaoju/internal/core"
)

// Question is the body of a question.
type Question struct {
	Query       string    `json:"query" doc:"the question, at most 10,000 characters"`
	BaseIDs     []string  `json:"knowledge_base_ids,omitempty" maxItems:"100" doc:"bases to ask, by id or name; none means the session's, or all"`
	DocumentIDs []string  `json:"knowledge_ids,omitempty" maxItems:"1000" doc:"documents to stay within"`
	FolderIDs   []string  `json:"folder_ids,omitempty" maxItems:"100" doc:"folders to stay within, with those below them"`
	Tags        []string  `json:"tags,omitempty" maxItems:"50" doc:"tags to stay within: documents and standard questions that have one of them"`
	AssistantID string    `json:"assistant_id,omitempty" doc:"who answers; none means the session's assistant"`
	Preset      string    `json:"preset,omitempty" enum:"rag,chat" doc:"rag, as where it is left out, answers from the bases; chat talks without them, and searches nothing"`
	TopK        int       `json:"top_k,omitempty" minimum:"0" maximum:"100" doc:"passages to keep; 0 means the configured number"`
	Images      []Picture `json:"images,omitempty" maxItems:"4" doc:"pictures of the question, at most four and 20 MiB together; a vision model looks at them"`
	// Fallback is left to the assistant, or else the server, where it is empty.
	Fallback  core.FallbackStrategy `json:"fallback_strategy,omitempty" enum:"fixed,model" doc:"what answers where nothing is found: fixed words, or the chat model, labelled as without documents"`
	Citations core.CitationStyle    `json:"citation_style,omitempty" enum:"numbers,tags,none" doc:"how the answer marks its sources: [1], <kb …/> and <web …/>, or not at all; none means as the assistant has it"`
}

// request is the question as chat takes it.
func (h *Handlers) request(ctx context.Context, q Question, sessionID string) (chat.AskRequest, error) {
	var folders []string
	if len(q.FolderIDs) > 0 {
		var err error
		if folders, err = h.Folders.FoldersBelow(ctx, q.FolderIDs); err != nil {
			return chat.AskRequest{}, err
		}
	}
	images, err := picturesOf(q.Images)
	if err != nil {
		return chat.AskRequest{}, err
	}
	return chat.AskRequest{
		Images:    images,
		SessionID: sessionID, Question: q.Query, BaseIDs: q.BaseIDs, DocumentIDs: q.DocumentIDs, TopK: q.TopK, Fallback: q.Fallback,
		AssistantID: q.AssistantID, FolderIDs: folders, Folders: q.FolderIDs, Tags: q.Tags, Citations: q.Citations, Talk: q.Preset == "chat",
	}, nil
}

// AskInput asks within a session.
type AskInput struct {
	ByID
	Body Question
}

// Ask starts a turn and streams its events. A connection that ends leaves the
// turn alone.
func (h *Handlers) Ask(ctx context.Context, in *AskInput) (*huma.StreamResponse, error) {
	req, err := h.request(ctx, in.Body, in.ID)
	if err != nil {
		return nil, err
	}
	started, err := h.Chat.Ask(ctx, scopeOf(ctx), req)
	if err != nil {
		return nil, err
	}
	return h.stream(started.AssistantMessage, started.Events), nil
}

// ContinueInput names a turn and the last event that the reader has.
type ContinueInput struct {
	ByID
	MessageID   string `query:"message_id" required:"true" doc:"the assistant message"`
	After       string `query:"after" doc:"number of the last event seen; the stream goes on after it"`
	LastEventID string `header:"Last-Event-ID" doc:"the same, as browsers send it; after goes first"`
}

// Continue streams a turn again, from any of its events. Where none follows it
// answers 204, which tells a browser's EventSource to come no more.
func (h *Handlers) Continue(ctx context.Context, in *ContinueInput) (*huma.StreamResponse, error) {
	after, err := in.cursor()
	if err != nil {
		return nil, err
	}
	m, tail, err := h.Chat.Follow(ctx, scopeOf(ctx), in.ID, in.MessageID, after)
	if err != nil {
		return nil, err
	}
	if tail.Over() {
		return &huma.StreamResponse{Body: func(hc huma.Context) { hc.SetStatus(http.StatusNoContent) }}, nil
	}
	return h.stream(m, tail), nil
}

func (in *ContinueInput) cursor() (int64, error) {
	raw := in.After
	if raw == "" {
		raw = in.LastEventID
	}
	if raw == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(raw, 10, 64)
	if err != nil || n < 0 {
		return 0, core.Errorf(core.CodeInvalid, "%q is not the number of an event", raw)
	}
	return n, nil
}

// StopInput names the answer to stop.
type StopInput struct {
	ByID
	Body struct {
		MessageID string `json:"message_id"`
	}
}

// StopResult says how the message ended.
type StopResult struct {
	MessageID string            `json:"message_id"`
	State     core.MessageState `json:"state"`
}

// Stop ends a running answer and keeps its text so far.
func (h *Handlers) Stop(ctx context.Context, in *StopInput) (*Reply[StopResult], error) {
	state, err := h.Chat.Stop(ctx, scopeOf(ctx), in.ID, in.Body.MessageID)
	return reply(StopResult{MessageID: in.Body.MessageID, State: state}, err)
}
