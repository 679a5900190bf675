package parse

import (
	"strings"
	"testing"
	"time"
)

// Marks of emphasis that never close took the Markdown parser minutes, which no
// limit of time could end. They are text then, and nothing of it is lost.
func TestMarksOfEmphasisWithoutEnd(t *testing.T) {
	for _, part := range []string{"_a*", "*a_", "~~a*", "**a_", "***a _b"} {
		source := "# Title\n\n" + strings.Repeat(part, 200_000/len(part)) + "\n\nThe **end**."
		start := time.Now()
		doc, err := New(nil).ReadAs(t.Context(), FormatMarkdown, Input{Name: "a.md", Data: []byte(source)})
		if took := time.Since(start); err != nil || took > 15*time.Second {
			t.Fatalf("%s: %s, %v", part, took, err)
		}
		if body := doc.Text(); strings.Count(body, "a") < 200_000/len(part) || !strings.HasPrefix(body, "Title") || !strings.Contains(body, "end") {
			t.Errorf("%s became %d bytes", part, len(body))
		}
	}
	doc, err := New(nil).ReadAs(t.Context(), FormatMarkdown, Input{Name: "a.md", Data: []byte("The **end**.")})
	if err != nil || doc.Text() != "The end." {
		t.Errorf("%q, %v", doc.Text(), err)
	}
}
