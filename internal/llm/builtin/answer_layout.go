package builtin

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/llm"
	"kaoju/internal/text"
)

// textLine is a line of a passage that is not blank, without the white space
// around it.
type textLine struct {
	text.Span
	apart bool // a blank line, or the beginning, stands before it
	item  bool // it is an entry of a list
}

// linesOf gives the lines of a passage.
func linesOf(body string) []textLine {
	var list []textLine
	at, apart := 0, true
	for part := range strings.Lines(body) {
		bare := strings.TrimSpace(part)
		if bare == "" {
			apart = true
		} else {
			start := at + strings.Index(part, bare)
			list = append(list, textLine{text.Span{Start: start, End: start + len(bare)}, apart, isItem(bare)})
			apart = false
		}
		at += len(part)
	}
	return list
}

// isItem tells whether a line is an entry of a list: it begins with a dash, a
// dot, or a number and its sign.
func isItem(line string) bool {
	for _, mark := range []string{"- ", "* ", "+ ", "• ", "· ", "●", "○", "■", "– "} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	line = strings.TrimLeft(line, "(（第")
	rest := strings.TrimLeft(line, "0123456789")
	if n := len(line) - len(rest); n == 0 || n > 2 {
		rest = strings.TrimLeft(line, "一二三四五六七八九十")
		if n := len(line) - len(rest); n == 0 || n > 9 {
			return false
		}
		return hasAnyPrefix(rest, "、", "）", ")", "，", "步")
	}
	return hasAnyPrefix(rest, ". ", "、", "．", ")", "）", "步")
}

func hasAnyPrefix(s string, list ...string) bool {
	return slices.ContainsFunc(list, func(p string) bool { return strings.HasPrefix(s, p) })
}

// The longest line that may be a heading of a section.
const (
	headingRunes = 40
	headingWords = 9
)

// headingLines gives the lines that are headings of sections inside a passage:
// short, without the end of a sentence, alone between blank lines, and not the
// last.
func headingLines(body string, lines []textLine) []textLine {
	var list []textLine
	for i, l := range lines {
		if i+1 < len(lines) && l.apart && lines[i+1].apart && !l.item && readsAsHeading(body[l.Start:l.End]) {
			list = append(list, l)
		}
	}
	return list
}

func readsAsHeading(s string) bool {
	if strings.HasPrefix(s, "#") {
		return true
	}
	s = strings.TrimLeft(s, "0123456789. ") // of the section
	last, _ := utf8.DecodeLastRuneInString(s)
	return s != "" && (unicode.IsLetter(last) || strings.ContainsRune("?？)）", last)) && !strings.ContainsAny(s, "0123456789:：。|") &&
		utf8.RuneCountInString(s) <= headingRunes && len(strings.Fields(s)) <= headingWords
}

// listAround gives the entries of the list that a place in a passage is in,
// behind the line that announces them, if there is one; nil where it is in no
// list.
func listAround(body string, lines []textLine, at int) []text.Span {
	i := slices.IndexFunc(lines, func(l textLine) bool { return l.Start <= at && at < l.End })
	if i < 0 || !lines[i].item {
		return nil
	}
	from, to := i, i+1
	for from > 0 && lines[from-1].item {
		from--
	}
	for to < len(lines) && lines[to].item {
		to++
	}
	if to-from < 2 {
		return nil
	}
	var list []text.Span
	if from > 0 && announces(body[:lines[from-1].End]) {
		before := text.Sentences(body[lines[from-1].Start:lines[from-1].End])
		last := before[len(before)-1]
		list = append(list, text.Span{Start: lines[from-1].Start + last.Start, End: lines[from-1].End})
	}
	for _, l := range lines[from:to] {
		list = append(list, l.Span)
	}
	return list
}

// announces tells whether a text only says that something follows.
func announces(s string) bool { return strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：") }

// What is quoted of a list or a section at most.
const (
	maxListed     = 20
	maxListedText = 2400
)

// fits tells whether a list is short enough to be quoted whole.
func fits(list []text.Span) bool {
	return len(list) > 0 && len(list) <= maxListed+1 && list[len(list)-1].End-list[0].Start <= maxListedText
}

// wantsList tells whether a question asks for steps or things, all of which
// belong to the answer.
func (q *inquiry) wantsList() bool {
	return q.want == wantManner || q.want == wantList || q.wantsEntries()
}

// wantsEntries finds questions for steps that have no other sign.
func (q *inquiry) wantsEntries() bool {
	s := strings.ToLower(q.text)
	for _, w := range []string{"步骤", "流程", "怎样", "怎么", "如何", "哪些", "steps", "how to", "how do", "how can", "which ", "what are"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// section gives what to quote of the part of a passage that stands below the
// heading that a question repeats (key is its text.Key): its first sentences,
// and lists whole; nil where there is no such heading.
func section(key string, e llm.Evidence) []text.Span {
	if key == "" || len(e.Answers) > 0 || isTableRow(e) {
		return nil
	}
	lines := linesOf(e.Text)
	headings := headingLines(e.Text, lines)
	at := slices.IndexFunc(headings, func(l textLine) bool { return text.Key(unmarked(e.Text[l.Start:l.End])) == key })
	if at < 0 {
		return nil
	}
	end := len(e.Text)
	if at+1 < len(headings) {
		end = headings[at+1].Start
	}
	var list []text.Span
	sentences := 0
	for _, l := range lines {
		switch {
		case l.Start <= headings[at].Start || l.Start >= end || len(list) == maxListed:
		case l.item:
			list = append(list, l.Span)
		default:
			for _, s := range text.Sentences(e.Text[l.Start:l.End]) {
				if sentences++; sentences <= maxSentences {
					list = append(list, text.Span{Start: l.Start + s.Start, End: l.Start + s.End})
				}
			}
		}
	}
	return list
}

// sections quotes the section whose heading the question repeats.
func (v *evidenceView) sections(evidence []llm.Evidence) []quotation {
	key := text.Key(v.q.text)
	for _, e := range evidence {
		if list := section(key, e); len(list) > 0 {
			return quotations(e, list)
		}
	}
	return nil
}

func quotations(e llm.Evidence, spans []text.Span) []quotation {
	var out []quotation
	for _, s := range spans {
		out = append(out, quotation{text: harmless(unmarked(e.Text[s.Start:s.End])), handle: e.Handle})
	}
	return out
}

const (
	// listed is how likely one of the entries of a list must hold the answer for
	// all of them to be quoted.
	listed = .3
	// alone is how likely it must be for nothing else to be quoted.
	alone = .5
)

// wholeList gives all entries of the list that a candidate is one of, where the
// question asks for such and the list is likely to be what it asks for, and how
// likely it is.
func (v *evidenceView) wholeList(c candidate, e llm.Evidence) ([]text.Span, float64) {
	if !v.q.wantsList() || len(e.Answers) > 0 || isTableRow(e) {
		return nil, 0
	}
	list := listAround(e.Text, linesOf(e.Text), c.span.Start)
	if !fits(list) {
		return nil, 0
	}
	chance := 0.0
	for _, other := range v.candidates {
		if other.passage == c.passage && other.span.Start >= list[0].Start && other.span.End <= list[len(list)-1].End {
			chance += other.chance
		}
	}
	if chance < listed {
		return nil, 0
	}
	return list, chance
}

// announced gives the list behind a line that announces it, where that line is
// the likeliest of all: by itself it says nothing.
func (v *evidenceView) announced(evidence []llm.Evidence) []quotation {
	var best *candidate
	for i := range v.candidates {
		if c := &v.candidates[i]; !c.heading && (best == nil || c.score > best.score) {
			best = c
		}
	}
	if best == nil || !v.q.wantsList() || !announces(best.text) {
		return nil
	}
	e := evidence[best.passage]
	lines := linesOf(e.Text)
	next := slices.IndexFunc(lines, func(l textLine) bool { return l.Start >= best.span.End })
	if next < 0 || len(e.Answers) > 0 {
		return nil
	}
	list := listAround(e.Text, lines, lines[next].Start)
	if !fits(list) {
		return nil
	}
	return quotations(e, list)
}
