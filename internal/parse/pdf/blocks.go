package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/parse"
)

// blocksOf makes blocks of the pages' lines.
func blocksOf(pages []page) []parse.Block {
	body := bodySize(pages)
	levels := headingLevels(pages, body)
	words := wordsOf(pages)
	var out []parse.Block
	for _, p := range pages {
		for _, r := range p.regions {
			c := composer{body: body, levels: levels, words: words, page: p.number, region: r, spacing: spacing(r)}
			for _, l := range r {
				c.right = max(c.right, l.box.right)
			}
			if len(r) > 0 && r[0].aside {
				c.body = math.Inf(1) // no headings in the margin
			}
			out = append(out, c.blocks()...)
		}
	}
	return out
}

// bodySize gives the size of most characters.
func bodySize(pages []page) float64 {
	weight := map[float64]int{}
	best := 0.0
	for _, p := range pages {
		for _, r := range p.regions {
			for _, l := range r {
				size := rounded(l.size)
				weight[size] += len(l.text())
				if weight[size] > weight[best] || weight[size] == weight[best] && size < best {
					best = size
				}
			}
		}
	}
	return best
}

// rounded makes sizes comparable: half points.
func rounded(size float64) float64 { return math.Round(size*2) / 2 }

// headingLevels ranks the sizes above the body's: the largest is level 1.
func headingLevels(pages []page, body float64) map[float64]int {
	var sizes []float64
	for _, p := range pages {
		for _, r := range p.regions {
			for _, l := range r {
				if s := rounded(l.size); looksLikeHeading(l, body) && !slices.Contains(sizes, s) {
					sizes = append(sizes, s)
				}
			}
		}
	}
	slices.Sort(sizes)
	slices.Reverse(sizes)
	out := map[float64]int{}
	for i, s := range sizes {
		out[s] = min(i+1, 4)
	}
	return out
}

// looksLikeHeading reports whether a line is large and short, or bold and
// short and no sentence.
func looksLikeHeading(l line, body float64) bool {
	text := l.text()
	if len(l.cells) != 1 || body <= 0 || textWidth(text) > 120 || !strings.ContainsFunc(text, unicode.IsLetter) {
		return false
	}
	return l.size >= 1.17*body || l.bold && l.size >= 0.98*body && textWidth(text) <= 90 && !endsSentence(text)
}

// spacing gives the usual distance between the lines of a region.
func spacing(r region) float64 {
	var gaps []float64
	for i := 1; i < len(r); i++ {
		if d := r[i-1].box.middle() - r[i].box.middle(); d > 0.3*r[i].size && d < 3*r[i].size {
			gaps = append(gaps, d)
		}
	}
	if len(gaps) == 0 {
		return math.Inf(1)
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/3]
}

// composer makes blocks of one region.
type composer struct {
	body    float64
	levels  map[float64]int
	words   vocabulary
	page    int
	region  region
	spacing float64
	right   float64 // the right edge of the region
}

func (c *composer) blocks() []parse.Block {
	var out []parse.Block
	for i := 0; i < len(c.region); {
		j := i + 1
		switch {
		case c.isRow(i):
			for j < len(c.region) && c.isRow(j) {
				j++
			}
			out = append(out, rowsBlock(c.region[i:j]))
		case looksLikeHeading(c.region[i], c.body):
			for j < len(c.region) && j < i+4 && c.sameHeading(j) {
				j++
			}
			out = append(out, c.heading(c.region[i:j]))
		default:
			for j < len(c.region) && c.sameParagraph(j) {
				j++
			}
			out = append(out, parse.Block{Kind: parse.Paragraph, Text: c.paragraphText(c.region[i:j])})
		}
		out[len(out)-1].Page = c.page
		i = j
	}
	return out
}

func (c *composer) isRow(i int) bool { return len(c.region[i].cells) > 1 }

func (c *composer) heading(ls []line) parse.Block {
	level := max(c.levels[rounded(ls[0].size)], 1)
	return parse.Block{Kind: parse.Heading, Level: level, Text: strings.ReplaceAll(c.paragraphText(ls), "\n", " ")}
}

// sameHeading reports whether line i goes on with the heading above it.
func (c *composer) sameHeading(i int) bool {
	a, b := c.region[i-1], c.region[i]
	return looksLikeHeading(b, c.body) && math.Abs(a.size-b.size) < 0.08*a.size &&
		a.bold == b.bold && a.box.middle()-b.box.middle() < 2*a.size && !startsItem(b.text())
}

// sameParagraph reports whether line i goes on with the paragraph above it.
func (c *composer) sameParagraph(i int) bool {
	a, b := c.region[i-1], c.region[i]
	drop := a.box.middle() - b.box.middle()
	switch {
	case c.isRow(i), looksLikeHeading(b, c.body):
		return false
	case drop > 1.35*c.spacing && drop > 1.55*b.size:
		return false
	case math.Abs(a.size-b.size) > 0.25*max(a.size, b.size):
		return false
	case startsItem(b.text()), isLeader(a.text()):
		return false
	case b.box.left-a.box.left > 0.8*b.size && endsSentence(a.text()):
		return false // the first line of the next paragraph is indented
	case a.box.right < c.right-0.2*(c.right-a.box.left) && endsSentence(a.text()):
		return false // the line ends early
	}
	return true
}

// startsItem reports whether a line begins with the sign or number of a list
// item or section.
func startsItem(text string) bool {
	first, size := utf8.DecodeRuneInString(text)
	rest := text[size:]
	switch first {
	case '(', '（': // (1), (iv), （十二）
		end := strings.IndexAny(rest, ")）")
		return end > 0 && utf8.RuneCountInString(rest[:end]) <= 3 && !strings.ContainsAny(rest[:end], " .,")
	case '第':
		end := strings.IndexAny(rest, "章节条款")
		return end > 0 && strings.Trim(rest[:end], "0123456789一二三四五六七八九十百千〇零 ") == ""
	case '-', '–', '—', '*':
		return strings.HasPrefix(rest, " ")
	}
	return strings.ContainsRune("•●○■□▪◆◇▶➢✓·※①②③④⑤⑥⑦⑧⑨⑩", first) || startsNumbered(text)
}

// startsNumbered knows "1. x", "2.3 x", "1) x" and "1、x", but not "3.5% of"
// and "2019) is".
func startsNumbered(text string) bool {
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' })
	if end < 1 || end > 7 || text[0] == '.' {
		return false
	}
	mark, _ := utf8.DecodeRuneInString(text[end:])
	return mark == ' ' && strings.Contains(text[:end], ".") || end <= 2 && strings.ContainsRune(")）、．", mark)
}

// isLeader reports whether a line leads to a page number with dots, as those
// of a table of contents do.
func isLeader(text string) bool {
	return strings.Contains(text, "……") || strings.Contains(text, "....") || strings.Contains(text, ". . . .")
}

func endsSentence(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, `"'”’」』)）]】`))
	return strings.ContainsRune(".。!！?？:：;；…", last)
}

// paragraphText joins the lines of a paragraph.
func (c *composer) paragraphText(ls []line) string {
	text := ls[0].text()
	for _, l := range ls[1:] {
		text = c.words.joinLines(text, l.text())
	}
	return text
}

// rowsBlock makes a block of consecutive rows: a table if every cell stands
// under one column, else a paragraph with one row a line.
func rowsBlock(rows []line) parse.Block {
	if cells := grid(rows); cells != nil {
		header := 0
		if !slices.ContainsFunc(cells[0], func(c string) bool { return strings.ContainsAny(c, "0123456789") || c == "" }) {
			header = 1
		}
		return parse.NewTable(cells, header, 1)
	}
	texts := make([]string, len(rows))
	for i, r := range rows {
		texts[i] = r.text()
	}
	return parse.Block{Kind: parse.Paragraph, Text: strings.Join(texts, "\n")}
}

// grid assigns the cells of rows to columns; nil if they do not line up.
func grid(rows []line) [][]string {
	if len(rows) < 3 {
		return nil
	}
	columns := spansOf(rows)
	if len(columns) < 2 {
		return nil
	}
	var out [][]string
	for _, r := range rows {
		cells := make([]string, len(columns))
		for _, c := range r.cells {
			at := slices.IndexFunc(columns, func(s box) bool { return c.box.left < s.right && c.box.right > s.left })
			if at < 0 || cells[at] != "" {
				return nil
			}
			cells[at] = c.text
		}
		out = append(out, cells)
	}
	return out
}

// spansOf merges the cells of all rows into the x ranges of columns.
func spansOf(rows []line) []box {
	var all []box
	for _, r := range rows {
		for _, c := range r.cells {
			all = append(all, c.box)
		}
	}
	slices.SortFunc(all, func(a, b box) int {
		if a.left < b.left {
			return -1
		}
		return 1
	})
	columns := all[:1:1]
	for _, b := range all[1:] {
		last := &columns[len(columns)-1]
		if b.left < last.right {
			last.right = max(last.right, b.right)
		} else {
			columns = append(columns, b)
		}
	}
	return columns
}
