package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"kaoju/internal/api"
	"kaoju/internal/config"
	"kaoju/internal/core"
)

// closeGrace is how long connections have to end after the turns ended.
const closeGrace = 2 * time.Second

// Serve runs the server until ctx ends, then drains it. ready is called with
// the address once questions can be answered.
func Serve(ctx context.Context, cfg *config.Config, ready func(url string)) error {
	a, err := Open(context.WithoutCancel(ctx), cfg)
	if err != nil {
		return err
	}
	return errors.Join(a.serve(ctx, ready), a.Close())
}

func (a *App) serve(ctx context.Context, ready func(url string)) error {
	if err := a.auth.CheckListen(a.cfg.Listen); err != nil {
		return err
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", a.cfg.Listen)
	if err != nil {
		return core.Wrap(err, core.CodeBusy, "the address %s cannot be listened on; is another server there? choose one with --listen", a.cfg.Listen)
	}
	server := api.NewServer(a.handler, slog.Default())
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	url := "http://" + listener.Addr().String()
	if err := a.lock.Announce(url); err != nil {
		return errors.Join(err, server.Close(), <-served)
	}
	ready(url)
	select {
	case err := <-served:
		return fmt.Errorf("serve %s: %w", url, err)
	case <-ctx.Done():
	}
	slog.Info("stopping", "drain", a.cfg.Chat.Drain)
	return a.shutdown(server, served)
}

// shutdown ends the streams that have no end of their own, then the turns, so
// that every reader sees the end of its answer, and then the connections.
func (a *App) shutdown(server *http.Server, served <-chan error) error {
	close(a.closing)
	err := a.drain()
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	if shut := server.Shutdown(ctx); shut != nil {
		err = errors.Join(err, server.Close())
	}
	if s := <-served; !errors.Is(s, http.ErrServerClosed) {
		err = errors.Join(err, s)
	}
	return err
}
