package office

import (
	"encoding/xml"
	"io"
	"path"
	"strings"

	"kaoju/internal/parse"
)

// altChunk reads a part that holds text in another format in the document's
// place. HTML and plain text are read; others are named in a warning.
func (s *story) altChunk(el xml.StartElement, b *builder) error {
	if err := s.dec.Skip(); err != nil {
		return err
	}
	rel, ok := s.doc.rels[attr(el, "id")]
	ext := strings.ToLower(path.Ext(rel.target))
	switch {
	case !ok || rel.external || !s.doc.archive.has(rel.target):
		s.doc.warn("an embedded part of the document is missing and was left out")
		return nil
	case ext != ".htm" && ext != ".html" && ext != ".xhtml" && ext != ".txt":
		s.doc.warn("an embedded part in the format " + strings.TrimPrefix(ext, ".") + " was left out")
		return nil
	}
	rc, err := s.doc.archive.open(rel.target)
	if err != nil {
		return err
	}
	defer rc.Close() //nolint:errcheck // reading only
	data, err := io.ReadAll(io.LimitReader(rc, s.doc.lim.MaxBytes))
	if err != nil {
		return err
	}
	doc, err := parse.New(nil).WithLimits(s.doc.lim).Parse(s.doc.ctx, parse.Input{Name: path.Base(rel.target), Data: data})
	if err != nil {
		s.doc.warn("an embedded part of the document could not be read and was left out")
		return nil
	}
	b.add(doc.Blocks...)
	size := 0
	for _, block := range doc.Blocks {
		size += len(block.Text)
	}
	return s.doc.charge(size, len(doc.Blocks))
}
