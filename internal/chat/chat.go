// Package chat is the conversation: sessions, messages, and the turns that
// write the answers.
//
//	service := chat.New(chat.Options{Sessions: db, Rounds: db, …, Answerer: runner, Log: log})
//	err := service.Recover(ctx)                      // once, before serving
//	started, err := service.Ask(ctx, scope, request) // the turn runs on its own
//	for events, err := started.Events.Next(ctx); err == nil; …
//	err = service.Close(ctx)                         // drains, then interrupts
//
// A turn belongs to the server and not to the connection that asked: adapters
// only tail its event log. What a reader saw is what is stored: the sum of
// the answer events equals the message's content, byte for byte. Every turn
// ends in exactly one terminal event, which is appended after the message was
// stored; only a session's title may follow.
package chat

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/eventlog"
	"kaoju/internal/pipeline"
)

// Sessions keeps conversations. Every call sees only what the scope reaches;
// anything else is core.CodeNotFound.
type Sessions interface {
	CreateSession(ctx context.Context, s core.Session) error
	Session(ctx context.Context, scope core.Scope, id string) (core.Session, error)
	// ListSessions gives one page, the last used first, and the total.
	ListSessions(ctx context.Context, scope core.Scope, offset, limit int) ([]core.Session, int, error)
}

// Rounds writes the two messages of a round.
type Rounds interface {
	// BeginRound stores the question and the pending answer, and what they
	// change of their session, in one transaction. It gives the messages back
	// with their Order, and the session's title.
	BeginRound(ctx context.Context, scope core.Scope, r core.NewRound) (core.NewRound, error)
	// CheckpointMessage keeps the text and the references so far of a pending
	// message; core.CodeConflict where it is pending no longer.
	CheckpointMessage(ctx context.Context, m core.Message) error
	// FinishMessage stores the final message with its references, citations
	// and trace; core.CodeConflict where another did so before.
	FinishMessage(ctx context.Context, m core.Message, trace core.Trace) error
	// PendingMessages gives the answers that nobody has finished and whose
	// owner has no lease at that time.
	PendingMessages(ctx context.Context, at time.Time) ([]core.Message, error)
}

// Leases tell which of the processes that share a store are alive.
type Leases interface {
	// RenewLease makes the answers of owner its own until then.
	RenewLease(ctx context.Context, owner string, until time.Time) error
	EndLease(ctx context.Context, owner string) error
}

// Messages reads what was said.
type Messages interface {
	Message(ctx context.Context, scope core.Scope, id string) (core.Message, error)
	// ListMessages gives the last limit messages whose order is below before.
	ListMessages(ctx context.Context, scope core.Scope, sessionID string, before int64, limit int) ([]core.Message, error)
}

// Archive changes what is kept. Every call sees only the scope's own.
type Archive interface {
	// UpdateSession changes title, bases, pin and last request in one
	// transaction; an error of change leaves all as it was.
	UpdateSession(ctx context.Context, scope core.Scope, id string, change func(*core.Session) error) (core.Session, error)
	// DeleteSessions removes all of the ids or, where one is not the scope's,
	// none; nil means every session.
	DeleteSessions(ctx context.Context, scope core.Scope, ids []string) (int, error)
	// SearchMessages finds messages with every word of the query, the newest
	// first.
	SearchMessages(ctx context.Context, scope core.Scope, query, sessionID string, limit int) ([]core.FoundMessage, error)
	// OpenHidden stores a session that no list shows, with what was said in
	// it before.
	OpenHidden(ctx context.Context, s core.Session, said []core.Message) error
}

// Sources says whether the knowledge that a request names exists within the
// caller's scope; core.CodeNotFound where it does not.
type Sources interface {
	Base(ctx context.Context, scope core.Scope, idOrName string) (core.KnowledgeBase, error)
	Document(ctx context.Context, scope core.Scope, id string) (core.Document, error)
}

// Assistants gives the assistants of the scope's tenant; "" is the default
// one, and one that is not there is core.CodeNotFound.
type Assistants interface {
	Assistant(ctx context.Context, scope core.Scope, id string) (core.Assistant, error)
}

// Answerer writes an answer: it publishes events and returns what they came
// to. It ends when ctx does. The pipeline is one.
type Answerer interface {
	Answer(ctx context.Context, req pipeline.Request, publish pipeline.Publish) (pipeline.Outcome, error)
}

// Limits bound a service. Zero values mean the defaults.
type Limits struct {
	Question      int           // characters of a question; 10,000
	Turns         int           // turns in the air at once; 2,048
	Turn          time.Duration // the longest turn; 10 minutes
	Checkpoint    time.Duration // the text so far is stored this often; 500 ms
	CheckpointLen int           // or as soon as so many new bytes are there; 2,048
	Grace         time.Duration // how long a cancelled turn may take to report; 100 ms
	Title         time.Duration // how long readers wait for a due title; 3 s
	Stop          time.Duration // how long a stop waits for the process that runs the turn; 5 s
	Lease         time.Duration // how long a silent process keeps its answers, with Leases; 30 s
}

func (l Limits) withDefaults() Limits {
	defaultTo(&l.Question, 10_000)
	defaultTo(&l.Turns, 2048)
	defaultTo(&l.Turn, 10*time.Minute)
	defaultTo(&l.Checkpoint, 500*time.Millisecond)
	defaultTo(&l.CheckpointLen, 2048)
	defaultTo(&l.Grace, 100*time.Millisecond)
	defaultTo(&l.Title, 3*time.Second)
	defaultTo(&l.Stop, 5*time.Second)
	defaultTo(&l.Lease, 30*time.Second)
	return l
}

func defaultTo[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

// Options are what a Service is made of. The first five are usually one
// store.
type Options struct {
	Sessions  Sessions
	Rounds    Rounds
	Messages  Messages
	Archive   Archive
	Sources   Sources
	Log       eventlog.Log
	Answerer  Answerer
	Assistant core.Assistant // who answers where nobody else is named
	// Assistants gives the others; nil means that there are none.
	Assistants Assistants
	Titler     Titler // nil means that questions are shortened to titles
	// Leases are kept where several processes share the store. nil means that
	// this is the only one: what Recover finds pending is nobody's.
	Leases Leases
	Limits Limits
	Now    func() time.Time // nil means time.Now
	Logger *slog.Logger     // nil means slog.Default
}

// Service holds conversations. It is safe for any number of goroutines.
type Service struct {
	Options
	id     string          // of this process, in leases
	base   context.Context // of all turns
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup // the goroutines of all turns
	keeper sync.WaitGroup // the goroutine that keeps the lease

	mu      sync.Mutex
	closing bool
	inAir   int              // turns whose stages have not returned
	running map[string]*turn // by assistant message, until the last event
}

// stageTimeout is how long stages may take to notice that they are cancelled
// before Close gives them up. Their messages are stored long before.
const stageTimeout = storeTimeout + 5*time.Second

// Why a turn was cancelled.
var (
	errStopped  = errors.New("stopped by the user")
	errShutdown = errors.New("the server is shutting down")
	errTooLong  = errors.New("the turn took too long")
	errLost     = errors.New("the answer is no longer this process's to write")
)

// New makes a service. Call Recover before the first question.
func New(o Options) *Service {
	o.Limits = o.Limits.withDefaults()
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	s := &Service{Options: o, id: core.NewID(), running: map[string]*turn{}}
	s.base, s.cancel = context.WithCancelCause(context.Background())
	return s
}

// Close takes no more questions, lets the running turns end until ctx does,
// and then interrupts them: their messages keep the text so far and are
// marked interrupted. It returns when every goroutine of every turn ended; a
// stage that does not listen is given up after a few seconds, which is an
// error.
func (s *Service) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	drained := make(chan struct{})
	go func() {
		s.wg.Wait()
		close(drained)
	}()
	defer s.endLease()
	defer s.cancel(errShutdown)
	select {
	case <-drained:
		return nil
	case <-ctx.Done():
		s.cancel(errShutdown)
	}
	patience := time.NewTimer(stageTimeout)
	defer patience.Stop()
	select {
	case <-drained:
		return nil
	case <-patience.C:
		return errors.New("stages of interrupted turns did not end")
	}
}
