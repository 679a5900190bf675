// Package chunk cuts a document into passages: children, which are indexed
// and found, inside parents, which give the answer its context.
//
// A Cutter is the only way to make chunks, for a preview as for the store, so
// both are always the same; Split is its short form for a document that is
// there as a whole. The rules:
//
//   - Children of different headings are never joined, however short they
//     are; a heading's own line stands in the first child below it, and
//     headings without text of their own stand in the first child of the
//     heading below them. Parents may hold several short sections that share
//     their outermost heading.
//   - Nothing is cut inside a line of code, a table row, a formula or, where
//     it fits, a sentence or list item. A table that is cut repeats its header.
//   - A line that introduces a list or a table (it ends in a colon) stays with
//     the first item. A list that fits into a parent lies in one parent.
//   - Each row of a spreadsheet or CSV file is a child of its own, written as
//     "column: value" lines.
//   - Children of running text overlap by whole sentences.
//
// Settings change some of them: where running text is cut (Separators), which
// headings part passages (HeadingLevel), and which tables are cut by row (Rows).
package chunk

import (
	"slices"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// Settings say how large chunks are, in characters (runes). A zero field
// means its default.
type Settings struct {
	Child   int // largest child; 400
	Overlap int // largest overlap of neighbouring children of running text; 60; negative for none
	Parent  int // largest parent; 1,600
	// Separators say where running text is cut, in the place of its sentences:
	// behind each occurrence of the first that it has, and what is longer than
	// a child behind the next. What is still too long is cut as without them.
	// Pieces that fit stand in one child.
	// Empty ones, and such that are no text, are left out.
	Separators []string
	// HeadingLevel is that of the smallest heading that parts children: text
	// below smaller ones may share a child. 0: all part it; negative: none does.
	HeadingLevel int
	Rows         Rows
}

// Rows says which tables are cut so that each row is a child of its own.
type Rows int

// Which tables are cut by row.
const (
	RowsOfData Rows = iota // those of spreadsheets, CSV and JSON
	RowsOfAll              // also those inside documents
	RowsOfNone             // none: a child holds as many rows as fit, below the header
)

// Defaults of Settings.
const (
	DefaultChild   = 400
	DefaultOverlap = 60
	DefaultParent  = 1600
)

// unbreakableFactor times Child is where even a line of code, a row or a
// formula is cut: minified scripts have lines of a megabyte.
const unbreakableFactor = 10

func (s Settings) withDefaults() Settings {
	if s.Child <= 0 {
		s.Child = DefaultChild
	}
	if s.Overlap == 0 {
		s.Overlap = DefaultOverlap
	}
	if s.Parent <= 0 {
		s.Parent = DefaultParent
	}
	s.Overlap = min(max(s.Overlap, 0), s.Child/2)
	s.Parent = max(s.Parent, s.Child)
	s.Separators = slices.DeleteFunc(slices.Clone(s.Separators), func(sep string) bool { return sep == "" || !utf8.ValidString(sep) })
	return s
}

// Piece is a child and the number of its parent in Chunks.Parents.
type Piece struct {
	Chunk  core.Chunk
	Parent int
}

// Chunks is a document in pieces, both lists in the order of the document.
// The chunks have no ids, no base and no document yet.
type Chunks struct {
	Parents  []core.Chunk
	Children []Piece
}

// Split cuts a document. Chunk offsets are bytes of doc.Text().
func Split(doc parse.Document, s Settings) Chunks {
	return NewCutter(s).Cut(doc)
}

// Cutter cuts a document that comes in parts, so that a large one need not be
// held as a whole: headings go on from part to part, and places and numbers
// are those of the whole document. Make one for each document with NewCutter.
type Cutter struct {
	set      Settings
	path     headingPath
	offset   int // of the next part in the text of the whole
	parents  int // made of earlier parts
	children int
}

// NewCutter makes a Cutter at the start of a document.
func NewCutter(s Settings) *Cutter { return &Cutter{set: s.withDefaults()} }

// Cut cuts the next part. The Parent of a piece counts in the Parents of this
// part.
func (c *Cutter) Cut(part parse.Document) Chunks {
	p := newPlan(part, c.set, &c.path)
	drafts := p.pack()
	var out Chunks
	for number, g := range p.group(drafts) {
		out.Parents = append(out.Parents, c.place(p.parent(drafts[g.from:g.to], c.parents+number)))
		for _, d := range drafts[g.from:g.to] {
			child := c.place(p.child(d, c.children+len(out.Children)))
			out.Children = append(out.Children, Piece{Chunk: child, Parent: number})
		}
	}
	c.offset += len(p.text) + len(parse.BlockGap)
	c.parents += len(out.Parents)
	c.children += len(out.Children)
	return out
}

// place turns places in a part into places in the whole.
func (c *Cutter) place(k core.Chunk) core.Chunk {
	k.Start, k.End = k.Start+c.offset, k.End+c.offset
	return k
}
