package parse

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/core"
)

// finish cleans what a reader returned and refuses what holds no text.
func finish(doc Document, lim Limits) (Document, error) {
	doc.Title = strings.TrimSpace(strings.Join(strings.Fields(CleanText(doc.Title)), " "))
	kept, size := doc.Blocks[:0:0], 0
	for _, b := range doc.Blocks {
		b = cleanBlock(b)
		if isBlank(b.Text) || b.Kind == Table && allBlank(b.Rows) {
			continue
		}
		size += len(b.Text)
		if size > lim.MaxText {
			return Document{}, core.Errorf(core.CodeTooLarge,
				"the file holds more than %s of text; split it into smaller files", sizeText(int64(lim.MaxText)))
		}
		kept = append(kept, b)
	}
	doc.Blocks = kept
	if len(kept) == 0 {
		return Document{}, core.Errorf(core.CodeEmpty, "no text was found in the file")
	}
	if err := checkLanguage(kept); err != nil {
		return Document{}, err
	}
	return doc, nil
}

// cleanBlock cleans a block's text; a table's text is made again from its
// clean rows, so that both always agree.
func cleanBlock(b Block) Block {
	b.Language, b.Sheet = CleanText(b.Language), CleanText(b.Sheet)
	if b.Kind != Table {
		b.Text = trimBlank(CleanText(b.Text))
		return b
	}
	for i, row := range b.Rows {
		for j, cell := range row {
			b.Rows[i][j] = CleanText(cell)
		}
	}
	b.Header = min(max(b.Header, 0), len(b.Rows))
	b.Text = TableText(b.Rows, b.Header)
	return b
}

// CleanText makes text fit for every later step: valid UTF-8, line breaks as
// \n, and no control characters but \n and \t, no byte order marks, no zero
// width spaces and no noncharacters.
func CleanText(s string) string {
	if isClean(s) {
		return s
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(cleanRune, s)
}

// isClean spares the common case a copy.
func isClean(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if cleanRune(r) != r {
			return false
		}
	}
	return true
}

func cleanRune(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || r >= ' ' && r < 0x7F:
		return r
	case r == '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029':
		return '\n'
	case r == '\f' || r == '\v':
		return '\n'
	case unicode.IsControl(r), r == '\uFEFF', r == '\u200B', r == '\u00AD', r&0xFFFE == 0xFFFE:
		return -1
	case r == '\u00A0' || r == '\u3000' || r == '\u202F':
		return ' '
	}
	return r
}

// trimBlank drops blank lines at both ends and white space at the right; the
// indentation of the first line of code is kept.
func trimBlank(s string) string {
	s = strings.TrimRightFunc(s, unicode.IsSpace)
	for {
		line, rest, found := strings.Cut(s, "\n")
		if !found || !isBlank(line) {
			return s
		}
		s = rest
	}
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

func allBlank(rows [][]string) bool {
	rows, _ = trimRows(rows)
	return len(rows) == 0
}

// checkLanguage refuses text that is no language: decoding that failed, fonts
// without a mapping, data that only looks like text. Few characters say
// nothing, so short texts pass unless most of them is undecodable.
func checkLanguage(blocks []Block) error {
	var all, broken, letters int
	for _, b := range blocks {
		for _, r := range b.Text {
			switch {
			case unicode.IsSpace(r):
				continue
			case r == unicode.ReplacementChar || r >= 0xE000 && r <= 0xF8FF:
				broken++
			case r >= '0' && r <= '9' || unicode.IsLetter(r) || unicode.IsNumber(r):
				letters++
			}
			all++
		}
	}
	if broken*10 > all*3 || all > 200 && letters*20 < all {
		return core.Errorf(core.CodeGarbled,
			"the text of the file is not readable (%d of %d characters are no language); save it again as UTF-8 or in another format",
			max(broken, all-letters), all)
	}
	return nil
}
