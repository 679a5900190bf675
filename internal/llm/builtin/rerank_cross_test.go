package builtin

import (
	"slices"
	"strings"
	"testing"

	"kaoju/internal/llm"
)

func rescored(t *testing.T, question string, texts ...string) []float64 {
	t.Helper()
	passages := make([]llm.Passage, len(texts))
	for i, s := range texts {
		passages[i] = llm.Passage{Text: s}
	}
	scores, err := NewReranker().Rerank(t.Context(), question, passages)
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

var (
	inEnglish = []string{
		"The university library closes at ten in the evening. Books may be borrowed for four weeks.",
		"The canteen serves lunch from eleven. Students pay with their card.",
		"The internal combustion engine was invented in the nineteenth century. Version 7310 came later.",
	}
	inChinese = []string{
		"大学图书馆晚上十点关门。图书可以借四个星期。",
		"食堂十一点开始供应午餐。学生用卡付款。",
		"内燃机发明于十九世纪。型号7310后来才出现。",
	}
)

func TestRerankAcrossLanguages(t *testing.T) {
	for _, c := range []struct {
		question string
		passages []string
		best     int
	}{
		{"大学的图书馆什么时候关门？", inEnglish, 0},
		{"食堂的午餐怎么付款", inEnglish, 1},
		{"谁发明了内燃机", inEnglish, 2},
		{"圖書館", inEnglish, 0}, // traditional characters
		{"7310是什么时候出现的", inEnglish, 2},
		{"When does the university library close?", inChinese, 0},
		{"how do students pay for lunch", inChinese, 1},
		{"Who invented the internal combustion engine?", inChinese, 2},
	} {
		scores := rescored(t, c.question, c.passages...)
		if best := slices.Index(scores, slices.Max(scores)); best != c.best || scores[best] < .3 {
			t.Errorf("%q: scores %v, want passage %d ahead", c.question, scores, c.best)
		}
		for _, s := range scores {
			if s < 0 || s > 1 {
				t.Errorf("%q: score %v", c.question, s)
			}
		}
	}
}

// TestRerankWithinALanguage: passages in the language of the question score
// as if there were no dictionary, whatever stands beside them.
func TestRerankWithinALanguage(t *testing.T) {
	const question = "大学的图书馆什么时候关门？"
	r := NewReranker()
	passages := make([]llm.Passage, len(inChinese))
	for i, s := range inChinese {
		passages[i] = llm.Passage{Text: s}
	}
	c := newCriteria(question)
	read := make([]passageReading, len(passages))
	for i, p := range passages {
		read[i] = r.readings.passage(p)
	}
	found := c.read(read)
	if got, want := rescored(t, question, inChinese...), c.scores(found, r.weights); !slices.Equal(got, want) {
		t.Errorf("scores %v, by words alone %v", got, want)
	}
}

func TestRerankNothingToTranslate(t *testing.T) {
	for _, question := range []string{"", "？", "的", "xyzzyplugh", strings.Repeat("图书馆", 2000)} {
		if got := rescored(t, question, inEnglish...); len(got) != len(inEnglish) {
			t.Errorf("%.20q: %v", question, got)
		}
	}
}

func glimpsed(c *crossing, p llm.Passage) glimpse {
	return c.read(p, (*Readings)(nil).passage(p))
}

// TestLongestWordWins: a character inside a word that was found is not another
// word.
func TestLongestWordWins(t *testing.T) {
	c := newCrossing("library and book", DefaultRerankWeights(), 1)
	g := glimpsed(c, llm.Passage{Text: "图书馆"})
	h := glimpsed(c, llm.Passage{Text: "图书馆的书"})
	if g.sum[0] == 0 || g.sum[1] != 0 || h.sum[1] == 0 {
		t.Errorf("read %v and %v", g.sum, h.sum)
	}
}

func FuzzRerankAcross(f *testing.F) {
	f.Add("图书馆什么时候关门", "The library closes at ten.")
	f.Add("when does the library close", "图书馆十点关门。\xff")
	f.Add("T恤 GB/T 28181-2016", "shirt 28181")
	f.Fuzz(func(t *testing.T, question, passage string) {
		c := newCrossing(question, DefaultRerankWeights(), 1)
		if c == nil {
			return
		}
		for _, s := range c.scores([]glimpse{glimpsed(c, llm.Passage{Title: passage, Text: passage}), glimpsed(c, llm.Passage{})}, DefaultRerankWeights()) {
			if !(s >= 0 && s <= 1) {
				t.Errorf("score %v", s)
			}
		}
	})
}
