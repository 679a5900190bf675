package chunk_test

import (
	"slices"
	"strings"
	"testing"

	"kaoju/internal/chunk"
	"kaoju/internal/core"
)

// Running text is cut behind the first separator that it has, what is longer
// than a child behind the next, and what none of them cuts at its sentences.
func TestSeparators(t *testing.T) {
	clause := strings.Repeat("甲方应当按期付款。", 3)
	tests := []struct {
		name, text string
		separators []string
		want       []string
	}{
		{"the first that is there", "一、" + clause + "###二、" + clause + "###三、" + clause, []string{"@@", "###"},
			[]string{"一、" + clause + "###", "二、" + clause + "###", "三、" + clause}},
		{"the next in what is too long", clause + "；" + clause + "###短。", []string{"###", "；"}, []string{clause + "；", clause + "###短。"}},
		{"none of them", clause + clause, []string{"###"}, []string{clause + "甲方应当按期付款。", "甲方应当按期付款。甲方应当按期付款。"}},
		{"line breaks", "第一条 " + clause + "\n第二条 " + clause, []string{"\n"}, []string{"第一条 " + clause, "第二条 " + clause}},
		{"pieces that fit share a child", "甲；乙；丙", []string{"；"}, []string{"甲；乙；丙"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := contents(split(t, "a.txt", tt.text, chunk.Settings{Child: 38, Overlap: -1, Separators: tt.separators}))
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

const sections = "# 制度\n\n## 请假\n\n年假五天。\n\n### 病假\n\n病假须附证明。\n\n## 报销\n\n三十天内提交。\n"

// Headings down to a level part children; a child of several sections stands
// below what they share, and no heading is left at the end of one.
func TestHeadingLevel(t *testing.T) {
	tests := []struct {
		name  string
		level int
		want  []string
		paths []string
	}{
		{"all", 0, []string{"制度\n\n请假\n\n年假五天。", "病假\n\n病假须附证明。", "报销\n\n三十天内提交。"}, []string{"制度/请假", "制度/请假/病假", "制度/报销"}},
		{"down to the second", 2, []string{"制度\n\n请假\n\n年假五天。\n\n病假\n\n病假须附证明。", "报销\n\n三十天内提交。"}, []string{"制度/请假", "制度/报销"}},
		{"none", -1, []string{"制度\n\n请假\n\n年假五天。\n\n病假\n\n病假须附证明。\n\n报销\n\n三十天内提交。"}, []string{"制度"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := split(t, "a.md", sections, chunk.Settings{HeadingLevel: tt.level})
			var paths []string
			for _, p := range out.Children {
				paths = append(paths, strings.Join(p.Chunk.Headings, "/"))
			}
			if got := contents(out); !slices.Equal(got, tt.want) || !slices.Equal(paths, tt.paths) {
				t.Errorf("got %q below %q", got, paths)
			}
		})
	}
	for _, c := range contents(split(t, "a.md", sections, chunk.Settings{HeadingLevel: -1, Child: 16, Overlap: -1})) {
		if lines := strings.Split(c, "\n"); slices.Contains([]string{"制度", "请假", "病假", "报销"}, lines[len(lines)-1]) {
			t.Errorf("a child ends with a heading: %q", c)
		}
	}
}

// Rows of a table are children of their own, or share one, as the settings say.
func TestRowsOfTables(t *testing.T) {
	table := "说明如下。\n\n| 型号 | 价格 |\n|---|---|\n| A1 | 100 |\n| A2 | 200 |\n"
	list := "型号,价格\nA1,100\nA2,200\n"
	tests := []struct {
		name, file, text string
		rows             chunk.Rows
		want             []string
	}{
		{"a table in a document", "a.md", table, chunk.RowsOfData, []string{"说明如下。\n\n| 型号 | 价格 |\n| --- | --- |\n| A1 | 100 |\n| A2 | 200 |"}},
		{"by row", "a.md", table, chunk.RowsOfAll, []string{"说明如下。", "型号: A1\n价格: 100", "型号: A2\n价格: 200"}},
		{"a list", "a.csv", list, chunk.RowsOfData, []string{"型号: A1\n价格: 100", "型号: A2\n价格: 200"}},
		{"a list that is not cut by row", "a.csv", list, chunk.RowsOfNone, []string{"| 型号 | 价格 |\n| --- | --- |\n| A1 | 100 |\n| A2 | 200 |"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := split(t, tt.file, tt.text, chunk.Settings{Rows: tt.rows})
			if got := contents(out); !slices.Equal(got, tt.want) {
				t.Errorf("got %q", got)
			}
			for _, p := range out.Children {
				if row := strings.HasPrefix(p.Chunk.Content, "型号: "); row != (p.Chunk.Type == core.ChunkTableRow) {
					t.Errorf("%q is of type %s", p.Chunk.Content, p.Chunk.Type)
				}
			}
		})
	}
}
