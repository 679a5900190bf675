package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"kaoju/internal/app"
	"kaoju/internal/client"
	"kaoju/internal/core"
)

// asProgram makes the test binary behave as kaoju.
const asProgram = "KAOJU_TEST_PROGRAM"

// TestMain lets tests run the program in processes of its own: as the command
// and as the child in which files are read.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" || len(os.Args) > 1 && os.Args[1] == app.WorkerCommand {
		os.Unsetenv(asProgram)
		os.Exit(run())
	}
	os.Exit(m.Run())
}

// result is what a command printed and how it ended.
type result struct {
	out, err string
	code     int
}

func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Dir = t.TempDir() // Fault 12: nothing depends on where the sources lie
	cmd.Env = []string{asProgram + "=1", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	return cmd
}

func kaoju(t *testing.T, args ...string) result {
	t.Helper()
	cmd := program(t, args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{out.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// handbook writes a small bilingual folder and gives its path.
func handbook(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"leave.md":    "# Leave\n\n## Annual leave\n\nStaff have 15 days of annual leave a year. Unused days expire on 31 March.\n\n## Sick leave\n\nSick leave needs a certificate from the third day.\n",
		"报销.md":       "# 报销制度\n\n## 差旅\n\n国内出差住宿标准为每晚500元。超过标准的部分由个人承担。\n\n## 审批\n\n超过5000元的报销由财务总监审批。\n",
		"devices.csv": "型号,名称,责任班组\nQTR-1204,一号锅炉,甲班\nQTR-7310,三号锅炉,丙班\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func configFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kaoju.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func askJSON(t *testing.T, data, question string) client.Answer {
	t.Helper()
	r := kaoju(t, "ask", "--data", data, "--json", question)
	if r.code != exitOK {
		t.Fatalf("ask %q: exit %d: %s", question, r.code, r.err)
	}
	var a client.Answer
	if err := json.Unmarshal([]byte(r.out), &a); err != nil {
		t.Fatalf("ask --json printed %q: %v", r.out, err)
	}
	return a
}

// Fault 11: the assistant that is there from the start answers out of the box.
func TestFirstAnswer(t *testing.T) {
	data, folder := t.TempDir(), handbook(t)
	r := kaoju(t, "ingest", "--data", data, folder)
	if r.code != exitOK || !strings.Contains(r.out, "default: 3 added") {
		t.Fatalf("ingest: exit %d, %q, %q", r.code, r.out, r.err)
	}
	if r := kaoju(t, "ingest", "--data", data, folder); !strings.Contains(r.out, "0 added (0 passages), 3 already there") {
		t.Errorf("the second run: %q", r.out)
	}
	tests := []struct{ question, want, document string }{
		{"How many days of annual leave do staff have?", "15 days", "leave.md"},
		{"国内出差住宿标准是多少？", "500元", "报销.md"},
		{"超过5000元的报销由谁审批？", "财务总监", "报销.md"},
		{"QTR-7310 的责任班组是哪个？", "丙班", "devices.csv"},
	}
	for _, tt := range tests {
		a := askJSON(t, data, tt.question)
		if !strings.Contains(a.Text, tt.want) || a.HitType != core.HitRAG {
			t.Errorf("%s → %q (%s)", tt.question, a.Text, a.HitType)
		}
		if len(a.Citations) == 0 || a.Citations[0].Document != tt.document || a.Citations[0].Quote == "" {
			t.Errorf("%s: citations %+v", tt.question, a.Citations)
		}
		if a.Confidence.Level == core.LevelLow || len(a.Timings) < 5 {
			t.Errorf("%s: confidence %+v, timings %+v", tt.question, a.Confidence, a.Timings)
		}
	}
	a := askJSON(t, data, "公司的股票代码是什么？")
	if a.HitType != core.HitInsufficient || len(a.Citations) != 0 {
		t.Errorf("a question without an answer: %q (%s)", a.Text, a.HitType)
	}
	if r := kaoju(t, "ask", "--data", data, "--require-answer", "公司的股票代码是什么？"); r.code != exitPartial {
		t.Errorf("--require-answer: exit %d", r.code)
	}
}

func TestAskDebug(t *testing.T) {
	data := t.TempDir()
	kaoju(t, "ingest", "--data", data, handbook(t))
	r := kaoju(t, "ask", "--data", data, "--debug", "How many days of annual leave?")
	for _, want := range []string{"searched for     How many", "default (version", "by keywords", "leave.md › Leave", "chunk_rerank"} {
		if r.code != exitOK || !strings.Contains(r.out, want) {
			t.Errorf("exit %d: %q is not in\n%s%s", r.code, want, r.out, r.err)
		}
	}
	var got client.Retrieval
	r = kaoju(t, "ask", "--data", data, "--debug", "--json", "How many days of annual leave?")
	if err := json.Unmarshal([]byte(r.out), &got); err != nil || len(got.Results) == 0 || len(got.Candidates) < len(got.Results) {
		t.Errorf("--json gives %v, %+v", err, got)
	}
}

func TestAskForPeople(t *testing.T) {
	data := t.TempDir()
	kaoju(t, "ingest", "--data", data, handbook(t))
	r := kaoju(t, "ask", "--data", data, "How many days of annual leave?")
	for _, want := range []string{"15 days", "[1] leave.md › Leave", "confidence: "} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q lacks %q", r.out, want)
		}
	}
}

func TestBadInputIsOneLine(t *testing.T) {
	data, dir := t.TempDir(), t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := []struct {
		name string
		args []string
		code int
		want string // on standard error, or in the summary of ingest
	}{
		{"no question", []string{"ask", "--data", data}, exitUsage, "the question is missing"},
		{"empty question", []string{"ask", "--data", data, " "}, exitError, "empty"},
		{"endless question", []string{"ask", "--data", data, strings.Repeat("问", 10_001)}, exitError, "10000"},
		{"unknown base", []string{"ask", "--data", data, "--base", "nowhere", "q"}, exitError, "nowhere"},
		{"unknown flag", []string{"ask", "--colour"}, exitUsage, "--help"},
		{"unknown command", []string{"frobnicate"}, exitError, "frobnicate"},
		{"no server", []string{"ask", "--server", "http://127.0.0.1:1", "q"}, exitError, "does not answer"},
		{"bad option", []string{"serve", "--data", data, "--retrieve-top-k", "many"}, exitError, "retrieve.top_k"},
		{"open to all", []string{"serve", "--data", data, "--listen", "0.0.0.0:0"}, exitError, "API key"},
		{"no file", []string{"ingest", "--data", data, filepath.Join(dir, "none.md")}, exitError, "none.md"},
		{"empty file", []string{"ingest", "--data", data, file("a.txt", "")}, exitPartial, "(empty)"},
		{"blank file", []string{"ingest", "--data", data, file("b.txt", " \n\t\n")}, exitPartial, "(empty)"},
		{"program", []string{"ingest", "--data", data, os.Args[0], "--limits-upload-bytes", "1MiB"}, exitUsage, ""},
		{"binary", []string{"ingest", "--data", data, file("c.pdf", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00")}, exitPartial, "(unsupported_format)"},
		{"cut zip", []string{"ingest", "--data", data, file("d.docx", "PK\x03\x04\x14\x00\x06\x00")}, exitPartial, "(corrupt)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := kaoju(t, tt.args...)
			if r.code != tt.code {
				t.Errorf("exit %d, want %d: %s%s", r.code, tt.code, r.err, r.out)
			}
			if !strings.Contains(r.err+r.out, tt.want) {
				t.Errorf("%q does not say %q", r.err+r.out, tt.want)
			}
			if r.code == exitError && strings.Count(strings.TrimSpace(r.err), "\n") > 0 {
				t.Errorf("more than one line: %q", r.err)
			}
		})
	}
}

// What looks like syntax is a legitimate question (A11, peer fault 19).
func TestQuestionsAreNeverSyntax(t *testing.T) {
	data := t.TempDir()
	kaoju(t, "ingest", "--data", data, handbook(t))
	for _, q := range []string{"cat", "O'Reilly", `"a OR b"`, "C++", "foo:bar", "100%", "(未闭合", "<script>alert(1)</script>",
		"'; DROP TABLE chunks; --", "NEAR(a b)", "*", "\\"} {
		if a := askJSON(t, data, q); a.Text == "" {
			t.Errorf("%s: empty answer", q)
		}
	}
}

// server is a running kaoju serve.
type server struct {
	cmd *exec.Cmd
	url string
}

func startServer(t *testing.T, data string, args ...string) *server {
	t.Helper()
	cmd := program(t, append([]string{"serve", "--data", data, "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Stderr = io.Discard
	return start(t, cmd)
}

// start starts a server and waits until it listens.
func start(t *testing.T, cmd *exec.Cmd) *server {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the server printed %q: %v", line, err)
	}
	s := &server{cmd, strings.TrimSpace(line[strings.Index(line, "http"):])}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
		}
	})
	return s
}

func (s *server) stop(t *testing.T, sig syscall.Signal) error {
	t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	return s.cmd.Wait()
}

func TestServerOwnsItsFolder(t *testing.T) {
	data := t.TempDir()
	s := startServer(t, data)
	resp, err := http.Get(s.url + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("healthz: %s", resp.Status)
	}
	if r := kaoju(t, "ingest", "--data", data, handbook(t)); r.code != exitOK {
		t.Fatalf("ingest through the server: exit %d, %s", r.code, r.err)
	}
	if a := askJSON(t, data, "How many days of annual leave?"); !strings.Contains(a.Text, "15 days") {
		t.Errorf("answer %q", a.Text)
	}
	r := kaoju(t, "serve", "--data", data, "--listen", "127.0.0.1:0")
	if r.code != exitError || !strings.Contains(r.err, data) {
		t.Errorf("a second server: exit %d, %q", r.code, r.err)
	}
	if err := s.stop(t, syscall.SIGTERM); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
	if r := kaoju(t, "ask", "--data", data, "How many days of annual leave?"); !strings.Contains(r.out, "15 days") {
		t.Errorf("without the server: %q %q", r.out, r.err)
	}
}

func TestServerWithKey(t *testing.T) {
	const key = "a-key-of-sixteen-characters"
	s := startServer(t, t.TempDir(), "--auth-api-key", key)
	if r := kaoju(t, "ask", "--server", s.url, "q"); r.code != exitError || !strings.Contains(r.err, "API key") {
		t.Errorf("without the key: exit %d, %q", r.code, r.err)
	}
	if r := kaoju(t, "ask", "--server", s.url, "--key", key, "Who is it?"); r.code != exitOK {
		t.Errorf("with the key: exit %d, %q", r.code, r.err)
	}
}

// Nothing that was acknowledged is lost by kill -9, and every job resumes
// (A63, A65).
func TestKilledServerGoesOn(t *testing.T) {
	data, folder := t.TempDir(), handbook(t)
	s := startServer(t, data)
	c := client.New(s.url, "")
	base, err := c.EnsureBase(t.Context(), core.DefaultBaseName)
	if err != nil {
		t.Fatal(err)
	}
	files, err := findFiles([]string{folder})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, f := range files {
		r, err := c.Upload(t.Context(), base.ID, f, false)
		if err != nil || !r.Added {
			t.Fatalf("upload %s: %+v, %v", f, r, err)
		}
		ids = append(ids, r.Document.ID)
	}
	_ = s.stop(t, syscall.SIGKILL)
	s = startServer(t, data)
	c = client.New(s.url, "")
	if err := c.Follow(t.Context(), base.ID, func(client.Progress) {}); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		d, err := c.Document(t.Context(), id)
		if err != nil || d.State != core.DocumentReady {
			t.Errorf("document %s is %q after the restart: %v", id, d.State, err)
		}
	}
}

func TestConfigMasksSecrets(t *testing.T) {
	r := kaoju(t, "config", "--auth-api-key", "a-key-of-sixteen-characters")
	if r.code != exitOK || strings.Contains(r.out, "sixteen") || !strings.Contains(r.out, "********") {
		t.Errorf("exit %d, %q", r.code, r.out)
	}
}

func TestFindFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.md", "b.txt", ".hidden", "sub/c.md", ".git/d.md"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := findFiles([]string{filepath.Join(dir, "*.md"), dir})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		rel, _ := filepath.Rel(dir, f)
		names = append(names, rel)
	}
	if got := strings.Join(names, " "); got != "a.md b.txt sub/c.md" {
		t.Errorf("found %q", got)
	}
}

// An address among files is fetched by the server, as far as it may; one that
// it may not fetch is reported as a file that failed, and the others go on.
func TestIngestOfAnAddress(t *testing.T) {
	data := t.TempDir()
	for _, tt := range []struct{ config, address, reason string }{
		{"{}", "https://example.org/rules.html", "the option fetch.hosts names the hosts"},
		{"fetch: {hosts: ['*']}", "http://127.0.0.1:1/rules.html", "(forbidden)"},
	} {
		r := kaoju(t, "ingest", "--data", data, "--config", configFile(t, tt.config), tt.address, handbook(t))
		if r.code != exitPartial || !strings.Contains(r.out, "1 failed") || !strings.Contains(r.out, "failed  "+tt.address) || !strings.Contains(r.out, tt.reason) {
			t.Errorf("%s: exit code %d, %s", tt.address, r.code, r.out)
		}
	}
}

// Files that wait for the embedding model have not failed: they are stored, and
// read by the next process that reaches it.
func TestIngestWhileTheEmbeddingModelIsAway(t *testing.T) {
	data := t.TempDir()
	away := configFile(t, "embedding_model: {base_url: 'http://127.0.0.1:1', name: away}")
	r := kaoju(t, "ingest", "--data", data, "--config", away, handbook(t))
	if r.code != exitPartial || !strings.Contains(r.out, "3 stored") || !strings.Contains(r.out, "waits   documents wait: ") || !strings.Contains(r.out, "0 failed") {
		t.Errorf("exit code %d, %q", r.code, r.out)
	}
	if r := kaoju(t, "ingest", "--data", data, handbook(t)); r.code != exitOK || !strings.Contains(r.out, "3 already there") {
		t.Errorf("with another model: exit code %d, %q", r.code, r.out)
	}
	if a := askJSON(t, data, "How many days of annual leave do staff have?"); !strings.Contains(a.Text, "15 days") {
		t.Errorf("answered %q", a.Text)
	}
}
