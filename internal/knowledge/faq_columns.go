package knowledge

import (
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/text"
)

// Columns of a table of FAQ entries, in the order in which they are written.
const (
	columnQuestion = iota
	columnSimilar
	columnNegative
	columnAnswers
	columnStrategy
	columnTags
	columnEnabled
	columns
)

// faqHeader is the header of a table that we write. Any of columnNames, and
// any order, is read.
func faqHeader() []string {
	return []string{"标准问题", "相似问题", "反例问题", "答案", "回答策略", "标签", "启用"}
}

// columnNames are the headers that mean a column, as text.Key has them, without
// remarks in brackets.
func columnNames() map[string]int {
	names := map[string]int{}
	for i, list := range [columns]string{
		"标准问题 问题 标准问 主问题 提问 question standard_question questions q title",
		"相似问题 相似问 相似问法 扩展问 similar_questions similar similar_question",
		"反例问题 反例 负例 负例问题 negative_questions negative negatives",
		"答案 分段内容 回答 标准答案 机器人回答 回复 answer answers a",
		"回答策略 答案策略 策略 answer_strategy strategy",
		"标签 分类 tags tag category",
		"启用 是否启用 enabled is_enabled",
	} {
		for _, name := range strings.Fields(list) {
			names[text.Key(name)] = i
		}
	}
	return names
}

// layout says where the columns of a table stand, -1 where one is missing.
type layout struct {
	at     [columns]int
	inline [columns]bool // values are divided by ## anywhere, as the header says
}

// layoutOf reads a header row; ok where it names question and answers.
func layoutOf(row []string) (l layout, ok bool) {
	names := columnNames()
	for i := range l.at {
		l.at[i] = -1
	}
	for i, cell := range row {
		name, remark, _ := strings.Cut(strings.ReplaceAll(cell, "（", "("), "(")
		if c, known := names[text.Key(name)]; known && l.at[c] < 0 {
			l.at[c], l.inline[c] = i, strings.Contains(remark, divider)
		}
	}
	return l, l.at[columnQuestion] >= 0 && l.at[columnAnswers] >= 0
}

func (l layout) cell(row []string, column int) string {
	if i := l.at[column]; i >= 0 && i < len(row) {
		return bare(row[i])
	}
	return ""
}

// divider stands on a line of its own between the answers in a cell, which may
// themselves have several lines.
const divider = "##"

// entry makes an entry of a row. What is wrong with it is for tidyFAQ to say,
// but for what it could not see any more.
func (l layout) entry(row []string) (core.FAQ, error) {
	f := core.FAQ{Tags: strings.FieldsFunc(l.cell(row, columnTags), func(r rune) bool { return strings.ContainsRune(",，;；、\n", r) })}
	// Some systems write all questions into one cell, one a line.
	question, others, _ := strings.Cut(strings.TrimSpace(l.cell(row, columnQuestion)), "\n")
	f.Question = question
	f.Similar = append(strings.Split(others, "\n"), l.lines(row, columnSimilar)...)
	f.Negative = l.lines(row, columnNegative)
	f.Answers = l.answers(row)
	var err error
	if f.Strategy, err = strategyOf(l.cell(row, columnStrategy)); err != nil {
		return f, err
	}
	f.Disabled, err = disabledOf(l.cell(row, columnEnabled))
	return f, err
}

func (l layout) lines(row []string, column int) []string {
	cell := l.cell(row, column)
	if l.inline[column] {
		cell = strings.ReplaceAll(cell, divider, "\n")
	}
	return strings.Split(cell, "\n")
}

func (l layout) answers(row []string) []string {
	cell := l.cell(row, columnAnswers)
	if l.inline[columnAnswers] {
		return strings.Split(cell, divider)
	}
	var list []string
	var lines []string
	for _, line := range strings.Split(cell, "\n") {
		if strings.TrimSpace(line) == divider {
			list, lines = append(list, strings.Join(lines, "\n")), nil
			continue
		}
		if strings.HasSuffix(line, divider) && strings.Trim(line, `\`) == divider {
			line = line[1:] // see joinAnswers
		}
		lines = append(lines, line)
	}
	return append(list, strings.Join(lines, "\n"))
}

// joinAnswers is the inverse of answers: a line of an answer that is the
// divider itself, with any backslashes before it, gets one more.
func joinAnswers(answers []string) string {
	escaped := make([]string, len(answers))
	for i, a := range answers {
		lines := strings.Split(a, "\n")
		for j, line := range lines {
			if t := strings.TrimSpace(line); t == divider || strings.HasSuffix(line, divider) && strings.Trim(line, `\`) == divider {
				lines[j] = `\` + t
			}
		}
		escaped[i] = strings.Join(lines, "\n")
	}
	return strings.Join(escaped, "\n"+divider+"\n")
}

func strategyOf(cell string) (core.AnswerStrategy, error) {
	switch text.Key(cell) {
	case "", "all", "全部", "全部回复", "全部回答":
		return core.AnswerAll, nil
	case "random", "随机", "随机一条", "随机回复":
		return core.AnswerRandom, nil
	}
	return "", core.Errorf(core.CodeInvalid, "the answer strategy is all (全部) or random (随机), not %q", cell)
}

func disabledOf(cell string) (bool, error) {
	switch text.Key(cell) {
	case "", "true", "yes", "y", "1", "是", "启用", "enabled":
		return false, nil
	case "false", "no", "n", "0", "否", "停用", "禁用", "disabled":
		return true, nil
	}
	return false, core.Errorf(core.CodeInvalid, "enabled is yes (是) or no (否), not %q", cell)
}

// faqRow is the row of an entry, in the order of faqHeader.
func faqRow(f core.FAQ) []string {
	enabled := "是"
	if f.Disabled {
		enabled = "否"
	}
	strategy := "全部"
	if f.Strategy == core.AnswerRandom {
		strategy = "随机"
	}
	row := []string{
		f.Question, strings.Join(f.Similar, "\n"), strings.Join(f.Negative, "\n"), joinAnswers(f.Answers),
		strategy, strings.Join(f.Tags, "\n"), enabled,
	}
	for i, cell := range row {
		row[i] = guarded(cell)
	}
	return row
}

// formulaSigns begin what a spreadsheet would compute.
const formulaSigns = "=+-@\t"

// guarded puts an apostrophe before what a spreadsheet would take for a
// formula; bare takes it off.
func guarded(cell string) string {
	if rest := strings.TrimLeft(cell, "'"); rest != "" && strings.ContainsRune(formulaSigns, rune(rest[0])) {
		return "'" + cell
	}
	return cell
}

func bare(cell string) string {
	if rest := strings.TrimLeft(cell, "'"); len(rest) < len(cell) && rest != "" && strings.ContainsRune(formulaSigns, rune(rest[0])) {
		return cell[1:]
	}
	return cell
}
