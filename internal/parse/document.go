package parse

import "strings"

// Kind says what a block is.
type Kind string

// Kinds of block.
const (
	Heading   Kind = "heading"
	Paragraph Kind = "paragraph"
	List      Kind = "list"  // one item a line, with its marker, nested by two spaces
	Table     Kind = "table" // Rows, the first Header of them repeated with every piece
	Code      Kind = "code"
	Formula   Kind = "formula"
	Quote     Kind = "quote"
)

// Block is a piece of a document that has one meaning. Text is the block as
// it reads; for a table it is the Markdown of its rows (a header row, a rule,
// one line a row; see TableText), so that every format ends in the same text.
type Block struct {
	Kind     Kind
	Level    int // of a heading, 1 to 6
	Text     string
	Page     int        // 1-based; 0 where the format has no pages
	Sheet    string     // of a spreadsheet
	Rows     [][]string // of a table; merged cells are repeated in every row and column they cover
	Header   int        // of a table: how many of Rows are header rows (0 or 1, rarely more)
	RowAt    int        // of a table: the 1-based row number of Rows[0] in its sheet or file
	Language string     // of code, where the source names it
}

// Document is what a parser makes of a file.
//
// The extracted text of a document is its blocks' texts joined by a blank
// line; chunk offsets count its bytes. It is valid UTF-8 without NUL bytes.
type Document struct {
	Format   string // as Detect names it: "text", "docx", …
	Title    string // from the content; "" where it has none
	Blocks   []Block
	Pictures []Picture // pages without text; only where Limits ask for them
	Warnings []string  // for the person who added the file: what was left out, and why
}

// BlockGap stands between the texts of two blocks, and of two parts.
const BlockGap = "\n\n"

// Text gives the extracted text: the blocks' texts joined by a blank line.
func (d Document) Text() string {
	texts := make([]string, len(d.Blocks))
	for i, b := range d.Blocks {
		texts[i] = b.Text
	}
	return strings.Join(texts, BlockGap)
}

// Offsets gives, for every block, the byte at which its text starts in Text.
func (d Document) Offsets() []int {
	offsets := make([]int, len(d.Blocks))
	at := 0
	for i, b := range d.Blocks {
		offsets[i] = at
		at += len(b.Text) + len(BlockGap)
	}
	return offsets
}
