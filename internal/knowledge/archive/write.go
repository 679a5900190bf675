package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"

	"github.com/google/uuid"

	"kaoju/internal/core"
)

// flushAt is how many bytes of records or vectors are gathered for an entry.
const flushAt = 1 << 20

// Writer writes a file. It is not safe for concurrent use.
type Writer struct {
	gz      *gzip.Writer
	tar     *tar.Writer
	sum     hash.Hash
	records bytes.Buffer
	vectors bytes.Buffer
	counts  Counts
}

// NewWriter begins a file. Close ends it.
func NewWriter(out io.Writer, m Manifest) (*Writer, error) {
	gz, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return nil, fmt.Errorf("begin the file: %w", err)
	}
	w := &Writer{gz: gz, tar: tar.NewWriter(gz), sum: sha256.New()}
	m.Format, m.Version = Format, Version
	return w, w.json(nameManifest, m)
}

// Folders writes the folders, once and before the documents.
func (w *Writer) Folders(list []core.Folder) error {
	w.counts.Folders = len(list)
	return w.json(nameFolders, list)
}

// Glossary writes the words, once and before the documents.
func (w *Writer) Glossary(list []core.GlossaryEntry) error {
	w.counts.Glossary = len(list)
	return w.json(nameGlossary, list)
}

// Document writes a document and its file of d.Size bytes, nil where it has
// none. Its passages follow.
func (w *Writer) Document(d core.Document, original io.Reader) error {
	if err := w.flush(); err != nil {
		return err
	}
	if original != nil {
		if err := w.entry(nameOriginal, d.Size, original); err != nil {
			return fmt.Errorf("write the file of %s: %w", d.Name, err)
		}
		w.counts.Originals++
	}
	w.counts.Documents++
	return w.line(record{Document: &Document{d, original != nil}})
}

// Passage writes a passage of the last document.
func (w *Writer) Passage(p Passage) error {
	w.counts.Passages++
	if err := w.line(record{Passage: &p}); err != nil {
		return err
	}
	if len(p.Vector) > 0 {
		id, err := uuid.Parse(p.ID)
		if err != nil {
			return fmt.Errorf("write the vector of %q: %w", p.ID, err)
		}
		w.counts.Vectors++
		w.vectors.Write(id[:])
		w.vectors.Write(p.Vector)
	}
	if w.records.Len() < flushAt && w.vectors.Len() < flushAt {
		return nil
	}
	return w.flush()
}

// Close writes the end; without it a file is refused.
func (w *Writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.json(nameEnd, end{w.counts, hex.EncodeToString(w.sum.Sum(nil))}); err != nil {
		return err
	}
	if err := w.tar.Close(); err != nil {
		return fmt.Errorf("end the file: %w", err)
	}
	return w.gz.Close()
}

func (w *Writer) line(r record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode a record: %w", err)
	}
	w.records.Write(b)
	w.records.WriteByte('\n')
	return nil
}

func (w *Writer) flush() error {
	for _, part := range []struct {
		name string
		b    *bytes.Buffer
	}{{nameRecords, &w.records}, {nameVectors, &w.vectors}} {
		if part.b.Len() == 0 {
			continue
		}
		if err := w.entry(part.name, int64(part.b.Len()), part.b); err != nil {
			return err
		}
		part.b.Reset()
	}
	return nil
}

func (w *Writer) json(name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	return w.entry(name, int64(len(b)), bytes.NewReader(b))
}

func (w *Writer) entry(name string, size int64, r io.Reader) error {
	fmt.Fprintf(w.sum, "%s %d\n", name, size)
	if err := w.tar.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o644, Typeflag: tar.TypeReg}); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	n, err := io.Copy(io.MultiWriter(w.tar, w.sum), r)
	if err == nil && n != size {
		err = fmt.Errorf("it has %d bytes instead of %d", n, size)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
