package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"kaoju/internal/core"
)

// process is a child. One goroutine at a time uses it.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *tail
	dir    string // for its temporary files
	served int
	timer  *time.Timer // while it is idle
	log    *slog.Logger
}

// start starts a child. It is killed when ctx ends.
func start(ctx context.Context, opt Options) (*process, error) {
	if len(opt.Command) == 0 {
		return nil, errors.New("no command is given for the parse worker")
	}
	dir, err := os.MkdirTemp("", "kaoju-parse-")
	if err != nil {
		return nil, fmt.Errorf("making the parse worker's folder: %w", err)
	}
	proc := &process{stderr: &tail{}, dir: dir, log: opt.Log}
	proc.cmd = exec.CommandContext(ctx, opt.Command[0], opt.Command[1:]...)
	proc.cmd.Env = append(environment(dir), opt.Env...)
	proc.cmd.Dir = dir
	proc.cmd.Stderr = proc.stderr
	ownGroup(proc.cmd)
	if err := proc.connect(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return proc, nil
}

func (proc *process) connect() error {
	in, err := proc.cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("connecting the parse worker: %w", err)
	}
	out, err := proc.cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("connecting the parse worker: %w", err)
	}
	if err := proc.cmd.Start(); err != nil {
		return fmt.Errorf("starting the parse worker: %w", err)
	}
	proc.in, proc.out = in, bufio.NewReaderSize(out, 64<<10)
	return nil
}

// environment is all that a child gets: no secrets of the server.
func environment(dir string) []string {
	env := []string{"TMPDIR=" + dir}
	for _, name := range []string{"PATH", "HOME", "SYSTEMROOT"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// read hands a file to the child and waits for its answer. When ctx ends the
// child is killed.
func (proc *process) read(ctx context.Context, h header, data []byte) (reply, error) {
	release := context.AfterFunc(ctx, func() { proc.cmd.Process.Kill() }) //nolint:errcheck // it may have ended
	proc.served++
	rep, err := proc.exchange(h, data)
	if !release() {
		return reply{}, ctx.Err() // the kill is under way, so the child must not be used again
	}
	return rep, err
}

func (proc *process) exchange(h header, data []byte) (reply, error) {
	if err := writeRequest(proc.in, h, data); err != nil {
		return reply{}, err
	}
	return readReply(proc.out)
}

// fail ends a child that gave no answer and says why it did not.
func (proc *process) fail(ctx context.Context, cause error) error {
	proc.end()
	said := proc.stderr.String()
	proc.log.Warn("a parse worker ended while it read a file", "error", cause, "state", proc.cmd.ProcessState.String(), "stderr", said)
	switch {
	case ctx.Err() != nil:
		return stopped(ctx)
	case ranOutOfMemory(said):
		return core.Wrap(cause, core.CodeTooLarge, "the file needs more memory than a reader may use")
	}
	return core.Wrap(cause, core.CodeCorrupt, "the reader gave up on this file: it is damaged, or made to do harm")
}

// ranOutOfMemory knows the last words of a Go program (the third are those of
// the race detector).
func ranOutOfMemory(said string) bool {
	for _, words := range []string{"out of memory", "cannot allocate memory", "failed to allocate"} {
		if strings.Contains(said, words) {
			return true
		}
	}
	return false
}

// end ends the child and waits for it. A child that is idle sees its input
// close; one that is at work would not, so it is killed.
func (proc *process) end() {
	proc.in.Close()         //nolint:errcheck // the child ends in any case
	proc.cmd.Process.Kill() //nolint:errcheck // it may have ended
	proc.cmd.Wait()         //nolint:errcheck // killed is what we asked for
	if said := proc.stderr.String(); said != "" {
		proc.log.Debug("a parse worker said", "stderr", said)
	}
	if err := os.RemoveAll(proc.dir); err != nil {
		proc.log.Warn("the folder of a parse worker could not be removed", "error", err)
	}
}

// maxTail bounds what is kept of a child's standard error.
const maxTail = 8 << 10

// tail keeps the first and the last part of what is written to it: a Go
// crash names its reason first and the goroutine that matters soon after.
type tail struct {
	mu         sync.Mutex
	head, rest []byte
}

// Write keeps p within the bounds.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(p), maxTail/2-len(t.head))
	t.head = append(t.head, p[:n]...)
	t.rest = append(t.rest, p[n:]...)
	if over := len(t.rest) - maxTail/2; over > 0 {
		t.rest = append(t.rest[:0], t.rest[over:]...)
	}
	return len(p), nil
}

// String gives what was kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.head) + string(t.rest)
}
