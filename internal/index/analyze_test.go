package index

import (
	"slices"
	"testing"
)

func weightOf(terms []Term, text string) float32 {
	for _, t := range terms {
		if t.Text == text {
			return t.Weight
		}
	}
	return 0
}

func TestAnalyzeAddsUpFields(t *testing.T) {
	w := Weights{Title: 4, Heading: 2, Body: 1, Part: .5}
	terms := w.Analyze("Pump manual", []string{"Pump", "Valve"}, "The pump has one valve. QTR-7310")
	for text, want := range map[string]float32{"pump": 7, "valv": 3, "qtr7310": 1, "qtr": .5, "7310": .5} {
		if got := weightOf(terms, text); got != want {
			t.Errorf("%s weighs %v, want %v (all: %v)", text, got, want, terms)
		}
	}
	seen := map[string]bool{}
	for _, term := range terms {
		if seen[term.Text] {
			t.Errorf("%s occurs twice", term.Text)
		}
		seen[term.Text] = true
	}
	w.Title = 0
	if got := weightOf(w.Analyze("Pump", nil, "valve"), "pump"); got != 0 {
		t.Errorf("a field without weight gave a term of weight %v", got)
	}
}

func TestQueryTerms(t *testing.T) {
	// A term that is there counts fully or as a part, a stop word hardly.
	has := func(terms []QueryTerm, text string) bool {
		return slices.ContainsFunc(terms, func(q QueryTerm) bool { return q.Text == text && q.Weight > .4 })
	}
	for _, c := range []struct {
		question string
		with     []string
		without  []string
	}{
		{"QTR-7310 的额定电压是多少？", []string{"qtr7310", "qtr", "7310", "额定", "电压"}, []string{"的", "是", "多少"}},
		{"what is the retry policy", []string{"retri", "polici"}, []string{"what", "is", "the"}},
		{"who are you", []string{"who"}, nil}, // stop words only: better than nothing
		{"的", []string{"的"}, nil},
		{"C++ vs foo:bar 100% \"a OR b\" (未闭合", []string{"c++", "foo", "bar", "100%"}, []string{"(", "\""}},
		{"", nil, nil},
		{" \x00\xff!? ", nil, nil},
	} {
		terms := QueryTerms(c.question)
		for _, text := range c.with {
			if !has(terms, text) {
				t.Errorf("%q lacks %q: %v", c.question, text, terms)
			}
		}
		for _, text := range c.without {
			if has(terms, text) {
				t.Errorf("%q has %q: %v", c.question, text, terms)
			}
		}
		if c.with == nil && len(terms) > 0 {
			t.Errorf("%q gives %v, want nothing", c.question, terms)
		}
	}
}

// TestQueryTermsGroups: parts stand in the group of their whole and weigh
// less; different words have groups of their own.
func TestQueryTermsGroups(t *testing.T) {
	terms := QueryTerms("GB/T 28181-2016 pump pump")
	group := map[string]int{}
	weight := map[string]float32{}
	for _, q := range terms {
		if _, again := group[q.Text]; again {
			t.Errorf("%s occurs twice in %v", q.Text, terms)
		}
		group[q.Text], weight[q.Text] = q.Group, q.Weight
	}
	if group["28181"] != group["gbt281812016"] || group["pump"] == group["28181"] {
		t.Errorf("groups %v", group)
	}
	if weight["gbt281812016"] != 1 || weight["28181"] >= 1 || weight["pump"] != 1 {
		t.Errorf("weights %v", weight)
	}
}

// TestStopWordsCanBeLeftOut: without a weight they are, unless nothing else is
// there.
func TestStopWordsCanBeLeftOut(t *testing.T) {
	w := DefaultWeights()
	w.QueryStop, w.QueryForeign = 0, 0
	if terms := w.QueryTerms("what is the pump"); len(terms) != 1 || terms[0].Text != "pump" {
		t.Errorf("terms %v, want the pump alone", terms)
	}
	if terms := w.QueryTerms("who is it"); len(terms) != 3 || terms[0].Weight != 1 {
		t.Errorf("terms %v, want all three words", terms)
	}
}
