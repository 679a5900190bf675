package pdf

import (
	"math"
	"slices"
	"sort"
	"unicode/utf8"
)

// maxColumnsDeep bounds how often a page is cut into columns.
const maxColumnsDeep = 4

// readingOrder cuts a page into parts that are read one after the other:
// columns of running text from left to right, and what spans them in between.
// The rows of a table stay in one part.
func readingOrder(segs []segment, depth int) [][]segment {
	if len(segs) == 0 {
		return nil
	}
	x, ok := gutter(segs)
	if !ok || depth == maxColumnsDeep {
		return [][]segment{segs}
	}
	var out [][]segment
	var plain []segment
	flush := func() {
		if len(plain) > 0 {
			out = append(out, plain)
		}
		plain = nil
	}
	for _, b := range bands(segs, x) {
		if b.spans || !isColumn(b.left) || !isColumn(b.right) {
			plain = append(plain, b.left...)
			plain = append(plain, b.right...)
			continue
		}
		flush()
		out = append(out, readingOrder(b.left, depth+1)...)
		out = append(out, readingOrder(b.right, depth+1)...)
	}
	flush()
	return out
}

// gutter finds the x that the fewest segments cross, if it may part columns.
func gutter(segs []segment) (float64, bool) {
	area := segs[0].box
	sizes := make([]float64, 0, len(segs))
	for _, s := range segs {
		area = area.union(s.box)
		sizes = append(sizes, s.size)
	}
	if len(segs) < 8 || area.width() <= 0 {
		return 0, false
	}
	slices.Sort(sizes)
	em := sizes[len(sizes)/2]
	const bins = 240
	step := area.width() / bins
	var cover [bins + 1]int
	for _, s := range segs {
		from := int((s.box.left - area.left) / step)
		to := int(math.Ceil((s.box.right - area.left) / step))
		for i := max(from, 0); i < min(to, bins); i++ {
			cover[i]++
		}
	}
	return widestValley(cover[:bins], len(segs)*15/100, max(int(0.5*em/step), 1), area.left, step)
}

// widestValley gives the middle of the widest run of bins, away from the
// edges, that at most most segments cross.
func widestValley(cover []int, most, least int, origin, step float64) (float64, bool) {
	from, to := len(cover)*15/100, len(cover)*85/100
	lowest := slices.Min(cover[from:to])
	if lowest > most {
		return 0, false
	}
	bestAt, bestLen := 0, 0
	for i := from; i < to; {
		j := i
		for j < to && cover[j] <= lowest+most/4 {
			j++
		}
		if j-i > bestLen {
			bestAt, bestLen = i, j-i
		}
		i = j + 1
	}
	if bestLen < least {
		return 0, false
	}
	return origin + (float64(bestAt)+float64(bestLen)/2)*step, true
}

// band is a horizontal slice of a page.
type band struct {
	spans       bool // something in it crosses the gutter
	left, right []segment
}

// bands slices a page at the segments that cross the gutter.
func bands(segs []segment, x float64) []band {
	sorted := slices.Clone(segs)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].box.middle() > sorted[j].box.middle() })
	crosses := func(s segment) bool { return s.box.left < x-1 && s.box.right > x+1 }
	var crossing []segment
	for _, s := range sorted {
		if crosses(s) {
			crossing = append(crossing, s)
		}
	}
	var out []band
	next := 0 // first crossing segment that may still stand beside one to come
	for _, s := range sorted {
		for next < len(crossing) && crossing[next].box.bottom > s.box.top {
			next++
		}
		spans := crosses(s)
		for i := next; i < len(crossing) && i < next+3 && !spans; i++ {
			spans = crossing[i].box.besides(s.box)
		}
		if len(out) == 0 || out[len(out)-1].spans != spans {
			out = append(out, band{spans: spans})
		}
		b := &out[len(out)-1]
		if (s.box.left+s.box.right)/2 < x {
			b.left = append(b.left, s)
		} else {
			b.right = append(b.right, s)
		}
	}
	return out
}

// isColumn tells running text from the cells of a table: lines that are long
// and fill their width.
func isColumn(segs []segment) bool {
	if len(segs) < 3 {
		return false
	}
	area := segs[0].box
	for _, s := range segs {
		area = area.union(s.box)
	}
	chars, wide := 0, 0
	for _, s := range segs {
		chars += textWidth(s.text)
		if s.box.width() > 0.5*area.width() {
			wide++
		}
	}
	return chars >= 18*len(segs) && wide*2 >= len(segs)
}

// textWidth counts characters, those of CJK scripts twice.
func textWidth(text string) int {
	n := utf8.RuneCountInString(text)
	for _, r := range text {
		if isWide(r) {
			n++
		}
	}
	return n
}
