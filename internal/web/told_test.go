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
