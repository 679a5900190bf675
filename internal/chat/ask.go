package chat

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
)

// AskRequest is a question. Empty lists of ids mean the session's bases, and
// without those all that the caller may see.
type AskRequest struct {
	SessionID   string
	AssistantID string // who answers; "" means the session's
	Question    string
	BaseIDs     []string
	DocumentIDs []string
	FolderIDs   []string // folders to stay within, those below them included by whoever asks
	Tags        []string // tags to stay within
	Folders     []string // the folders that the user named, kept for the next question
	TopK        int      // passages to keep; 0 means the configured number
	Talk        bool     // a conversation without knowledge bases: nothing is searched for
	Fallback    core.FallbackStrategy
	Images      []llm.Image        // of the question
	Citations   core.CitationStyle // how the answer marks its sources; "" means as the assistant has it
}

// Started is a turn that runs.
type Started struct {
	SessionID        string
	UserMessage      core.Message
	AssistantMessage core.Message // pending
	RequestID        string
	Assistant        core.Assistant // who answers
	Events           *Tail          // from the first event; reading it is optional
}

// Ask stores the question and starts the turn that answers it. It returns as
// soon as both messages are stored; the turn outlives ctx.
func (s *Service) Ask(ctx context.Context, scope core.Scope, req AskRequest) (Started, error) {
	if err := s.checkQuestion(req.Question); err != nil {
		return Started{}, err
	}
	session, err := s.Sessions.Session(ctx, scope, req.SessionID)
	if err != nil {
		return Started{}, err
	}
	who, err := s.answering(ctx, scope, req, session)
	if err != nil {
		return Started{}, err
	}
	if req.BaseIDs, err = s.checkSources(ctx, scope, req.BaseIDs, req.DocumentIDs); err != nil {
		return Started{}, err
	}
	chosen := core.LastRequest{BaseIDs: orEmpty(req.BaseIDs), DocumentIDs: orEmpty(req.DocumentIDs), FolderIDs: req.Folders, TopK: req.TopK}
	if len(req.BaseIDs) == 0 {
		if req.BaseIDs, err = s.checkSources(ctx, scope, session.BaseIDs, nil); err != nil {
			return Started{}, err
		}
	}
	if err := s.admit(); err != nil {
		return Started{}, err
	}
	t, user, err := s.begin(ctx, asking{scope, session, who, chosen}, req)
	if err != nil {
		s.leave()
		return Started{}, err
	}
	started := Started{
		SessionID:        session.ID,
		UserMessage:      user,
		AssistantMessage: t.message,
		RequestID:        t.message.RequestID,
		Assistant:        who,
		Events:           s.tail(t.message.ID, 0),
	}
	s.start(t) // from here on the turn belongs to its goroutines
	return started, nil
}

// Check reports what is wrong with a request beside its session, so that a
// protocol that opens a session for it can refuse first.
func (s *Service) Check(ctx context.Context, scope core.Scope, req AskRequest) error {
	if err := s.checkQuestion(req.Question); err != nil {
		return err
	}
	if _, err := s.AssistantOf(ctx, scope, req.AssistantID); err != nil {
		return err
	}
	_, err := s.checkSources(ctx, scope, req.BaseIDs, req.DocumentIDs)
	return err
}

// AssistantOf gives the assistant with an id; "" means the default one.
func (s *Service) AssistantOf(ctx context.Context, scope core.Scope, id string) (core.Assistant, error) {
	switch {
	case s.Assistants != nil:
		return s.Assistants.Assistant(ctx, scope, id)
	case id == "" || id == s.Assistant.ID:
		return s.Assistant, nil
	}
	return core.Assistant{}, core.Errorf(core.CodeNotFound, "there is no assistant %q", id)
}

// answering gives who answers a question: the one that it names, else the
// session's, else, where that is gone, the default one.
func (s *Service) answering(ctx context.Context, scope core.Scope, req AskRequest, session core.Session) (core.Assistant, error) {
	if req.AssistantID != "" {
		return s.AssistantOf(ctx, scope, req.AssistantID)
	}
	a, err := s.AssistantOf(ctx, scope, session.AssistantID)
	if core.CodeOf(err) == core.CodeNotFound {
		return s.AssistantOf(ctx, scope, "")
	}
	return a, err
}

// changed gives what a question chose, and nil where that is kept already, as
// after most questions.
func changed(kept *core.LastRequest, chosen core.LastRequest) *core.LastRequest {
	if kept == nil && len(chosen.BaseIDs)+len(chosen.DocumentIDs)+len(chosen.FolderIDs)+chosen.TopK == 0 {
		return nil
	}
	if kept != nil && reflect.DeepEqual(*kept, chosen) {
		return nil
	}
	return &chosen
}

// checkQuestion refuses only what cannot be answered. Markup, SQL and query
// syntax are legitimate questions.
func (s *Service) checkQuestion(q string) error {
	if strings.TrimSpace(q) == "" {
		return core.Errorf(core.CodeInvalid, "the question is empty")
	}
	if n := utf8.RuneCountInString(q); n > s.Limits.Question {
		return core.Errorf(core.CodeTooLarge, "the question has %d characters; the limit is %d", n, s.Limits.Question)
	}
	if strings.ContainsRune(q, 0) {
		return core.Errorf(core.CodeInvalid, "the question contains a NUL character")
	}
	return nil
}

// checkSources gives the ids of the bases, which a caller may also name, and
// core.CodeNotFound for the first source that the caller cannot see.
func (s *Service) checkSources(ctx context.Context, scope core.Scope, bases, documentIDs []string) ([]string, error) {
	var ids []string
	for _, idOrName := range bases {
		b, err := s.Sources.Base(ctx, scope, idOrName)
		if err != nil {
			return nil, err
		}
		ids = append(ids, b.ID)
	}
	for _, id := range documentIDs {
		if _, err := s.Sources.Document(ctx, scope, id); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// admit takes a place for a turn, or says why there is none.
func (s *Service) admit() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return core.Errorf(core.CodeUnavailable, "the server is shutting down")
	}
	if s.inAir >= s.Limits.Turns {
		return core.Errorf(core.CodeBusy, "%d answers are being written, which is the limit; try again in a moment", s.inAir)
	}
	s.inAir++
	s.wg.Add(1)
	return nil
}

// leave gives the place back.
func (s *Service) leave() {
	s.mu.Lock()
	s.inAir--
	s.mu.Unlock()
	s.wg.Done()
}

// asking is who asks whom, where.
type asking struct {
	scope     core.Scope
	session   core.Session
	assistant core.Assistant
	chosen    core.LastRequest
}

// begin stores the round and opens the turn's log.
func (s *Service) begin(ctx context.Context, a asking, req AskRequest) (*turn, core.Message, error) {
	scope, session := a.scope, a.session
	r := s.round(session, req.Question)
	r.Chosen = changed(session.LastRequest, a.chosen)
	if len(a.chosen.BaseIDs)+len(a.chosen.DocumentIDs)+len(a.chosen.FolderIDs) > 0 {
		r.Answer.Narrowed = &a.chosen
	}
	short := r.Title
	r, err := s.Rounds.BeginRound(ctx, scope, r)
	if err != nil {
		return nil, r.Question, err
	}
	answer := r.Answer
	t := &turn{
		service: s,
		message: answer,
		started: s.Now(),
		done:    make(chan struct{}),
		short:   short,
		// Of two first questions at once, one names the session.
		titleDue: short != "" && r.Title == short,
		request: pipeline.Request{
			Scope: scope, Assistant: a.assistant, SessionID: session.ID, MessageID: answer.ID,
			RequestID: answer.RequestID, Question: req.Question, Images: req.Images, Before: r.Question.Order,
			BaseIDs: req.BaseIDs, DocumentIDs: req.DocumentIDs, FolderIDs: req.FolderIDs, Tags: req.Tags, TopK: req.TopK, Talk: req.Talk, Fallback: req.Fallback,
			CitationStyle: req.Citations,
		},
	}
	t.recorder = newRecorder(s.Log, answer.ID, s.Limits.CheckpointLen)
	opening := core.Event{Type: core.EventAgentQuery, Data: pipeline.Data(AgentQuery{
		SessionID: session.ID, MessageID: answer.ID, TitleDue: t.titleDue,
	})}
	// Once the round is stored, a caller that leaves changes nothing.
	if _, err := s.Log.Append(context.WithoutCancel(ctx), answer.ID, opening); err != nil {
		// The round is stored; only its turn cannot run. Leaving it pending
		// would leave it so until the next start.
		trace := core.Trace{ID: core.NewID(), MessageID: answer.ID, CreatedAt: s.Now()}
		return nil, r.Question, errors.Join(err, t.store(failed(answer, err), trace))
	}
	return t, r.Question, nil
}

// round makes the two messages of a question, and the title that it gives a
// session which nobody has named.
func (s *Service) round(session core.Session, question string) core.NewRound {
	now := s.Now().UTC()
	user := core.Message{
		ID: core.NewID(), SessionID: session.ID, RequestID: core.NewID(), Role: core.RoleUser,
		Content: question, State: core.MessageComplete, CreatedAt: now, UpdatedAt: now,
	}
	answer := core.Message{
		ID: core.NewID(), SessionID: session.ID, RequestID: user.RequestID, Role: core.RoleAssistant,
		State: core.MessagePending, CreatedAt: now, UpdatedAt: now,
	}
	r := core.NewRound{Question: user, Answer: answer}
	if session.Title == "" {
		r.Title = Shorten(question)
	}
	if s.Leases != nil {
		r.Owner = s.id
	}
	return r
}

// Search runs the turn's retrieval alone: Outcome.Ranked holds the passages,
// best first, and Outcome.Debug how they were found. A question with a session
// follows what was said there. Nothing is stored.
func (s *Service) Search(ctx context.Context, scope core.Scope, req AskRequest) (pipeline.Outcome, error) {
	if err := s.checkQuestion(req.Question); err != nil {
		return pipeline.Outcome{}, err
	}
	var session core.Session
	var err error
	if req.SessionID != "" {
		if session, err = s.Sessions.Session(ctx, scope, req.SessionID); err != nil {
			return pipeline.Outcome{}, err
		}
	}
	who, err := s.answering(ctx, scope, req, session)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	if len(req.BaseIDs) == 0 {
		req.BaseIDs = session.BaseIDs
	}
	baseIDs, err := s.checkSources(ctx, scope, req.BaseIDs, req.DocumentIDs)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	return s.answer(ctx, pipeline.Request{
		Scope: scope, Assistant: who, SessionID: req.SessionID, Before: math.MaxInt64, RequestID: core.NewID(),
		Question: req.Question, BaseIDs: baseIDs, DocumentIDs: req.DocumentIDs, FolderIDs: req.FolderIDs, Tags: req.Tags, TopK: req.TopK, RetrieveOnly: true,
	}, func(context.Context, core.Event) error { return nil })
}
