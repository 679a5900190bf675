package knowledge

import (
	"bytes"
	"context"
	"unicode/utf8"

	"kaoju/internal/chunk"
	"kaoju/internal/core"
	"kaoju/internal/parse"
	"kaoju/internal/text"
)

// Parts reads a file part by part, as ingestion does. *parse.Parser is one.
type Parts interface {
	ParseParts(ctx context.Context, src parse.Source, each func(parse.Document) error) error
}

// BaseChange is what to change of a base; nil fields stay.
type BaseChange struct {
	Name        *string
	Description *string
	Chunking    *core.Chunking // for documents that are read from now on
}

// maxDescription is the longest description of a base, in characters.
const maxDescription = 2000

// ChangeBase renames a base, describes it, or says how it cuts documents.
// Documents that are there stay as they are until they are read again.
func (s *Service) ChangeBase(ctx context.Context, scope core.Scope, base string, c BaseChange) (core.KnowledgeBase, error) {
	b, err := s.db.Base(ctx, scope, base)
	if err != nil {
		return b, err
	}
	if c.Name != nil {
		if b.Name, err = cleanName("knowledge base", *c.Name); err != nil {
			return b, err
		}
	}
	if c.Description != nil {
		b.Description = text.Truncate(cleanText(*c.Description), maxDescription)
	}
	if c.Chunking != nil {
		if err := checkChunking(*c.Chunking); err != nil {
			return b, err
		}
		if b.Chunking = c.Chunking; c.Chunking.IsZero() {
			b.Chunking = nil
		}
	}
	if err := s.db.ChangeBase(ctx, b); err != nil {
		return b, err
	}
	return s.db.Base(ctx, scope, b.ID)
}

func checkChunking(c core.Chunking) error {
	within := func(v, low, high int) bool { return v == 0 || low <= v && v <= high }
	switch {
	case !within(c.Size, 50, 4000):
		return core.Errorf(core.CodeInvalid, "chunk_size is from 50 to 4,000 characters, or 0 for the server's")
	case !within(c.Overlap, -1, 1000):
		return core.Errorf(core.CodeInvalid, "chunk_overlap is at most 1,000 characters, 0 for the server's, -1 for none")
	case !within(c.Parent, 100, 20_000):
		return core.Errorf(core.CodeInvalid, "parent_size is from 100 to 20,000 characters, or 0 for the server's")
	case !within(c.HeadingLevel, -1, 6):
		return core.Errorf(core.CodeInvalid, "heading_level is from 1 to 6, 0 for all headings, -1 for none")
	case c.Rows != "" && c.Rows != core.RowsOfData && c.Rows != core.RowsOfAll && c.Rows != core.RowsOfNone:
		return core.Errorf(core.CodeInvalid, "rows is data, all or none, not %q", c.Rows)
	case len(c.Separators) > maxSeparators:
		return core.Errorf(core.CodeInvalid, "there are at most %d separators", maxSeparators)
	}
	for _, sep := range c.Separators {
		if n := utf8.RuneCountInString(sep); n == 0 || n > maxSeparator || !utf8.ValidString(sep) {
			return core.Errorf(core.CodeInvalid, "a separator has 1 to %d characters", maxSeparator)
		}
	}
	return nil
}

const (
	maxSeparators = 10
	maxSeparator  = 50 // characters
)

// ChunkSettings are a base's own settings where it has any, else the server's.
func ChunkSettings(server chunk.Settings, own *core.Chunking) chunk.Settings {
	if own == nil {
		return server
	}
	if own.Size != 0 {
		server.Child = own.Size
	}
	if own.Overlap != 0 {
		server.Overlap = own.Overlap
	}
	if own.Parent != 0 {
		server.Parent = own.Parent
	}
	server.Separators, server.HeadingLevel = own.Separators, own.HeadingLevel
	switch own.Rows {
	case core.RowsOfAll:
		server.Rows = chunk.RowsOfAll
	case core.RowsOfNone:
		server.Rows = chunk.RowsOfNone
	}
	return server
}

// maxPreview is how many passages a preview shows.
const maxPreview = 200

// PreviewFile is a file to preview.
type PreviewFile struct {
	Name string
	Data []byte
}

// Preview is how a file would be cut.
type Preview struct {
	Title    string       `json:"title"`
	Format   string       `json:"format"`
	Total    int          `json:"total"`    // passages that would be indexed
	Passages []core.Chunk `json:"passages"` // the first 200 of them
	Warnings []string     `json:"warnings,omitempty"`
}

// Preview cuts a file as ingestion into the base would, by the base's settings
// or by others, and stores nothing. What comes out is what would be stored:
// reader and cutter are the same.
func (s *Service) Preview(ctx context.Context, scope core.Scope, base string, f PreviewFile, with *core.Chunking) (Preview, error) {
	name, data := f.Name, f.Data
	b, err := s.db.Base(ctx, scope, base)
	if err != nil {
		return Preview{}, err
	}
	if with == nil {
		with = b.Chunking
	} else if err := checkChunking(*with); err != nil {
		return Preview{}, err
	}
	if len(data) == 0 {
		return Preview{}, core.Errorf(core.CodeEmpty, "the file is empty")
	}
	if s.parts == nil {
		return Preview{}, core.Errorf(core.CodeUnavailable, "files cannot be read here")
	}
	p := Preview{Passages: []core.Chunk{}}
	cutter := chunk.NewCutter(ChunkSettings(s.chunking, with))
	err = s.parts.ParseParts(ctx, parse.Source{Name: name, Bytes: bytes.NewReader(data), Size: int64(len(data))}, func(part parse.Document) error {
		if p.Format == "" {
			p.Format, p.Warnings = part.Format, part.Warnings
			p.Title = titleOf(part.Title, or(name, "text"))
		}
		for _, piece := range cutter.Cut(part).Children {
			if p.Total++; len(p.Passages) < maxPreview {
				p.Passages = append(p.Passages, piece.Chunk)
			}
		}
		return nil
	})
	return p, err
}

// PreviewDocument is Preview of the original of a document that is there.
func (s *Service) PreviewDocument(ctx context.Context, scope core.Scope, id string, with *core.Chunking) (Preview, error) {
	d, data, err := s.Original(ctx, scope, id)
	if err != nil {
		return Preview{}, err
	}
	return s.Preview(ctx, scope, d.BaseID, PreviewFile{d.Name, data}, with)
}
