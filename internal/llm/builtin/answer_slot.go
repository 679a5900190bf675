package builtin

import "strings"

// slotFacts compares the surroundings of the phrase that asks with those of
// something new in the sentence. A Chinese question is a statement with a gap:
// 大雄宝殿在日本被称为〔什么〕 stands beside 在日本被称为〔金堂〕.
func (v *evidenceView) slotFacts(c *candidate, fresh []bool) {
	q := v.q
	if q.gapEnd == 0 {
		return
	}
	left, right := q.glyphs[max(0, q.gap-2):q.gap], q.glyphs[q.gapEnd:min(len(q.glyphs), q.gapEnd+2)]
	f := &c.facts
	for i, g := range c.glyphs {
		if len(left) == 2 && i+2 < len(c.glyphs) && fresh[i+2] && sameGlyphs(left, c.glyphs[i:]) {
			f[factSlotLeft] = 1
		}
		if i == 0 || len(right) == 0 || g.key != right[0].key {
			continue
		}
		if q.want == wantNumber && isNumeral(c.text, c.glyphs[i-1]) {
			f[factUnit] = 1
		}
		if !fresh[i-1] {
			continue
		}
		f[factHead] = max(f[factHead], .5)
		if len(right) == 2 && sameGlyphs(right, c.glyphs[i:]) {
			f[factHead], f[factSlotRight] = 1, 1
		}
	}
}

// sameGlyphs tells whether list begins with want.
func sameGlyphs(want, list []glyph) bool {
	if len(list) < len(want) {
		return false
	}
	for i := range want {
		if want[i].key != list[i].key {
			return false
		}
	}
	return true
}

var pronouns = []string{"他", "她", "它", "其", "该", "此", "这", "牠", "本", "同", "It ", "He ", "She ", "They ", "This ",
	"These ", "Its ", "His ", "Her ", "Their ", "Those ", "Both ", "In this ", "The latter "}

// opensWithPronoun tells whether a sentence leans on the one before it.
func opensWithPronoun(s string) bool {
	for _, p := range pronouns {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
