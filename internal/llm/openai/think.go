package openai

import "strings"

const (
	openTag  = "<think>"
	closeTag = "</think>"
)

// splitter divides a model's text into answer and reasoning by <think> tags,
// however the text is cut. Inside code, which a fence or backticks mark, tags
// are text; inside reasoning nothing but the closing tag counts, because
// unbalanced backticks there would swallow the answer.
type splitter struct {
	thinking bool
	literal  bool   // tags are text: the endpoint marks reasoning itself
	held     string // a possible beginning of a tag
	said     bool   // something other than blanks was given as text
	skip     bool   // blanks after reasoning are not text
	code     codeState
}

// part is a stretch of text or of reasoning.
type part struct {
	text      string
	reasoning bool
}

// write gives the parts that are certain with s.
func (p *splitter) write(s string) []part {
	s = p.held + s
	p.held = ""
	if p.literal {
		return p.give(nil, s)
	}
	var out []part
	for s != "" {
		var piece string
		piece, s = p.step(s)
		out = p.give(out, piece)
		if s == p.held {
			break
		}
		s = p.tag(s)
	}
	return out
}

// step gives what stands before the next tag or the possible beginning of one,
// and the rest, which begins with it.
func (p *splitter) step(s string) (piece, rest string) {
	said := p.said
	for i := 0; i < len(s); i++ {
		if !p.thinking {
			p.code.write(s[i])
		}
		if s[i] != '<' || (!p.thinking && p.code.inside()) {
			said = said || !blank(s[i])
			continue
		}
		for _, tag := range p.tags(said) {
			if strings.HasPrefix(s[i:], tag) {
				return s[:i], s[i:]
			}
			if strings.HasPrefix(tag, s[i:]) {
				p.held = s[i:]
				return s[:i], s[i:]
			}
		}
		said = true
	}
	return s, ""
}

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// tags gives the tags that count here. A closing tag before any text is left
// over from a template whose reasoning is switched off.
func (p *splitter) tags(said bool) []string {
	switch {
	case p.thinking:
		return []string{closeTag}
	case said:
		return []string{openTag}
	}
	return []string{openTag, closeTag}
}

// tag takes the tag off the front of s.
func (p *splitter) tag(s string) string {
	if rest, ok := strings.CutPrefix(s, openTag); ok && !p.thinking {
		p.thinking = true
		return rest
	}
	p.thinking, p.skip, p.code = false, true, codeState{}
	return strings.TrimPrefix(s, closeTag)
}

func (p *splitter) give(out []part, s string) []part {
	if !p.thinking && p.skip {
		s = strings.TrimLeft(s, " \t\r\n")
		p.skip = s == ""
	}
	if s == "" {
		return out
	}
	p.said = p.said || (!p.thinking && strings.TrimSpace(s) != "")
	return append(out, part{s, p.thinking})
}

// end gives what was held back.
func (p *splitter) end() []part {
	s := p.held
	p.held = ""
	return p.give(nil, s)
}

// codeState follows Markdown's marks of code, byte by byte.
type codeState struct {
	run     int  // backticks or tildes just seen
	mark    byte // of the run
	first   bool // the run stands first in its line
	midLine bool // the line holds more than blanks
	fence   int  // length of the open fence, 0 outside
	fenceBy byte
	opening bool // the line that opened the fence goes on
	span    int  // length of the open code span, 0 outside
}

func (c *codeState) inside() bool { return c.fence > 0 || c.span > 0 }

func (c *codeState) write(b byte) {
	if (b == '`' || b == '~') && (c.run == 0 || b == c.mark) {
		if c.run == 0 {
			c.mark, c.first = b, !c.midLine
		}
		c.run++
		c.midLine = true
		return
	}
	c.endRun(b)
	switch {
	case b == '\n':
		c.span, c.midLine, c.opening = 0, false, false
	case b != ' ' && b != '\t' && b != '>' && b != '\r':
		c.midLine = true
	}
}

// endRun decides what a run of marks meant, now that next follows it.
func (c *codeState) endRun(next byte) {
	run := c.run
	c.run = 0
	switch {
	case run == 0:
	case c.fence > 0 && c.opening && c.mark == '`':
		c.fence = 0 // it was a code span of three backticks
	case c.fence > 0:
		if c.first && c.mark == c.fenceBy && run >= c.fence && (next == '\n' || next == '\r' || next == ' ') {
			c.fence = 0
		}
	case c.first && run >= 3:
		c.fence, c.fenceBy, c.opening = run, c.mark, true
	case c.mark == '~':
	case c.span == 0:
		c.span = run
	case c.span == run:
		c.span = 0
	}
}
