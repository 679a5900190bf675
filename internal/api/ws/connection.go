package ws

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/coder/websocket"

	"kaoju/internal/api/fault"
	"kaoju/internal/core"
)

// writeTimeout is how long a reader may keep the server from writing.
const writeTimeout = 30 * time.Second

// connection is one client. Its reader runs in hold, its keeper and each of
// its questions in goroutines that hold waits for.
type connection struct {
	handlers *Handlers
	socket   *websocket.Conn
	scope    core.Scope

	mu        sync.Mutex
	used      time.Time // when the last question came or ended
	asked     int       // questions that run
	refusing  bool      // the server goes
	questions sync.WaitGroup
}

// hold reads messages until the connection ends.
func (c *connection) hold(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var keeper sync.WaitGroup
	keeper.Go(func() { c.keep(ctx) })
	for {
		kind, data, err := c.socket.Read(ctx)
		if err != nil {
			break // the library has told the client why, where there is something to tell
		}
		if kind != websocket.MessageText {
			_ = c.socket.Close(websocket.StatusUnsupportedData, "send text messages with JSON in them")
			break
		}
		c.take(ctx, data)
	}
	cancel()
	c.questions.Wait()
	keeper.Wait()
	_ = c.socket.CloseNow()
}

// keep pings the client, and closes the connection when nothing was asked for
// long enough or the server goes.
func (c *connection) keep(ctx context.Context) {
	ping := time.NewTicker(c.handlers.Heartbeat)
	defer ping.Stop()
	idle := time.NewTimer(c.handlers.Idle)
	defer idle.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.handlers.closing:
			c.farewell()
			return
		case <-idle.C:
			left := c.idleIn()
			if left <= 0 {
				_ = c.socket.Close(CloseIdle, fmt.Sprintf("nothing was asked for %s", c.handlers.Idle))
				return
			}
			idle.Reset(left)
		case <-ping.C:
			if !c.alive(ctx) {
				_ = c.socket.CloseNow()
				return
			}
		}
	}
}

// alive reports whether the client answers a ping in time.
func (c *connection) alive(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return c.socket.Ping(ctx) == nil
}

// farewell waits for the running questions and closes.
func (c *connection) farewell() {
	c.mu.Lock()
	c.refusing = true
	c.mu.Unlock()
	c.questions.Wait()
	_ = c.socket.Close(websocket.StatusGoingAway, "the server is shutting down")
}

// idleIn is how long the connection may still be without a question.
func (c *connection) idleIn() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked > 0 {
		return c.handlers.Idle
	}
	return c.handlers.Idle - time.Since(c.used)
}

// take handles a message of the client. What is wrong with it is an error
// event; the connection stays.
func (c *connection) take(ctx context.Context, data []byte) {
	var m Message
	if err := json.Unmarshal(data, &m); err != nil {
		c.fail(ctx, Head{}, core.Wrap(err, core.CodeInvalid, "the message is not a JSON object of the known form"))
		return
	}
	if err := c.begin(); err != nil {
		c.fail(ctx, Head{SessionID: m.SessionID}, err)
		return
	}
	go func() {
		defer c.finish()
		c.answer(ctx, m)
	}()
}

// begin counts a question, unless there are enough.
func (c *connection) begin() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refusing {
		return core.Errorf(core.CodeUnavailable, "the server is shutting down")
	}
	if c.asked >= c.handlers.AtOnce {
		return core.Errorf(core.CodeBusy, "%d questions are being answered on this connection, which is the limit", c.asked)
	}
	c.asked++
	c.questions.Add(1)
	return nil
}

func (c *connection) finish() {
	c.mu.Lock()
	c.asked--
	c.used = time.Now()
	c.mu.Unlock()
	c.questions.Done()
}

// send writes one event. A client that does not take it in time is gone.
func (c *connection) send(ctx context.Context, event any) error {
	data, err := json.Marshal(event)
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return c.socket.Write(ctx, websocket.MessageText, data)
}

// fail sends an error event that ends a question which no turn answers.
func (c *connection) fail(ctx context.Context, head Head, err error) {
	f := fault.Of(ctx, c.handlers.Logger, err)
	head.Type = "error"
	_ = c.send(ctx, Failure{Head: head, Code: f.Code, Message: f.Message})
}
