package tables

import (
	"fmt"
	"strings"

	"kaoju/internal/text"
)

// Say puts the result of a planned query into a sentence, in the language of
// the question. of names the table. "" where the table has nothing that fits.
func (q Query) Say(of string, r Result, language text.Language) string {
	if len(r.Rows) == 0 || r.Rows[0][0] == "" {
		return ""
	}
	english := language == text.English
	what, rows := q.subject(english), r.Rows[0][1]
	if q.Op == Max || q.Op == Min {
		return q.extremes(of, r, english)
	}
	switch {
	case q.Op == Count && english:
		return fmt.Sprintf("Counted in the table %s: %s%s.", of, counted(r.Rows[0][0]), conditions(q.Where, english))
	case q.Op == Count:
		return fmt.Sprintf("按表“%s”统计：%s共 %s 行。", of, conditions(q.Where, english), r.Rows[0][0])
	case english:
		return fmt.Sprintf("Computed from the table %s: %s%s is %s (%s).", of, what, conditions(q.Where, english), r.Rows[0][0], counted(rows))
	}
	return fmt.Sprintf("按表“%s”计算：%s%s是 %s（共 %s 行）。", of, conditions(q.Where, english), what, r.Rows[0][0], rows)
}

// subject names what was computed.
func (q Query) subject(english bool) string {
	if english {
		return map[Op]string{Sum: "the total of ", Average: "the average of ", Max: "the largest ", Min: "the smallest "}[q.Op] + q.Column
	}
	return q.Column + map[Op]string{Sum: "合计", Average: "的平均值", Max: "的最大值", Min: "的最小值"}[q.Op]
}

// extremes names the rows that share the largest or smallest value.
func (q Query) extremes(of string, r Result, english bool) string {
	var names []string
	for _, row := range r.Rows {
		if row[0] == r.Rows[0][0] && row[1] != "" {
			names = append(names, row[1])
		}
	}
	label := ""
	if len(names) > 0 && english {
		label = fmt.Sprintf(" (%s: %s)", q.Label, strings.Join(names, ", "))
	} else if len(names) > 0 {
		label = fmt.Sprintf("（%s：%s）", q.Label, strings.Join(names, "、"))
	}
	if english {
		return fmt.Sprintf("Computed from the table %s: %s%s is %s%s.", of, q.subject(true), conditions(q.Where, true), r.Rows[0][0], label)
	}
	return fmt.Sprintf("按表“%s”计算：%s%s是 %s%s。", of, conditions(q.Where, false), q.subject(false), r.Rows[0][0], label)
}

func conditions(list []Condition, english bool) string {
	if len(list) == 0 {
		return ""
	}
	var parts []string
	for _, c := range list {
		sign := " " + c.Sign + " "
		switch {
		case c.Sign == "=" && english:
			sign = " is "
		case c.Sign == "=":
			sign = "为"
		}
		parts = append(parts, c.Column+sign+c.Value)
	}
	if english {
		return " where " + strings.Join(parts, " and ")
	}
	return strings.Join(parts, "、") + "的"
}

// Lines writes any result as lines of "column: value".
func (r Result) Lines() string {
	var b strings.Builder
	for _, row := range r.Rows {
		for i, v := range row {
			if i > 0 {
				b.WriteString("; ")
			}
			b.WriteString(r.Columns[i] + ": " + v)
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

func counted(rows string) string {
	if rows == "1" {
		return "1 row"
	}
	return rows + " rows"
}
