package ragchat

import (
	"net/http"
	"strconv"

	"kaoju/internal/api/request"
	"kaoju/internal/api/sse"
	"kaoju/internal/chat"
	"kaoju/internal/core"
)

// Ask stores a question and streams the answer's text. The reader who leaves
// early finds the rest in the session's detail.
func (h *Handlers) Ask(w http.ResponseWriter, r *http.Request) error {
	s, err := h.session(r)
	if err != nil {
		return err
	}
	var body struct {
		Question  string             `json:"question"`
		Citations core.CitationStyle `json:"citationStyle"`
	}
	if err := request.JSON(w, r, &body); err != nil {
		return err
	}
	if err := body.Citations.Check(); err != nil {
		return err
	}
	started, err := h.Chat.Ask(r.Context(), scopeOf(r), chat.AskRequest{SessionID: s.ID, Question: body.Question, Citations: body.Citations})
	if err != nil {
		return err
	}
	// Numbered together, so that numbers follow the order of the messages.
	numbers, err := h.Numbers.Numbers(r.Context(), Messages, []string{started.UserMessage.ID, started.AssistantMessage.ID})
	if err != nil {
		return err
	}
	w.Header().Set("X-Message-Id", strconv.FormatInt(numbers[1], 10))
	out := sse.Open(w)
	// However it ends, the answer is written to its end.
	_ = sse.Relay(r.Context(), out, started.Events, h.Heartbeat, func(e core.Event) error {
		switch {
		case e.Type == core.EventAnswer && e.Content != "":
			out.Text("", 0, escape(e.Content))
		case e.Type == core.EventError:
			out.Text("error", 0, escape(e.Content))
		}
		return nil
	})
	return nil
}

// Stop ends a running answer and keeps its text so far.
func (h *Handlers) Stop(w http.ResponseWriter, r *http.Request) error {
	s, err := h.session(r)
	if err != nil {
		return err
	}
	number, err := strconv.ParseInt(r.PathValue("messageId"), 10, 64)
	if err != nil {
		return core.Errorf(core.CodeInvalid, "messageId is not a number")
	}
	id, err := h.Numbers.NumberedID(r.Context(), Messages, number)
	if err != nil {
		return err
	}
	if _, err := h.Chat.Stop(r.Context(), scopeOf(r), s.ID, id); err != nil {
		return err
	}
	return done(w, nil)
}
