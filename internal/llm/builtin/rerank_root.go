package builtin

import "strings"

// rootOf cuts the ending off an English word, so that "activate", "activated"
// and "activation" meet. It goes further than the stems of the index, since a
// wrong meeting costs little here: the passage was found before.
func rootOf(word string) string {
	for _, e := range endings {
		if root, ok := strings.CutSuffix(word, e.text); ok && len(root) >= e.rest {
			return undouble(root)
		}
	}
	return word
}

// endings from the longest, with the bytes that must be left.
var endings = [...]struct {
	text string
	rest int
}{
	{"ations", 4}, {"ation", 4}, {"ments", 4}, {"ating", 4}, {"ment", 4}, {"ions", 4}, {"ings", 3},
	{"ates", 4}, {"ated", 4}, {"ies", 3}, {"ied", 3}, {"ion", 4}, {"ing", 3}, {"ate", 4}, {"ive", 4},
	{"ly", 4}, {"ed", 3}, {"es", 3}, {"al", 5}, {"s", 3}, {"e", 3}, {"y", 3},
}

// undouble turns "transferr" into "transfer".
func undouble(root string) string {
	n := len(root)
	if n > 4 && root[n-1] == root[n-2] && !strings.ContainsRune("aeiouls", rune(root[n-1])) {
		return root[:n-1]
	}
	return root
}
