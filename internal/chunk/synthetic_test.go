package chunk_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"kaoju/internal/chunk"
	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// randomDocument makes a document of every kind of block, as readers make
// them: paged, with sheets, with several header rows, with ragged and blank
// rows.
func randomDocument(r *rand.Rand) parse.Document {
	words := func(n int) string {
		var b strings.Builder
		for range r.IntN(n) + 1 {
			b.WriteString([]string{"退货", "七天。", "word ", "price, ", "是吗？", "\n", "说明：", "x"}[r.IntN(8)])
		}
		return strings.TrimSpace(b.String()) + "完"
	}
	doc := parse.Document{Format: []string{"text", "xlsx", "pdf"}[r.IntN(3)]}
	for i := range r.IntN(12) + 1 {
		kinds := []parse.Kind{parse.Heading, parse.Paragraph, parse.List, parse.Table, parse.Code, parse.Formula, parse.Quote}
		b := parse.Block{Kind: kinds[r.IntN(len(kinds))], Level: r.IntN(6) + 1, Page: i/3 + 1, Text: words(80)}
		if b.Kind == parse.Table {
			rows := make([][]string, r.IntN(9)+1)
			for j := range rows {
				for range r.IntN(4) + 1 {
					rows[j] = append(rows[j], []string{"", words(3), words(30)}[r.IntN(3)])
				}
			}
			rows[0][0] = "首"
			b = parse.NewTable(rows, r.IntN(len(rows)+1), r.IntN(20))
			b.Sheet = []string{"", "表一"}[r.IntN(2)]
		}
		doc.Blocks = append(doc.Blocks, b)
	}
	return doc
}

// The invariants hold for whatever a reader can make, at every size.
func TestInvariantsOfRandomDocuments(t *testing.T) {
	for seed := range uint64(800) {
		r := rand.New(rand.NewPCG(seed, 1))
		doc := randomDocument(r)
		s := chunk.Settings{Child: r.IntN(300) + 1, Overlap: r.IntN(80) - 1, Parent: r.IntN(1200) + 1}
		if seed%2 == 1 {
			s.Separators = [][]string{nil, {"\n", "。"}, {", ", "x"}}[r.IntN(3)]
			s.HeadingLevel, s.Rows = r.IntN(8)-1, chunk.Rows(r.IntN(3))
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) { checkInvariants(t, doc, chunk.Split(doc, s), s) })
	}
}

// Pages, sheets and rows come from the blocks.
func TestPlaces(t *testing.T) {
	table := parse.NewTable([][]string{{"合同", "合同"}, {"编号", "金额"}, {"A1", "100"}, {"A2", ""}}, 2, 5)
	table.Sheet = "明细"
	doc := parse.Document{Format: "xlsx", Blocks: []parse.Block{
		{Kind: parse.Heading, Level: 1, Text: "明细", Sheet: "明细"},
		table,
	}}
	out := chunk.Split(doc, chunk.Settings{})
	if len(out.Children) != 2 {
		t.Fatalf("got %q", contents(out))
	}
	c := out.Children[0].Chunk
	if c.Content != "合同 / 编号: A1\n合同 / 金额: 100" || c.Row != 7 || c.Sheet != "明细" || c.Start != 0 || c.Type != core.ChunkTableRow {
		t.Errorf("got %+v", c)
	}
	if c := out.Children[1].Chunk; c.Content != "合同 / 编号: A2" || c.Row != 8 || !slices.Equal(c.Headings, []string{"明细"}) {
		t.Errorf("got %+v", c)
	}
	paged := parse.Document{Format: "pdf", Blocks: []parse.Block{
		{Kind: parse.Heading, Level: 1, Text: "甲", Page: 1},
		{Kind: parse.Paragraph, Text: "文字。", Page: 2},
		{Kind: parse.Heading, Level: 1, Text: "乙", Page: 3},
		{Kind: parse.Paragraph, Text: "更多。", Page: 3},
	}}
	out = chunk.Split(paged, chunk.Settings{})
	if out.Children[0].Chunk.Page != 1 || out.Children[1].Chunk.Page != 3 || out.Parents[1].Page != 3 {
		t.Errorf("pages %d, %d", out.Children[0].Chunk.Page, out.Children[1].Chunk.Page)
	}
}

// A code block or list that fits into a child is not cut for the sake of
// what stands before it.
func TestBlocksThatFitAreWhole(t *testing.T) {
	code := "```sh\n" + strings.Repeat("docker compose up -d service\n", 8) + "```"
	out := split(t, "a.md", "# 部署\n\n"+strings.Repeat("前面还有一些说明文字。", 25)+"\n\n按如下方式执行：\n\n"+code+"\n", chunk.Settings{})
	whole := slices.ContainsFunc(contents(out), func(c string) bool {
		return strings.Count(c, "docker compose") == 8 && strings.Contains(c, "按如下方式执行：")
	})
	if !whole {
		t.Errorf("got %q", contents(out))
	}
}

// A monstrous cell is cut; its pieces share a row and a parent.
func TestMonstrousRow(t *testing.T) {
	out := split(t, "a.csv", "问题,答案\n怎么退货,"+strings.Repeat("先联系客服再寄回商品。", 1000)+"\n", chunk.Settings{})
	if len(out.Children) < 3 || len(out.Parents) != 1 {
		t.Fatalf("%d children in %d parents", len(out.Children), len(out.Parents))
	}
	for _, p := range out.Children {
		if p.Chunk.Row != 2 || len([]rune(p.Chunk.Content)) > 4100 {
			t.Errorf("row %d, %d characters", p.Chunk.Row, len([]rune(p.Chunk.Content)))
		}
	}
}
