package builtin

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"kaoju/internal/llm"
	"kaoju/internal/text"
)

func rerank(t *testing.T, question string, passages ...llm.Passage) []float64 {
	t.Helper()
	scores, err := NewReranker().Rerank(t.Context(), question, passages)
	if err != nil {
		t.Fatal(err)
	}
	if len(scores) != len(passages) {
		t.Fatalf("%d scores for %d passages", len(scores), len(passages))
	}
	for _, s := range scores {
		if !(s >= 0 && s <= 1) {
			t.Fatalf("a score lies outside [0,1]: %v", scores)
		}
	}
	return scores
}

func texts(ss ...string) []llm.Passage {
	out := make([]llm.Passage, len(ss))
	for i, s := range ss {
		out[i].Text = s
	}
	return out
}

// Each case lists passages from the best to the worst.
func TestRerankOrder(t *testing.T) {
	tests := []struct {
		name, question string
		passages       []llm.Passage
	}{
		{"more of the question", "domestic flight booking deadline", texts(
			"The booking deadline for a domestic flight is 14 days.", "A domestic flight needs approval.", "Nothing of this.")},
		{"side by side before far apart", "credit card limit", texts(
			"The credit card limit is 500.", "A limit applies. Credit is given where a card was shown.")},
		{"words of one root", "How do I activate my account?", texts(
			"Activation of accounts takes a day.", "Deletion of documents takes a day.")},
		{"the number that was asked for", "error 4711 in module A", texts(
			"Error 4711 means that the module is cold.", "Error 4712 means that the module is hot.")},
		{"function words count little", "what is the warranty of the pump", texts(
			"Pump: warranty two years.", "This is what the use of the tool is for, and the way of the thing.")},
		{"a title that is the question", "What is a coronavirus?", []llm.Passage{
			{Title: "What is a coronavirus?", Text: "A family of viruses."},
			{Title: "How does a coronavirus spread from what is touched?", Text: "A family of viruses."}}},
		{"headings count like titles", "annual leave", []llm.Passage{
			{Title: "Handbook", Headings: []string{"Annual leave"}, Text: "15 days."},
			{Title: "Handbook", Headings: []string{"Sick pay"}, Text: "15 days."}}},
		{"Chinese pairs before characters", "差旅报销期限", texts(
			"差旅费的报销期限为三十天。", "销售差额按期上报，旅客限乘。", "今天天气很好。")},
		{"traditional and wide forms", "ＷＩＦＩ密码是多少", texts("訪客wifi密碼貼在前臺。", "訪客請在前臺登記。")},
		{"mixed scripts", "iPhone 15 保修多久", texts("iPhone 15 保修一年。", "iPhone 14 保修一年。", "电视保修三年。")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			scores := rerank(t, tt.question, tt.passages...)
			for i := 1; i < len(scores); i++ {
				if scores[i] >= scores[i-1] {
					t.Fatalf("passage %d is not below passage %d: %.3f", i, i-1, scores)
				}
			}
		})
	}
}

func TestRerankWeighsRareWordsMore(t *testing.T) {
	scores := rerank(t, "Which employee handles the zeppelin?", texts(
		"The zeppelin is in hangar two.", "The employee is in hangar two.",
		"The employee has a badge.", "The employee parks outside.")...)
	if scores[0] < 1.2*scores[1] {
		t.Errorf("one of four has the zeppelin, three the employee: %.3f", scores)
	}
}

func TestRerankScale(t *testing.T) {
	good := rerank(t, "How long is the warranty of the pump?", llm.Passage{
		Title: "Warranty of the pump", Text: "The warranty of the pump is two years."})[0]
	none := rerank(t, "How long is the warranty of the pump?", llm.Passage{
		Title: "Menu", Text: "Soup, bread, salad."})[0]
	if good < .45 || none > .05 {
		t.Errorf("a full answer scores %.3f, an unrelated passage %.3f", good, none)
	}
}

func TestRerankOddInput(t *testing.T) {
	long := strings.Repeat("水泵 pump 4711. ", 5000)
	for _, question := range []string{"", "   ", "？！", "\xff\xfe", "的", "a", long} {
		rerank(t, question, texts("", "\xff", "？", "水泵 pump 4711", long)...)
	}
	if got := rerank(t, "question"); len(got) != 0 {
		t.Errorf("no passages gave %v", got)
	}
	if got := rerank(t, "。", texts("text")...); got[0] != 0 {
		t.Errorf("a question without words gave %v", got)
	}
}

func TestRerankIsDeterministic(t *testing.T) {
	ps := texts("The booking deadline is 14 days.", "预订期限为十四天。", "Flights and bookings.")
	first := rerank(t, "booking deadline 预订期限", ps...)
	for range 5 {
		if again := rerank(t, "booking deadline 预订期限", ps...); !slices.Equal(first, again) {
			t.Fatalf("%v, then %v", first, again)
		}
	}
}

func TestRerankStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewReranker().Rerank(ctx, "q", texts("p")); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

// The short way must give the atoms of the long one.
func TestNormalizedGivesTheSameAtoms(t *testing.T) {
	atoms := func(s string) (out []string) {
		eachAtom(s, func(from, to int, _ bool) { out = append(out, s[from:to]) }, func() { out = append(out, "|") })
		return out
	}
	for _, s := range []string{
		"Book a FLIGHT; now! e.g. v2.3", "訪客WIFI密碼：貼在「前臺」！真的？", "保修“两年”—不含·电池；", "Ｗｉｆｉ １２３", "naïve Café ½ ℃",
		"（一）总则，共３章", "\u3000全角　空格", "",
	} {
		if got, want := atoms(normalized(s)), atoms(text.Normalize(s)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestRootsMeet(t *testing.T) {
	groups := [][]string{
		{"activate", "activates", "activated", "activating", "activation", "activations"},
		{"transfer", "transfers", "transferred", "transferring"},
		{"country", "countries"}, {"card", "cards"}, {"book", "booked", "booking", "bookings"},
		{"policy", "policies"}, {"payment", "payments"},
	}
	for _, g := range groups {
		for _, w := range g[1:] {
			if rootOf(w) != rootOf(g[0]) {
				t.Errorf("rootOf(%q) = %q, rootOf(%q) = %q", w, rootOf(w), g[0], rootOf(g[0]))
			}
		}
	}
	for _, pair := range [][2]string{{"car", "card"}, {"pass", "past"}, {"bus", "but"}, {"sing", "sign"}, {"ring", "red"}} {
		if rootOf(pair[0]) == rootOf(pair[1]) {
			t.Errorf("%q and %q meet in %q", pair[0], pair[1], rootOf(pair[0]))
		}
	}
}

func FuzzRerank(f *testing.F) {
	f.Add("How long is the warranty?", "Warranty", "Two years. 保修两年。")
	f.Add("水泵 4711", "", "\xff\x00水")
	f.Fuzz(func(t *testing.T, question, title, body string) {
		rerank(t, question, llm.Passage{Title: title, Text: body}, llm.Passage{Text: question})
	})
}
