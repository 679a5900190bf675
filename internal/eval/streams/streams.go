// Package streams loads a server with many answers at once, breaks the
// connection of every reader at random events, and checks that what was read
// over all connections is what was stored: nothing lost, doubled or out of
// order.
//
//	report, err := streams.Run(ctx, streams.Target{URL: url}, streams.Plan{Streams: 100, Cuts: 3, Questions: []string{"…"}})
//	fmt.Print(report.Table())
package streams

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"kaoju/internal/core"
)

// Target is the server to load.
type Target struct {
	URL string
	Key string // "" sends none
}

// Plan says how to load it.
type Plan struct {
	Streams   int      // answers at once
	Cuts      int      // how often each reader's connection is broken
	Within    int      // a connection breaks after 1..Within events; 0 means 40
	Questions []string // asked in turn
	Seed      uint64   // of the places where connections break
}

// Run asks all questions at once and reads every answer to its end. Faults of
// single streams are in the report; an error means that nothing was measured.
func Run(ctx context.Context, target Target, plan Plan) (Report, error) {
	if plan.Streams < 1 || len(plan.Questions) == 0 {
		return Report{}, core.Errorf(core.CodeInvalid, "say how many streams there are to be, and what is asked")
	}
	if plan.Within == 0 {
		plan.Within = 40
	}
	transport := &http.Transport{MaxIdleConnsPerHost: plan.Streams}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	readers := make([]*reader, plan.Streams)
	begun := time.Now()
	var wg sync.WaitGroup
	for i := range readers {
		readers[i] = &reader{
			client: client, target: target, question: plan.Questions[i%len(plan.Questions)], plan: plan,
			dice: rand.New(rand.NewPCG(plan.Seed, uint64(i))),
		}
		wg.Go(func() { readers[i].err = readers[i].run(ctx) })
	}
	wg.Wait()
	if ctx.Err() != nil {
		return Report{}, core.Wrap(ctx.Err(), core.CodeCanceled, "interrupted")
	}
	return report(readers, time.Since(begun)), nil
}

// reader follows one answer.
type reader struct {
	client   *http.Client
	target   Target
	question string
	plan     Plan
	dice     *rand.Rand

	session, message string
	asked            time.Time
	last             int64 // number of the last event
	text             strings.Builder
	ended            bool
	reconnects       int
	times            times
	backwards        int // events whose number was not above the last
	stored           string
	err              error
}

// times are when things were first seen, from the question on.
type times struct{ event, references, token, complete time.Duration }

func (r *reader) run(ctx context.Context) error {
	var session core.Session
	if err := r.call(ctx, http.MethodPost, "/api/v1/sessions", `{"title":"bench"}`, &session); err != nil {
		return err
	}
	r.session = session.ID
	body, err := json.Marshal(map[string]string{"query": r.question})
	if err != nil {
		return fmt.Errorf("encode the question: %w", err)
	}
	r.asked = time.Now()
	if err := r.connect(ctx, http.MethodPost, "/api/v1/sessions/"+r.session+"/knowledge-qa", string(body)); err != nil {
		return err
	}
	for !r.ended {
		if r.message == "" {
			return core.Errorf(core.CodeUnavailable, "the stream ended before its first event")
		}
		r.reconnects++
		path := fmt.Sprintf("/api/v1/sessions/continue-stream/%s?message_id=%s&after=%d", r.session, r.message, r.last)
		if err := r.connect(ctx, http.MethodGet, path, ""); err != nil {
			return err
		}
	}
	var m core.Message
	if err := r.call(ctx, http.MethodGet, "/api/v1/messages/"+r.message, "", &m); err != nil {
		return err
	}
	r.stored = m.Content
	if m.State != core.MessageComplete {
		return core.Errorf(core.CodeInternal, "the answer is %s: %s", m.State, m.ErrorCode)
	}
	return nil
}

// connect reads a stream until its end or, while there are cuts left, until
// the connection is broken.
func (r *reader) connect(ctx context.Context, method, path, body string) error {
	ctx, cut := context.WithCancel(ctx)
	defer cut()
	resp, err := r.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	left := -1 // to the end
	if r.reconnects < r.plan.Cuts {
		left = 1 + r.dice.IntN(r.plan.Within)
	}
	return r.read(resp.Body, left)
}

func (r *reader) send(ctx context.Context, method, path, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.target.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make a request for %s: %w", path, err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.target.Key != "" {
		req.Header.Set("Authorization", "Bearer "+r.target.Key)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return nil, core.Wrap(err, core.CodeUnavailable, "the server at %s does not answer", r.target.URL)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000)) // as far as it can be read
		return nil, core.Errorf(core.CodeUnavailable, "%s %s: %s %s", method, path, resp.Status, text)
	}
	return resp, nil
}

func (r *reader) call(ctx context.Context, method, path, body string, out any) error {
	resp, err := r.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return fmt.Errorf("read the reply of %s: %w", path, err)
	}
	return nil
}
