package answer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/text"
)

// Limits of what is added behind an answer.
const (
	listedSources = 3
	toldCells     = 8 // of a row
)

// keyColumn finds the columns whose cells an answer about a row should not
// leave out.
var keyColumn = regexp.MustCompile(`状态|金额|价格|费用|负责人|责任人|联系人|审批人|日期|期限|截止|数量|status|amount|price|cost|owner|assignee|contact|date|due|deadline|quantity`)

// SourceLine gives the line that lists the first sources of an answer which
// cites none, in the answer's language, and their numbers. It is no citation:
// it says what the answer was written from, not what carries a claim.
func SourceLine(answer string, sources *Sources, style core.CitationStyle) (line string, listed []int) {
	var labels []string
	for _, ref := range sources.Published()[:min(listedSources, sources.Len())] {
		labels = append(labels, render(ref, style)+" "+Label(ref))
		listed = append(listed, ref.Number)
	}
	if text.DetectLanguage(answer) == text.English {
		return "\n\nSources: " + strings.Join(labels, "; "), listed
	}
	return "\n\n参考来源：" + strings.Join(labels, "；"), listed
}

// Label names a source in short: file and heading, or file, sheet and row, or
// the standard question.
func Label(ref core.Reference) string {
	parts := []string{ref.Document}
	if ref.Type == core.ChunkFAQ && ref.Title != "" {
		parts = []string{ref.Title}
	}
	if n := len(ref.Headings); n > 0 && ref.Headings[n-1] != ref.Title {
		parts = append(parts, ref.Headings[n-1])
	}
	if ref.Sheet != "" {
		parts = append(parts, ref.Sheet)
	}
	if ref.Row > 0 {
		parts = append(parts, fmt.Sprintf("#%d", ref.Row))
	}
	// A label that looks like a mark would be one.
	return strings.NewReplacer("[", "(", "]", ")", "<", "‹", ">", "›", "\n", " ").Replace(strings.Join(parts, " / "))
}

// RowDetails gives a line with the cells of the table row that an answer is
// about, where it left cells out that say what is asked for: those of the
// columns that the question names or, where it names none, states, amounts,
// people. It cites the row by its handle, for an Expander to resolve. "" where
// nothing is missing.
func RowDetails(question, answer string, sources *Sources) string {
	plain, asked := text.Normalize(answer), text.Normalize(question)
	for _, ref := range sources.Published() {
		if ref.Type != core.ChunkTableRow {
			continue
		}
		cells := cellsOf(sources.Content(ref.Number))
		if leavesOut(cells, asked, plain) {
			return rowLine(cells, ref, text.DetectLanguage(answer))
		}
	}
	return ""
}

// leavesOut reports whether an answer is about a row and lacks a cell of it
// that counts.
func leavesOut(cells []cell, asked, answered string) bool {
	named, missing, chosen := 0, 0, 0
	for _, c := range cells {
		column := text.Normalize(c.name)
		there, wanted := strings.Contains(answered, text.Normalize(c.value)), strings.Contains(asked, column)
		if wanted && !strings.Contains(asked, text.Normalize(c.value)) {
			chosen++
			if !there {
				return len(cells) > 1 && strings.Contains(asked, text.Normalize(cells[0].value))
			}
		}
		switch {
		case there:
			named++
		case keyColumn.MatchString(column):
			missing++
		}
	}
	return chosen == 0 && named > 0 && missing > 0
}

type cell struct{ name, value string }

// cellsOf reads the content of a row: "name: value" pairs, a line each.
func cellsOf(content string) []cell {
	var cells []cell
	for part := range strings.SplitSeq(content, "\n") {
		name, value, ok := strings.Cut(part, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if ok && name != "" && value != "" {
			cells = append(cells, cell{name, value})
		}
	}
	return cells
}

func rowLine(cells []cell, ref core.Reference, language text.Language) string {
	var parts []string
	for _, c := range cells[:min(toldCells, len(cells))] {
		parts = append(parts, c.name+": "+c.value)
	}
	head, comma := "表格原行：", "；"
	if language == text.English {
		head, comma = "The row: ", "; "
	}
	return "\n\n" + head + strings.Join(parts, comma) + ` <ref id="` + ref.Handle + `"/>`
}

// Union joins two ascending lists of numbers.
func Union(a, b []int) []int {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
