package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
)

// InProcess serves a handler to clients in this process: no port is opened.
type InProcess struct {
	server   *http.Server
	conns    chan net.Conn
	closed   chan struct{}
	once     sync.Once
	finished chan error
}

// Pipe starts to serve the handler. Close it when done.
func Pipe(handler http.Handler) *InProcess {
	p := &InProcess{
		server:   &http.Server{Handler: handler},
		conns:    make(chan net.Conn),
		closed:   make(chan struct{}),
		finished: make(chan error, 1),
	}
	go func() { p.finished <- p.server.Serve(listener{p}) }()
	return p
}

// URL is the address that requests are made to.
func (p *InProcess) URL() string { return "http://127.0.0.1" }

// Transport reaches the handler, whatever host a request names.
func (p *InProcess) Transport() http.RoundTripper {
	return &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		select {
		case p.conns <- local{theirs}:
			return ours, nil
		case <-p.closed:
			return nil, net.ErrClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
}

// Close ends the connections and waits for the server.
func (p *InProcess) Close() error {
	err := p.server.Close()
	if served := <-p.finished; !errors.Is(served, http.ErrServerClosed) {
		return fmt.Errorf("serve inside the process: %w", served)
	}
	return err
}

// listener hands the connections of an InProcess to its server.
type listener struct{ p *InProcess }

func (l listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.p.conns:
		return c, nil
	case <-l.p.closed:
		return nil, net.ErrClosed
	}
}

func (l listener) Close() error {
	l.p.once.Do(func() { close(l.p.closed) })
	return nil
}

func (l listener) Addr() net.Addr { return address{} }

// local is a connection whose other end is this process: the server may trust
// it like one from this machine.
type local struct{ net.Conn }

func (local) RemoteAddr() net.Addr { return address{} }

// address is the name of both ends.
type address struct{}

func (address) Network() string { return "pipe" }
func (address) String() string  { return "127.0.0.1:0" }
