package builtin

import (
	"context"
	"strings"

	"kaoju/internal/llm"
	"kaoju/internal/text"
)

// Answerer is the built-in chat model. It reads only Question and Evidence of
// a request: it chooses the sentences that most likely hold the answer and
// quotes them with their source. It remembers at most what it read.
type Answerer struct {
	readings *Readings
}

// NewAnswerer makes the built-in chat model.
func NewAnswerer() *Answerer { return &Answerer{} }

// With gives the answerer with a memory of what it read.
func (a Answerer) With(readings *Readings) *Answerer {
	a.readings = readings
	return &a
}

// Model names the answerer and the version of its weights.
func (*Answerer) Model() string { return "builtin-extractive-1" }

// maxSentences is how many sentences an answer quotes at most.
const maxSentences = 3

// Stream quotes what answers the question, a sentence a delta, each followed
// by the mark of its source. Where the evidence does not answer, the only
// delta is Insufficient and has no text: how a refusal reads is not the
// model's to say.
func (a *Answerer) Stream(ctx context.Context, req llm.ChatRequest, yield func(llm.Delta) error) error {
	parts := []quotation(nil)
	v := a.readings.ask(req.Question, req.Evidence, req.Aliases...)
	switch section := v.sections(req.Evidence); {
	case len(section) > 0:
		parts = joined(section)
	case !v.refuses():
		parts = v.quote(req.Evidence, enough)
		v.hedge(parts)
	}
	probability := v.assess().Probability
	if len(parts) == 0 {
		return yield(llm.Delta{Insufficient: true, Assessed: &probability, Finish: "stop"})
	}
	for i, p := range parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		d := llm.Delta{Text: p.before + p.text + `<ref id="` + p.handle + `"/>`}
		if i == len(parts)-1 {
			d.Finish, d.Assessed = "stop", &probability
		}
		if err := yield(d); err != nil {
			return err
		}
	}
	return nil
}

// quotation is a piece of an answer and its source.
type quotation struct {
	before string // what stands between it and the piece before it
	text   string
	handle string
}

// doubtful is the probability below which an answer says that it may be none.
const doubtful = .25

// hedge says before the first quotation, where the evidence is unlikely to
// answer, that this is only the nearest that was found.
func (v *evidenceView) hedge(parts []quotation) {
	if len(parts) == 0 || v.assess().Probability >= doubtful {
		return
	}
	parts[0].before = "The documents do not answer this directly; the nearest passages say:\n"
	if v.q.chinese {
		parts[0].before = "资料中没有直接的回答，最接近的内容是：\n"
	}
}

// quoting introduces quotations in another language than the question's.
func quoting(question string, first string) string {
	asks, says := text.DetectLanguage(question), text.DetectLanguage(first)
	switch {
	case asks == text.Chinese && says == text.English:
		return "资料原文："
	case asks == text.English && says == text.Chinese:
		return "The documents say: "
	}
	return ""
}

// quote writes the answer from the candidates that were chosen.
func (v *evidenceView) quote(evidence []llm.Evidence, until float64) []quotation {
	var list []quotation
	quoted := map[int]int{} // up to where a passage was quoted as a list
	for _, c := range v.chosen(evidence, until) {
		e := evidence[c.passage]
		if c.span.Start < quoted[c.passage] {
			continue
		}
		if entries, chance := v.wholeList(c, e); entries != nil {
			if chance >= alone {
				list = quotations(e, entries)
				break
			}
			quoted[c.passage] = entries[len(entries)-1].End
			list = append(list, quotations(e, entries)...)
			continue
		}
		for _, s := range wording(v.q, c, e) {
			list = append(list, quotation{text: harmless(s), handle: e.Handle})
		}
	}
	if steps := v.announced(evidence); steps != nil {
		list = steps
	}
	list = joined(list)
	if len(list) > 0 {
		list[0].before = quoting(v.q.text, list[0].text)
	}
	return list
}

// joined says what stands between quotations.
func joined(list []quotation) []quotation {
	for i := range list {
		if i > 0 {
			list[i].before = separator(list[i-1], list[i])
		}
	}
	return list
}

// wording gives what is quoted of a candidate.
func wording(q *inquiry, c candidate, e llm.Evidence) []string {
	switch {
	case len(e.Answers) > 0:
		return e.Answers
	case isTableRow(e):
		return []string{rowWording(q, e.Text)}
	}
	if row := rowAt(gridRows(e.Text), c.span.Start); row != nil && len(row.cells) > 0 {
		return []string{cellWording(q, row.cells)}
	}
	return []string{unmarked(e.Text[c.span.Start:c.span.End])}
}

// separator stands between two quotations: nothing or a space within a
// passage, else a line break. Back quotes must not pair over a mark.
func separator(a, b quotation) string {
	switch {
	case a.handle != b.handle || strings.Contains(a.text+b.text, "`") || !ended(a.text) || isItem(b.text):
		return "\n"
	case strings.HasSuffix(a.text, "."):
		return " "
	}
	return ""
}

// ended tells whether a text ends like a sentence.
func ended(s string) bool {
	s = strings.TrimRight(s, "”’\"'）)】」』》")
	return strings.HasSuffix(s, ".") || strings.HasSuffix(s, "。") || strings.HasSuffix(s, "！") ||
		strings.HasSuffix(s, "？") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") ||
		strings.HasSuffix(s, "；") || strings.HasSuffix(s, ";")
}

// unmarked takes the marks of Markdown off the head of a line.
func unmarked(s string) string {
	return strings.TrimLeft(s, "#>-*+ \t")
}

// harmless rewrites what would read as a citation mark of ours: footnote
// numbers in brackets and tags, which are part of many documents.
func harmless(s string) string {
	if !strings.ContainsAny(s, "[<") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '[' && isFootnote(s[i:]):
			end := i + strings.IndexByte(s[i:], ']')
			b.WriteString("［" + s[i+1:end] + "］")
			i = end
		case s[i] == '<' && isOurTag(s[i+1:]):
			b.WriteString("＜")
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// isFootnote tells whether s begins with a bracket of nothing but numbers.
func isFootnote(s string) bool {
	end := strings.IndexByte(s, ']')
	return end > 1 && strings.Trim(s[1:end], "0123456789cw,;，、； \t") == ""
}

func isOurTag(s string) bool {
	s = strings.ToLower(strings.TrimPrefix(s, "/"))
	return strings.HasPrefix(s, "ref") || strings.HasPrefix(s, "kb") || strings.HasPrefix(s, "web")
}
