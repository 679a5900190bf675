package parse

import (
	"bytes"
	"context"
	"io"

	"kaoju/internal/core"
)

// partSize is how many bytes of a large text are read at once.
const partSize = 4 << 20

// Source is a file that need not be in memory. Name is a hint only.
type Source struct {
	Name  string
	Bytes io.ReaderAt
	Size  int64
}

// partReader is a Reader of a format whose files can be read in parts: what
// it holds does not grow with the file. The parts together are what Read
// gives.
type partReader interface {
	Reader
	readParts(ctx context.Context, in *cutter, lim Limits, each func(Document) error) error
}

// ParseParts reads a file and calls each with what was read, in order. A text
// or table of text (CSV) longer than 4 MiB comes in several parts; any
// other file in one, and so does a text whose encoding does not let it be cut
// at bytes (UTF-16). Format is set on each part, Title and Warnings on the
// first. An error of each ends the reading and is returned as it is; other
// errors are those of Parse.
func (p *Parser) ParseParts(ctx context.Context, src Source, each func(Document) error) error {
	format, reader, err := p.inParts(src)
	if err != nil {
		return err
	}
	if reader == nil {
		data, err := io.ReadAll(io.NewSectionReader(src.Bytes, 0, src.Size))
		if err != nil {
			return core.Wrap(err, core.CodeInternal, "the file cannot be read from the disk")
		}
		doc, err := p.Parse(ctx, Input{Name: src.Name, Data: data})
		if err != nil {
			return err
		}
		return each(doc)
	}
	sum := &partSum{lim: p.limits, format: format, each: each}
	cut := &cutter{r: io.NewSectionReader(src.Bytes, 0, src.Size), size: p.part, limit: p.limits.MaxText}
	err = reader.readParts(ctx, cut, p.limits, sum.add)
	switch {
	case sum.err != nil:
		return sum.err
	case err != nil:
		return p.explain(ctx, err)
	case sum.parts == 0:
		return core.Errorf(core.CodeEmpty, "no text was found in the file")
	}
	return nil
}

// inParts finds the reader of a large file by its beginning; nil where the
// file is to be read as a whole.
func (p *Parser) inParts(src Source) (string, partReader, error) {
	if src.Size > p.limits.MaxBytes {
		return "", nil, core.Errorf(core.CodeTooLarge, "the file has %s; the limit is %s", sizeText(src.Size), sizeText(p.limits.MaxBytes))
	}
	if src.Size <= int64(p.part) {
		return "", nil, nil
	}
	head := make([]byte, p.part)
	if _, err := src.Bytes.ReadAt(head, 0); err != nil {
		return "", nil, core.Wrap(err, core.CodeInternal, "the file cannot be read from the disk")
	}
	if !looksLikeText(head) || hasMark(head) && !bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")) || isSixteen(head) {
		return "", nil, nil
	}
	format, err := detect(Input{Name: src.Name, Data: head})
	if err != nil {
		return "", nil, nil //nolint:nilerr // the reading as a whole says what is wrong
	}
	reader, _ := p.readers[format].(partReader)
	return format, reader, nil
}

// partSum hands on parts and keeps count of what all of them hold.
type partSum struct {
	lim    Limits
	format string
	each   func(Document) error
	parts  int
	blocks int
	err    error // of each, or a limit
}

func (s *partSum) add(doc Document) error {
	doc.Format = s.format
	doc, err := finish(doc, s.lim)
	if core.CodeOf(err) == core.CodeEmpty {
		return nil // a part of blanks
	}
	for _, b := range doc.Blocks {
		s.blocks += 1 + len(b.Rows)
	}
	if err == nil && s.blocks > s.lim.MaxBlocks {
		err = core.Errorf(core.CodeTooLarge, "the file holds more than %d blocks and rows; split it into smaller files", s.lim.MaxBlocks)
	}
	if err == nil {
		if s.parts++; s.parts > 1 {
			doc.Title, doc.Warnings = "", nil
		}
		err = s.each(doc)
	}
	s.err = err
	return err
}

// cutter gives the bytes of a text in pieces of about size that end where a
// line ends. A line break is the same byte in every encoding that it meets.
type cutter struct {
	r     io.Reader
	size  int
	rest  []byte
	done  bool
	limit int // a line longer than this is no text
}

// next gives the next piece, whose end the function at finds: the place after
// which to cut, 0 where there is none yet. It gives nil at the end of the text.
func (c *cutter) next(at func(piece []byte) int) ([]byte, error) {
	for {
		if c.done {
			piece := c.rest
			c.rest = nil
			return piece, nil
		}
		if err := c.fill(); err != nil {
			return nil, err
		}
		if c.done {
			continue
		}
		if n := at(c.rest); n > 0 {
			piece := c.rest[:n:n]
			c.rest = bytes.Clone(c.rest[n:])
			return piece, nil
		}
		if len(c.rest) > c.limit {
			return nil, core.Errorf(core.CodeTooLarge, "the file has a line of more than %s; split it", sizeText(int64(c.limit)))
		}
	}
}

// fill reads the next bytes.
func (c *cutter) fill() error {
	buf := make([]byte, len(c.rest), len(c.rest)+c.size)
	copy(buf, c.rest)
	n, err := io.ReadFull(c.r, buf[len(buf):cap(buf)])
	c.rest = buf[:len(buf)+n]
	switch err {
	case nil:
		return nil
	case io.EOF, io.ErrUnexpectedEOF:
		c.done = true
		return nil
	}
	return core.Wrap(err, core.CodeInternal, "the file cannot be read from the disk")
}

// lastParagraph gives the place after the last blank line, else after the last
// line.
func lastParagraph(piece []byte) int {
	for _, gap := range []string{"\n\n", "\n\r\n"} {
		if n := bytes.LastIndex(piece, []byte(gap)); n > 0 {
			return n + len(gap)
		}
	}
	return bytes.LastIndexByte(piece, '\n') + 1
}

// maxCell is how long a quoted cell may be before its quote is taken for text.
const maxCell = 1 << 20

// lastRow gives the place after the last line break that no quoted cell
// holds. As in csvScan, a quote opens a cell only at its start.
func lastRow(piece []byte) int {
	at, from := 0, 0
	for {
		last, open := rowsFrom(piece, from)
		at = max(at, last)
		if open < 0 || len(piece)-open <= maxCell {
			return at
		}
		from = open + 1
	}
}

// rowsFrom looks for rows from a place on. It gives the place after the last
// whole row, and where a quote stands that never closes, else -1.
func rowsFrom(piece []byte, from int) (last, open int) {
	open = -1
	start := from == 0 // of a cell
	for i := from; i < len(piece); i++ {
		c := piece[i]
		switch {
		case open >= 0 && c == '"' && i+1 < len(piece) && piece[i+1] == '"':
			i++
		case open >= 0 && c == '"':
			open, start = -1, false
		case open >= 0:
		case c == '"' && start:
			open = i
		case c == '\n':
			last, start = i+1, true
		default:
			start = c == ',' || c == ';' || c == '\t' || c == '|' || start && c == ' '
		}
	}
	return last, open
}

// readParts implements partReader.
func (t textReader) readParts(ctx context.Context, in *cutter, lim Limits, each func(Document) error) error {
	for {
		piece, err := in.next(lastParagraph)
		if err != nil || len(piece) == 0 {
			return err
		}
		doc, err := t.Read(ctx, Input{Data: piece}, lim)
		if err != nil {
			return err
		}
		if err := each(doc); err != nil {
			return err
		}
	}
}
