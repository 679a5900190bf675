package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/text"
	"kaoju/internal/text/bilingual/table"
)

// The most links of a key.
const (
	maxEnglish = 10
	maxChinese = 12
)

// familyShare is what a translation is worth to the family of the word.
const familyShare = .4

// dictionary maps each Chinese word and each English key (a stem, or several
// with blanks between) to the other side, with weights in (0,1].
type dictionary struct {
	chinese map[string]map[string]float64
	english map[string]map[string]float64
}

func compile(entries []entry) dictionary {
	d := dictionary{chinese: map[string]map[string]float64{}, english: map[string]map[string]float64{}}
	common := map[string]bool{}
	for _, e := range entries {
		if !properName(e) {
			common[e.word] = true
		}
	}
	for _, e := range entries {
		word := text.Normalize(e.word)
		if !strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			continue
		}
		factor := 1.0
		if properName(e) && common[e.word] {
			factor = .5
		}
		for _, g := range glosses(e) {
			d.add(word, g, factor*placeWeight(g.place))
		}
	}
	d.widen()
	d.chinese = strongest(d.chinese, maxEnglish)
	d.english = strongest(d.english, maxChinese)
	return d
}

// widen lets a word be translated by, and from, the family of its
// translations: 防守 is "to defend", and "defender" may ask for it.
func (d dictionary) widen() {
	family := families(slices.Sorted(maps.Keys(d.english)))
	for _, links := range d.chinese {
		for key, weight := range maps.Clone(links) {
			for _, other := range family[key] {
				links[other] = max(links[other], weight*familyShare)
			}
		}
	}
	more := map[string]map[string]float64{}
	for key := range d.english {
		for _, other := range family[key] {
			for word, weight := range d.english[other] {
				raise(more, key, word, weight*familyShare)
			}
		}
	}
	for key, links := range more {
		for word, weight := range links {
			raise(d.english, key, word, weight)
		}
	}
}

// properName says whether an entry is a name: its reading is capitalised.
func properName(e entry) bool {
	r, _ := utf8.DecodeRuneInString(e.pinyin)
	return unicode.IsUpper(r)
}

func placeWeight(place int) float64 { return 1 / (1 + .3*float64(place)) }

// add notes a translation both ways. Seen from English, common words come
// before rare ones, and a word inside a phrase stands a little for the phrase.
func (d dictionary) add(word string, g gloss, weight float64) {
	raise(d.chinese, word, g.key(), weight)
	back := weight * commonness(word)
	if n := len(g.stems); n <= 4 {
		raise(d.english, g.key(), word, back)
	}
	if n := float64(len(g.stems)); n > 1 {
		for _, s := range g.stems {
			raise(d.english, s, word, back*.5/n)
		}
	}
}

func commonness(word string) float64 {
	c := math.Exp(-max(text.Rarity(word)-9, 0) / 6)
	if utf8.RuneCountInString(word) == 1 {
		c *= .6
	}
	return c
}

func raise(m map[string]map[string]float64, from, to string, weight float64) {
	if m[from] == nil {
		m[from] = map[string]float64{}
	}
	m[from][to] = max(m[from][to], weight)
}

// strongest keeps the n heaviest links of each key.
func strongest(m map[string]map[string]float64, n int) map[string]map[string]float64 {
	for from, links := range m {
		keys := ranked(links)
		best := links[keys[0]]
		kept := map[string]float64{}
		for _, k := range keys[:min(n, len(keys))] {
			kept[k] = links[k] / best
		}
		m[from] = kept
	}
	return m
}

func ranked(links map[string]float64) []string {
	return slices.SortedFunc(maps.Keys(links), func(a, b string) int {
		return cmp.Or(cmp.Compare(links[b], links[a]), cmp.Compare(a, b))
	})
}

func (d dictionary) write(folder string) error {
	// Every key that is linked to needs a number, even without links back.
	for _, links := range d.chinese {
		for k := range links {
			if _, ok := d.english[k]; !ok {
				d.english[k] = nil
			}
		}
	}
	chinese, english := numbers(d.chinese), numbers(d.english)
	for name, image := range map[string][]byte{
		"chinese.bin": table.Encode(entriesOf(d.chinese, english)),
		"english.bin": table.Encode(entriesOf(d.english, chinese)),
	} {
		fmt.Printf("%s: %d bytes\n", name, len(image))
		if err := os.WriteFile(filepath.Join(folder, name), image, 0o644); err != nil {
			return fmt.Errorf("write the dictionary: %w", err)
		}
	}
	return nil
}

func numbers(m map[string]map[string]float64) map[string]uint32 {
	out := make(map[string]uint32, len(m))
	for i, k := range slices.Sorted(maps.Keys(m)) {
		out[k] = uint32(i)
	}
	return out
}

func entriesOf(m map[string]map[string]float64, number map[string]uint32) []table.Entry {
	out := make([]table.Entry, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		e := table.Entry{Key: k}
		for _, to := range ranked(m[k]) {
			if n, ok := number[to]; ok {
				e.Links = append(e.Links, table.Link{To: n, Weight: float32(m[k][to])})
			}
		}
		out = append(out, e)
	}
	return out
}
