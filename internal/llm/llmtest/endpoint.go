package llmtest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Request is a call as the endpoint saw it.
type Request struct {
	Method string
	Path   string // with the query
	Header http.Header
	Body   string
}

// Endpoint plays a script.
type Endpoint struct {
	URL    string       // without /v1
	Client *http.Client // reaches the endpoint

	script Script
	split  int
	answer func(Request) Script

	mu        sync.Mutex
	requests  []Request
	gates     map[string]chan struct{}
	sentAfter int
	gone      chan struct{}
	goneOnce  sync.Once
	running   sync.WaitGroup
}

// Option changes how an endpoint plays.
type Option func(*Endpoint)

// Split sends every body in two writes: n bytes, and the rest.
func Split(n int) Option { return func(e *Endpoint) { e.split = n } }

// Answer chooses the response by the request, in place of the script.
func Answer(f func(Request) Script) Option { return func(e *Endpoint) { e.answer = f } }

// Start starts an endpoint behind pipes in memory; it ends with the test.
func Start(t testing.TB, s Script, opts ...Option) *Endpoint {
	t.Helper()
	l := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	e := New(s, opts...)
	srv := httptest.NewUnstartedServer(e)
	_ = srv.Listener.Close()
	srv.Listener = l
	srv.Start()
	transport := &http.Transport{DialContext: l.dial, DisableCompression: true}
	e.URL, e.Client = "http://endpoint.test", &http.Client{Transport: transport}
	t.Cleanup(func() { transport.CloseIdleConnections(); srv.CloseClientConnections(); srv.Close() })
	return e
}

// StartTCP starts an endpoint behind a real connection on loopback.
func StartTCP(t testing.TB, s Script, opts ...Option) *Endpoint {
	t.Helper()
	e := New(s, opts...)
	srv := httptest.NewServer(e)
	e.URL, e.Client = srv.URL, srv.Client()
	t.Cleanup(srv.Close)
	return e
}

// Unreachable gives a client whose network fails with the given words.
func Unreachable(words string) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New(words)
	}}}
}

// New gives an endpoint without a network, for Direct.
func New(s Script, opts ...Option) *Endpoint {
	e := &Endpoint{script: s, gates: map[string]chan struct{}{}, gone: make(chan struct{})}
	for _, o := range opts {
		o(e)
	}
	return e
}

// Open lets every call that waits at a gate, now or later, go on.
func (e *Endpoint) Open(gate string) { close(e.gate(gate)) }

// Gone is closed when the client has gone away from a call at @gone.
func (e *Endpoint) Gone() <-chan struct{} { return e.gone }

// Rewind begins the script anew, forgets the requests, and splits bodies at
// byte n from now on.
func (e *Endpoint) Rewind(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests, e.split = nil, n
}

// Calls is how many requests came.
func (e *Endpoint) Calls() int { return len(e.Requests()) }

// Requests gives the requests that came, in order.
func (e *Endpoint) Requests() []Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Request(nil), e.requests...)
}

// SentAfterGone waits until no call runs, and gives how many bytes the endpoint
// could still send to clients that had gone away.
func (e *Endpoint) SentAfterGone() int {
	e.running.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sentAfter
}

// ServeHTTP plays the response whose turn it is.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.running.Add(1)
	defer e.running.Done()
	resp, split := e.next(r)
	if resp.Status == 0 {
		http.Error(w, "the script has no response", http.StatusNotImplemented)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, h := range resp.Header {
		w.Header().Set(h[0], h[1])
	}
	w.WriteHeader(resp.Status)
	p := player{endpoint: e, w: w, control: http.NewResponseController(w), ctx: r.Context(), split: split}
	_ = p.flush()
	for _, s := range resp.Steps {
		p.play(s)
	}
}

// next notes a request and gives its response, and where to split that.
func (e *Endpoint) next(r *http.Request) (Response, int) {
	body, _ := io.ReadAll(r.Body) // a body that breaks off is noted as far as it came
	req := Request{r.Method, r.URL.RequestURI(), r.Header.Clone(), string(body)}
	e.mu.Lock()
	e.requests = append(e.requests, req)
	n, split := len(e.requests), e.split
	e.mu.Unlock()
	script := e.script
	if e.answer != nil {
		script = e.answer(req)
	}
	if len(script) == 0 {
		return Response{}, 0
	}
	return script[min(n, len(script))-1], split
}

func (e *Endpoint) gate(name string) chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.gates[name] == nil {
		e.gates[name] = make(chan struct{})
	}
	return e.gates[name]
}

// player sends one body.
type player struct {
	endpoint *Endpoint
	w        io.Writer
	control  *http.ResponseController
	ctx      context.Context
	split    int // bytes until the next cut between two writes
	gone     bool
}

func (p *player) play(s Step) {
	switch s.Do {
	case "send":
		p.send(s.Data)
	case "gate":
		select {
		case <-p.endpoint.gate(s.Data):
		case <-p.ctx.Done():
		}
	case "gone":
		<-p.ctx.Done()
		p.gone = true
		p.endpoint.goneOnce.Do(func() { close(p.endpoint.gone) })
	case "cut":
		panic(http.ErrAbortHandler)
	}
}

func (p *player) send(data string) {
	if p.split > 0 && p.split < len(data) {
		p.write(data[:p.split])
		data = data[p.split:]
		p.split = 0
	}
	p.split = max(0, p.split-len(data))
	p.write(data)
}

func (p *player) write(data string) {
	_, err := io.WriteString(p.w, data)
	if flushErr := p.flush(); err != nil || flushErr != nil || !p.gone {
		return
	}
	p.endpoint.mu.Lock()
	p.endpoint.sentAfter += len(data)
	p.endpoint.mu.Unlock()
}

func (p *player) flush() error { return p.control.Flush() }

// pipeListener accepts connections that are pipes in memory.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept waits for a client.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr is a name only.
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }
