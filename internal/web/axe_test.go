package web_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// violation is a rule of accessibility that a page breaks.
type violation struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// axe checks what the tab shows against all rules of axe-core, the ones of
// best practice too.
func (tb *tab) axe(t *testing.T) {
	t.Helper()
	if !eval[bool](tb, "typeof axe === 'object'") {
		source, err := os.ReadFile(filepath.Join("testdata", "axe.min.js"))
		must(t, err)
		eval[bool](tb, string(source)+"\n;true")
	}
	text := eval[string](tb, "axe.run(document, { resultTypes: ['violations'] }).then((r) => JSON.stringify(r.violations))")
	var found []violation
	must(t, json.Unmarshal([]byte(text), &found))
	for _, v := range found {
		for _, n := range v.Nodes {
			t.Errorf("%s: %s: %s\n%s", v.ID, v.Help, n.HTML, n.Summary)
		}
	}
}
