package answer

import (
	"slices"
	"strings"

	"kaoju/internal/core"
)

// Why a claim is unsupported.
const (
	UnsupportedNotCited = "not_cited"          // it names no source, and none carries it
	UnsupportedText     = "low_support"        // its source says something else
	UnsupportedDetail   = "unsupported_detail" // a number, date, name or unit is not in its source
)

// maxUnsupported is how many claims are told: a model that has lost its way
// makes hundreds of thousands, and nobody reads them.
const maxUnsupported = 200

// UnsupportedClaims gives the claims of an answer that no source carries, in
// order, 200 at most. A claim without a mark whose words stand in some source is
// carried.
func (r Report) UnsupportedClaims(answer string) []core.Unsupported {
	var list []core.Unsupported
	for _, c := range r.Claims {
		reason := c.fault()
		if leadsIn(answer, c) {
			continue // "the nearest is:" says nothing itself
		}
		if reason == "" || c.Start < 0 || c.End > len(answer) || c.Start >= c.End {
			continue
		}
		list = append(list, core.Unsupported{
			Text: answer[c.Start:c.End], AnswerStart: c.Start, AnswerEnd: c.End, Reason: reason, Missing: c.Missing,
		})
		if len(list) == maxUnsupported {
			break
		}
	}
	return list
}

func leadsIn(answer string, c Claim) bool {
	if c.Start < 0 || c.End > len(answer) || c.Start > c.End {
		return false
	}
	said := strings.TrimSpace(answer[c.Start:c.End])
	return strings.HasSuffix(said, "：") || strings.HasSuffix(said, ":")
}

func (c Claim) fault() string {
	switch {
	case len(c.Missing) > 0:
		return UnsupportedDetail
	case c.Brief || c.Support >= minSupport:
		return ""
	case len(c.Cited) == 0:
		return UnsupportedNotCited
	}
	return UnsupportedText
}

// cited gives the numbers of all sources that claims cite, ascending.
func (r Report) cited() []int {
	var all []int
	for _, c := range r.Claims {
		for _, n := range c.Cited {
			if !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	slices.Sort(all)
	return all
}
