package web_test

import (
	"fmt"
	"strings"
	"testing"

	"kaoju/internal/llm/llmtest"
)

// modules gives the parsers of Markdown as one script: parse(text) makes
// blocks, inline(text) pieces of one.
func modules(t *testing.T) string {
	t.Helper()
	read := func(name string) string {
		return strings.ReplaceAll(readAsset(t, "js/markdown/"+name), "export function", "function")
	}
	return "const parse = (() => {" + read("blocks.js") + "\nreturn parseBlocks; })(); const inline = (() => {" + read("inline.js") + "\nreturn parseInline; })();\n"
}

// TestHostileMarkdownTakesLittleTime parses lines that fit a pattern almost, in
// many ways: what they cost grows with their length and not with its square.
func TestHostileMarkdownTakesLittleTime(t *testing.T) {
	tb := openTab(t, serve(t, nil).url, look{})
	tb.open("/")
	tb.see("h1", "")
	script := modules(t)
	const n = 100_000
	blanks := strings.Repeat(" ", n)
	for name, text := range map[string]string{
		"a heading of blanks":             "# a" + blanks + "b",
		"a heading with another line end": "#" + blanks + "\u2028x",
		"a heading that closes and not":   "# a" + strings.Repeat(" #", n/2) + "b",
		"a fence of tildes":               strings.Repeat("~", n) + "`",
		"a fence of blanks":               "~~~" + blanks + "`",
		"the line below a head":           "a|b\n-" + blanks + "x",
		"the line below a head, twice":    "a|b\n-" + blanks + "-",
		"a rule that is none":             strings.Repeat("* ", n/2) + "x",
		"quotes in quotes":                strings.Repeat("> ", n/2) + "x",
		"lists in lists":                  strings.Repeat("- ", n/2) + "x",
		"columns without end":             strings.Repeat("a|", n/2) + "\n" + strings.Repeat("-|", n/2),
		"rows without end":                "a|b\n-|-\n" + strings.Repeat("1|2\n", n/4),
	} {
		ms := eval[float64](tb, "(() => {"+script+"const text = "+quote(text)+"; const t = performance.now(); parse(text); return performance.now() - t; })()")
		if ms > 1000 {
			t.Errorf("%s: %.0f ms for %d characters", name, ms, len(text))
		}
	}
	const short = 20_000 // longer paragraphs are not looked into
	for name, text := range map[string]string{
		"a link of blanks":          "[a](" + strings.Repeat(" ", short),
		"links that are none":       strings.Repeat("[a](", short/4),
		"brackets in brackets":      strings.Repeat("[", short/2) + strings.Repeat("]", short/2) + "(",
		"labels of labels":          "[" + strings.Repeat("[a]", short/3) + "](",
		"addresses in brackets":     "https://a" + strings.Repeat(")", 1990),
		"emphasis that opens":       strings.Repeat("*a ", short/3),
		"emphasis in emphasis":      strings.Repeat("*a ", short/6) + strings.Repeat("a* ", short/6),
		"code of many lengths":      strings.Repeat("`a``b```c", short/9),
		"math that opens":           strings.Repeat(`\(`, short/2),
		"dollars":                   strings.Repeat("$a ", short/3),
		"backslashes":               strings.Repeat(`\`, short),
		"addresses beside another":  strings.Repeat("https://a.b/(", short/13),
		"angles":                    strings.Repeat("<https://", short/9),
		"marks":                     strings.Repeat("[1]", short/3),
		"three signs of three ways": strings.Repeat("***a **b *c ", short/12),
	} {
		got := eval[[]float64](tb, "(() => {"+script+"const text = "+quote(text)+`; const t = performance.now(); const list = inline(text); const ms = performance.now() - t;
			let deepest = 0; const walk = (list, d) => { deepest = Math.max(deepest, d); for (const p of list) if (p.children) walk(p.children, d + 1); }; walk(list, 0); return [ms, deepest]; })()`)
		if got[0] > 500 || got[1] > 100 {
			t.Errorf("%s: %.0f ms, %.0f deep", name, got[0], got[1])
		}
	}
}

// TestMarkdownPieces reads what is easily read wrongly.
func TestMarkdownPieces(t *testing.T) {
	var rows strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&rows, "| row %d | %d |\n", i, i)
	}
	model := llmtest.StartTCP(t, says("# One ##\n\n## Two#\n\n### #\n\n~~~go title\ncode()\n~~~\n\n",
		"[a **b [c](https://inner.test) [1]** d](https://outer.test) and $\\constructor$ and $\\alpha$.\n\n",
		"| name | number |\n|---|---|\n"+rows.String()+"\nThe end", ` <ref id="c1"/>.`))
	w := serve(t, slow(model))
	w.add("default", "leave.md", handbook)
	tb := openTab(t, w.url, look{})
	tb.open("/")
	tb.ask("How many days of annual leave do staff have?")
	tb.see(".answer:not(.running) .prose", "The end")
	for script, want := range map[string]string{
		"[...document.querySelectorAll('.prose :is(h3, h4, h5)')].map((e) => e.textContent).join('|')":                                                                                   "One|Two#",
		"document.querySelector('.prose .code-head span').textContent":                                                                                                                   "go",
		"[...document.querySelectorAll('.prose a')].map((a) => `${a.href} ${a.textContent} ${a.querySelectorAll('strong').length} ${a.querySelectorAll('a, button').length}`).join('|')": "https://outer.test/ a b c [1] d 1 0",
		"[...document.querySelectorAll('.prose math')].map((e) => e.querySelector('semantics').firstElementChild.textContent).join('|')":                                                 `\constructor|α`,
	} {
		if got := eval[string](tb, script); got != want {
			t.Errorf("%s: %q, not %q", script, got, want)
		}
	}
	// All rows are there; the last ones without a table.
	if n := eval[int](tb, "document.querySelectorAll('.prose tbody tr').length"); n != 3000 {
		t.Errorf("%d rows stand in the table", n)
	}
	tb.see(".prose .long", "row 3999 | 3999")
	tb.axe(t)
}
