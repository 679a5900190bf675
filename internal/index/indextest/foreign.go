package indextest

import (
	"math"
	"testing"

	"kaoju/internal/index"
)

// testForeign: translations find passages in the other language, and change
// nothing for a question in the language of the passages.
func testForeign(t *testing.T, f fixture) {
	f.publish("zh", entry("pump", "泵", "阀门"), entry("valve", "阀门", "x"), entry("other", "y", "z"))
	f.publish("en", entry("pump", "pump", "valve"), entry("valve", "valve", "x"), entry("other", "y", "z"))
	own := []index.QueryTerm{{Text: "泵", Weight: 1}, {Text: "阀门", Weight: 1, Group: 1}}
	both := append(own[:2:2],
		index.QueryTerm{Text: "pump", Weight: .8, Foreign: true},
		index.QueryTerm{Text: "valve", Weight: .8, Group: 1, Foreign: true},
		index.QueryTerm{Text: "nowhere", Weight: .8, Group: 1, Foreign: true},
		index.QueryTerm{Text: "further", Weight: .8, Group: 9, Foreign: true})
	keyword := func(base string, terms []index.QueryTerm) []index.Hit {
		return f.search(index.Query{Targets: []index.Target{at(base, 1)}, Terms: terms}).Keyword
	}
	f.want(ids(keyword("en", own)))
	across := keyword("en", both)
	f.want(ids(across), "pump", "valve")
	plain, same := keyword("zh", own), keyword("zh", both)
	for i := range plain {
		if plain[i] != same[i] {
			t.Errorf("with translations %+v, without %+v", same[i], plain[i])
		}
		// The words are missing there, but nothing of what was asked is.
		if math.Abs(across[i].Score-plain[i].Score) > 1e-6 {
			t.Errorf("across languages %v, within one %v", across[i].Score, plain[i].Score)
		}
	}
}

// testForeignRarity: a rare translation of a common word is worth no more
// than the word, and no score passes 1.
func testForeignRarity(t *testing.T, f fixture) {
	entries := []index.Entry{entry("translated", "corporation"), entry("name", "rare")}
	for i := range 30 {
		entries = append(entries, entry(name(i), "公司"))
	}
	f.publish("b", entries...)
	terms := []index.QueryTerm{
		{Text: "公司", Weight: 1}, {Text: "corporation", Weight: .8, Foreign: true},
		{Text: "rare", Weight: 1, Group: 1}, {Text: "corporation", Weight: .8, Group: 2, Foreign: true},
	}
	hits := f.search(index.Query{Targets: []index.Target{at("b", 1)}, Terms: terms[:3]}).Keyword
	f.want(ids(hits)[:1], "name")
	score := map[string]float64{}
	for _, h := range hits {
		score[h.ChunkID] = h.Score
	}
	if score["translated"] >= score[name(0)] {
		t.Errorf("the translation scored %v, the word %v", score["translated"], score[name(0)])
	}
	for _, h := range f.search(index.Query{Targets: []index.Target{at("b", 1)}, Terms: terms}).Keyword {
		if h.Score > 1 {
			t.Errorf("%s scored %v", h.ChunkID, h.Score)
		}
	}
}
