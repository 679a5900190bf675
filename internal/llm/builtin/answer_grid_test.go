package builtin

import (
	"slices"
	"strings"
	"testing"

	"kaoju/internal/text"
)

const approvals = "审批权限如下。\n\n| 报销金额 | 审批人 | 说明 |\n|---|---|---|\n| 1000 元以下 | 直属经理 | |\n" +
	"| 超过 5000 元 | 部门经理与财务总监 | 先由经理审批。再由总监审批。 |\n\n发票须在三十天内提交。"

// A row of a table in running text is quoted with the names of its columns,
// never as a line of bars; what only names the columns is no answer.
func TestAnswererQuotesRowsOfTables(t *testing.T) {
	tests := []struct{ question, text, want string }{
		{"报销超过5000元需要谁审批？", approvals, "报销金额：超过 5000 元；审批人：部门经理与财务总监"},
		{"直属经理审批多少金额？", approvals, "报销金额：1000 元以下；审批人：直属经理"},
		{"Which port does the mail server use?", "Ports of our servers.\n\n| Server | Port |\n| :--- | ---: |\n| mail server | 587 |\n| web server | 8443 |\n",
			"Server: mail server; Port: 587"},
		{"Which port does a|b use?", "| Server | Port |\n|---|---|\n| a\\|b | 99 |\n| c | 12 |\n", "Server: a|b; Port: 99"},
	}
	for _, tt := range tests {
		t.Run(tt.question, func(t *testing.T) {
			answer, _ := stream(t, tt.question, passage("c1", "制度", tt.text))
			if !strings.Contains(answer, tt.want) {
				t.Errorf("%q does not hold %q", answer, tt.want)
			}
			if strings.Count(answer, "：") > 2 || strings.Count(answer, ": ") > 2 {
				t.Errorf("%q has rows that are not asked for", answer)
			}
			if strings.Contains(answer, "| ") || strings.Contains(answer, "---") {
				t.Errorf("%q has the bars of a table", answer)
			}
		})
	}
}

func TestGridRows(t *testing.T) {
	tests := []struct {
		name, body string
		heads      int
		rows       []string
	}{
		{"none", "a | b\nc", 0, nil},
		{"bars without a head", "| a | b |\n| c | d |", 0, nil},
		{"one", "| h | i |\n|---|---|\n| a | b |", 2, []string{"h: a; i: b"}},
		{"more cells than names, and fewer", "| h |\n|---|\n| a | b |\n|  |", 2, []string{"h: a; b", ""}},
		{"two tables", "| h |\n|---|\n| a |\ntext\n| i |\n|---|\n| b |", 4, []string{"h: a", "i: b"}},
		{"cut off behind the rule", "| h | i |\n|---|---|", 2, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			heads, rows := 0, []string(nil)
			for _, r := range gridRows(tt.body) {
				if r.head {
					heads++
					continue
				}
				rows = append(rows, joinCells(r.cells, ": ", "; "))
			}
			if heads != tt.heads || !slices.Equal(rows, tt.rows) {
				t.Errorf("%d heads, rows %q", heads, rows)
			}
		})
	}
}

// A row stays one candidate, whatever sentences its cells have.
func TestRowsStayWhole(t *testing.T) {
	rows := gridRows(approvals)
	spans := wholeRows(text.Sentences(approvals), rows)
	n := 0
	for _, s := range spans {
		if strings.Contains(approvals[s.Start:s.End], "总监审批") {
			n++
			if !strings.HasPrefix(approvals[s.Start:s.End], "| 超过") || !strings.HasSuffix(approvals[s.Start:s.End], "|") {
				t.Errorf("cut to %q", approvals[s.Start:s.End])
			}
		}
	}
	if n != 1 {
		t.Errorf("%d candidates", n)
	}
}
