package web_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	word     = regexp.MustCompile(`[A-Za-z]{2}`)
	toldLine = regexp.MustCompile(`(?m)^  \[(?:'((?:[^'\\]|\\.)*)'|"([^"]*)"), '`)
	verb     = regexp.MustCompile(`/api/v1[\w/%-]*|https://\S+|%[.\d]*[dqsvgf]|\{\w+\}`)
)

// saying is a sentence of the server's source, with … for what is put in.
type saying struct{ file, text string }

// sayings gives what a package and those below it say to people: the messages
// of errors, and the warnings of documents.
func sayings(t *testing.T, root string) []saying {
	t.Helper()
	var out []saying
	must(t, filepath.WalkDir(root, func(name string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "test/") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			for _, e := range saidBy(n) {
				text := verb.ReplaceAllString(wordsIn(e), "…")
				if word.MatchString(text) { // not names and pieces alone
					out = append(out, saying{name, text})
				}
			}
			return true
		})
		return nil
	}))
	return out
}

// saidBy gives the expressions in a node that people read.
func saidBy(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.CallExpr:
		return saidByCall(n)
	case *ast.KeyValueExpr:
		key, _ := n.Key.(*ast.Ident)
		if list, ok := n.Value.(*ast.CompositeLit); ok && key != nil && key.Name == "Warnings" {
			return list.Elts
		}
	case *ast.AssignStmt:
		if list, ok := n.Rhs[0].(*ast.CompositeLit); ok && endsIn(n.Lhs[0], "Warnings") {
			return list.Elts
		}
	}
	return nil
}

func saidByCall(call *ast.CallExpr) []ast.Expr {
	switch {
	case isCore(call.Fun, "Errorf") && len(call.Args) > 1:
		return call.Args[1:2]
	case isCore(call.Fun, "Wrap") && len(call.Args) > 2:
		return call.Args[2:3]
	case isWarn(call.Fun):
		return call.Args
	case endsIn(call.Fun, "append") && len(call.Args) > 1 && endsIn(call.Args[0], "warnings"):
		return call.Args[1:]
	}
	return nil
}

// isWarn reports whether a function keeps a warning; Warn is a logger's.
func isWarn(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "warn"
}

// isCore reports whether an expression is a function of core.
func isCore(e ast.Expr, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == "core"
}

// endsIn reports whether an expression is a name, or a field of the name.
func endsIn(e ast.Expr, name string) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return strings.EqualFold(e.Name, name)
	case *ast.SelectorExpr:
		return strings.EqualFold(e.Sel.Name, name)
	}
	return false
}

// wordsIn gives the constant words of an expression, with %v between them.
func wordsIn(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil {
			return s
		}
	case *ast.BinaryExpr:
		return wordsIn(e.X) + wordsIn(e.Y)
	case *ast.CallExpr:
		if endsIn(e.Fun, "Sprintf") {
			return wordsIn(e.Args[0])
		}
	}
	return "%v"
}

// TestWhatTheServerSaysIsInChinese compares what the server says about files,
// pages that it fetches, bases, conversations and wikis, in its source, with
// what the pages have words for: a sentence that is new needs Chinese.
func TestWhatTheServerSaysIsInChinese(t *testing.T) {
	known := map[string]bool{}
	for _, m := range toldLine.FindAllStringSubmatch(readAsset(t, "js/words/server.zh.js"), -1) {
		text := m[1] + m[2]
		known[verb.ReplaceAllString(strings.ReplaceAll(text, `\'`, "'"), "…")] = true
	}
	for _, tc := range []struct {
		root  string
		least int // sentences, so that none is overlooked
	}{{"../parse", 90}, {"../ingest", 3}, {"../fetch", 13}, {"../knowledge", 60}, {"../chat", 15}, {"../enrich", 8}, {"../wiki", 30}} {
		said := sayings(t, tc.root)
		if len(said) < tc.least {
			t.Errorf("%d sentences of %s were read", len(said), tc.root)
		}
		for _, s := range said {
			if !known[s.text] {
				t.Errorf("%s: there is no Chinese for %q", s.file, s.text)
			}
		}
	}
}

// TestSentencesOfTheServerInChinese puts what stands in the gaps where it
// belongs, sentence by sentence.
func TestSentencesOfTheServerInChinese(t *testing.T) {
	tb := openTab(t, serve(t, nil).url, look{lang: "zh"})
	tb.open("/")
	// Browsers have the modules joined; here the two are joined by hand.
	modules := strings.Replace(readAsset(t, "js/told.js"), "export function", "function", 1) +
		strings.Replace(readAsset(t, "js/words/server.zh.js"), "export default", "const list =", 1)
	for said, want := range map[string]string{
		"documents; a question of knowledge: variants are allowed":                                                     "文档；知识类问题：可用其他说法检索",
		"documents; the question is short: a standard answer needs 0.78; troubleshooting: more passages":               "文档；问题很短：标准答案需要 0.78；排障：多取段落",
		"6 of 10 passages, 1161 characters":                                                                            "10 个段落中的 6 个，共 1161 字",
		"none reaches 0.10; the best is kept":                                                                          "没有达到 0.10 的；保留最好的一个",
		"knowledge_query 0.84: strong_knowledge_rule":                                                                  "知识问题 0.84：明显是知识问题",
		"there are at most 50 tags":                                                                                    "标签最多 50 个",
		"the file is cut off or damaged (a broken zip container); get a fresh copy":                                    "文件不完整或已损坏（压缩容器有误），请重新获取",
		"notes/a.txt was left out: it is damaged":                                                                      "略去了 notes/a.txt：它已损坏",
		"book.zip: the attachment plan.xyz was left out: this is an OpenDocument file; save it as .docx, .xlsx or PDF": "book.zip：略去了附件 plan.xyz：这是 OpenDocument 文件，请另存为 .docx, .xlsx or PDF",
		"the file has 30.1 MiB; the limit is 20.0 MiB":                                                                 "文件大小为 30.1 MiB，上限是 20.0 MiB",
		"something new of the server's; with a semicolon":                                                              "something new of the server's; with a semicolon",
	} {
		script := "(() => {" + modules + "\nreturn createTold(list)(" + quote(said) + "); })()"
		if got := eval[string](tb, script); got != want {
			t.Errorf("%q became %q, not %q", said, got, want)
		}
	}
}
