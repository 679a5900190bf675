package stage

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/llm"
	"kaoju/internal/text"
)

// How much of its own instructions a model may say in a row: names and turns
// of phrase are shared with any answer, whole sentences are not. A Chinese
// character counts for several letters.
const (
	leakFrom  = 64
	hanCounts = 3
)

// errLeak ends a stream in which the model says its instructions.
var errLeak = errors.New("the model said its instructions")

// guard holds back what may be the model's instructions, word for word, until
// it is clear that it is not. It costs nothing as long as an answer has
// nothing in common with them. Spaces, signs and case do not count.
type guard struct {
	secret string // the instructions, folded
	open   string // what the model was told beside them: it may say that
	held   strings.Builder
	match  []rune // what is held, folded: it stands in secret
	leaked bool
}

// newGuard guards the system's part of a prompt. Where the same words stand in
// the material that the model answers from, they are no secret.
func newGuard(messages []llm.Message) *guard {
	g := &guard{}
	for _, m := range messages {
		if m.Role == "system" {
			g.secret += folded(m.Content)
		} else {
			g.open += m.Content + "\n"
		}
	}
	return g
}

func folded(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// pass gives what may be said of s and what was held before it. After a leak
// it gives nothing more.
func (g *guard) pass(s string) string {
	if g.secret == "" || g.leaked {
		if g.leaked {
			return ""
		}
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s) && !g.leaked; {
		r, n := utf8.DecodeRuneInString(s[i:])
		g.rune(&out, r, s[i:i+n])
		i += n
	}
	return out.String()
}

// rune takes the next character, as it is written.
func (g *guard) rune(out *strings.Builder, r rune, written string) {
	if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
		if len(g.match) > 0 {
			g.held.WriteString(written)
		} else {
			out.WriteString(written)
		}
		return
	}
	grown := append(g.match, unicode.ToLower(r))
	g.held.WriteString(written)
	if strings.Contains(g.secret, string(grown)) {
		g.match = grown
		if weight(grown) >= leakFrom {
			g.decide(out)
		}
		return
	}
	g.shrink(out, grown)
}

// decide tells a leak from the words of a document, which may be the same.
func (g *guard) decide(out *strings.Builder) {
	if g.leaked = !strings.Contains(folded(g.open), string(g.match)); !g.leaked {
		out.WriteString(g.flush())
	}
}

// shrink lets go of the beginning of what is held, until the rest stands in
// the instructions.
func (g *guard) shrink(out *strings.Builder, grown []rune) {
	drop := 1
	for drop < len(grown) && !strings.Contains(g.secret, string(grown[drop:])) {
		drop++
	}
	held := g.held.String()
	at := 0
	for letters := 0; at < len(held); {
		r, n := utf8.DecodeRuneInString(held[at:])
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			if letters == drop {
				break
			}
			letters++
		}
		at += n
	}
	out.WriteString(held[:at])
	rest := held[at:]
	g.held.Reset()
	g.held.WriteString(rest)
	g.match = append(g.match[:0], grown[drop:]...)
}

// flush gives what is held at the end of an answer.
func (g *guard) flush() string {
	if g.leaked {
		return ""
	}
	s := g.held.String()
	g.held.Reset()
	g.match = g.match[:0]
	return s
}

func weight(runes []rune) int {
	n := 0
	for _, r := range runes {
		if unicode.Is(unicode.Han, r) {
			n += hanCounts
		} else {
			n++
		}
	}
	return n
}

// keepsSecret is said in place of the instructions.
func keepsSecret(question string) string {
	if text.DetectLanguage(question) == text.English {
		return "I cannot show the instructions that I work by. Ask me about the documents, and I will answer."
	}
	return "我不能展示收到的指令。请就资料提问，我会继续回答。"
}
