package builtin

import (
	"strings"
	"unicode/utf8"
)

// wordStem cuts the endings of English inflection and derivation, so that
// intercept, intercepted and interceptions meet. It is coarse on purpose:
// both sides are cut alike, and a false match costs less than a missed one.
func wordStem(w []byte) []byte {
	if base, ok := irregular[string(w)]; ok {
		return []byte(base)
	}
	if len(w) < 4 || w[0] >= utf8.RuneSelf {
		return w
	}
	w = cutPlural(w)
	for cut := true; cut; {
		w, cut = cutEnding(w)
	}
	if n := len(w); n > 3 && (w[n-1] == 'e' || w[n-1] == 'y') {
		w = w[:n-1]
	}
	return w[:min(len(w), maxStem)]
}

// maxStem is how many letters of a stem count; what differs later is a
// longer derivation or a slip of the pen.
const maxStem = 7

func cutPlural(w []byte) []byte {
	n := len(w)
	switch {
	case w[n-1] != 's' || w[n-2] == 's' || w[n-2] == 'u' || w[n-2] == 'i':
		return w
	case n > 4 && w[n-2] == 'e' && w[n-3] == 'i':
		return append(w[:n-3], 'y')
	}
	return w[:n-1]
}

// wordEndings are tried in order; what is left has four letters at least.
var wordEndings = [...]string{"ization", "isation", "ation", "ition", "ement", "ment", "ness", "ing", "ism", "ist",
	"ize", "ise", "ies", "ied", "est", "ity", "ive", "ion", "ant", "ent", "ous", "ial", "al", "er", "or", "ed", "ly", "ic", "iz", "is"}

func cutEnding(w []byte) ([]byte, bool) {
	for _, ending := range wordEndings {
		if len(w) < len(ending)+4 || !strings.HasSuffix(string(w), ending) {
			continue
		}
		w = w[:len(w)-len(ending)]
		if n := len(w); n > 4 && w[n-1] == w[n-2] && w[n-1] != 'l' && w[n-1] != 's' {
			w = w[:n-1]
		}
		return w, true
	}
	return w, false
}

// irregular gives the form under which irregular verbs and what is formed
// from them meet.
var irregular = makeIrregular()

func makeIrregular() map[string]string {
	families := []string{
		"die died dies dying death dead", "win won wins winning winner winners", "lead led leads leading leader leaders",
		"begin began begun begins beginning", "birth born", "write wrote written writes writing writer writers",
		"build built builds building", "make made makes making maker", "take took taken takes taking",
		"give gave given gives giving", "grow grew grown grows growing growth", "know knew known knows knowing",
		"hold held holds holding", "lose lost loses losing loss", "leave left leaves leaving", "find found finds finding",
		"become became becomes becoming", "sell sold sells selling sale sales", "spend spent spends spending",
		"fight fought fights fighting", "think thought thinks thinking", "teach taught teaches teaching teacher",
		"buy bought buys buying", "pay paid pays paying payment", "meet met meets meeting", "run ran runs running",
		"choose chose chosen chooses choosing choice", "fall fell fallen falls falling", "draw drew drawn draws drawing",
		"send sent sends sending", "keep kept keeps keeping", "speak spoke spoken speaks speaking speech",
		"tell told tells", "say said says", "see saw seen sees seeing", "rise rose risen rises rising",
		"break broke broken breaks", "stand stood stands", "feel felt feels", "bring brought brings",
		"come came comes coming", "go went gone goes going", "get got gotten gets getting", "show showed shown shows",
		"live lived lives living life", "set sets setting", "marry married marries marriage", "invade invaded invasion",
		"decide decided decision", "succeed succeeded success successor", "high height higher highest",
		"long length longer longest", "strong strength stronger strongest", "sing sang sung song songs singer",
		"fly flew flown flight", "eat ate eaten", "bear bore borne", "ride rode ridden", "drive drove driven driver",
		"seek sought", "catch caught", "lay laid", "lie lain", "mean meant meaning", "sit sat", "swim swam", "throw threw thrown",
	}
	forms := map[string]string{}
	for _, family := range families {
		words := strings.Fields(family)
		for _, w := range words {
			forms[w] = words[0]
		}
	}
	return forms
}
