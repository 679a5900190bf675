package parse

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"kaoju/internal/parse/charset"
)

// csvReader reads separated values: any encoding, any of the usual
// separators, quoted cells with line breaks, rows of different lengths. It
// takes quotes the way spreadsheets do and never fails on them.
type csvReader struct{}

// Read implements Reader.
func (csvReader) Read(ctx context.Context, in Input, lim Limits) (Document, error) {
	return new(csvTable).read(ctx, in.Data, lim)
}

// readParts implements partReader. Each part repeats the header.
func (csvReader) readParts(ctx context.Context, in *cutter, lim Limits, each func(Document) error) error {
	var t csvTable
	for {
		piece, err := in.next(lastRow)
		if err != nil || len(piece) == 0 {
			return err
		}
		doc, err := t.read(ctx, piece, lim)
		if err != nil {
			return err
		}
		if err := each(doc); err != nil {
			return err
		}
	}
}

// csvTable is what later parts of a file need to know of the first. Its zero
// value is the start of a file.
type csvTable struct {
	sep    byte       // 0 before the first part
	header [][]string // rows that name the columns
	row    int        // rows of the file that were read
}

// read reads a part that ends with a row.
func (t *csvTable) read(ctx context.Context, data []byte, lim Limits) (Document, error) {
	text := CleanText(charset.Decode(data, "").Text)
	c := newCollector(ctx, lim)
	first := t.sep == 0
	if first {
		text, t.sep = separatorOf(text)
	}
	var rows [][]string
	for s := (csvScan{text: text, sep: t.sep}); s.at < len(s.text) && len(rows) <= lim.MaxBlocks; {
		if len(rows)%4096 == 0 && c.stopped() {
			break
		}
		rows = append(rows, s.row())
	}
	at := t.row
	t.row += len(rows)
	if rows, top := trimRows(rows); first {
		t.open(c, rows, top)
	} else if len(rows) > 0 {
		c.add(NewTable(slices.Concat(t.header, rows), len(t.header), at+top+1-len(t.header)))
	}
	if c.err != nil {
		return Document{}, c.err
	}
	return Document{Blocks: c.blocks}, nil
}

// open adds what stands above the table, and the table.
func (t *csvTable) open(c *collector, rows [][]string, top int) {
	for n := preamble(rows); n > 0; n-- {
		c.add(Block{Kind: Paragraph, Text: strings.Join(strings.Fields(strings.Join(rows[0], " ")), " ")})
		rows, top = rows[1:], top+1
	}
	if len(rows) > 0 {
		n := headerRows(rows)
		t.header = rows[:n:n]
		c.add(NewTable(rows, n, top+1))
	}
}

// preamble counts the rows above the table proper: titles and comments, which
// fill the first cell only where the table has several columns.
func preamble(rows [][]string) int {
	const most = 5
	for i, row := range rows[:min(len(rows), most+1)] {
		filled := 0
		for _, cell := range row {
			if strings.TrimSpace(cell) != "" {
				filled++
			}
		}
		if filled > 1 && i <= most {
			return i
		}
		if row[0] == "" && filled == 1 {
			return 0
		}
	}
	return 0
}

// csvScan walks over the text; rows are counted as the file has them, so
// that a blank row is a row.
type csvScan struct {
	text string
	at   int
	sep  byte
}

// row reads one row and its line break.
func (s *csvScan) row() []string {
	var cells []string
	for {
		cells = append(cells, s.cell())
		if s.at >= len(s.text) {
			return cells
		}
		end := s.text[s.at]
		s.at++
		if end == '\n' {
			return cells
		}
		if s.at >= len(s.text) { // a separator at the very end: one more cell, empty
			return append(cells, "")
		}
	}
}

// cell reads up to a separator or line break, which it leaves. What follows a
// closing quote belongs to the cell; a quote that never closes is text.
func (s *csvScan) cell() string {
	start := s.at
	for start < len(s.text) && s.text[start] == ' ' {
		start++
	}
	if start < len(s.text) && s.text[start] == '"' {
		if value, end, ok := s.quoted(start + 1); ok {
			s.at = end
			return value + strings.TrimRight(s.bare(), " ")
		}
	}
	return strings.Trim(s.bare(), " ")
}

func (s *csvScan) bare() string {
	rest := s.text[s.at:]
	n := strings.IndexAny(rest, string([]byte{s.sep, '\n'}))
	if n < 0 {
		n = len(rest)
	}
	s.at += n
	return rest[:n]
}

func (s *csvScan) quoted(from int) (value string, end int, ok bool) {
	var b strings.Builder
	for {
		n := strings.IndexByte(s.text[from:], '"')
		if n < 0 {
			return "", 0, false
		}
		b.WriteString(s.text[from : from+n])
		from += n + 1
		if from >= len(s.text) || s.text[from] != '"' {
			return b.String(), from, true
		}
		b.WriteByte('"')
		from++
	}
}

// separatorOf finds the separator: the one that Excel's first line "sep=;"
// names, or the one that cuts the first rows into the most equal widths. It
// gives the text without that first line.
func separatorOf(text string) (string, byte) {
	if len(text) > 5 && strings.EqualFold(text[:4], "sep=") && (len(text) == 5 || text[5] == '\n') {
		return text[min(6, len(text)):], text[4]
	}
	best, bestScore := byte(','), 0.0
	for _, sep := range []byte{',', '\t', ';', '|'} {
		if s := separatorScore(text, sep); s > bestScore {
			best, bestScore = sep, s
		}
	}
	return text, best
}

// separatorScore is the share of the first rows that have the most common
// width, with a small bonus for wider tables; 0 if nothing is cut.
func separatorScore(text string, sep byte) float64 {
	widths, n := map[int]int{}, 0
	for s := (csvScan{text: text, sep: sep}); s.at < len(text) && n < 50; {
		if row := s.row(); len(row) > 1 || row[0] != "" {
			widths[len(row)]++
			n++
		}
	}
	best := 0.0
	for width, count := range widths {
		if width > 1 {
			best = max(best, float64(count)/float64(n)+0.01*float64(min(width, 20)))
		}
	}
	return best
}

var plainNumber = regexp.MustCompile(`^[-+]?[\d,.\s]*\d[%％元]?$|^\d{1,4}[-/.年]\d{1,2}[-/.月]\d{1,4}日?( .*)?$`)

// headerRows says whether the first row names the columns, 0 or 1: its cells
// are short, differ and hold no numbers.
func headerRows(rows [][]string) int {
	first := rows[0]
	seen := map[string]bool{}
	filled := 0
	for _, cell := range first {
		cell = strings.TrimSpace(cell)
		if cell == "" {
			continue
		}
		if len(cell) > 120 || strings.Count(cell, "\n") > 1 || plainNumber.MatchString(cell) || seen[cell] ||
			strings.HasSuffix(cell, ":") || strings.HasSuffix(cell, "：") {
			return 0
		}
		seen[cell] = true
		filled++
	}
	if filled == 0 || filled*2 < tableWidth(rows[:min(len(rows), 50)]) {
		return 0
	}
	return 1
}
