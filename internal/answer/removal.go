package answer

import "bytes"

// What a mark that disappears leaves behind: the space before it, and two
// pieces of text that must not become a mark or a code fence together.

// between stands for a removed mark that kept such pieces apart.
const between = "…"

// space holds a space back until what follows is known.
func (x *Expander) space() {
	if x.removed {
		x.settle(false) // those before the mark go, this one stays
	}
	x.spaces++
	x.last = 0
}

// settle decides on the spaces that are held back: with keep, or where no
// mark disappeared behind them, they are written.
func (x *Expander) settle(keep bool) {
	if keep || !x.removed {
		for range x.spaces {
			x.out = append(x.out, ' ')
		}
	}
	x.spaces, x.removed = 0, false
}

// part notes that a mark disappeared here. Where what stands before it could
// become a mark with what follows, it leaves a sign.
func (x *Expander) part() {
	x.removed = true
	if x.opens() {
		x.keepApart()
	}
}

func (x *Expander) keepApart() {
	x.settle(true)
	x.out = append(x.out, between...)
	x.last, x.lineStart = 0, false
}

// opens reports whether the text so far ends with the beginning of a mark.
func (x *Expander) opens() bool {
	so := append(bytes.Clone(x.tail), x.out...)
	so = so[max(0, len(so)-maxSpan):]
	if i := bytes.LastIndexByte(so, '['); i >= 0 && bracketMark(so[i:]).open {
		return true
	}
	i := bytes.LastIndexByte(so, '<')
	return i >= 0 && tagMark(so[i:]).open
}

// partRuns keeps a run of fence characters at the head of b from one that
// ended where a mark disappeared.
func (x *Expander) partRuns(b []byte) {
	so := x.out
	if len(so) == 0 {
		so = x.tail
	}
	if x.removed && x.spaces == 0 && len(so) > 0 && so[len(so)-1] == b[0] {
		x.keepApart()
	}
}

// keepTail remembers the end of what was given out.
func (x *Expander) keepTail() {
	x.tail = append(x.tail, x.out...)
	x.tail = x.tail[max(0, len(x.tail)-maxSpan):]
}
