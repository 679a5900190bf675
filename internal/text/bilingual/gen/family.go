package main

import (
	"slices"
	"strings"
)

// minRoot is the least that is left of a word without its endings.
const minRoot = 4

// endings make words of one family of one another, on top of what stemming
// takes off: "settler" and "settlement" of "settl". From the longest.
var endings = []string{
	"ization", "isation", "ational", "ation", "ition", "ically", "ement", "ment", "ance", "ence", "ness", "ical", "ible",
	"ship", "ion", "ist", "ism", "ize", "ise", "iti", "iv", "ous", "abl", "ibl", "ant", "ent", "anc", "enc", "ful",
	"al", "ic", "er", "or", "li", "at", "e", "i",
}

// root gives what the words of a family share.
func root(stem string) string {
	for range 2 {
		for _, e := range endings {
			if r, ok := strings.CutSuffix(stem, e); ok && len(r) >= minRoot {
				stem = r
				break
			}
		}
	}
	return stem
}

// families maps each single stem to the others of its family.
func families(keys []string) map[string][]string {
	byRoot := map[string][]string{}
	for _, k := range keys {
		if !strings.Contains(k, " ") && len(k) > minRoot {
			byRoot[root(k)] = append(byRoot[root(k)], k)
		}
	}
	out := map[string][]string{}
	for _, family := range byRoot {
		for _, k := range family {
			out[k] = slices.DeleteFunc(slices.Clone(family), func(other string) bool { return other == k })
		}
	}
	return out
}
