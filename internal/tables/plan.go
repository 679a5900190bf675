package tables

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"kaoju/internal/text"
)

// Query is a statement with what it means.
type Query struct {
	SQL    string
	Args   []any
	Op     Op
	Column string      // that is computed; "" for a count of rows
	Label  string      // the column that names the row of a largest or smallest value
	Where  []Condition // which rows
}

// Op is what is computed.
type Op string

// Operations.
const (
	Sum     Op = "sum"
	Average Op = "average"
	Count   Op = "count"
	Max     Op = "max"
	Min     Op = "min"
)

// Condition keeps rows whose column is, or lies above or below, a value.
type Condition struct {
	Column string
	Sign   string // =, > or <
	Value  string
}

// operations are told by these words, the first that matches; over normalised
// text. A count comes last: "how many" also asks for sums.
var operations = []struct {
	op    Op
	words *regexp.Regexp
}{
	{Average, regexp.MustCompile(`平均|均值|\baverage\b|\bmean\b`)},
	{Max, regexp.MustCompile(`最高|最大|最多|最贵|最长|\bhighest\b|\blargest\b|\bmost\b|\bmaximum\b|\bmax\b|\bbiggest\b`)},
	{Min, regexp.MustCompile(`最低|最小|最少|最便宜|最短|\blowest\b|\bsmallest\b|\bleast\b|\bminimum\b|\bmin\b|\bcheapest\b`)},
	{Sum, regexp.MustCompile(`合计|总和|总计|总共|总额|总数|总量|一共|之和|加起来|\bsum\b|\btotal\b|\baltogether\b|\bin all\b`)},
	{Count, regexp.MustCompile(`多少(?:个|条|人|项|行|笔|台|家|次|位|种|件)|几(?:个|条|人|项|行|笔|台|家|次|位|种|件)|\bhow many\b|\bcount\b|\bnumber of\b`)},
}

// comparison finds "column > number" in words.
var comparison = regexp.MustCompile(`(大于|超过|高于|多于|不低于|小于|低于|少于|不超过|more than|over|above|greater than|less than|under|below)\s*([0-9][0-9,]*(?:\.[0-9]+)?)`)

// Plan reads from a question what is to be computed. ok is false where it asks
// for nothing that the table can give.
func (t Table) Plan(question string) (q Query, ok bool) {
	asked := text.Normalize(question)
	for _, o := range operations {
		if o.words.MatchString(asked) {
			q.Op = o.op
			break
		}
	}
	if q.Op == "" || len(t.Rows) == 0 {
		return q, false
	}
	column := t.measured(asked)
	if column < 0 && q.Op == Sum && operations[4].words.MatchString(asked) {
		q.Op = Count // "how many in all" of what no column measures
	}
	if column < 0 && q.Op != Count {
		return q, false
	}
	w := where{table: t}
	w.named(asked, column)
	w.compared(asked, column)
	if q.Op == Count && len(w.list) == 0 && column < 0 && !t.mentions(asked) {
		return q, false
	}
	t.compose(&q, column, w)
	return q, true
}

// measured is the column of numbers that the question names, the longest name
// first; -1 where it names none.
func (t Table) measured(asked string) int {
	best, longest := -1, 0
	for i, c := range t.Columns {
		name := text.Normalize(c.Name)
		if n := utf8.RuneCountInString(name); c.Numbers && n > longest && strings.Contains(asked, name) {
			best, longest = i, n
		}
	}
	return best
}

// mentions reports whether the question names any column.
func (t Table) mentions(asked string) bool {
	for _, c := range t.Columns {
		if strings.Contains(asked, text.Normalize(c.Name)) {
			return true
		}
	}
	return false
}

// where collects conditions.
type where struct {
	table Table
	list  []Condition
	sql   []string
	args  []any
}

// shortestValue is the length in characters from which a cell in a question is
// meant.
const shortestValue = 2

// named keeps rows whose cells the question says, in columns of words: of each
// column the longest such value.
func (w *where) named(asked string, measured int) {
	for i, c := range w.table.Columns {
		if c.Numbers || i == measured {
			continue
		}
		value, longest := "", 0
		for _, row := range w.table.Rows {
			v := cell(row, i)
			n := utf8.RuneCountInString(v)
			if n >= shortestValue && n > longest && within(asked, text.Normalize(v)) {
				value, longest = v, n
			}
		}
		if value != "" {
			w.add(i, Condition{Column: c.Name, Sign: "=", Value: value}, value)
		}
	}
}

// within reports whether a value stands in a question as a word of its own.
func within(asked, value string) bool {
	at := strings.Index(asked, value)
	if at < 0 {
		return false
	}
	latin := func(r rune) bool { return r < 0x80 && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9') }
	before, _ := utf8.DecodeLastRuneInString(asked[:at])
	first, _ := utf8.DecodeRuneInString(value)
	after, _ := utf8.DecodeRuneInString(asked[at+len(value):])
	last, _ := utf8.DecodeLastRuneInString(value)
	return (!latin(before) || !latin(first)) && (!latin(after) || !latin(last))
}

// compared keeps rows above or below a number, in the column of numbers that
// stands last before it in the question.
func (w *where) compared(asked string, measured int) {
	m := comparison.FindStringSubmatchIndex(asked)
	if m == nil {
		return
	}
	column, at := measured, -1
	for i, c := range w.table.Columns {
		if found := strings.LastIndex(asked[:m[0]], text.Normalize(c.Name)); c.Numbers && found > at {
			column, at = i, found
		}
	}
	number, err := strconv.ParseFloat(strings.ReplaceAll(asked[m[4]:m[5]], ",", ""), 64)
	if column < 0 || err != nil {
		return
	}
	sign := map[string]string{"大于": ">", "超过": ">", "高于": ">", "多于": ">", "不低于": ">=", "小于": "<", "低于": "<", "少于": "<", "不超过": "<=",
		"more than": ">", "over": ">", "above": ">", "greater than": ">", "less than": "<", "under": "<", "below": "<"}[asked[m[2]:m[3]]]
	w.add(column, Condition{Column: w.table.Columns[column].Name, Sign: sign, Value: said(number)}, number)
}

func (w *where) add(column int, c Condition, value any) {
	w.list = append(w.list, c)
	w.sql = append(w.sql, "c"+strconv.Itoa(column+1)+" "+c.Sign+" ?")
	w.args = append(w.args, value)
}

// compose writes the statement.
func (t Table) compose(q *Query, column int, w where) {
	q.Where, q.Args = w.list, w.args
	of, filter := "", ""
	if column >= 0 {
		of, q.Column = "c"+strconv.Itoa(column+1), t.Columns[column].Name
	}
	if len(w.sql) > 0 {
		filter = " WHERE " + strings.Join(w.sql, " AND ")
	}
	switch q.Op {
	case Count:
		q.Column = ""
		q.SQL = "SELECT count(*), count(*) FROM " + Name + filter
	case Sum:
		q.SQL = "SELECT sum(" + of + "), count(" + of + ") FROM " + Name + filter
	case Average:
		q.SQL = "SELECT avg(" + of + "), count(" + of + ") FROM " + Name + filter
	case Max, Min:
		q.SQL = t.extreme(q, of, w)
	}
}

// extreme asks for the rows that have the largest or smallest value.
func (t Table) extreme(q *Query, of string, w where) string {
	label := "''"
	for i, c := range t.Columns {
		if !c.Numbers {
			label, q.Label = "c"+strconv.Itoa(i+1), c.Name
			break
		}
	}
	filter := of + " IS NOT NULL"
	if len(w.sql) > 0 {
		filter += " AND " + strings.Join(w.sql, " AND ")
	}
	order := " DESC"
	if q.Op == Min {
		order = " ASC"
	}
	return "SELECT " + of + ", " + label + " FROM " + Name + " WHERE " + filter + " ORDER BY " + of + order + " LIMIT 3"
}
