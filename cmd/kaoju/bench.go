package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kaoju/internal/core"
	"kaoju/internal/eval/streams"
	"kaoju/internal/eventlog"
	"kaoju/internal/eventlog/memory"
	"kaoju/internal/eventlog/redis"
)

func newBench() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the server under load",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newBenchStream())
	return cmd
}

type benchStreamFlags struct {
	server, key, redis string
	questions          []string
	plan               streams.Plan
	pace               streams.Pace
}

func newBenchStream() *cobra.Command {
	var f benchStreamFlags
	cmd := &cobra.Command{
		Use:   "stream",
		Short: "Read many answers at once over connections that break",
		Long: `Asks many questions at once, breaks every reader's connection at random events,
takes the answers up again, and compares what was read with what was stored.
Without --server it measures the real server in this process, with a model
that writes --tokens tokens at --rate a second in the place of the pipeline.

  kaoju bench stream --streams 1000 --tokens 200 --rate 20
  kaoju bench stream --server http://127.0.0.1:8420 --streams 32 --question "年假有几天？"

The exit code is 1 where anything was lost, doubled or out of order.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return benchStream(cmd.Context(), cmd.OutOrStdout(), f) },
	}
	flags := cmd.Flags()
	flags.IntVar(&f.plan.Streams, "streams", 100, "answers at once")
	flags.IntVar(&f.plan.Cuts, "cuts", 1, "how often each reader's connection is broken")
	flags.IntVar(&f.plan.Within, "within", 40, "a connection breaks after 1 to so many events")
	flags.Uint64Var(&f.plan.Seed, "seed", 1, "of the places where connections break")
	flags.IntVar(&f.pace.Tokens, "tokens", 200, "tokens of an answer, without --server")
	flags.Float64Var(&f.pace.Rate, "rate", 20, "tokens a second, without --server; 0 means at once")
	flags.StringVar(&f.redis, "redis", "", "address of a Redis that keeps the event logs, without --server")
	flags.StringVar(&f.server, "server", os.Getenv("KAOJU_SERVER"), "address of the server to measure")
	flags.StringVar(&f.key, "key", os.Getenv("KAOJU_KEY"), "its API key")
	flags.StringArrayVar(&f.questions, "question", nil, "what is asked; several are asked in turn")
	return cmd
}

func benchStream(ctx context.Context, out io.Writer, f benchStreamFlags) (err error) {
	f.plan.Questions = f.questions
	if len(f.plan.Questions) == 0 {
		f.plan.Questions = []string{"年假有几天？"}
	}
	target := streams.Target{URL: strings.TrimRight(f.server, "/"), Key: f.key}
	if target.URL == "" {
		server, closeServer, serveErr := benchServer(ctx, f)
		if serveErr != nil {
			return serveErr
		}
		defer func() { err = errors.Join(err, closeServer()) }()
		target = streams.Target{URL: server.URL}
	}
	report, err := streams.Run(ctx, target, f.plan)
	if err != nil {
		return err
	}
	fmt.Fprint(out, report.Table())
	if memory, ok := peakMemory(); ok && f.server == "" {
		fmt.Fprintf(out, "\npeak memory of server and readers together: %s\n", memory)
	}
	if report.FirstError != nil {
		fmt.Fprintf(out, "\nthe first stream that failed: %s\n", core.PublicMessage(report.FirstError))
	}
	if !report.Clean() {
		return core.Errorf(core.CodeInternal, "some streams had faults")
	}
	return nil
}

// benchServer starts the server that is measured without --server.
func benchServer(ctx context.Context, f benchStreamFlags) (*streams.Server, func() error, error) {
	dir, err := os.MkdirTemp("", "kaoju-bench-")
	if err != nil {
		return nil, nil, fmt.Errorf("make a data folder: %w", err)
	}
	log, closeLog, err := benchLog(ctx, f.redis)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	server, err := streams.Serve(ctx, dir, log, f.pace)
	if err != nil {
		closeLog()
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return server, func() error {
		err := server.Close()
		closeLog()
		return errors.Join(err, os.RemoveAll(dir))
	}, nil
}

func benchLog(ctx context.Context, url string) (eventlog.Log, func(), error) {
	if url == "" {
		log := memory.New(memory.DefaultLimits(), time.Now)
		return log, log.Close, nil
	}
	log, err := redis.Open(ctx, redis.Options{URL: url, Prefix: "kaoju-bench:"})
	if err != nil {
		return nil, nil, err
	}
	return log, log.Close, nil
}

// peakMemory reads the most memory that this process has taken, where the
// system tells.
func peakMemory() (string, bool) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(status)) {
		if peak, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strings.TrimSpace(peak), true
		}
	}
	return "", false
}
