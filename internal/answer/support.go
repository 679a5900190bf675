package answer

import (
	"strings"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/text"
)

// Claim is a statement of an answer, checked against what it cites.
type Claim struct {
	Start, End int      // byte range in the answer, marks at its end not included
	Cited      []int    // numbers of the sources that it cites, in order
	Support    float64  // share of its terms that the cited sources hold, in [0,1]
	Missing    []string // numbers, dates, names and numbers with units that no cited source has
	Supported  bool     // it cites, is carried, and nothing is missing
	Brief      bool     // too short to judge: counts in no rate
	words      string   // without marks
	spans      []text.Span
}

// Report is the check of a whole answer. Rates lie in [0,1].
type Report struct {
	Claims   []Claim
	Coverage float64 // share of the claims that cite a source
	Support  float64 // mean support of the claims, by their number of terms
	Unmarked bool    // no marks were asked for: coverage says nothing
}

// minClaim is the length in characters below which a unit is no claim.
const minClaim = 5

// Unsupported counts the numbers, dates and names of the answer that their
// sources do not have.
func (r Report) Unsupported() int {
	n := 0
	for _, c := range r.Claims {
		n += len(c.Missing)
	}
	return n
}

// Support checks an answer claim by claim, with the marks that the Expander
// put into it. A claim
// that cites nothing is held against all sources, so that support and
// coverage say different things. A closing line that only lists sources is
// no claim, and its marks cite nothing.
func Support(answer string, marks []Mark, sources *Sources) Report {
	body := answer[:bodyEnd(answer)]
	r := Report{Claims: claims(body, marks)}
	texts := newSourceTerms(sources)
	judged, cited, weight := 0, 0, 0.0
	for i := range r.Claims {
		c := &r.Claims[i]
		terms := texts.judge(c)
		if c.Brief {
			continue
		}
		judged++
		if len(c.Cited) > 0 {
			cited++
		}
		weight += float64(terms)
		r.Support += c.Support * float64(terms)
	}
	if judged > 0 {
		r.Coverage = float64(cited) / float64(judged)
	}
	if weight > 0 {
		r.Support /= weight
	}
	return r
}

// Citations gives every mark of the answer with the span of the source that
// carries its claim.
func (r Report) Citations(sources *Sources) []core.Citation {
	var list []core.Citation
	for _, c := range r.Claims {
		for i, number := range c.Cited {
			ref, _ := sources.ByNumber(number)
			chunk, span, at := sources.origin(number, c.spans[i])
			list = append(list, core.Citation{
				Number: number, Document: ref.Document, ChunkID: chunk,
				Quote:       sources.Content(number)[span.Start:span.End],
				AnswerStart: c.Start, AnswerEnd: c.End,
				SourceStart: at, SourceEnd: at + span.End - span.Start,
				Supported: c.Supported,
			})
		}
	}
	return list
}

// sourceLines begin the line that lists the sources of an answer.
var sourceLines = [...]string{"参考来源", "參考來源", "资料来源", "資料來源", "来源：", "來源：", "sources:", "references:"}

// bodyEnd is where the closing list of sources begins, or the end.
func bodyEnd(answer string) int {
	trimmed := strings.TrimRight(answer, " \n")
	at := strings.LastIndexByte(trimmed, '\n') + 1
	line := strings.ToLower(strings.TrimLeft(trimmed[at:], " *_#>-"))
	for _, prefix := range sourceLines {
		if strings.HasPrefix(line, prefix) {
			return at
		}
	}
	return len(answer)
}

// claims cuts an answer into its units and gives each the marks that stand
// in it or right behind it.
func claims(answer string, within []Mark) []Claim {
	plain, marks := withoutMarks(answer, within)
	var list []Claim
	m := 0
	for _, unit := range units(plain.text) {
		for ; m < len(marks) && len(list) > 0 && marks[m].Start <= unit.Start; m++ {
			list[len(list)-1].Cited = appendOnce(list[len(list)-1].Cited, marks[m].Number)
		}
		c := Claim{Start: plain.original(unit.Start), End: plain.originalEnd(unit.End)}
		c.words = plain.text[unit.Start:unit.End]
		c.Brief = utf8.RuneCountInString(c.words) < minClaim
		for ; m < len(marks) && marks[m].Start <= unit.End; m++ {
			c.Cited = appendOnce(c.Cited, marks[m].Number)
		}
		list = append(list, c)
	}
	for ; m < len(marks) && len(list) > 0; m++ {
		list[len(list)-1].Cited = appendOnce(list[len(list)-1].Cited, marks[m].Number)
	}
	return list
}

func appendOnce(numbers []int, n int) []int {
	for _, have := range numbers {
		if have == n {
			return numbers
		}
	}
	return append(numbers, n)
}

// plainText is an answer without its marks, and where they were.
type plainText struct {
	text string
	cuts []cut
}

// cut is where marks were taken out: at is the place in the text that remains,
// bytes how many are gone up to there.
type cut struct{ at, bytes int }

// withoutMarks takes marks, in their order, out of an answer; those beyond its
// end do not count. Their start is their place in the text that remains.
func withoutMarks(answer string, within []Mark) (plainText, []Mark) {
	var b strings.Builder
	var p plainText
	var marks []Mark
	at := 0
	for _, m := range within {
		if m.Start < at || m.End < m.Start || m.End > len(answer) {
			continue
		}
		b.WriteString(answer[at:m.Start])
		at = m.End
		marks = append(marks, Mark{Start: b.Len(), Number: m.Number})
		p.cuts = append(p.cuts, cut{at: b.Len(), bytes: at - b.Len()})
	}
	b.WriteString(answer[at:])
	p.text = b.String()
	return p, marks
}

// original gives the place in the answer of a byte of the text; at a mark,
// the place behind it.
func (p plainText) original(at int) int {
	gone := 0
	for _, c := range p.cuts {
		if c.at > at {
			break
		}
		gone = c.bytes
	}
	return at + gone
}

// originalEnd is like original, but at a mark the place before it.
func (p plainText) originalEnd(at int) int {
	gone := 0
	for _, c := range p.cuts {
		if c.at >= at {
			break
		}
		gone = c.bytes
	}
	return at + gone
}

// units are the sentences of a text, cut at semicolons too, without the
// white space around them.
func units(s string) []text.Span {
	var list []text.Span
	for _, sentence := range text.Sentences(s) {
		at := sentence.Start
		for at < sentence.End {
			end := sentence.End
			if i := strings.IndexAny(s[at:end], "；;\n"); i >= 0 {
				_, size := utf8.DecodeRuneInString(s[at+i:])
				end = at + i + size
			}
			if span := trimmed(s, at, end); span.Start < span.End {
				list = append(list, span)
			}
			at = end
		}
	}
	return list
}

func trimmed(s string, start, end int) text.Span {
	body := strings.TrimRight(s[start:end], " \t\r\n")
	left := strings.TrimLeft(body, " \t\r\n")
	return text.Span{Start: start + len(body) - len(left), End: start + len(body)}
}
