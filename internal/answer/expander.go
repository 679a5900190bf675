package answer

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/core"
)

// Expander turns the marks of a model (<ref id="c1"/>, [1], [c1], [1, 2])
// into the style that was asked for, while the text streams: numbers [n], tags
// <kb …/> and <web …/>, or nothing. Marks of sources that do not exist
// disappear, as do the <kb …> and <web …> tags that models make up; marks in
// code stay as they are, for there they are text. The space before a mark
// that disappears goes with it where nothing but a sign or an end follows.
//
// The sum of what Write and Flush give is the stored answer. It is the same
// however the model's text was split, at any byte; text is held back only
// while it may still become a mark or the end of a code span.
type Expander struct {
	sources *Sources
	style   core.CitationStyle
	pending []byte // not decided yet
	out     []byte // decided in this call
	total   int    // bytes given out before this call
	marks   []Mark
	invalid int
	spaces  int    // held back: a mark may follow
	removed bool   // a mark disappeared behind the spaces
	tail    []byte // of what was given out, to see what a removal would join
	final   bool   // no more bytes will come

	lineStart bool // only white space since the last line break
	fence     fence
	last      int // mark at the very end of the output, 0 for none
}

// fence is an open code fence; the zero value is none.
type fence struct {
	char byte
	size int
}

// NewExpander makes an expander for one answer over sources that writes marks
// in a style; "" is numbers.
func NewExpander(sources *Sources, style core.CitationStyle) *Expander {
	return &Expander{sources: sources, style: style, lineStart: true}
}

// Write takes the next increment of the model's text and gives what of the
// answer is decided by now.
func (x *Expander) Write(delta string) string {
	x.pending = append(x.pending, delta...)
	return x.drain()
}

// Flush ends the text and gives the rest of the answer: a mark or a code
// span that was left open is text.
func (x *Expander) Flush() string {
	x.final = true
	return x.drain()
}

// Marks gives the places of the marks in all that was given out, in order.
func (x *Expander) Marks() []Mark { return slices.Clone(x.marks) }

// Cited gives the numbers of the sources cited so far, ascending; none where
// marks are not wanted.
func (x *Expander) Cited() []int {
	var cited []int
	for _, m := range x.marks {
		if at, found := slices.BinarySearch(cited, m.Number); !found && m.End > m.Start {
			cited = slices.Insert(cited, at, m.Number)
		}
	}
	return cited
}

// Invalid counts the marks that named no source.
func (x *Expander) Invalid() int { return x.invalid }

// drain decides as many tokens at the head of pending as it can.
func (x *Expander) drain() string {
	x.total += len(x.out)
	x.out = x.out[:0]
	at := 0
	for at < len(x.pending) {
		n := x.step(x.pending[at:])
		if n == 0 {
			break
		}
		at += n
	}
	x.pending = append(x.pending[:0], x.pending[at:]...)
	if x.final {
		x.settle(false)
	}
	x.keepTail()
	return string(x.out)
}

// step decides the token at the head of b and gives its length, or 0 when
// more bytes are needed to decide it.
func (x *Expander) step(b []byte) int {
	if x.fence.size > 0 {
		return x.fenced(b)
	}
	switch b[0] {
	case '`', '~':
		return x.code(b)
	case '<':
		return x.resolve(b, tagMark)
	case '[':
		return x.resolve(b, bracketMark)
	}
	return x.plain(b)
}

// plain emits one rune; a byte that is not UTF-8 becomes U+FFFD, as it would
// when the event is encoded.
func (x *Expander) plain(b []byte) int {
	if !x.final && !utf8.FullRune(b) {
		return 0
	}
	r, n := utf8.DecodeRune(b)
	if r == ' ' && !x.lineStart && x.fence.size == 0 {
		x.space()
		return n
	}
	x.settle(unicode.IsLetter(r) || unicode.IsNumber(r))
	x.out = utf8.AppendRune(x.out, r)
	x.last = 0
	x.lineStart = r == '\n' || x.lineStart && (r == ' ' || r == '\t')
	return n
}

// verbatim emits n bytes of b without looking for marks.
func (x *Expander) verbatim(b []byte, n int) int {
	x.settle(true)
	for at := 0; at < n; {
		r, size := utf8.DecodeRune(b[at:n])
		x.out = utf8.AppendRune(x.out, r)
		x.lineStart = r == '\n'
		at += size
	}
	x.last = 0
	return n
}

// resolve reads a mark at the head of b and emits what it stands for.
func (x *Expander) resolve(b []byte, read func([]byte) mark) int {
	m := read(b)
	switch {
	case m.open && !x.final:
		return 0
	case m.size == 0:
		return x.plain(b)
	}
	marks := len(x.marks)
	for _, number := range m.numbers {
		x.cite(number)
	}
	if len(x.marks) == marks || x.style == core.CiteNothing {
		x.part()
	}
	return m.size
}

// cite emits the mark of a source, once where the same mark is repeated.
func (x *Expander) cite(number int) {
	ref, ok := x.sources.ByNumber(number)
	if !ok {
		x.invalid++
		return
	}
	if number == x.last {
		return
	}
	words := render(ref, x.style)
	if words != "" {
		x.settle(true)
		x.lineStart = false
	}
	start := x.total + len(x.out)
	x.out = append(x.out, words...)
	x.marks = append(x.marks, Mark{Start: start, End: x.total + len(x.out), Number: number})
	x.last = number
}

// maxSpan is how far an inline code span, the info string of a fence or a
// tag is followed before it is taken for text; it bounds what is held back.
const maxSpan = 400

// window cuts b to what a decision may look at, and tells whether more bytes
// could still change it.
func (x *Expander) window(b []byte) (view []byte, complete bool) {
	if len(b) >= maxSpan {
		return b[:maxSpan], true
	}
	return b, x.final
}

// code decides what a run of backticks or tildes opens: a fence at the start
// of a line, else a code span, else nothing.
func (x *Expander) code(b []byte) int {
	x.partRuns(b)
	view, complete := x.window(b)
	run := runLength(view)
	if run == len(view) && !complete {
		return 0
	}
	if x.lineStart && run >= 3 {
		switch fenceLine(view, run, complete) {
		case undecided:
			return 0
		case yes:
			x.fence = fence{char: b[0], size: run}
			return x.verbatim(b, run)
		}
	}
	if b[0] == '~' {
		return x.verbatim(b, run)
	}
	return x.span(view, run, complete)
}

// verdict is the answer to a question about a text that is not all there.
type verdict int

const (
	undecided verdict = iota
	yes
	no
)

// fenceLine tells whether a line that begins with run fence characters opens
// a fence. After backticks no other backtick may follow on the line.
func fenceLine(line []byte, run int, complete bool) verdict {
	end := bytes.IndexByte(line, '\n')
	info := line[run:]
	if end >= 0 {
		info = line[run:end]
	}
	switch {
	case line[0] == '`' && bytes.IndexByte(info, '`') >= 0:
		return no
	case end < 0 && !complete:
		return undecided
	}
	return yes
}

// span emits an inline code span with its delimiters. A run that is not
// closed on its line is text.
func (x *Expander) span(b []byte, run int, complete bool) int {
	for at := run; at < len(b) && b[at] != '\n'; at++ {
		if b[at] != '`' {
			continue
		}
		closing := runLength(b[at:])
		if at+closing == len(b) && !complete {
			return 0
		}
		if closing == run {
			return x.verbatim(b, at+closing)
		}
		at += closing - 1
	}
	if bytes.IndexByte(b, '\n') < 0 && !complete {
		return 0
	}
	return x.verbatim(b, run)
}

// fenced emits the next piece of fenced code and closes the fence at its
// closing line.
func (x *Expander) fenced(b []byte) int {
	if !x.lineStart || b[0] != x.fence.char {
		return x.plain(b)
	}
	view, complete := x.window(b)
	run := runLength(view)
	rest := bytes.TrimLeft(view[run:], " \t\r")
	if len(rest) == 0 && !complete {
		return 0
	}
	if run >= x.fence.size && (len(rest) == 0 || rest[0] == '\n') {
		x.fence = fence{}
	}
	return x.verbatim(b, run)
}

// runLength counts the repetitions of the first byte.
func runLength(b []byte) int {
	n := 1
	for n < len(b) && b[n] == b[0] {
		n++
	}
	return n
}
