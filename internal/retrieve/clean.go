package retrieve

import (
	"regexp"
	"strings"
)

// The marks of Markdown and HTML that say nothing about what a passage means.
var (
	linked    = regexp.MustCompile(`!?\[([^\]\n]*)\]\([^()\n]*\)`)
	tagged    = regexp.MustCompile(`</?[a-zA-Z][a-zA-Z0-9]{0,15}(?:\s[^<>\n]*)?/?>`)
	ruled     = regexp.MustCompile(`^\|?[\s:|-]*-{3,}[\s:|-]*$`)
	lineMarks = regexp.MustCompile(`^(?:#{1,6}\s+|>\s*|[*+-]\s+)+`)
)

// CleanPassage gives a passage as a reranker should read it: without the signs
// of Markdown and HTML, with everything that they enclose. Fences of code and
// formulas go, their content stays; links and pictures become their text; rows
// of tables become lists with commas. Text without such signs comes back as it
// is. What is cited is never this text, but the passage itself.
func CleanPassage(s string) string {
	if !strings.ContainsAny(s, "#*`~|[<>$") && !strings.Contains(s, "\n- ") && !strings.HasPrefix(s, "- ") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	code := false
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			code = !code
			continue
		}
		if !code {
			if trimmed == "$$" || ruled.MatchString(trimmed) {
				continue
			}
			line = cleanLine(trimmed)
		}
		if line != "" {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func cleanLine(line string) string {
	if strings.HasPrefix(line, "|") && strings.HasSuffix(line, "|") {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		line = strings.Join(cells, ", ")
	}
	line = lineMarks.ReplaceAllString(line, "")
	if strings.Contains(line, "](") {
		line = linked.ReplaceAllString(line, "$1")
	}
	if strings.Contains(line, "<") {
		line = tagged.ReplaceAllString(line, " ")
	}
	for _, mark := range []string{"**", "__", "`", "$$"} {
		line = strings.ReplaceAll(line, mark, "")
	}
	return strings.TrimSpace(line)
}
