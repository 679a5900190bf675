package web_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	toldLine  = regexp.MustCompile(`(?m)^  \['((?:[^'\\]|\\.)*)', '`)
	faqErrors = regexp.MustCompile(`(?:core\.Errorf\(core\.Code\w+, |CodeConflict, true, (?:fmt\.Sprintf\()?)"((?:[^"\\]|\\.)*)"`)
	verb      = regexp.MustCompile(`%[dqsv]|\{\w+\}`)
)

// TestErrorsOfFAQsAreInChinese compares what the server says about files of
// questions and answers with what the pages have words for.
func TestErrorsOfFAQsAreInChinese(t *testing.T) {
	known := map[string]bool{}
	for _, m := range toldLine.FindAllStringSubmatch(readAsset(t, "js/words/server.zh.js"), -1) {
		known[verb.ReplaceAllString(m[1], "…")] = true
	}
	files, err := filepath.Glob("../knowledge/faq*.go")
	must(t, err)
	said := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		must(t, err)
		for _, m := range faqErrors.FindAllStringSubmatch(string(source), -1) {
			said++
			if !known[verb.ReplaceAllString(m[1], "…")] {
				t.Errorf("%s: there is no Chinese for %q", name, m[1])
			}
		}
	}
	if said < 20 {
		t.Errorf("%d sentences were read", said)
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
		"documents; a question of knowledge: variants are allowed":                                        "文档；知识类问题：可用其他说法检索",
		"documents; the question is short: a standard answer needs 0.78; troubleshooting: more passages":  "文档；问题很短：标准答案需要 0.78；排障：多取段落",
		"6 of 10 passages, 1161 characters":                                                               "10 个段落中的 6 个，共 1161 字",
		"none reaches 0.10; the best is kept":                                                             "没有达到 0.10 的；保留最好的一个",
		"knowledge_query 0.84: strong_knowledge_rule":                                                     "知识问题 0.84：明显是知识问题",
		"there are at most 50 tags":                                                                       "标签最多 50 个",
		"the file is cut off or damaged (a broken zip container); get a fresh copy: zip: not a valid zip": "文件不完整或已损坏，请重新获取",
		"something new of the server's; with a semicolon":                                                 "something new of the server's; with a semicolon",
	} {
		script := "(() => {" + modules + "\nreturn createTold(list)(" + quote(said) + "); })()"
		if got := eval[string](tb, script); got != want {
			t.Errorf("%q became %q, not %q", said, got, want)
		}
	}
}
