package answer

import (
	"math"
	"strings"
	"unicode/utf8"

	"kaoju/internal/text"
)

// Entry is an FAQ entry that a search found.
type Entry struct {
	Score     float64  // of the search, in [0,1]
	Matched   string   // its question that is most like the one asked
	Questions []string // all its questions
	Answers   []string
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// bigramLikeness is Dice over pairs of neighbouring characters.
func bigramLikeness(a, b string) float64 {
	x, y := bigrams(a), bigrams(b)
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	common := 0
	for pair := range x {
		if y[pair] {
			common++
		}
	}
	return 2 * float64(common) / float64(len(x)+len(y))
}

func bigrams(s string) map[[2]rune]bool {
	out := map[[2]rune]bool{}
	last := rune(-1)
	for _, r := range s {
		if last >= 0 {
			out[[2]rune{last, r}] = true
		}
		last = r
	}
	return out
}

// oddDetails counts the numbers and names that one question has and the other
// has not, up to three, as a share.
func oddDetails(a, b string) float64 {
	n := 0
	for _, pair := range [2][2]string{{a, b}, {b, a}} {
		set := newDetailSet(pair[1])
		for _, d := range claimDetails(pair[0]) {
			if !set.has(d) {
				n++
			}
		}
	}
	return math.Min(float64(n), 3) / 3
}

// contraries are words of which two questions that differ in one ask for
// different things.
var contraries = [...][2]string{
	{"最多", "最少"}, {"最大", "最小"}, {"最高", "最低"}, {"最早", "最晚"}, {"最长", "最短"}, {"之前", "之后"}, {"升序", "降序"},
	{"以上", "以下"}, {"大于", "小于"}, {"超过", "低于"}, {"开通", "关闭"}, {"开启", "关闭"}, {"申请", "取消"}, {"增加", "减少"}, {"入职", "离职"},
	{"most", "least"}, {"maximum", "minimum"}, {"highest", "lowest"}, {"oldest", "youngest"}, {"largest", "smallest"}, {"before", "after"},
	{"ascending", "descending"}, {"more than", "less than"}, {"above", "below"}, {"enable", "disable"}, {"open", "close"}, {"with", "without"},
}

// opposed reports whether one question has a word and the other its contrary,
// or one denies and the other does not.
func opposed(a, b string) bool {
	x, y := text.Normalize(a), text.Normalize(b)
	for _, pair := range contraries {
		ax, ay := hasWord(x, pair[0]), hasWord(x, pair[1])
		bx, by := hasWord(y, pair[0]), hasWord(y, pair[1])
		if ax != ay && bx != by && ax != bx {
			return true
		}
	}
	return denies(x) != denies(y)
}

// hasWord reports whether a normalised text has a word: a Latin one only
// whole, but for endings such as n't.
func hasWord(s, w string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], w)
		if i < 0 {
			return false
		}
		at, end := from+i, from+i+len(w)
		latin := w[0] < utf8.RuneSelf
		if !latin || (w[0] == 'n' && strings.Contains(w, "'") || at == 0 || !letter(s[at-1])) && (end == len(s) || !letter(s[end])) {
			return true
		}
		from = end
	}
}

func letter(b byte) bool { return b >= 'a' && b <= 'z' }

// denials make a question ask for the contrary.
var denials = [...]string{"不是", "没有", "不能", "无法", "不在", "不用", "不要", "未", "not", "n't", "never", "without", "no"}

func denies(s string) bool {
	for _, d := range denials {
		if hasWord(s, d) {
			return true
		}
	}
	return false
}
