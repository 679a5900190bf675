package chat_test

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kaoju/internal/chat"
	"kaoju/internal/core"
	"kaoju/internal/eventlog/memory"
	"kaoju/internal/pipeline"
)

// fakeStore keeps everything in maps. Fail functions replace a write.
type fakeStore struct {
	mu          sync.Mutex
	sessions    map[string]core.Session
	messages    map[string]core.Message
	traces      map[string]core.Trace
	owners      map[string]string // by message
	leases      map[string]time.Time
	checkpoints []string
	failFinish  func() error
	failLease   func(owner string) error
}

func newFakeStore() *fakeStore {
	return &fakeStore{
		sessions: map[string]core.Session{},
		messages: map[string]core.Message{},
		traces:   map[string]core.Trace{},
		owners:   map[string]string{},
		leases:   map[string]time.Time{},
	}
}

func missing(id string) error { return core.Errorf(core.CodeNotFound, "there is no %q", id) }

func (f *fakeStore) CreateSession(_ context.Context, s core.Session) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sessions[s.ID] = s
	return nil
}

func (f *fakeStore) Session(_ context.Context, scope core.Scope, id string) (core.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.sessions[id]
	if !ok || s.UserID != scope.UserID {
		return core.Session{}, missing(id)
	}
	return s, nil
}

func (f *fakeStore) ListSessions(_ context.Context, _ core.Scope, _, _ int) ([]core.Session, int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return nil, len(f.sessions), nil
}

func (f *fakeStore) UpdateSession(ctx context.Context, scope core.Scope, id string, change func(*core.Session) error) (core.Session, error) {
	s, err := f.Session(ctx, scope, id)
	if err == nil {
		err = change(&s)
	}
	if err == nil {
		err = f.CreateSession(ctx, s)
	}
	return s, err
}

func (f *fakeStore) DeleteSessions(_ context.Context, _ core.Scope, ids []string) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ids == nil {
		ids = slices.Collect(maps.Keys(f.sessions))
	}
	for _, id := range ids {
		delete(f.sessions, id)
	}
	return len(ids), nil
}

func (f *fakeStore) SearchMessages(context.Context, core.Scope, string, string, int) ([]core.FoundMessage, error) {
	return nil, nil
}

func (f *fakeStore) OpenHidden(ctx context.Context, s core.Session, said []core.Message) error {
	f.mu.Lock()
	for i, m := range said {
		m.SessionID, m.Order = s.ID, int64(i)+1
		f.messages[m.ID] = m
	}
	f.mu.Unlock()
	return f.CreateSession(ctx, s)
}

func (f *fakeStore) BeginRound(ctx context.Context, scope core.Scope, r core.NewRound) (core.NewRound, error) {
	s, err := f.Session(ctx, scope, r.Question.SessionID)
	if err != nil {
		return r, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	s.Title = cmp.Or(s.Title, r.Title)
	r.Title, f.sessions[s.ID] = s.Title, s
	r.Question.Order = int64(len(f.messages)) + 1
	r.Answer.Order = r.Question.Order + 1
	f.messages[r.Question.ID], f.messages[r.Answer.ID], f.owners[r.Answer.ID] = r.Question, r.Answer, r.Owner
	return r, nil
}

func (f *fakeStore) CheckpointMessage(_ context.Context, m core.Message) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	kept, ok := f.messages[m.ID]
	if !ok || kept.State != core.MessagePending {
		return core.Errorf(core.CodeConflict, "%q is not being written", m.ID)
	}
	kept.Content, kept.References = m.Content, m.References
	f.messages[m.ID] = kept
	f.checkpoints = append(f.checkpoints, m.Content)
	return nil
}

func (f *fakeStore) FinishMessage(_ context.Context, m core.Message, t core.Trace) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failFinish != nil {
		return f.failFinish()
	}
	if kept, ok := f.messages[m.ID]; !ok || kept.State != core.MessagePending {
		return core.Errorf(core.CodeConflict, "%q is finished", m.ID)
	}
	f.messages[m.ID], f.traces[m.ID] = m, t
	return nil
}

func (f *fakeStore) RenewLease(_ context.Context, owner string, until time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failLease != nil {
		return f.failLease(owner)
	}
	f.leases[owner] = until
	return nil
}

func (f *fakeStore) EndLease(_ context.Context, owner string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.leases, owner)
	return nil
}

func (f *fakeStore) PendingMessages(_ context.Context, at time.Time) ([]core.Message, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var pending []core.Message
	for _, m := range f.messages {
		if m.State == core.MessagePending && !f.leases[f.owners[m.ID]].After(at) {
			pending = append(pending, m)
		}
	}
	return pending, nil
}

func (f *fakeStore) Message(_ context.Context, _ core.Scope, id string) (core.Message, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m, ok := f.messages[id]
	if !ok {
		return m, missing(id)
	}
	return m, nil
}

func (f *fakeStore) ListMessages(_ context.Context, _ core.Scope, sessionID string, before int64, limit int) ([]core.Message, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []core.Message
	for _, m := range f.messages {
		if m.SessionID == sessionID && m.Order < before {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b core.Message) int { return cmp.Compare(a.Order, b.Order) })
	return list[max(0, len(list)-limit):], nil
}

func (f *fakeStore) Base(_ context.Context, _ core.Scope, id string) (core.KnowledgeBase, error) {
	if id != "b1" && id != "handbook" {
		return core.KnowledgeBase{}, missing(id)
	}
	return core.KnowledgeBase{ID: "b1", Name: "handbook"}, nil
}

func (f *fakeStore) Document(_ context.Context, _ core.Scope, id string) (core.Document, error) {
	if id != "d1" {
		return core.Document{}, missing(id)
	}
	return core.Document{ID: id}, nil
}

// answerFunc is an Answerer.
type answerFunc func(context.Context, pipeline.Request, pipeline.Publish) (pipeline.Outcome, error)

func (f answerFunc) Answer(ctx context.Context, r pipeline.Request, p pipeline.Publish) (pipeline.Outcome, error) {
	return f(ctx, r, p)
}

// say publishes each part and gives the outcome that fits.
func say(parts ...string) answerFunc {
	return func(ctx context.Context, _ pipeline.Request, publish pipeline.Publish) (pipeline.Outcome, error) {
		for _, p := range parts {
			if err := publish(ctx, core.Event{Type: core.EventAnswer, Content: p}); err != nil {
				return pipeline.Outcome{}, err
			}
		}
		return pipeline.Outcome{HitType: core.HitRAG, Answer: strings.Join(parts, "")}, nil
	}
}

// world is a service over fakes, with one session "s".
type world struct {
	*chat.Service
	store *fakeStore
	log   *memory.Log
}

func open(t *testing.T, limits chat.Limits, answer answerFunc, changes ...func(*chat.Options)) world {
	t.Helper()
	store, log := newFakeStore(), memory.New(memory.DefaultLimits(), time.Now)
	options := chat.Options{
		Sessions: store, Rounds: store, Messages: store, Archive: store, Sources: store,
		Log: log, Answerer: answer, Limits: limits, Logger: slog.New(slog.DiscardHandler),
	}
	for _, change := range changes {
		change(&options)
	}
	w := world{store: store, log: log, Service: chat.New(options)}
	store.sessions["s"] = core.Session{ID: "s", UserID: core.OwnerUserID}
	return w
}

// close ends the service at once.
func (w world) close(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := w.Close(ctx); err != nil {
		t.Error(err)
	}
}

func (w world) ask(t *testing.T, question string) chat.Started {
	t.Helper()
	started, err := w.Ask(t.Context(), core.OwnerScope(), chat.AskRequest{SessionID: "s", Question: question})
	if err != nil {
		t.Fatalf("ask: %v", err)
	}
	return started
}

// all reads a tail to its end.
func all(t *testing.T, tail *chat.Tail) []core.Event {
	t.Helper()
	var events []core.Event
	for {
		next, err := tail.Next(t.Context())
		if err != nil {
			return events
		}
		events = append(events, next...)
	}
}

func textOf(events []core.Event) string {
	var text strings.Builder
	for _, e := range events {
		if e.Type == core.EventAnswer {
			text.WriteString(e.Content)
		}
	}
	return text.String()
}

// shape gives the types of events, runs of one type as one.
func shape(events []core.Event) string {
	s, last := "", core.EventType("")
	for _, e := range events {
		if e.Type != last {
			s += " " + string(e.Type)
		}
		last = e.Type
	}
	return s[min(1, len(s)):]
}

func (w world) stored(t *testing.T, id string) core.Message {
	t.Helper()
	m, err := w.store.Message(t.Context(), core.OwnerScope(), id)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
