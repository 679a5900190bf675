package app

import (
	"context"
	"io"

	"kaoju/internal/parse/formats"
	"kaoju/internal/parse/sandbox"
)

// WorkerCommand is the hidden subcommand under which our own binary reads
// files in a child process.
const WorkerCommand = "parse-worker"

// ServeWorker reads files for the parent at the other end of in and out until
// in ends. cacheDir keeps what is slow to prepare; empty keeps nothing.
func ServeWorker(ctx context.Context, in io.Reader, out io.Writer, cacheDir string) error {
	readers, closeReaders := formats.Open(cacheDir)
	defer closeReaders() //nolint:errcheck // the process ends
	return sandbox.Serve(ctx, in, out, readers)
}
