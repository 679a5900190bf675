package answer

import "testing"

// A32: of an answer of thousands of loose claims some are told, and not all.
func TestUnsupportedClaimsAreBounded(t *testing.T) {
	said := ""
	var r Report
	for range 5000 {
		r.Claims = append(r.Claims, Claim{Start: len(said), End: len(said) + 4, Missing: []string{"47"}})
		said += "47天"
	}
	if list := r.UnsupportedClaims(said); len(list) != maxUnsupported || list[0].AnswerStart != 0 {
		t.Errorf("%d claims are told", len(list))
	}
}
