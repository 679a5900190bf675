package parse

import (
	"context"

	"kaoju/internal/core"
)

// Bounds on the files that lie inside one file, at any depth.
const (
	maxNesting    = 3     // a message in an archive in an archive
	maxInnerFiles = 2_000 // all depths together
	maxInnerTimes = 4     // bytes of all inner files together, in times of MaxBytes
)

// nest is how a file came to be read: by which Parser, how deep inside other
// files, and what the outermost file may still cost. One file is read by one
// goroutine, and so are those inside.
type nest struct {
	parser *Parser
	depth  int
	left   *allowance
}

// allowance is what the files inside one file may still cost.
type allowance struct {
	files int
	bytes int64
}

// within says that in is read by p; a file that was opened inside another one
// keeps its place.
func (in Input) within(p *Parser) Input {
	if in.nest == nil {
		in.nest = &nest{parser: p, left: &allowance{files: maxInnerFiles, bytes: maxInnerTimes * p.limits.MaxBytes}}
	}
	return in
}

// Open reads a file that lies inside in, by the Parser that reads in. It is
// for Readers of archives and messages. Its errors are those of Parser.Parse:
// about the inner file alone, but for too_large once all inner files together
// are too many or too big (see Spent).
func (in Input) Open(ctx context.Context, inner Input) (Document, error) {
	switch {
	case in.nest == nil:
		return Document{}, core.Errorf(core.CodeUnsupportedFormat, "files inside other files cannot be read here")
	case in.nest.depth >= maxNesting:
		return Document{}, core.Errorf(core.CodeUnsupportedFormat, "it lies more than %d files deep inside others", maxNesting)
	}
	left := in.nest.left
	left.files--
	left.bytes -= int64(len(inner.Data))
	if in.Spent() {
		return Document{}, core.Errorf(core.CodeTooLarge, "the file holds too many or too large files; split it")
	}
	inner.nest = &nest{parser: in.nest.parser, depth: in.nest.depth + 1, left: left}
	return in.nest.parser.Parse(ctx, inner)
}

// Spent reports whether the files inside the outermost file have together
// reached their limits, so that no further one can be opened.
func (in Input) Spent() bool {
	return in.nest != nil && (in.nest.left.files < 0 || in.nest.left.bytes < 0)
}

// Section gives the blocks of an inner file below a heading with its name.
func Section(name string, level int, doc Document) []Block {
	blocks := make([]Block, 0, len(doc.Blocks)+1)
	blocks = append(blocks, Block{Kind: Heading, Level: level, Text: name})
	for _, b := range doc.Blocks {
		if b.Kind == Heading {
			b.Level = min(b.Level+level, 6)
		}
		if b.Kind == Table && b.Sheet == "" && (doc.Format == FormatCSV || doc.Format == FormatJSON) {
			b.Sheet = name // its rows stay rows of a sheet
		}
		blocks = append(blocks, b)
	}
	return blocks
}
