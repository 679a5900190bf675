package knowledge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/store"
)

// calls notes what the service asked of its neighbours.
type calls struct {
	mu   sync.Mutex
	list []string
	fail error
}

func (c *calls) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, fmt.Sprintf(format, args...))
}

func (c *calls) Wake()            { c.note("wake") }
func (c *calls) Reembed()         { c.note("reembed") }
func (c *calls) Cancel(id string) { c.note("cancel %s", id) }
func (c *calls) Drop(id string)   { c.note("drop %s", id) }
func (c *calls) Refresh(_ context.Context, id string) error {
	c.note("refresh %s", id)
	return c.fail
}

func (c *calls) take() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := strings.Join(c.list, ", ")
	c.list = nil
	return s
}

func newService(t *testing.T) (*Service, *store.DB, *calls) {
	t.Helper()
	db, err := store.Open(t.Context(), t.TempDir())
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	c := &calls{}
	return New(Options{Store: db, Work: c, Index: c, Limit: 100}), db, c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t *testing.T, err error, code core.Code) {
	t.Helper()
	if core.CodeOf(err) != code {
		t.Fatalf("error %v has code %q, want %q", err, core.CodeOf(err), code)
	}
}

func add(t *testing.T, s *Service, name, content string) (core.Document, bool) {
	t.Helper()
	d, added, err := s.Add(t.Context(), core.OwnerScope(), AddRequest{Base: "default", Name: name, Content: strings.NewReader(content)})
	must(t, err)
	return d, added
}

func TestAdd(t *testing.T) {
	s, _, c := newService(t)
	d, added := add(t, s, "dir/sub\\报告 1.tar.md", "text")
	if !added || d.Name != "报告 1.tar.md" || d.Title != "报告 1.tar" || d.Source != "upload" || d.Size != 4 || d.State != core.DocumentQueued {
		t.Errorf("added %v: %+v", added, d)
	}
	if got := c.take(); got != "wake" {
		t.Errorf("calls: %s", got)
	}
	got, data, err := s.Original(t.Context(), core.OwnerScope(), d.ID)
	must(t, err)
	if string(data) != "text" || got.ID != d.ID {
		t.Errorf("the original is %q of %+v", data, got)
	}
}

// A68: the same content is one document, under whichever name it comes, also
// when it comes many times at once.
func TestSameContentOnce(t *testing.T) {
	s, _, c := newService(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	ids, added := map[string]bool{}, 0
	for i := range 16 {
		wg.Go(func() {
			d, isNew, err := s.Add(context.Background(), core.OwnerScope(), AddRequest{Base: "default", Name: fmt.Sprint(i), Content: strings.NewReader("same")})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			ids[d.ID] = true
			if isNew {
				added++
			}
		})
	}
	wg.Wait()
	if len(ids) != 1 || added != 1 {
		t.Errorf("%d documents, %d times added", len(ids), added)
	}
	if got := c.take(); got != "wake" {
		t.Errorf("calls: %s", got)
	}
	if _, total, err := s.Documents(t.Context(), core.OwnerScope(), "default", 0, 10); err != nil || total != 1 {
		t.Errorf("%d documents, %v", total, err)
	}
}

func TestAddRefuses(t *testing.T) {
	s, db, c := newService(t)
	must(t, db.CreateBase(t.Context(), core.KnowledgeBase{ID: "p", TenantID: core.DefaultTenantID, Name: "p", Visibility: core.VisibilityPrivate}))
	broken := errors.New("connection lost")
	for name, r := range map[string]struct {
		request AddRequest
		scope   core.Scope
		code    core.Code
	}{
		"empty":          {AddRequest{Base: "default", Name: "a", Content: strings.NewReader("")}, core.OwnerScope(), core.CodeEmpty},
		"too large":      {AddRequest{Base: "default", Name: "a", Content: strings.NewReader(strings.Repeat("x", 101))}, core.OwnerScope(), core.CodeTooLarge},
		"no name":        {AddRequest{Base: "default", Name: " \x00 ", Content: strings.NewReader("x")}, core.OwnerScope(), core.CodeInvalid},
		"long name":      {AddRequest{Base: "default", Name: strings.Repeat("长", 256), Content: strings.NewReader("x")}, core.OwnerScope(), core.CodeInvalid},
		"unknown base":   {AddRequest{Base: "x", Name: "a", Content: strings.NewReader("x")}, core.OwnerScope(), core.CodeNotFound},
		"unknown folder": {AddRequest{Base: "default", FolderID: "x", Name: "a", Content: strings.NewReader("x")}, core.OwnerScope(), core.CodeNotFound},
		"unseen base":    {AddRequest{Base: "p", Name: "a", Content: strings.NewReader("x")}, core.Scope{TenantID: core.DefaultTenantID}, core.CodeNotFound},
		"broken upload":  {AddRequest{Base: "default", Name: "a", Content: io.MultiReader(strings.NewReader("x"), failing{broken})}, core.OwnerScope(), core.CodeInternal},
	} {
		t.Run(name, func(t *testing.T) {
			_, added, err := s.Add(t.Context(), r.scope, r.request)
			wantCode(t, err, r.code)
			if added {
				t.Error("it was added")
			}
		})
	}
	if got := c.take(); got != "" {
		t.Errorf("calls: %s", got)
	}
	if _, total, err := s.Documents(t.Context(), core.OwnerScope(), "default", 0, 10); err != nil || total != 0 {
		t.Errorf("%d documents, %v", total, err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestDelete(t *testing.T) {
	s, db, c := newService(t)
	queued, _ := add(t, s, "queued", "queued")
	c.take()
	must(t, s.Delete(t.Context(), core.OwnerScope(), queued.ID))
	if got := c.take(); got != "cancel "+queued.ID {
		t.Errorf("calls: %s", got)
	}
	_, err := s.Document(t.Context(), core.OwnerScope(), queued.ID)
	wantCode(t, err, core.CodeNotFound)
	wantCode(t, s.Delete(t.Context(), core.OwnerScope(), queued.ID), core.CodeNotFound)

	ready, _ := add(t, s, "ready", "ready")
	ingest(t, db, ready)
	c.take()
	c.fail = errors.New("the engine is away") // a search catches up by itself
	must(t, s.Delete(t.Context(), core.OwnerScope(), ready.ID))
	if got := c.take(); got != "cancel "+ready.ID+", refresh default" {
		t.Errorf("calls: %s", got)
	}
	// The same file may come again.
	if again, added := add(t, s, "ready", "ready"); !added || again.ID == ready.ID {
		t.Errorf("added %v as %s", added, again.ID)
	}
}

// ingest brings a document with one chunk into the index.
func ingest(t *testing.T, db *store.DB, d core.Document) {
	t.Helper()
	job, _, ok, err := db.ClaimJob(t.Context(), false)
	must(t, err)
	if !ok || job.DocumentID != d.ID {
		t.Fatalf("claimed %+v", job)
	}
	must(t, db.SaveChunks(t.Context(), job.ID, d, store.Part{Chunks: []core.Chunk{{ID: core.NewID(), BaseID: d.BaseID, DocumentID: d.ID, Type: core.ChunkText, Content: "x"}}, First: true, Last: true}))
	_, err = db.PublishJobs(t.Context(), d.BaseID, []core.Job{job})
	must(t, err)
}

func TestBases(t *testing.T) {
	s, _, c := newService(t)
	ctx, owner := t.Context(), core.OwnerScope()
	b, err := s.CreateBase(ctx, owner, NewBase{Name: " 手册 "})
	must(t, err)
	if b.Name != "手册" || b.Kind != core.BaseDocument || b.Visibility != core.VisibilityPublic || b.DatasetID != core.DefaultDatasetID {
		t.Errorf("base is %+v", b)
	}
	_, err = s.CreateBase(ctx, owner, NewBase{Name: "手册"})
	wantCode(t, err, core.CodeConflict)
	list, err := s.Bases(ctx, owner)
	must(t, err)
	if len(list) != 2 {
		t.Errorf("%d bases, want 2", len(list))
	}
	must(t, s.DeleteBase(ctx, owner, "手册"))
	if got := c.take(); got != "drop "+b.ID {
		t.Errorf("calls: %s", got)
	}
	wantCode(t, s.DeleteBase(ctx, owner, "default"), core.CodeConflict)
}

func TestCreateBaseRefuses(t *testing.T) {
	s, _, _ := newService(t)
	guest := core.Scope{TenantID: core.DefaultTenantID, Datasets: []string{"d"}}
	for name, c := range map[string]struct {
		scope core.Scope
		base  NewBase
		code  core.Code
	}{
		"no name":            {core.OwnerScope(), NewBase{}, core.CodeInvalid},
		"control characters": {core.OwnerScope(), NewBase{Name: "a\nb"}, core.CodeInvalid},
		"broken text":        {core.OwnerScope(), NewBase{Name: "a\xff"}, core.CodeInvalid},
		"kind":               {core.OwnerScope(), NewBase{Name: "a", Kind: "graph"}, core.CodeInvalid},
		"visibility":         {core.OwnerScope(), NewBase{Name: "a", Visibility: "secret"}, core.CodeInvalid},
		"unseen dataset":     {guest, NewBase{Name: "a", DatasetID: "x"}, core.CodeForbidden},
		"unseen visibility":  {guest, NewBase{Name: "a", DatasetID: "d", Visibility: core.VisibilityPrivate}, core.CodeForbidden},
		"nobody":             {core.Scope{}, NewBase{Name: "a"}, core.CodeForbidden},
	} {
		_, err := s.CreateBase(t.Context(), c.scope, c.base)
		if core.CodeOf(err) != c.code {
			t.Errorf("%s: %v has code %q, want %q", name, err, core.CodeOf(err), c.code)
		}
	}
}

func TestFolders(t *testing.T) {
	s, _, _ := newService(t)
	ctx, owner := t.Context(), core.OwnerScope()
	top, err := s.CreateFolder(ctx, owner, "default", "", "制度")
	must(t, err)
	_, err = s.CreateFolder(ctx, owner, "default", top.ID, "制度")
	must(t, err)
	_, err = s.CreateFolder(ctx, owner, "default", "", "制度")
	wantCode(t, err, core.CodeConflict)
	_, err = s.CreateFolder(ctx, owner, "default", "nowhere", "x")
	wantCode(t, err, core.CodeNotFound)
	list, err := s.Folders(ctx, owner, "default")
	must(t, err)
	if len(list) != 2 {
		t.Errorf("%d folders, want 2", len(list))
	}
	d, added, err := s.Add(ctx, owner, AddRequest{Base: "default", FolderID: top.ID, Name: "a", Source: "text", Content: strings.NewReader("x")})
	must(t, err)
	if !added || d.FolderID != top.ID || d.Source != "text" {
		t.Errorf("added %v: %+v", added, d)
	}
}

func FuzzFileName(f *testing.F) {
	for _, s := range []string{"a.md", `C:\x\报告.docx`, "../../etc/passwd", "\x00", "a\xff", "/", "..", strings.Repeat("长", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, err := fileName(s)
		if err != nil {
			wantCode(t, err, core.CodeInvalid)
			return
		}
		if name == "" || strings.ContainsAny(name, "/\\\x00\n") || len([]rune(name)) > maxName {
			t.Errorf("%q became %q", s, name)
		}
	})
}
