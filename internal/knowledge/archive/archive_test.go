package archive

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"kaoju/internal/core"
)

// sink counts what it is given and reads originals to their end.
type sink struct {
	documents, passages, vectors int
	original                     string
}

func (*sink) Begin(Manifest) error                            { return nil }
func (*sink) Place([]core.Folder, []core.GlossaryEntry) error { return nil }
func (s *sink) Original(_ int64, r io.Reader) error {
	b, err := io.ReadAll(r)
	s.original += string(b)
	return err
}
func (s *sink) Document(Document) error { s.documents++; return nil }
func (s *sink) Passages(list []Passage) error {
	s.passages += len(list)
	for _, p := range list {
		if p.Vector != nil {
			s.vectors++
		}
	}
	return nil
}

// sample writes a file of some documents with n passages each; change may
// spoil the manifest.
func sample(t testing.TB, n int, change func(*Manifest)) []byte {
	t.Helper()
	var out bytes.Buffer
	m := Manifest{Model: "m", VectorBytes: 7}
	if change != nil {
		change(&m)
	}
	w, err := NewWriter(&out, m)
	must(t, err)
	must(t, w.Folders([]core.Folder{{ID: core.NewID(), Name: "f"}}))
	must(t, w.Glossary([]core.GlossaryEntry{{Term: "t"}}))
	for _, content := range []string{"one", "two"} {
		d := core.Document{ID: core.NewID(), Name: content, Size: int64(len(content))}
		must(t, w.Document(d, strings.NewReader(content)))
		for i := range n {
			must(t, w.Passage(Passage{Chunk: core.Chunk{ID: core.NewID(), DocumentID: d.ID, Index: i, Content: strings.Repeat("文", 200)},
				Live: true, Vector: []byte{1, 2, 3, 4, 5, 6, 7}}))
		}
	}
	must(t, w.Close())
	return out.Bytes()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestThereAndBack(t *testing.T) {
	var s sink
	counts, err := Read(bytes.NewReader(sample(t, 3000, nil)), 100, &s)
	must(t, err)
	want := Counts{Folders: 1, Glossary: 1, Documents: 2, Passages: 6000, Vectors: 6000, Originals: 2}
	if counts != want || s.documents != 2 || s.passages != 6000 || s.vectors != 6000 || s.original != "onetwo" {
		t.Errorf("read %+v, gave %+v", counts, s)
	}
}

// repacked unpacks a file, changes its tar and packs it again.
func repacked(t *testing.T, file []byte, change func([]byte) []byte) []byte {
	t.Helper()
	gz, err := gzip.NewReader(bytes.NewReader(file))
	must(t, err)
	plain, err := io.ReadAll(gz)
	must(t, err)
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err = w.Write(change(plain))
	must(t, err)
	must(t, w.Close())
	return out.Bytes()
}

// Hostile and damaged files are refused with the reason.
func TestHostileFiles(t *testing.T) {
	good := sample(t, 3, nil)
	replace := func(old, with string) func([]byte) []byte {
		return func(b []byte) []byte { return bytes.Replace(b, []byte(old), []byte(with), 1) }
	}
	var bomb bytes.Buffer
	w, err := NewWriter(&bomb, Manifest{})
	must(t, err)
	must(t, w.Document(core.Document{ID: core.NewID(), Size: 400 << 20}, io.LimitReader(zeros{}, 400<<20)))
	must(t, w.Close())
	for name, c := range map[string]struct {
		file []byte
		says string
		code core.Code
	}{
		"empty":           {nil, "not a gzip file", core.CodeCorrupt},
		"something else":  {[]byte("PK\x03\x04 a zip"), "not a gzip file", core.CodeCorrupt},
		"cut off":         {good[:len(good)*2/3], "cut off", core.CodeCorrupt},
		"no end":          {repacked(t, good, func(b []byte) []byte { return b[:bytes.Index(b, []byte("end.json"))] }), "no end", core.CodeCorrupt},
		"other version":   {repacked(t, good, replace(`"version":1`, `"version":9`)), "version 9", core.CodeCorrupt},
		"other format":    {repacked(t, good, replace(Format, "kaoju-knowledge-cake")), "format", core.CodeCorrupt},
		"changed":         {repacked(t, good, replace("two", "tow")), "checksum", core.CodeCorrupt},
		"wrong checksum":  {repacked(t, good, replace(`"sha256":"`, `"sha265":"`)), "checksum", core.CodeCorrupt},
		"huge counts":     {repacked(t, good, replace(`"passages":6`, `"passages":7`)), "says that it holds", core.CodeCorrupt},
		"traversal":       {repacked(t, good, renamed("../../etc/passwd")), "does not know", core.CodeCorrupt},
		"large original":  {sample(t, 1, func(m *Manifest) {}), "limit", core.CodeTooLarge},
		"bomb":            {bomb.Bytes(), "times its size", core.CodeTooLarge},
		"foreign passage": {repacked(t, good, replace(`"document_id":"`, `"document_ix":"`)), "follow its document", core.CodeCorrupt},
		"wrong vectors":   {sample(t, 3, func(m *Manifest) { m.VectorBytes = 9 }), "length", core.CodeCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			limit := int64(1 << 30)
			if name == "large original" {
				limit = 2
			}
			var discard sink
			_, err := Read(bytes.NewReader(c.file), limit, skipping{&discard})
			if core.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("gives %q: %v", core.CodeOf(err), err)
			}
		})
	}
}

// renamed gives the glossary another name, with the checksum of its header.
func renamed(name string) func([]byte) []byte {
	return func(b []byte) []byte {
		at := bytes.Index(b, []byte(nameGlossary))
		h := b[at : at+512]
		copy(h, append([]byte(name), make([]byte, 100-len(name))...))
		copy(h[148:156], "        ")
		sum := 0
		for _, c := range h {
			sum += int(c)
		}
		copy(h[148:156], []byte{byte('0' + sum>>15&7), byte('0' + sum>>12&7), byte('0' + sum>>9&7), byte('0' + sum>>6&7), byte('0' + sum>>3&7), byte('0' + sum&7), 0, ' '})
		return b
	}
}

// skipping reads originals without keeping them.
type skipping struct{ *sink }

func (skipping) Original(_ int64, r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// FuzzRead: whatever comes, reading ends with an error of ours or a whole file.
func FuzzRead(f *testing.F) {
	f.Add(sample(f, 2, nil))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := Read(bytes.NewReader(b), 1<<20, skipping{&sink{}})
		var known *core.Error
		if err != nil && !errors.As(err, &known) {
			t.Errorf("an error of nobody: %v", err)
		}
	})
}
