package tables

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/text"
)

func rows(lines ...string) Table {
	var chunks []core.Chunk
	for i, l := range lines {
		chunks = append(chunks, core.Chunk{Type: core.ChunkTableRow, Row: i + 2, Content: strings.ReplaceAll(l, ";", "\n")})
	}
	return Of(chunks)
}

func expenses() Table {
	return rows("姓名: 李雷;部门: 销售部;金额: 1,200.50", "姓名: 韩梅梅;部门: 研发部;金额: 800", "姓名: 王芳;部门: 销售部;金额: ¥300", "姓名: 赵强;部门: 行政部")
}

func orders() Table {
	return rows("Order: A-1;Region: North;Amount: 100;Units: 3", "Order: A-2;Region: South;Amount: 250;Units: 5", "Order: A-3;Region: North;Amount: 250;Units: 1")
}

// Sums, averages, counts, largest, smallest and filters, in both languages.
func TestQuestions(t *testing.T) {
	for _, tt := range []struct {
		table          Table
		question, want string
	}{
		{expenses(), "销售部的金额合计是多少？", "按表“x”计算：部门为销售部的金额合计是 1500.5（共 2 行）。"},
		{expenses(), "金额总共多少", "按表“x”计算：金额合计是 2300.5（共 3 行）。"},
		{expenses(), "平均金额是多少", "按表“x”计算：金额的平均值是 766.833333（共 3 行）。"},
		{expenses(), "谁的金额最高？", "按表“x”计算：金额的最大值是 1200.5（姓名：李雷）。"},
		{expenses(), "销售部金额最少的是谁", "按表“x”计算：部门为销售部的金额的最小值是 300（姓名：王芳）。"},
		{expenses(), "销售部有多少人？", "按表“x”统计：部门为销售部的共 2 行。"},
		{expenses(), "金额超过500的有几人", "按表“x”统计：金额 > 500的共 2 行。"},
		{orders(), "What is the total amount for North?", "Computed from the table x: the total of Amount where Region is North is 350 (2 rows)."},
		{orders(), "What is the average amount?", "Computed from the table x: the average of Amount is 200 (3 rows)."},
		{orders(), "Which order has the highest amount?", "Computed from the table x: the largest Amount is 250 (Order: A-2, A-3)."},
		{orders(), "How many orders are in the South region?", "Counted in the table x: 1 row where Region is South."},
		{orders(), "How many orders have an amount over 150?", "Counted in the table x: 2 rows where Amount > 150."},
		{orders(), "Which order has the smallest units?", "Computed from the table x: the smallest Units is 1 (Order: A-3)."},
		{orders(), "Who wrote this?", ""}, {orders(), "What is the average height?", ""}, {orders(), "northern total", ""},
		{Table{}, "金额合计", ""}, {expenses(), "市场部的金额合计'; DROP TABLE t", "按表“x”计算：金额合计是 2300.5（共 3 行）。"},
	} {
		got := ""
		if q, ok := tt.table.Plan(tt.question); ok {
			r, err := tt.table.Run(t.Context(), q.SQL, q.Args...)
			if err != nil {
				t.Fatalf("%s: %v", tt.question, err)
			}
			got = q.Say("x", r, text.DetectLanguage(tt.question))
		}
		if got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.question, got, tt.want)
		}
	}
}

// Nothing but one SELECT over the table is run.
func TestStatementsAreConfined(t *testing.T) {
	for _, query := range []string{
		"", "DELETE FROM t", "select 1; drop table t", "ATTACH 'x' AS y", "select load_extension('x')", "select randomblob(100000000)",
		"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT * FROM c", "select * from pragma_database_list", "PRAGMA query_only = OFF",
		"select zeroblob(9)", "select hex(c1) from t", "select 1 -- x", "select 1 /* x */", "select writefile('/tmp/x', 'y')", "select `c1` from t",
		"select replace(c1,'a','b') from t", "select group_concat(c1) from t", "select * from sqlite_master", "select printf('%1000000d', 1)", "select " + strings.Repeat("1+", maxSQL) + "1",
	} {
		if _, err := orders().Run(t.Context(), query); err == nil {
			t.Errorf("%.80q is run", query)
		}
	}
	for query, want := range map[string]string{
		"SELECT c2, sum(c3) AS total FROM t GROUP BY c2 ORDER BY total DESC;": "c2: North; total: 350\nc2: South; total: 250",
		"select count(distinct c2) from t where c1 <> 'a;b--'":                "count(distinct c2): 2",
		"\nSELECT\n  max(c3)\nFROM t ;\n":                                     "max(c3): 250",
		"select max(c3) from t where c2 in ('North') and (c4 > 1)":            "max(c3): 100",
	} {
		r, err := orders().Run(t.Context(), query)
		if err != nil || r.Lines() != want {
			t.Errorf("%s: %q, %v", query, r.Lines(), err)
		}
	}
}

// A statement has its time, its rows and its table; a caller who leaves ends it.
func TestLimits(t *testing.T) {
	var lines []string
	for i := range 3000 {
		lines = append(lines, fmt.Sprintf("Name: n%d;V: %d", i, i))
	}
	big := rows(lines...)
	start := time.Now()
	if _, err := big.Run(t.Context(), "select count(*) from t a, t b, t c where a.c2 + b.c2 > c.c2"); err == nil {
		t.Error("a statement without end has one")
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if r, err := big.Run(t.Context(), "select c1 from t"); err != nil || len(r.Rows) != MaxResult || !r.More {
		t.Errorf("%d rows, %v", len(r.Rows), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := big.Run(ctx, "select 1"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Any question and any cells: no error of the database, and no panic.
func FuzzPlan(f *testing.F) {
	f.Add("销售部的金额合计是多少", "部门: 销售部;金额: 5")
	f.Add("how many 'x\" over 5", "a'b: 1;c\"d: x")
	f.Fuzz(func(t *testing.T, question, line string) {
		table := rows(line, line)
		if q, ok := table.Plan(question); ok {
			r, err := table.Run(t.Context(), q.SQL, q.Args...)
			if err != nil {
				t.Fatalf("%q over %+v: %v", q.SQL, table, err)
			}
			q.Say("x", r, text.Chinese)
		}
	})
}

// What would reach beyond the table, or never end, is refused or ended in time.
func TestStatementsStayInside(t *testing.T) {
	table := Table{Columns: []Column{{Name: "a", Numbers: true}}}
	for i := range 200 {
		table.Rows = append(table.Rows, []string{fmt.Sprint(i)})
	}
	for _, query := range []string{
		`select "load_extension"('/tmp/x.so')`, `select 'load_extension' ('/tmp/x.so')`, `select load_extension('/tmp/x.so')`,
		`select "randomblob"(1000000000) from t`, `select "readfile"('/etc/passwd')`, `select name from "pragma_database_list"()`,
		`select 1; attach 'x' as y`, `with x as (select 1) select * from x`, `select writefile('/tmp/x', 'y') from t`,
		`select * from (with recursive x as (select 1 union all select 1 from x) select * from x)`,
	} {
		if r, err := table.Run(t.Context(), query); err == nil {
			t.Errorf("%s gave %+v", query, r)
		}
	}
	for _, query := range []string{
		`select count(*) from (with x as (select 1 as n union all select n+1 from x) select n from x)`,
		`select count(*) from t a, t b, t c, t d, t e where a.c1+b.c1+c.c1+d.c1+e.c1 < 0`,
	} {
		began := time.Now()
		if r, err := table.Run(t.Context(), query); err == nil || time.Since(began) > 10*time.Second {
			t.Errorf("%s: %+v, %v after %s", query, r, err, time.Since(began))
		}
	}
}
