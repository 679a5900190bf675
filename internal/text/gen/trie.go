package main

import (
	"maps"
	"math"
	"slices"
	"sort"

	"kaoju/internal/text/lexicon"
)

// entry is a word as codes, with its cost.
type entry struct {
	codes []uint16
	cost  uint16
}

// builder packs a sorted list of entries into a double array. Every base is
// used once, so that a slot's label alone proves whose child it is.
type builder struct {
	slots []uint64
	used  []bool
	bases []bool
	free  int // no slot below is free
}

// buildTrie gives the slots of the tree of all words.
func buildTrie(s *sources, codes map[rune]uint16) []uint64 {
	entries := make([]entry, 0, len(s.words))
	for _, w := range slices.Sorted(maps.Keys(s.words)) {
		e := entry{cost: cost(math.Log(max(s.words[w], 1) / s.total))}
		for _, r := range w {
			e.codes = append(e.codes, codes[r])
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b entry) int { return slices.Compare(a.codes, b.codes) })
	b := &builder{free: 1}
	b.grow(1 << 16)
	b.bases[lexicon.Root] = true
	b.place(entries, 0, lexicon.Root)
	last := len(b.slots)
	for !b.used[last-1] {
		last--
	}
	return b.slots[:last]
}

// place writes the children of one node, whose base is given, and then theirs.
func (b *builder) place(entries []entry, depth int, base uint32) {
	groups := group(entries, depth)
	for _, g := range groups {
		b.used[base+uint32(g[0].codes[depth])] = true
	}
	for _, g := range groups {
		code, value := g[0].codes[depth], uint16(lexicon.Never)
		if len(g[0].codes) == depth+1 {
			value, g = g[0].cost, g[1:]
		}
		child := uint32(0)
		if len(g) > 0 {
			child = b.findBase(g, depth+1)
		}
		b.slots[base+uint32(code)] = uint64(child)<<32 | uint64(value)<<16 | uint64(code)
		if len(g) > 0 {
			b.place(g, depth+1, child)
		}
	}
}

// group splits sorted entries by their code at depth.
func group(entries []entry, depth int) [][]entry {
	var groups [][]entry
	for len(entries) > 0 {
		code := entries[0].codes[depth]
		n := sort.Search(len(entries), func(i int) bool { return entries[i].codes[depth] > code })
		groups, entries = append(groups, entries[:n]), entries[n:]
	}
	return groups
}

// findBase finds the first base at which all children fall on free slots, and
// reserves them.
func (b *builder) findBase(entries []entry, depth int) uint32 {
	var codes []int
	for _, g := range group(entries, depth) {
		codes = append(codes, int(g[0].codes[depth]))
	}
	for b.used[b.free] {
		b.free++
	}
	for slot := max(b.free, codes[0]+1); ; slot++ {
		base := slot - codes[0]
		b.grow(base + 1<<16)
		if b.used[slot] || b.bases[base] || !b.fits(base, codes) {
			continue
		}
		b.bases[base] = true
		for _, c := range codes {
			b.used[base+c] = true
		}
		return uint32(base)
	}
}

func (b *builder) fits(base int, codes []int) bool {
	for _, c := range codes {
		if b.used[base+c] {
			return false
		}
	}
	return true
}

func (b *builder) grow(n int) {
	for len(b.slots) < n {
		b.slots = append(b.slots, make([]uint64, 1<<16)...)
		b.used = append(b.used, make([]bool, 1<<16)...)
		b.bases = append(b.bases, make([]bool, 1<<16)...)
	}
}
