package ingest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// slides is a parser of a format that is worth keeping.
type slides struct{ parser }

func (p *slides) ParseParts(ctx context.Context, src parse.Source, each func(parse.Document) error) error {
	return p.parser.ParseParts(ctx, src, func(d parse.Document) error {
		d.Format, d.Title = parse.FormatPPTX, "Title"
		return each(d)
	})
}

func keeping(t *testing.T, version string) (*rig, *slides) {
	t.Helper()
	r, p := newRig(t, t.TempDir()), &slides{}
	r.deps.Parser, r.deps.Reader = p, version
	return r.start(), p
}

// readings gives the files that are kept beside originals.
func (r *rig) readings(dir string) []string {
	r.t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "blobs", "*", "*.read"))
	must(r.t, err)
	return list
}

// A document that is cut anew is not read again; one that is to be read again
// is; and what was kept goes with the original.
func TestWhatWasReadIsKept(t *testing.T) {
	r, p := keeping(t, "v1")
	d := r.add("a.pptx", "eins\nzwei\fdrei")
	r.settled()
	first := p.calls.Load()
	again, err := r.k.Rechunk(t.Context(), core.OwnerScope(), d.ID, false)
	must(t, err)
	r.settled()
	if p.calls.Load() != first {
		t.Errorf("it was read %d times", p.calls.Load()/first)
	}
	now, err := r.db.Document(t.Context(), core.OwnerScope(), again.ID)
	must(t, err)
	if now.State != core.DocumentReady || now.Title != "Title" || now.Format != parse.FormatPPTX || now.Chunks != 2 {
		t.Errorf("cut anew: %+v", now)
	}
	again, err = r.k.Reparse(t.Context(), core.OwnerScope(), again.ID, false)
	must(t, err)
	r.settled()
	if p.calls.Load() != 2*first {
		t.Errorf("read %d times", p.calls.Load()/first)
	}
	must(t, r.k.Delete(t.Context(), core.OwnerScope(), again.ID))
	must(t, r.k.Delete(t.Context(), core.OwnerScope(), d.ID))
}

// What another version read, or what broke off, is read again.
func TestWhatWasKeptIsNotTrusted(t *testing.T) {
	tests := map[string]func(r *rig, file string){
		"another version": func(r *rig, _ string) { r.deps.Reader = "v2" },
		"broken off": func(r *rig, file string) {
			data, err := os.ReadFile(file)
			must(r.t, err)
			must(r.t, os.WriteFile(file, data[:len(data)/2], 0o600))
		},
		"no file of ours": func(r *rig, file string) { must(r.t, os.WriteFile(file, []byte("x"), 0o600)) },
		"gone":            func(r *rig, file string) { must(r.t, os.Remove(file)) },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			r, p := newRig(t, dir), &slides{}
			r.deps.Parser, r.deps.Reader = p, "v1"
			r.start()
			d := r.add("a.pptx", strings.Repeat("eins\nzwei\f", 20)+"drei")
			r.settled()
			kept := r.readings(dir)
			if len(kept) != 1 {
				t.Fatalf("kept: %q", kept)
			}
			first := p.calls.Load()
			spoil(r, kept[0])
			again, err := r.k.Rechunk(t.Context(), core.OwnerScope(), d.ID, false)
			must(t, err)
			r.settled()
			now, err := r.db.Document(t.Context(), core.OwnerScope(), again.ID)
			must(t, err)
			if p.calls.Load() != 2*first || now.State != core.DocumentReady {
				t.Errorf("read %d times, %s", p.calls.Load()/first, now.State)
			}
		})
	}
}

// Nothing is kept of plain files, of files that cannot be read, or beside an
// original that is gone.
func TestWhatIsNotKept(t *testing.T) {
	dir := t.TempDir()
	r, p := newRig(t, dir), &slides{}
	r.deps.Parser, r.deps.Reader = p, "v1"
	r.start()
	r.add("bad.pptx", "gut\fpoison")
	r.settled()
	if kept := r.readings(dir); len(kept) != 0 {
		t.Errorf("kept of a failure: %q", kept)
	}
	d := r.add("a.pptx", "text")
	r.settled()
	if kept := r.readings(dir); len(kept) != 1 {
		t.Errorf("kept: %q", kept)
	}
	must(t, r.k.Delete(t.Context(), core.OwnerScope(), d.ID))
	if kept := r.readings(dir); len(kept) != 0 {
		t.Errorf("kept of what was deleted: %q", kept)
	}
	f, err := r.db.NewReading(t.Context())
	must(t, err)
	if err := f.Keep(t.Context(), d.ContentHash); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("beside nothing: %v", err)
	}
	plainly := newRig(t, t.TempDir())
	plainly.deps.Reader = "v1"
	plainly.start().add("a.txt", "text")
	plainly.settled()
	if kept := plainly.readings(plainly.db.Dir()); len(kept) != 0 {
		t.Errorf("kept of a plain file: %q", kept)
	}
}
