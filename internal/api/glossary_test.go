package api_test

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"

	"kaoju/internal/core"
)

func TestGlossary(t *testing.T) {
	const path = "/api/v1/knowledge-bases/default/glossary"
	w := open(t)
	if g := get[core.Glossary](t, w, "GET", path, ""); g.Revision != 0 || g.Entries == nil || len(g.Entries) != 0 {
		t.Errorf("the first is %+v", g)
	}
	g := get[core.Glossary](t, w, "PUT", path, `{"entries":[{"term":"考据","synonyms":["KJ"],"translations":["Kaoju"]},{"term":"a b","split":true}]}`)
	if g.Revision != 1 || len(g.Entries) != 2 || !g.Pending {
		t.Errorf("stored %+v", g)
	}
	const table = "term,synonyms,translations,split\n考据,KJ,Kaoju,\na b,,,yes\n"
	resp, body := w.send(t, "GET", path, "", "Accept", "text/csv")
	if body != table || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/csv") {
		t.Errorf("%s: %q", resp.Header.Get("Content-Type"), body)
	}
	gbk, err := simplifiedchinese.GBK.NewEncoder().String("术语,同义词\n年休假制度,年假制度；带薪假制度\n报销单据,\n")
	if err != nil {
		t.Fatal(err)
	}
	resp, body = w.send(t, "PUT", path, gbk, "Content-Type", "text/csv")
	if resp.StatusCode != 200 || !strings.Contains(body, `"revision":2`) || !strings.Contains(body, "带薪假制度") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	for _, c := range []struct{ media, body, want string }{
		{"text/csv", "term,split\na,perhaps\n\n,x\n", "line 2: split is yes or no"},
		{"text/csv", "word1,word2\n", "line 1"},
		{"application/json", `{"entries":[{"term":"a"},{"term":""}]}`, "entry 2: the term is missing"},
		{"application/json", `{"entries":[{"term":1}]}`, "cannot be read as JSON"},
		{"application/json", `{"entires":[]}`, "entires"},
		{"application/json", `{}`, "an empty list removes it"},
		{"image/png", "x", "text/csv"},
	} {
		resp, body := w.send(t, "PUT", path, c.body, "Content-Type", c.media)
		if resp.StatusCode != 422 && resp.StatusCode != 400 || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s", c.body, resp.StatusCode, body)
		}
	}
	if g := get[core.Glossary](t, w, "GET", path, ""); g.Revision != 2 {
		t.Errorf("what was refused changed it to %+v", g)
	}
	if g := get[core.Glossary](t, w, "PUT", path, `{"entries":[]}`); g.Revision != 3 || len(g.Entries) != 0 {
		t.Errorf("emptied: %+v", g)
	}
}
