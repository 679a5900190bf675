package text

import (
	"strings"
	"testing"
)

func TestStemMeets(t *testing.T) {
	for _, family := range []string{
		"company companies", "box boxes", "process processes processed processing", "house houses housing housed",
		"plan plans planned planning", "hope hopes hoped hoping", "agree agrees agreed agreeing", "quick quickly",
		"price prices pricing priced", "city cities", "install installs installed installing", "file files filed filing",
		"apply applies applied applying", "class classes", "study studies studied studying", "monthly month months",
		"create creates created creating", "child children",
		"write writes wrote written writing", "analysis analyses", "take takes took taken taking", "value values valued", "match matches matched matching", "tie ties",
	} {
		words := strings.Fields(family)
		for _, word := range words[1:] {
			if stem(word) != stem(words[0]) {
				t.Errorf("%s → %s, %s → %s", words[0], stem(words[0]), word, stem(word))
			}
		}
	}
}

func TestStemKeepsApart(t *testing.T) {
	for _, pair := range []string{
		"new news", "hop hope", "not note", "us use", "sing single", "king kind", "wed week", "famine family",
		"organ organization", "univers university", "bus busy", "statue status", "lead led", "find found", "leaf leave", "string strong", "need ne", "app apply",
	} {
		a, b, _ := strings.Cut(pair, " ")
		if stem(a) == stem(b) {
			t.Errorf("%s and %s are both %s", a, b, stem(a))
		}
	}
}

func TestStemLeavesOthersAlone(t *testing.T) {
	for _, word := range []string{"", "a", "is", "7310s", "straßes", "русские", "string", "analysis", "https"} {
		if got := stem(word); got != word {
			t.Errorf("stem(%q) = %q", word, got)
		}
	}
}
