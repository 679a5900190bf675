package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"kaoju/internal/text/lexicon"
)

// compile lays the sources out as package lexicon reads them.
func compile(s *sources) ([]byte, error) {
	codes := rankCharacters(s.counts)
	trie := buildTrie(s, codes)
	fold, wide := foldTables(s, codes)
	model := markovTable(s, codes)
	unknown := cost(-math.Log(s.total))
	if len(codes) >= lexicon.Never {
		return nil, fmt.Errorf("%d characters do not fit into 16 bits", len(codes))
	}
	le := binary.LittleEndian
	out := make([]byte, 0, lexicon.Header+8*len(trie)+4*len(fold))
	for _, v := range []int{lexicon.Magic, lexicon.Version, len(fold), len(wide) / 2,
		len(model), len(trie), int(unknown), 0} {
		out = le.AppendUint32(out, uint32(v))
	}
	for _, v := range fold {
		out = le.AppendUint32(out, v)
	}
	for _, v := range wide {
		out = le.AppendUint32(out, v)
	}
	for _, v := range model {
		out = le.AppendUint16(out, v)
	}
	for _, v := range trie {
		out = le.AppendUint64(out, v)
	}
	return out, nil
}

// cost turns a log probability into its stored form.
func cost(logp float64) uint16 {
	v := math.Round(-logp * lexicon.Scale)
	if v >= lexicon.Never || logp < -1e10 {
		return lexicon.Never
	}
	return uint16(v)
}

// rankCharacters numbers the characters from 1, the frequent ones first, which
// keeps the children of a node close together.
func rankCharacters(counts map[rune]float64) map[rune]uint16 {
	runes := slices.SortedFunc(maps.Keys(counts), func(a, b rune) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	codes := make(map[rune]uint16, len(runes))
	for i, r := range runes {
		codes[r] = uint16(i + 1)
	}
	return codes
}

func foldTables(s *sources, codes map[rune]uint16) (fold, wide []uint32) {
	fold = make([]uint32, lexicon.Last-lexicon.First+1)
	for i := range fold {
		r := rune(i + lexicon.First)
		// A target outside the table would not fit; the character stays.
		if t, ok := s.simple[r]; ok && t <= 0xffff {
			r = t
		}
		fold[i] = uint32(codes[r])<<16 | uint32(r)
	}
	for _, r := range slices.Sorted(maps.Keys(s.simple)) {
		if r < lexicon.First || r > lexicon.Last {
			wide = append(wide, uint32(r), uint32(s.simple[r]))
		}
	}
	return fold, wide
}

func markovTable(s *sources, codes map[rune]uint16) []uint16 {
	out := make([]uint16, 20+4*(len(codes)+1))
	for i := range 4 {
		out[i] = cost(s.model.start[i])
		for j := range 4 {
			out[4+4*i+j] = cost(s.model.trans[i][j])
		}
	}
	for i := 20; i < len(out); i++ {
		out[i] = lexicon.Never
	}
	for state, emit := range s.model.emit {
		for r, logp := range emit {
			out[20+4*int(codes[r])+state] = cost(logp)
		}
	}
	return out
}
