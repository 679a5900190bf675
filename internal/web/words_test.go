package web_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var wordLine = regexp.MustCompile(`(?m)^  '?([\w.]+)'?: '((?:[^'\\]|\\.)*)',$`)

func wordsOf(t *testing.T, lang string) map[string]string {
	t.Helper()
	words := map[string]string{}
	for _, m := range wordLine.FindAllStringSubmatch(readAsset(t, "js/words/"+lang+".js"), -1) {
		if _, twice := words[m[1]]; twice {
			t.Errorf("%s: %s is there twice", lang, m[1])
		}
		words[m[1]] = m[2]
	}
	return words
}

// scripts gives the modules of the interface by name.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir("assets/js", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".js") {
			return err
		}
		body, err := os.ReadFile(path)
		out[filepath.ToSlash(path)] = string(body)
		return err
	})
	must(t, err)
	return out
}

// TestWordsAreTheSameInEveryLanguage compares keys and the values that are put
// in, and finds keys that nothing uses and words that are not there.
func TestWordsAreTheSameInEveryLanguage(t *testing.T) {
	en, zh := wordsOf(t, "en"), wordsOf(t, "zh")
	if len(en) < 100 {
		t.Fatalf("%d words were read", len(en))
	}
	gap := regexp.MustCompile(`\{\w+\}`)
	for key, text := range en {
		other, ok := zh[key]
		if !ok {
			t.Errorf("zh has no %s", key)
			continue
		}
		for _, g := range gap.FindAllString(text, -1) {
			if !strings.Contains(other, g) {
				t.Errorf("%s: zh has no %s", key, g)
			}
		}
	}
	for key := range zh {
		if _, ok := en[key]; !ok {
			t.Errorf("en has no %s", key)
		}
	}
	checkUse(t, en)
}

var (
	used    = regexp.MustCompile(`\bt\(\s*'([^']+)'|\btn\(\s*'([^']+)'|words\.t\('([^']+)'|words\.tn\('([^']+)'`)
	quoted  = regexp.MustCompile(`'([a-z][\w.]*)'`)
	pattern = regexp.MustCompile("`([a-z.]+)\\.\\$\\{")
)

// checkUse looks for the keys in the modules. A key that is put together, as
// in t(`stage.${name}`), uses all that begin with its stem.
func checkUse(t *testing.T, words map[string]string) {
	t.Helper()
	mentioned, stems := map[string]bool{}, map[string]bool{}
	for name, text := range scripts(t) {
		if strings.Contains(name, "/words/") {
			continue
		}
		for _, m := range used.FindAllStringSubmatch(text, -1) {
			key := m[1] + m[2] + m[3] + m[4]
			if words[key] == "" && words[key+".other"] == "" {
				t.Errorf("%s: there are no words for %s", name, key)
			}
		}
		for _, m := range quoted.FindAllStringSubmatch(text, -1) {
			mentioned[m[1]] = true
		}
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			stems[m[1]] = true
		}
	}
	for key := range words {
		plain := strings.TrimSuffix(strings.TrimSuffix(key, ".one"), ".other")
		stem := key[:max(0, strings.LastIndex(key, "."))]
		if !mentioned[key] && !mentioned[plain] && !stems[stem] && !stems[stem[:max(0, strings.LastIndex(stem, "."))]] {
			t.Errorf("nothing uses the words for %s", key)
		}
	}
}

// TestModulesAreSmallAndChecked holds the house rules that no linter sees.
func TestModulesAreSmallAndChecked(t *testing.T) {
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|https?://(?:[a-z])`)
	for name, text := range scripts(t) {
		if lines := strings.Count(text, "\n"); lines > 400 && !strings.Contains(name, "/words/") {
			t.Errorf("%s has %d lines", name, lines)
		}
		if !strings.HasPrefix(text, "// @ts-check\n") {
			t.Errorf("%s does not begin with // @ts-check", name)
		}
		for _, m := range forbidden.FindAllString(text, -1) {
			if !strings.HasPrefix(m, "http") || !namespace(text, m) {
				t.Errorf("%s has %s", name, m)
			}
		}
	}
}

// namespace reports whether an address is only the name of a vocabulary.
func namespace(text, address string) bool {
	at := strings.Index(text, address)
	return strings.HasPrefix(text[at:], "http://www.w3.org/")
}
