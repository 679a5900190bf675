package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// childEnv makes the test binary the child of a Pool.
const childEnv = "KAOJU_SANDBOX_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		if err := Serve(context.Background(), os.Stdin, os.Stdout, childReaders()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

type readerFunc func(ctx context.Context, in parse.Input, lim parse.Limits) (parse.Document, error)

func (f readerFunc) Read(ctx context.Context, in parse.Input, lim parse.Limits) (parse.Document, error) {
	return f(ctx, in, lim)
}

func text(s string) (parse.Document, error) {
	return parse.Document{Blocks: []parse.Block{{Kind: parse.Paragraph, Text: s}}}, nil
}

// childReaders behave as bad as readers can.
func childReaders() map[string]parse.Reader {
	served := 0
	return map[string]parse.Reader{
		"echo": readerFunc(func(_ context.Context, in parse.Input, lim parse.Limits) (parse.Document, error) {
			return text(fmt.Sprintf("%s %s %d", in.Name, in.Data, lim.MaxText))
		}),
		"table": readerFunc(func(context.Context, parse.Input, parse.Limits) (parse.Document, error) {
			return parse.Document{Title: "题", Warnings: []string{"w"}, Blocks: []parse.Block{
				parse.NewTable([][]string{{"名", "值"}, {"a|b", "1"}}, 1, 7), {Kind: parse.Heading, Level: 2, Text: "二", Page: 3},
			}}, nil
		}),
		"pid": readerFunc(func(context.Context, parse.Input, parse.Limits) (parse.Document, error) {
			return text(fmt.Sprint(os.Getpid()))
		}),
		"environment": readerFunc(func(context.Context, parse.Input, parse.Limits) (parse.Document, error) {
			return text(strings.Join(os.Environ(), "\n"))
		}),
		"encrypted": readerFunc(func(context.Context, parse.Input, parse.Limits) (parse.Document, error) {
			return parse.Document{}, core.Wrap(errors.New("inner"), core.CodeEncrypted, "needs a password")
		}),
		"panic": readerFunc(func(context.Context, parse.Input, parse.Limits) (parse.Document, error) { panic("bad") }),
		"crash": readerFunc(func(context.Context, parse.Input, parse.Limits) (parse.Document, error) {
			fmt.Fprintln(os.Stderr, "fatal: the crash's reason")
			os.Exit(3)
			return text("")
		}),
		"second": readerFunc(func(context.Context, parse.Input, parse.Limits) (parse.Document, error) {
			if served++; served > 1 {
				os.Exit(3)
			}
			return text("first in its process")
		}),
		"hang": readerFunc(func(context.Context, parse.Input, parse.Limits) (parse.Document, error) {
			for { //nolint:staticcheck // an endless loop is the point
			}
		}),
		"patient": readerFunc(func(ctx context.Context, _ parse.Input, _ parse.Limits) (parse.Document, error) {
			<-ctx.Done()
			return parse.Document{}, ctx.Err()
		}),
		"memory": readerFunc(func(context.Context, parse.Input, parse.Limits) (parse.Document, error) {
			var all [][]byte
			for range 4096 {
				b := make([]byte, 1<<20)
				for i := 0; i < len(b); i += 4096 {
					b[i] = 1
				}
				all = append(all, b)
			}
			return text(fmt.Sprint(len(all)))
		}),
	}
}

func newTestPool(t *testing.T, opt Options) *Pool {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	opt.Command, opt.Env = []string{exe}, append(opt.Env, childEnv+"=1")
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	p := NewPool(opt)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestReadGivesWhatTheChildRead(t *testing.T) {
	p := newTestPool(t, Options{})
	got, err := p.Reader("table").Read(t.Context(), parse.Input{}, parse.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want, _ := childReaders()["table"].Read(t.Context(), parse.Input{}, parse.Limits{})
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	got, err = p.Reader("echo").Read(t.Context(), parse.Input{Name: "名.pdf", Data: []byte("data")}, parse.Limits{MaxText: 99})
	if err != nil || got.Blocks[0].Text != "名.pdf data 99" {
		t.Errorf("echo = %+v, %v", got.Blocks, err)
	}
}

func TestFailuresHaveCodesAndTheNextFileIsRead(t *testing.T) {
	p := newTestPool(t, Options{Workers: 1})
	for _, tc := range []struct {
		format, message string
		code            core.Code
	}{
		{"encrypted", "needs a password", core.CodeEncrypted},
		{"panic", "damaged", core.CodeCorrupt},
		{"crash", "gave up", core.CodeCorrupt},
		{"patient", "too long", core.CodeTimeout},
		{"unknown", "no reader", core.CodeInternal},
	} {
		lim := parse.Limits{}
		if tc.format == "patient" {
			lim.Timeout = 50 * time.Millisecond
		}
		_, err := p.Reader(tc.format).Read(t.Context(), parse.Input{}, lim)
		if core.CodeOf(err) != tc.code || !strings.Contains(core.PublicMessage(err), tc.message) {
			t.Errorf("%s: %v (%s), want %s", tc.format, err, core.CodeOf(err), tc.code)
		}
		if _, err := p.Reader("echo").Read(t.Context(), parse.Input{}, parse.Limits{}); err != nil {
			t.Errorf("after %s: %v", tc.format, err)
		}
	}
}

// A66: one poisoned file among many does not touch the others.
func TestOnePoisonedFileAmongManyLeavesTheOthers(t *testing.T) {
	p := newTestPool(t, Options{Workers: 2})
	const files, poisoned = 100, 40
	errs := make([]error, files)
	var wg sync.WaitGroup
	for i := range files {
		wg.Go(func() {
			format := "echo"
			if i == poisoned {
				format = "crash"
			}
			_, errs[i] = p.Reader(format).Read(t.Context(), parse.Input{}, parse.Limits{})
		})
	}
	wg.Wait()
	for i, err := range errs {
		if i == poisoned && core.CodeOf(err) != core.CodeCorrupt {
			t.Errorf("the poisoned file: %v", err)
		} else if i != poisoned && err != nil {
			t.Errorf("file %d: %v", i, err)
		}
	}
}

func TestEndlessLoopIsKilled(t *testing.T) {
	p := newTestPool(t, Options{Workers: 1})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := p.Reader("hang").Read(ctx, parse.Input{}, parse.Limits{}); core.CodeOf(err) != core.CodeTimeout {
		t.Errorf("got %v, want a timeout", err)
	}
	if _, err := p.Reader("echo").Read(t.Context(), parse.Input{}, parse.Limits{}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestRunawayMemoryEndsTheChildOnly(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the memory limit is enforced on Linux only")
	}
	p := newTestPool(t, Options{Workers: 1, MaxMemory: 512 << 20})
	if _, err := p.Reader("memory").Read(t.Context(), parse.Input{}, parse.Limits{}); core.CodeOf(err) != core.CodeTooLarge {
		t.Errorf("got %v (%s), want too_large", err, core.CodeOf(err))
	}
}

func TestChildSeesNoSecrets(t *testing.T) {
	t.Setenv("KAOJU_API_KEY", "secret-value")
	p := newTestPool(t, Options{})
	got, err := p.Reader("environment").Read(t.Context(), parse.Input{}, parse.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if env := got.Blocks[0].Text; strings.Contains(env, "secret-value") || !strings.Contains(env, "TMPDIR=") {
		t.Errorf("the child's environment is %q", env)
	}
}

func pid(t *testing.T, p *Pool) string {
	t.Helper()
	got, err := p.Reader("pid").Read(t.Context(), parse.Input{}, parse.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return got.Blocks[0].Text
}

func TestChildIsReusedAndReplaced(t *testing.T) {
	p := newTestPool(t, Options{Workers: 1, MaxDocuments: 2})
	first, second, third := pid(t, p), pid(t, p), pid(t, p)
	if first != second || second == third {
		t.Errorf("pids %s %s %s: want the first two the same and the third new", first, second, third)
	}
}

func TestFileIsReadAgainWhenAUsedChildBreaks(t *testing.T) {
	p := newTestPool(t, Options{Workers: 1})
	for i := range 3 {
		if _, err := p.Reader("second").Read(t.Context(), parse.Input{}, parse.Limits{}); err != nil {
			t.Errorf("file %d: %v", i, err)
		}
	}
}

func TestIdleChildEndsAndLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p := newTestPool(t, Options{Workers: 1, Idle: time.Millisecond})
	pid(t, p)
	p.timers.Wait() // the idle timer has run
	p.mu.Lock()
	idle := len(p.idle)
	p.mu.Unlock()
	if left, _ := os.ReadDir(os.TempDir()); idle != 0 || len(left) != 0 {
		t.Errorf("%d idle children and %d folders are left", idle, len(left))
	}
	pid(t, p) // and a new one is started
}

func TestCloseStopsWhatIsRead(t *testing.T) {
	p := newTestPool(t, Options{Workers: 1})
	pid(t, p)
	done := make(chan error, 1)
	go func() {
		_, err := p.Reader("patient").Read(context.Background(), parse.Input{}, parse.Limits{})
		done <- err
	}()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; core.CodeOf(err) != core.CodeCanceled {
		t.Errorf("got %v, want canceled", err)
	}
}

func TestCommandThatIsNoWorker(t *testing.T) {
	path, err := exec.LookPath("true")
	if err != nil {
		t.Skip("there is no program true here")
	}
	for command, code := range map[string]core.Code{path: core.CodeCorrupt, "/does/not/exist": core.CodeInternal} {
		p := NewPool(Options{Command: []string{command}, Log: slog.New(slog.DiscardHandler)})
		if _, err := p.Reader("pdf").Read(t.Context(), parse.Input{}, parse.Limits{}); core.CodeOf(err) != code {
			t.Errorf("%s: %v (%s), want %s", command, err, core.CodeOf(err), code)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestTailIsBounded(t *testing.T) {
	var tl tail
	fmt.Fprint(&tl, "reason ")
	for range 10_000 {
		fmt.Fprint(&tl, "noise noise ")
	}
	fmt.Fprint(&tl, "end")
	if s := tl.String(); len(s) > maxTail || !strings.HasPrefix(s, "reason") || !strings.HasSuffix(s, "end") {
		t.Errorf("kept %d bytes: %.20q … %q", len(s), s, s[len(s)-5:])
	}
}
