package llmtest_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"kaoju/internal/llm/llmtest"
)

func script(t *testing.T, text string) llmtest.Script {
	t.Helper()
	s, err := llmtest.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func call(ctx context.Context, t *testing.T, e *llmtest.Endpoint, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL+"/x?y=1", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := e.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func TestResponsesInTurn(t *testing.T) {
	e := llmtest.Start(t, script(t, "# first\nstatus 429\nheader Retry-After: 2\nnewline crlf\n---\na\n\nb\n===\n---\n@raw \"\\x00c\"\n@raw \"d\"\n"))
	for i, want := range []struct {
		status int
		body   string
	}{{429, "a\r\n\r\nb\r\n"}, {200, "\x00cd"}, {200, "\x00cd"}} {
		resp := call(t.Context(), t, e, "q")
		got, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != want.status || string(got) != want.body {
			t.Errorf("call %d: %d %q, %v", i, resp.StatusCode, got, err)
		}
		if i == 0 && (resp.Header.Get("Retry-After") != "2" || resp.Header.Get("Content-Type") != "text/event-stream") {
			t.Errorf("headers %v", resp.Header)
		}
	}
	if r := e.Requests()[0]; e.Calls() != 3 || r.Path != "/x?y=1" || r.Body != "q" || r.Method != "POST" {
		t.Errorf("%d calls, %+v", e.Calls(), r)
	}
	e.Rewind(0)
	if resp := call(t.Context(), t, e, ""); resp.StatusCode != 429 || e.Calls() != 1 {
		t.Errorf("after Rewind: %d, %d calls", resp.StatusCode, e.Calls())
	}
}

// TestSplit: the two halves of a body never arrive in one read.
func TestSplit(t *testing.T) {
	for n := 1; n < 6; n++ {
		e := llmtest.Start(t, script(t, "---\n@raw \"abc\"\n@gate g\n@raw \"def\"\n"), llmtest.Split(n))
		e.Open("g")
		resp := call(t.Context(), t, e, "")
		buf := make([]byte, 100)
		got := ""
		var ends []int
		for {
			k, err := resp.Body.Read(buf)
			got += string(buf[:k])
			ends = append(ends, len(got))
			if err != nil {
				break
			}
		}
		found := false
		for _, end := range ends {
			found = found || end == n
		}
		if got != "abcdef" || !found {
			t.Errorf("split at %d: reads end at %v of %q", n, ends, got)
		}
	}
}

func TestGate(t *testing.T) {
	e := llmtest.Start(t, script(t, "---\na\n@gate g\nb\n"))
	in := bufio.NewReader(call(t.Context(), t, e, "").Body)
	first, _ := in.ReadString('\n')
	if in.Buffered() > 0 {
		t.Error("the gate let something through")
	}
	e.Open("g")
	rest, err := io.ReadAll(in)
	if first != "a\n" || string(rest) != "b\n" || err != nil {
		t.Errorf("%q, %q, %v", first, rest, err)
	}
}

func TestCut(t *testing.T) {
	e := llmtest.Start(t, script(t, "---\n@raw \"abc\"\n@cut\n"))
	got, err := io.ReadAll(call(t.Context(), t, e, "").Body)
	if string(got) != "abc" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestCountsWhatGoesOutAfterTheClientLeft: nothing gets through a pipe whose
// reader is gone; a client that stays is no one who left.
func TestCountsWhatGoesOutAfterTheClientLeft(t *testing.T) {
	e := llmtest.Start(t, script(t, "---\na\n@gone\nb\n"))
	ctx, cancel := context.WithCancel(t.Context())
	resp := call(ctx, t, e, "")
	if _, err := io.ReadFull(resp.Body, make([]byte, 2)); err != nil {
		t.Fatal(err)
	}
	select {
	case <-e.Gone():
		t.Error("gone too early")
	default:
	}
	cancel()
	<-e.Gone()
	if n := e.SentAfterGone(); n != 0 {
		t.Errorf("%d bytes", n)
	}
}

// TestDirect: without a network the same bytes come.
func TestDirect(t *testing.T) {
	e := llmtest.Start(t, script(t, "status 404\nheader X: y\n---\n@raw \"abcdef\"\n===\n---\n@raw \"ab\"\n@cut\n===\n---\n@gate g\n"))
	e.Rewind(2)
	e.Client = e.Direct()
	resp := call(t.Context(), t, e, "q")
	buf := make([]byte, 9)
	n, _ := resp.Body.Read(buf)
	rest, err := io.ReadAll(resp.Body)
	if n != 2 || string(rest) != "cdef" || err != nil || resp.StatusCode != 404 || resp.Header.Get("X") != "y" {
		t.Errorf("%d bytes, then %q, %v, %+v", n, rest, err, resp)
	}
	if got, err := io.ReadAll(call(t.Context(), t, e, "").Body); string(got) != "ab" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", got, err)
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, e.URL, nil)
	if _, err := e.Client.Do(req); err == nil || e.Calls() != 3 || e.Requests()[0].Body != "q" {
		t.Errorf("a gate without a network: %v", err)
	}
}

func TestAnswerByRequest(t *testing.T) {
	e := llmtest.StartTCP(t, nil, llmtest.Answer(func(r llmtest.Request) llmtest.Script {
		if r.Body == "none" {
			return nil
		}
		s, _ := llmtest.Parse("---\n" + r.Body)
		return s
	}))
	got, _ := io.ReadAll(call(t.Context(), t, e, "echo").Body)
	if resp := call(t.Context(), t, e, "none"); string(got) != "echo\n" || resp.StatusCode != http.StatusNotImplemented {
		t.Errorf("%q, %d", got, resp.StatusCode)
	}
}

func TestUnreachable(t *testing.T) {
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://x.test", nil)
	if _, err := llmtest.Unreachable("no route").Do(req); err == nil || !strings.Contains(err.Error(), "no route") {
		t.Errorf("error %v", err)
	}
}

func TestParseErrors(t *testing.T) {
	for _, text := range []string{"", "status 200\n", "status x\n---\n", "stauts 200\n---\n", "---\n@raw nothing\n", "---\na\n===\nx\n"} {
		if s, err := llmtest.Parse(text); err == nil {
			t.Errorf("%q gives %+v", text, s)
		}
	}
}

// TestHabitsAreTold: every script begins with a sentence about the habit.
func TestHabitsAreTold(t *testing.T) {
	names := llmtest.Habits(t)
	if len(names) < 60 {
		t.Errorf("only %d habits", len(names))
	}
	for _, n := range names {
		text, err := os.ReadFile("testdata/habits/" + n + ".txt")
		if err != nil || !strings.HasPrefix(string(text), "# ") || len(llmtest.Habit(t, n)) == 0 {
			t.Errorf("%s does not say what it is: %v", n, err)
		}
	}
}
