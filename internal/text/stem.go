package text

import "strings"

// stem takes plural endings off English words.
func stem(s string) string {
	n := len(s)
	switch {
	case n < 4 || s[n-1] != 's':
		return s
	case strings.HasSuffix(s, "ies") && n > 4:
		return s[:n-3] + "y"
	case strings.HasSuffix(s, "ss"), strings.HasSuffix(s, "us"), strings.HasSuffix(s, "is"):
		return s
	}
	return s[:n-1]
}
