package builtin

import "strings"

// denials are the words by which something is said not to be.
var denials = []string{"不是", "不能", "没有", "未", "并非", "不", "除了", "以外",
	" not ", "n't", " never ", " no ", " without ", " other than ", " except ", " cannot ", " neither ", " unlike "}

// denies tells whether a sentence denies something.
func denies(s string) bool {
	s = strings.ToLower(s)
	for _, d := range denials {
		if strings.Contains(s, d) {
			return true
		}
	}
	return false
}
