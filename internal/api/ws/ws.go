// Package ws serves /api/stream, a WebSocket on which questions are asked and
// their answers arrive as events: start, status, token, and at last end or
// error.
//
//	handlers := ws.New(ws.Options{Chat: service, Origin: authenticator.CheckOrigin})
//	mux.HandleFunc("GET /api/stream", handlers.Serve)
//	err := handlers.Close(ctx)
//
// A connection takes any number of questions, also several at once: each event
// says which message it belongs to. A turn goes on when the connection breaks,
// and any connection of the same user can take it up after any event.
package ws

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"kaoju/internal/auth"
	"kaoju/internal/chat"
	"kaoju/internal/core"
)

// CloseIdle is the code with which the server closes a connection on which
// nothing was asked. The standard has the others: 1001 when it shuts down,
// 1003 after a binary message, 1009 after one that is too large.
const CloseIdle websocket.StatusCode = 4408

// subprotocol is what a client may ask for that sends its key as a second
// one; see package auth.
const subprotocol = auth.Subprotocol

// Options are what the handlers work with. Zero values mean the defaults.
type Options struct {
	Chat *chat.Service
	// Origin refuses pages of other sites; nil takes all.
	Origin    func(*http.Request) error
	Heartbeat time.Duration // between pings; 15 s
	Idle      time.Duration // how long a connection may be without a question; 10 minutes
	Message   int64         // bytes of a message from the client; 64 KiB
	AtOnce    int           // questions at once on a connection; 8
	Logger    *slog.Logger  // slog.Default
}

// Handlers serve connections.
type Handlers struct {
	Options
	closing chan struct{} // no more questions
	ended   context.Context
	end     context.CancelFunc // breaks the connections that are left

	mu    sync.Mutex
	shut  bool
	conns sync.WaitGroup
}

// New makes the handlers. Close them when done.
func New(o Options) *Handlers {
	if o.Heartbeat == 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.Idle == 0 {
		o.Idle = 10 * time.Minute
	}
	if o.Message == 0 {
		o.Message = 64 << 10
	}
	if o.AtOnce == 0 {
		o.AtOnce = 8
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	h := &Handlers{Options: o, closing: make(chan struct{})}
	h.ended, h.end = context.WithCancel(context.Background())
	return h
}

// Close tells every connection that the server goes (1001) as soon as its
// questions are answered, waits for that until ctx ends, and then breaks what
// is left. Turns are not touched.
func (h *Handlers) Close(ctx context.Context) error {
	h.mu.Lock()
	if !h.shut {
		h.shut = true
		close(h.closing)
	}
	h.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		h.conns.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-ctx.Done():
		h.end()
		<-gone
	}
	h.end()
	return nil
}

// enter counts a connection, unless the server goes.
func (h *Handlers) enter() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.shut {
		return core.Errorf(core.CodeUnavailable, "the server is shutting down")
	}
	h.conns.Add(1)
	return nil
}

// Serve takes a connection and holds it to its end. It returns an error only
// where it has answered nothing.
func (h *Handlers) Serve(w http.ResponseWriter, r *http.Request) error {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		return core.Errorf(core.CodeInvalid, "this is a WebSocket: connect with ws:// or wss://")
	}
	if h.Origin != nil {
		if err := h.Origin(r); err != nil {
			return err
		}
	}
	if err := h.enter(); err != nil {
		return err
	}
	defer h.conns.Done()
	socket, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:       []string{subprotocol},
		InsecureSkipVerify: true, // Origin has looked, by the same rules as every other route
	})
	if err != nil {
		h.Logger.InfoContext(r.Context(), "a WebSocket was refused", "error", err) // Accept has answered
		return nil
	}
	socket.SetReadLimit(h.Message)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(h.ended, cancel)()
	c := &connection{handlers: h, socket: socket, scope: auth.ScopeOf(r.Context()), used: time.Now()}
	c.hold(ctx)
	return nil
}
