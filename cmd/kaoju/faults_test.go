package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unicode/utf8"

	"kaoju/internal/api/native"
	"kaoju/internal/client"
	"kaoju/internal/core"
)

// Faults 1 and 14: uploads that arrive together are all kept, read and found.
func TestParallelUploadsAreAllKept(t *testing.T) {
	const uploads, atOnce = 200, 50
	s := startServer(t, t.TempDir())
	c := client.New(s.url, "")
	base, err := c.EnsureBase(t.Context(), core.DefaultBaseName)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	places := make(chan int)
	var senders sync.WaitGroup
	for range atOnce {
		senders.Go(func() {
			for i := range places {
				path := filepath.Join(folder, fmt.Sprintf("part-%d.md", i))
				err := os.WriteFile(path, fmt.Appendf(nil, "# 部件 KX-%d\n\nThe part KX-%d is kept in shelf S%d.\n", i, i, i), 0o600)
				if err != nil {
					t.Error(err)
				} else if r, err := c.Upload(t.Context(), base.ID, path, false); err != nil || !r.Added {
					t.Errorf("upload %d: %+v, %v", i, r, err)
				}
			}
		})
	}
	for i := range uploads {
		places <- i
	}
	close(places)
	senders.Wait()
	if err := c.Follow(t.Context(), base.ID, func(client.Progress) {}); err != nil {
		t.Fatal(err)
	}
	for i := range uploads {
		if found := s.search(t, fmt.Sprintf("KX-%d", i), 1); len(found) != 1 || !strings.Contains(found[0].Content, fmt.Sprintf("KX-%d ", i)) {
			t.Errorf("part %d is not found: %+v", i, found)
		}
	}
}

func (s *server) search(t *testing.T, query string, topK int) []native.Found {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "top_k": topK})
	if err != nil {
		t.Fatal(err)
	}
	var out native.SearchResult
	s.call(t, http.MethodPost, "/api/v1/knowledge-search", string(body), &out)
	return out.Results
}

// Fault 9: a search gives at most what was asked, and nothing without a score.
// Fault 18: no text is cut inside a character, wherever it is cut.
func TestSearchGivesWhatWasAsked(t *testing.T) {
	data, folder := t.TempDir(), t.TempDir()
	for i := range 30 {
		// No place to cut at: neither spaces nor sentences, characters of two to four bytes.
		text := strings.Repeat(fmt.Sprintf("锅炉é维护𠮷手册%d号👩‍🔧", i), 150)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("锅炉-%d.txt", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kaoju(t, "ingest", "--data", data, folder)
	s := startServer(t, data)
	for _, k := range []int{1, 2, 10, 25} {
		found := s.search(t, "锅炉维护手册7号", k)
		if len(found) == 0 || len(found) > k {
			t.Errorf("%d passages for top_k %d", len(found), k)
		}
		for _, f := range found {
			if f.Score <= 0 || f.Score > 1 {
				t.Errorf("%s has the score %v", f.ChunkID, f.Score)
			}
			if !whole(f.Content) {
				t.Errorf("cut inside a character: %q", f.Content)
			}
		}
	}
	a := askJSON(t, data, "锅炉维护手册7号是什么？")
	if !whole(a.Text) {
		t.Errorf("the answer is cut inside a character: %q", a.Text)
	}
	for _, r := range a.References {
		if !whole(r.Quote) {
			t.Errorf("the quote is cut inside a character: %q", r.Quote)
		}
	}
}

func whole(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, '\ufffd') }

// Fault 10: what is wrong with a request is said in one shape, with the status
// that fits, whichever route it meets.
func TestRefusalsHaveOneShape(t *testing.T) {
	s := startServer(t, t.TempDir())
	form := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.xyz\"\r\n\r\n\x7fELF\x00\x00\r\n--b--\r\n"
	tests := []struct {
		method, path, kind, body string
		status                   int
		code                     core.Code
	}{
		{"GET", "/api/v1/knowledge-bases/nowhere", "", "", 404, core.CodeNotFound},
		{"POST", "/api/v1/knowledge-bases/nowhere/documents", "multipart/form-data; boundary=b", form, 404, core.CodeNotFound},
		{"POST", "/api/v1/knowledge-bases/default/documents", "text/plain", "a", 400, core.CodeInvalid},
		{"POST", "/api/v1/knowledge-bases/default/documents/text", "application/json", `{"name":`, 400, core.CodeInvalid},
		{"POST", "/api/v1/knowledge-search", "application/json", `{"query":"a","knowledge_base_ids":["nowhere"]}`, 404, core.CodeNotFound},
		{"GET", "/api/v1/nothing", "", "", 404, core.CodeNotFound},
		{"PUT", "/api/v1/sessions", "application/json", "{}", 405, ""},
	}
	for _, tt := range tests {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, s.url+tt.path, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", tt.kind)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var problem struct {
			Status int
			Code   core.Code
			Detail string
		}
		err = json.NewDecoder(resp.Body).Decode(&problem)
		resp.Body.Close()
		if err != nil || resp.StatusCode != tt.status || problem.Status != tt.status || problem.Detail == "" ||
			tt.code != "" && problem.Code != tt.code || resp.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s: %d, %s, %+v, %v", tt.method, tt.path, resp.StatusCode, resp.Header.Get("Content-Type"), problem, err)
		}
	}
	s.refuses(t, "a.xyz", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00", core.CodeUnsupportedFormat)
}

// refuses uploads a file that cannot become a document: it must end as one
// that failed, and say why.
func (s *server) refuses(t *testing.T, name, content string, want core.Code) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	c := client.New(s.url, "")
	r, err := c.Upload(t.Context(), core.DefaultBaseName, path, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Follow(t.Context(), core.DefaultBaseName, func(client.Progress) {}); err != nil {
		t.Fatal(err)
	}
	if d, err := c.Document(t.Context(), r.Document.ID); err != nil || d.State != core.DocumentFailed || d.ErrorCode != want {
		t.Errorf("%s: %+v, %v", name, d, err)
	}
}

// Fault 22: a server that works has nothing to complain about, and its log
// holds neither statements nor what people ask.
func TestQuietLog(t *testing.T) {
	cmd := program(t, "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0")
	var log bytes.Buffer
	cmd.Stderr = &log
	s := start(t, cmd)
	c := client.New(s.url, "")
	base, err := c.EnsureBase(t.Context(), core.DefaultBaseName)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"leave.md", "报销.md"} {
		if _, err := c.Upload(t.Context(), base.ID, filepath.Join(handbook(t), name), false); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Follow(t.Context(), base.ID, func(client.Progress) {}); err != nil {
		t.Fatal(err)
	}
	if r := kaoju(t, "ask", "--server", s.url, "国内出差住宿标准是多少？"); !strings.Contains(r.out, "500元") {
		t.Errorf("answer %q %q", r.out, r.err)
	}
	if err := s.stop(t, syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	for _, word := range []string{"WARN", "ERROR", "SELECT", "INSERT", "住宿", "500元"} {
		if strings.Contains(log.String(), word) {
			t.Errorf("the log has %s: %s", word, log.String())
		}
	}
}
