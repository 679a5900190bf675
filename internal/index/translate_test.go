package index

import (
	"slices"
	"strings"
	"testing"
)

// foreign gives the translations in the terms of a question.
func foreign(question string) []QueryTerm {
	return slices.DeleteFunc(QueryTerms(question), func(t QueryTerm) bool { return !t.Foreign })
}

func TestQueryTermsHoldTranslations(t *testing.T) {
	for _, c := range []struct{ question, translations string }{
		{"大学的图书馆几点关门", "universiti librari close"},
		{"内燃机的发明者", "internal combustion engin inventor"},
		{"when does the library close", "图书馆"},
		{"who invented the internal combustion engine", "内燃机"},
		{"United Nations headquarters", "联合国 总部"},
	} {
		got := foreign(c.question)
		for _, want := range strings.Fields(c.translations) {
			if !slices.ContainsFunc(got, func(q QueryTerm) bool { return q.Text == want }) {
				t.Errorf("%q lacks %q: %v", c.question, want, got)
			}
		}
	}
}

// TestTranslationsStandInTheirWordsGroup: so that a passage with both is paid
// once; and they weigh less, and are not many.
func TestTranslationsStandInTheirWordsGroup(t *testing.T) {
	terms := QueryTerms("library library")
	count := map[QueryTerm]int{}
	for _, q := range terms {
		if q.Foreign && (q.Group%apart != terms[0].Group || q.Weight >= terms[0].Weight || q.Weight <= 0) {
			t.Errorf("%+v beside %+v", q, terms[0])
		}
		count[QueryTerm{Text: q.Text, Group: q.Group}]++
	}
	for key, n := range count {
		if n > 1 {
			t.Errorf("%q comes %d times in group %d", key.Text, n, key.Group)
		}
	}
	if n := len(terms); n < 2 || n > 1+2*maxOptions {
		t.Errorf("%d terms for one word: %v", n, terms)
	}
}

func TestWhatIsNotTranslated(t *testing.T) {
	for _, question := range []string{"", "QTR-7310", "28181-2016", "的", "what is it", "\xff\x00", "xyzzyplugh"} {
		if got := foreign(question); len(got) > 0 {
			t.Errorf("%q gives %v", question, got)
		}
	}
	w := DefaultWeights()
	w.QueryForeign = 0
	if terms := w.QueryTerms("library"); len(terms) != 1 {
		t.Errorf("switched off, it still gives %v", terms)
	}
}

// TestManyWordsStayFew: a long question in either language asks for a bounded
// number of terms a word.
func TestManyWordsStayFew(t *testing.T) {
	for _, question := range []string{
		strings.Repeat("how many points did the defense surrender ", 100),
		strings.Repeat("黑豹队的防守丢了多少分", 100),
	} {
		if n := len(QueryTerms(question)); n > 400 {
			t.Errorf("%d terms for %.30q…", n, question)
		}
	}
}

func BenchmarkQueryTerms(b *testing.B) {
	for name, question := range map[string]string{
		"zh": "黑豹队的防守在2015年的超级碗比赛中丢了多少分？",
		"en": "How many points did the Panthers defense surrender in the Super Bowl of 2015?",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				QueryTerms(question)
			}
		})
	}
}
