package main

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"kaoju/internal/app"
)

func newServe() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Start the server",
		Long: `Starts the server. Without a configuration it keeps everything in one folder,
listens on this machine only, and needs no account, key, model or service.

To listen beyond this machine, set a key: KAOJU_AUTH_API_KEY=… kaoju serve --listen 0.0.0.0:8420`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := load(cmd)
			if err != nil {
				return err
			}
			slog.SetDefault(app.NewLogger(cfg.Log, os.Stderr))
			return app.Serve(cmd.Context(), cfg, func(url string) {
				fmt.Fprintf(cmd.OutOrStdout(), "Kaoju %s is ready at %s\ndata: %s\nnext: open that address in a browser, or: kaoju ingest FOLDER, then kaoju ask \"…\"\n", app.Version, url, cfg.Data)
			})
		},
	}
	options(cmd)
	return cmd
}
