package streams

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"kaoju/internal/api"
	"kaoju/internal/api/native"
	"kaoju/internal/auth"
	"kaoju/internal/chat"
	"kaoju/internal/core"
	"kaoju/internal/eventlog"
	"kaoju/internal/pipeline"
	"kaoju/internal/store"
)

// Pace is a model that writes a number of tokens at a rate.
type Pace struct {
	Tokens int
	Rate   float64 // tokens a second; 0 means at once
}

// Answer writes tokens that are all different, so that a fault shows.
func (p Pace) Answer(ctx context.Context, _ pipeline.Request, publish pipeline.Publish) (pipeline.Outcome, error) {
	references := pipeline.References{References: []core.Reference{{Number: 1, ChunkID: "c", Document: "d"}}}
	if err := publish(ctx, core.Event{Type: core.EventReferences, Data: pipeline.Data(references)}); err != nil {
		return pipeline.Outcome{}, err
	}
	tick := make(<-chan time.Time)
	if p.Rate > 0 {
		ticker := time.NewTicker(time.Duration(float64(time.Second) / p.Rate))
		defer ticker.Stop()
		tick = ticker.C
	}
	var text strings.Builder
	for i := range p.Tokens {
		token := fmt.Sprintf("字%d,", i)
		if err := publish(ctx, core.Event{Type: core.EventAnswer, Content: token}); err != nil {
			return pipeline.Outcome{}, err
		}
		text.WriteString(token)
		if p.Rate == 0 {
			continue
		}
		select {
		case <-tick:
		case <-ctx.Done():
			return pipeline.Outcome{}, ctx.Err()
		}
	}
	return pipeline.Outcome{Answer: text.String(), HitType: core.HitRAG, References: references.References}, nil
}

// Server is the real server with its native protocol, over an empty data
// folder, with a model of known pace in the place of the pipeline.
type Server struct {
	URL    string
	db     *store.DB
	chat   *chat.Service
	http   *http.Server
	served chan error
}

// Serve starts a server on this machine. The caller keeps the log. Close the
// server when done.
func Serve(ctx context.Context, dir string, log eventlog.Log, model Pace) (*Server, error) {
	db, err := store.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	quiet := slog.New(slog.DiscardHandler)
	service := chat.New(chat.Options{
		Sessions: db, Rounds: db, Messages: db, Archive: db, Sources: db, Log: log, Answerer: model,
		Assistant: core.Assistant{ID: core.DefaultAssistantID}, Logger: quiet, Limits: chat.Limits{Turns: 100_000},
	})
	handler := api.New(api.Options{
		Native: native.New(native.Options{Chat: service, Library: db, Traces: db}),
		Auth:   auth.New(auth.Options{}), Logger: quiet,
	})
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(core.Wrap(err, core.CodeBusy, "no port is free"), db.Close())
	}
	s := &Server{
		URL: "http://" + listener.Addr().String(), db: db, chat: service, http: api.NewServer(handler, quiet), served: make(chan error, 1),
	}
	go func() { s.served <- s.http.Serve(listener) }()
	return s, nil
}

// Close ends the server and waits for it.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := errors.Join(s.chat.Close(ctx), s.http.Close())
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return errors.Join(err, s.db.Close())
}
