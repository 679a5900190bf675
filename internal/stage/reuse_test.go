package stage

import (
	"context"
	"testing"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/pipeline"
)

// The probe's list is used again under exactly four conditions: the question
// was not completed, its first wording is the question, the same bases are
// asked, and the list is long enough. Each is varied alone.
func TestReuseUnderExactlyFourConditions(t *testing.T) {
	const question = "新人入职需要完成哪些流程？"
	probed := pipeline.FAQList{Question: question, BaseIDs: []string{"a", "b"}, Capacity: faqProbeTopK}
	for _, tt := range []struct {
		name, completed string
		words, bases    []string
		capacity        int
		want            bool
	}{
		{"all four hold", "", []string{question, "入职流程"}, []string{"a", "b"}, faqTopK, true},
		{"just long enough", "", []string{question}, []string{"a", "b"}, faqProbeTopK, true},
		{"the question was completed", question + "（续）", []string{question}, []string{"a", "b"}, faqTopK, false},
		{"another wording comes first", "", []string{"入职流程", question}, []string{"a", "b"}, faqTopK, false},
		{"fewer bases", "", []string{question}, []string{"a"}, faqTopK, false},
		{"other bases", "", []string{question}, []string{"a", "c"}, faqTopK, false},
		{"more entries are wanted", "", []string{question}, []string{"a", "b"}, faqProbeTopK + 1, false},
	} {
		turn := pipeline.NewTurn(pipeline.Request{Question: question}, func(context.Context, core.Event) error { return nil }, time.Now)
		if tt.completed != "" {
			if err := turn.Understanding.Set(pipeline.Understanding{Question: tt.completed, Rewritten: true}); err != nil {
				t.Fatal(err)
			}
		}
		if got := reusable(probed, turn, tt.words, tt.bases, tt.capacity); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}
