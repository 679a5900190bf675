package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"kaoju/internal/app"
	"kaoju/internal/client"
	"kaoju/internal/config"
	"kaoju/internal/store"
)

// reach adds the flags by which a command finds its server.
func reach(cmd *cobra.Command) {
	options(cmd, "data", "log.level")
	cmd.Flags().String("server", os.Getenv("KAOJU_SERVER"), "address of a running server, such as http://127.0.0.1:8420")
	cmd.Flags().String("key", "", "API key of that server (or KAOJU_KEY)")
}

// connect gives a client of the server that was named, of the one that owns
// the data folder, or of one inside this process. Call close when done.
func connect(cmd *cobra.Command) (c *client.Client, closeFn func() error, err error) {
	cfg, err := load(cmd)
	if err != nil {
		return nil, nil, err
	}
	server, key := serverFlags(cmd, cfg)
	if server == "" {
		if url, ok := store.ReadServer(cfg.Data); ok {
			server = url
		}
	}
	if server != "" {
		return client.New(server, key), func() error { return nil }, nil
	}
	return connectHere(cmd.Context(), cfg)
}

// withClient runs fn with a client of the server, or of one in this process.
func withClient(cmd *cobra.Command, fn func(context.Context, *client.Client) error) error {
	c, closeFn, err := connect(cmd)
	if err != nil {
		return err
	}
	err = fn(cmd.Context(), c)
	if closeErr := closeFn(); err == nil {
		err = closeErr
	}
	return err
}

func serverFlags(cmd *cobra.Command, cfg *config.Config) (server, key string) {
	server, _ = cmd.Flags().GetString("server")
	key, _ = cmd.Flags().GetString("key")
	if key == "" {
		key = os.Getenv("KAOJU_KEY")
	}
	if key == "" {
		key = cfg.Auth.APIKey
	}
	return server, key
}

// connectHere starts the product inside this process, reachable only from it.
func connectHere(ctx context.Context, cfg *config.Config) (*client.Client, func() error, error) {
	if cfg.Log.Level == "info" {
		cfg.Log.Level = "warn" // a command prints its own progress
	}
	slog.SetDefault(app.NewLogger(cfg.Log, os.Stderr))
	a, err := app.Open(context.WithoutCancel(ctx), cfg)
	if err != nil {
		return nil, nil, err
	}
	pipe := app.Pipe(a.Handler())
	closeAll := func() error {
		if err := pipe.Close(); err != nil {
			return fmt.Errorf("close the server inside this process: %w", err)
		}
		return a.Close()
	}
	return client.NewWith(pipe.URL(), cfg.Auth.APIKey, pipe.Transport()), closeAll, nil
}
