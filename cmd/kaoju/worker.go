package main

import (
	"os"

	"github.com/spf13/cobra"

	"kaoju/internal/app"
)

// newParseWorker is the child process in which files of foreign formats are
// read; the server starts it.
func newParseWorker() *cobra.Command {
	return &cobra.Command{
		Use:    app.WorkerCommand,
		Hidden: true,
		Args:   cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cache := ""
			if len(args) > 0 {
				cache = args[0]
			}
			return app.ServeWorker(cmd.Context(), os.Stdin, os.Stdout, cache)
		},
	}
}
