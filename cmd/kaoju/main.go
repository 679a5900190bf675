// Command kaoju answers questions from an organisation's own documents.
//
// Each subcommand stands in a file of its own. What serves and what answers
// is put together in package app; ask and ingest speak the HTTP API, to the
// server that owns the data folder or, where none does, to one inside this
// process.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"kaoju/internal/core"
)

// Exit codes; docs/cli.md tells users of them.
const (
	exitOK      = 0
	exitError   = 1
	exitUsage   = 2
	exitPartial = 3 // ingest: some files failed; ask --require-answer: no answer
	exitSignal  = 130
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return exitCode(ctx, newRoot().ExecuteContext(ctx))
}

// errPartial ends a command that did its work, but not all of it; what is
// missing has been said already.
var errPartial = errors.New("not everything succeeded")

// usageError is a wrong command line.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }

func exitCode(ctx context.Context, err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errPartial):
		return exitPartial
	case errors.As(err, &usage):
		fmt.Fprintf(os.Stderr, "kaoju: %s\n", err)
		return exitUsage
	case ctx.Err() != nil && core.CodeOf(err) == core.CodeCanceled:
		fmt.Fprintln(os.Stderr, "kaoju: interrupted")
		return exitSignal
	default:
		fmt.Fprintf(os.Stderr, "kaoju: %s\n", err)
		return exitError
	}
}
