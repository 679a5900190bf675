package wiki_test

import (
	"strings"
	"testing"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/wiki"
)

// Long pages that parsers do not like are saved within seconds.
func TestHostilePagesAreSavedSoon(t *testing.T) {
	d := newDesk(t)
	for name, part := range map[string]string{
		"open": "[[a", "ticks": "`a", "bars": "[[a|", "brackets": "[", "stars": "*a ", "quotes": "> ", "lists": "- ", "html": "<a ", "tables": "|a|\n|-|\n", "images": "![", "links": "[a](", "entities": "&amp", "underscores": "_a*",
	} {
		start := time.Now()
		_, err := d.Create(t.Context(), core.OwnerScope(), d.base.ID, wiki.Draft{Slug: name, Content: strings.Repeat(part, wiki.MaxContent/5/len(part))})
		if took := time.Since(start); err != nil || took > 20*time.Second {
			t.Errorf("%s: %s, %v", name, took, err)
		}
	}
}
