package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/google/uuid"

	"kaoju/internal/core"
)

// Limits of a file that is read. A part is what is held in memory at once.
const (
	maxPart   = 16 << 20
	maxVector = 1 << 18
	// A file may unpack to maxRatio times its size, or to freeBytes.
	maxRatio  = 200
	freeBytes = 256 << 20
)

// Sink takes what a file holds, in the order of the file. What it is given
// belongs to it, but for the reader of Original.
type Sink interface {
	// Begin is called first, once.
	Begin(Manifest) error
	// Place is called at most once for folders and for glossary entries.
	Place(folders []core.Folder, glossary []core.GlossaryEntry) error
	// Original gives the file of the document that comes next.
	Original(size int64, r io.Reader) error
	// Document and Passages give documents, each with its passages behind it.
	Document(Document) error
	Passages([]Passage) error
}

// Read checks a file and hands what it holds to a sink. Only once it returns
// without an error, all was there and unharmed. limit is the largest original.
// A file that is wrong is a core.CodeCorrupt or core.CodeTooLarge that says
// where.
func Read(in io.Reader, limit int64, sink Sink) (Counts, error) {
	packed := &counter{r: in}
	gz, err := gzip.NewReader(packed)
	if err != nil {
		return Counts{}, broken(err, "it is not a gzip file")
	}
	r := &reader{packed: packed, tar: tar.NewReader(gz), sum: sha256.New(), limit: limit, sink: sink}
	if err := r.all(); err != nil {
		return Counts{}, err
	}
	if n, err := io.Copy(io.Discard, io.LimitReader(gz, maxPart)); err != nil || n >= maxPart {
		return Counts{}, broken(err, "the end of the file is damaged")
	}
	return r.counts, nil
}

type reader struct {
	packed *counter
	tar    *tar.Reader
	sum    hash.Hash
	limit  int64
	sink   Sink

	manifest Manifest
	began    bool
	unpacked int64
	counts   Counts
	original bool   // one was read, whose document has to come next
	document string // whose passages come
	passages []Passage
	at       map[string]int // of passages, those without a vector yet
}

func broken(err error, format string, args ...any) error {
	return &core.Error{Code: core.CodeCorrupt, Message: "the file of the knowledge base cannot be taken: " + fmt.Sprintf(format, args...), Err: err}
}

// all reads entry after entry up to the end.
func (r *reader) all() error {
	for {
		h, err := r.tar.Next()
		if errors.Is(err, io.EOF) {
			return broken(nil, "it has no end; it was cut off")
		}
		if err != nil {
			return broken(err, "it is damaged or cut off behind entry of %d bytes", r.unpacked)
		}
		if h.Typeflag != tar.TypeReg || h.Size < 0 {
			return broken(nil, "the entry %q is no plain file", h.Name)
		}
		if !r.began && h.Name != nameManifest {
			return broken(nil, "it does not begin with %s: it is no file of a knowledge base", nameManifest)
		}
		if h.Name == nameEnd {
			return r.end(h)
		}
		fmt.Fprintf(r.sum, "%s %d\n", h.Name, h.Size)
		if err := r.entry(h); err != nil {
			return err
		}
	}
}

func (r *reader) entry(h *tar.Header) error {
	if h.Name != nameVectors {
		if err := r.hand(); err != nil {
			return err
		}
	}
	switch h.Name {
	case nameManifest:
		return r.begin(h)
	case nameFolders:
		var list []core.Folder
		err := r.json(h, &list)
		if err == nil && (r.counts.Folders > 0 || r.counts.Documents > 0) {
			err = broken(nil, "folders come twice or late")
		}
		r.counts.Folders = len(list)
		if err != nil {
			return err
		}
		return r.sink.Place(list, nil)
	case nameGlossary:
		var list []core.GlossaryEntry
		err := r.json(h, &list)
		if err == nil && (r.counts.Glossary > 0 || r.counts.Documents > 0) {
			err = broken(nil, "the glossary comes twice or late")
		}
		r.counts.Glossary = len(list)
		if err != nil {
			return err
		}
		return r.sink.Place(nil, list)
	case nameOriginal:
		return r.file(h)
	case nameRecords:
		return r.records(h)
	case nameVectors:
		return r.vectors(h)
	}
	return broken(nil, "it has an entry %q that this version does not know", h.Name)
}

func (r *reader) begin(h *tar.Header) error {
	if r.began {
		return broken(nil, "the manifest comes twice")
	}
	r.began = true
	if err := r.json(h, &r.manifest); err != nil {
		return err
	}
	switch m := r.manifest; {
	case m.Format != Format:
		return broken(nil, "its manifest names the format %q", m.Format)
	case m.Version != Version:
		return broken(nil, "it has version %d of the format; this program reads version %d", m.Version, Version)
	case m.VectorBytes < 0 || m.VectorBytes > maxVector:
		return broken(nil, "vectors of %d bytes", m.VectorBytes)
	}
	return r.sink.Begin(r.manifest)
}

func (r *reader) file(h *tar.Header) error {
	if r.original {
		return broken(nil, "an original comes without its document")
	}
	if h.Size > r.limit {
		return core.Errorf(core.CodeTooLarge, "the file of the knowledge base has an original of %d bytes; the limit is %d", h.Size, r.limit)
	}
	r.original = true
	r.counts.Originals++
	body := io.TeeReader(r.metered(), r.sum)
	if err := r.sink.Original(h.Size, body); err != nil {
		return err
	}
	if n, err := io.Copy(io.Discard, body); err != nil || n > 0 {
		return broken(err, "an original was not read to its end")
	}
	return nil
}

// part reads a whole entry of bounded size.
func (r *reader) part(h *tar.Header) ([]byte, error) {
	if h.Size > maxPart {
		return nil, core.Errorf(core.CodeTooLarge, "the file of the knowledge base has an entry %s of %d bytes; the limit is %d", h.Name, h.Size, maxPart)
	}
	var b bytes.Buffer
	n, err := io.Copy(io.MultiWriter(&b, r.sum), r.metered())
	if err != nil || n != h.Size {
		var known *core.Error
		if errors.As(err, &known) {
			return nil, err
		}
		return nil, broken(err, "the entry %s is damaged or cut off", h.Name)
	}
	return b.Bytes(), nil
}

func (r *reader) json(h *tar.Header, v any) error {
	b, err := r.part(h)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return broken(err, "the entry %s is no JSON of this format", h.Name)
	}
	return nil
}

func (r *reader) records(h *tar.Header) error {
	b, err := r.part(h)
	if err != nil {
		return err
	}
	r.at = map[string]int{}
	for line := range bytes.Lines(b) {
		var rec record
		if err := json.Unmarshal(line, &rec); err != nil || (rec.Document == nil) == (rec.Passage == nil) {
			return broken(err, "record %d is wrong", r.counts.Documents+r.counts.Passages+1)
		}
		if err := r.record(rec); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) record(rec record) error {
	if p := rec.Passage; p != nil {
		if r.document == "" || p.DocumentID != r.document {
			return broken(nil, "the passage %q does not follow its document", p.ID)
		}
		if _, err := uuid.Parse(p.ID); err != nil || len(p.ID) != 36 {
			return broken(err, "the passage id %q is none", p.ID)
		}
		r.counts.Passages++
		r.at[p.ID] = len(r.passages)
		r.passages = append(r.passages, *p)
		return nil
	}
	d := *rec.Document
	if len(r.passages) > 0 {
		return broken(nil, "the document %q does not begin its entry", d.Name)
	}
	if d.Original != r.original {
		return broken(nil, "the document %q and the original before it do not belong together", d.Name)
	}
	r.original, r.document = false, d.ID
	r.counts.Documents++
	return r.sink.Document(d)
}

// vectors gives the passages of the records before their vectors.
func (r *reader) vectors(h *tar.Header) error {
	b, err := r.part(h)
	if err != nil {
		return err
	}
	size := 16 + r.manifest.VectorBytes
	if r.manifest.VectorBytes == 0 || len(b)%size != 0 {
		return broken(nil, "vectors are of another length than the manifest says")
	}
	for ; len(b) > 0; b = b[size:] {
		id := uuid.UUID(b[:16]).String()
		i, ok := r.at[id]
		if !ok || i >= len(r.passages) || r.passages[i].ID != id || r.passages[i].Vector != nil {
			return broken(nil, "a vector belongs to no passage before it")
		}
		r.passages[i].Vector = b[16:size:size]
		r.counts.Vectors++
	}
	return nil
}

// hand gives the sink the passages that are complete.
func (r *reader) hand() error {
	if len(r.passages) == 0 {
		return nil
	}
	some := r.passages
	r.passages = nil
	return r.sink.Passages(some)
}

func (r *reader) end(h *tar.Header) error {
	if err := r.hand(); err != nil {
		return err
	}
	want := hex.EncodeToString(r.sum.Sum(nil))
	var e end
	if err := r.json(h, &e); err != nil {
		return err
	}
	switch {
	case r.original:
		return broken(nil, "an original comes without its document")
	case e.SHA256 != want:
		return broken(nil, "its checksum is wrong: it was changed or damaged")
	case e.Counts != r.counts:
		return broken(nil, "it says that it holds %+v, and holds %+v", e.Counts, r.counts)
	}
	if _, err := r.tar.Next(); !errors.Is(err, io.EOF) {
		return broken(err, "something stands behind its end")
	}
	return nil
}

// metered reads the entry at hand and stops a file that unpacks to far more
// than it is.
func (r *reader) metered() io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		n, err := r.tar.Read(p)
		if r.unpacked += int64(n); r.unpacked > freeBytes && r.unpacked/maxRatio > r.packed.n {
			return n, core.Errorf(core.CodeTooLarge, "the file of the knowledge base unpacks to more than %d times its size", maxRatio)
		}
		return n, err
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
