package ragchat

import (
	"net/http"
	"strings"

	"kaoju/internal/api/request"
	"kaoju/internal/chat"
	"kaoju/internal/core"
)

// NewSession is the body that opens a session.
type NewSession struct {
	BaseIDs []BaseKey `json:"knowledgeBaseIds"`
	Title   string    `json:"title"`
}

// Create opens a session over knowledge bases, all of which must exist.
func (h *Handlers) Create(w http.ResponseWriter, r *http.Request) error {
	var body NewSession
	if err := request.JSON(w, r, &body); err != nil {
		return err
	}
	bases, err := h.find(r.Context(), scopeOf(r), body.BaseIDs)
	if err != nil {
		return err
	}
	title := strings.TrimSpace(body.Title)
	if title == "" {
		title = titleFor(bases)
	}
	s, err := h.Chat.CreateSession(r.Context(), scopeOf(r), title, idsOf(bases))
	if err != nil {
		return err
	}
	view := Session{Title: s.Title, CreatedAt: s.CreatedAt}
	if view.ID, err = h.number(r.Context(), Sessions, s.ID); err != nil {
		return err
	}
	if view.BaseIDs, err = h.Numbers.Numbers(r.Context(), KnowledgeBases, idsOf(bases)); err != nil {
		return err
	}
	return done(w, view)
}

// page is how many sessions are read at once for the list, which has no
// pages.
const page = 500

// List gives the caller's sessions: pinned ones first, then the last used.
func (h *Handlers) List(w http.ResponseWriter, r *http.Request) error {
	sessions, err := h.all(r)
	if err != nil {
		return err
	}
	ids := make([]string, 0, len(sessions))
	for _, s := range sessions {
		ids = append(ids, s.ID)
	}
	numbers, err := h.Numbers.Numbers(r.Context(), Sessions, ids)
	if err != nil {
		return err
	}
	bases, err := h.Bases.ListBases(r.Context(), scopeOf(r))
	if err != nil {
		return err
	}
	names := map[string]string{}
	for _, b := range bases {
		names[b.ID] = b.Name
	}
	items := make([]ListItem, 0, len(sessions))
	for i, s := range sessions {
		item := ListItem{ID: numbers[i], Title: titleOf(s), Messages: s.Messages, BaseNames: []string{}, UpdatedAt: s.UpdatedAt, Pinned: s.Pinned}
		for _, id := range s.BaseIDs {
			if name, ok := names[id]; ok {
				item.BaseNames = append(item.BaseNames, name)
			}
		}
		items = append(items, item)
	}
	return done(w, items)
}

func (h *Handlers) all(r *http.Request) ([]core.Session, error) {
	var sessions []core.Session
	for {
		next, total, err := h.Chat.ListSessions(r.Context(), scopeOf(r), len(sessions), page)
		if err != nil {
			return nil, err
		}
		sessions = append(sessions, next...)
		if len(next) == 0 || len(sessions) >= total {
			return sessions, nil
		}
	}
}

// Detail gives a session with its bases and all its messages, in order.
func (h *Handlers) Detail(w http.ResponseWriter, r *http.Request) error {
	s, err := h.session(r)
	if err != nil {
		return err
	}
	number, err := h.number(r.Context(), Sessions, s.ID)
	if err != nil {
		return err
	}
	view := Detail{ID: number, Title: titleOf(s), CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt}
	bases, err := h.visible(r.Context(), scopeOf(r), s.BaseIDs)
	if err != nil {
		return err
	}
	if view.Bases, err = h.bases(r.Context(), bases); err != nil {
		return err
	}
	messages, err := h.history(r, s.ID)
	if err != nil {
		return err
	}
	if view.Messages, err = h.messages(r.Context(), messages); err != nil {
		return err
	}
	return done(w, view)
}

// history gives all messages of a session, the oldest first.
func (h *Handlers) history(r *http.Request, id string) ([]core.Message, error) {
	var messages []core.Message
	before := int64(0)
	for {
		earlier, more, err := h.Chat.ListMessages(r.Context(), scopeOf(r), id, before, page)
		if err != nil {
			return nil, err
		}
		messages = append(earlier, messages...)
		if !more || len(earlier) == 0 {
			return messages, nil
		}
		before = earlier[0].Order
	}
}

// Retitle gives a session another title.
func (h *Handlers) Retitle(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Title string `json:"title"`
	}
	return h.change(w, r, &body, func() (chat.SessionChange, error) {
		return chat.SessionChange{Title: &body.Title}, nil
	})
}

// Rebase gives a session other knowledge bases: all of them exist, or nothing
// changes.
func (h *Handlers) Rebase(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		BaseIDs []BaseKey `json:"knowledgeBaseIds"`
	}
	return h.change(w, r, &body, func() (chat.SessionChange, error) {
		bases, err := h.find(r.Context(), scopeOf(r), body.BaseIDs)
		ids := idsOf(bases)
		return chat.SessionChange{BaseIDs: &ids}, err
	})
}

// change reads a body and makes the change of a session that it asks for.
func (h *Handlers) change(w http.ResponseWriter, r *http.Request, body any, asked func() (chat.SessionChange, error)) error {
	s, err := h.session(r)
	if err != nil {
		return err
	}
	if err := request.JSON(w, r, body); err != nil {
		return err
	}
	c, err := asked()
	if err != nil {
		return err
	}
	if _, err := h.Chat.ChangeSession(r.Context(), scopeOf(r), s.ID, c); err != nil {
		return named(err, errNoSession)
	}
	return done(w, nil)
}

// Pin pins a session, or no longer.
func (h *Handlers) Pin(w http.ResponseWriter, r *http.Request) error {
	s, err := h.session(r)
	if err != nil {
		return err
	}
	if _, err := h.Chat.TogglePin(r.Context(), scopeOf(r), s.ID); err != nil {
		return named(err, errNoSession)
	}
	return done(w, nil)
}

// Delete removes a session with its messages.
func (h *Handlers) Delete(w http.ResponseWriter, r *http.Request) error {
	s, err := h.session(r)
	if err != nil {
		return err
	}
	if err := h.Chat.DeleteSession(r.Context(), scopeOf(r), s.ID); err != nil {
		return named(err, errNoSession)
	}
	return done(w, nil)
}

// ListBases gives the knowledge bases that sessions can be opened over.
func (h *Handlers) ListBases(w http.ResponseWriter, r *http.Request) error {
	bases, err := h.Bases.ListBases(r.Context(), scopeOf(r))
	if err != nil {
		return err
	}
	views, err := h.bases(r.Context(), bases)
	if err != nil {
		return err
	}
	return done(w, views)
}
