package answer

import (
	"math"
	"slices"
	"testing"

	"kaoju/internal/core"
)

func TestTier(t *testing.T) {
	tests := []struct {
		name   string
		in     Evidence
		want   float64
		reason string
	}{
		{"FAQ exact", Evidence{Route: RouteFAQExact}, .95, ReasonFAQExact},
		{"FAQ exact is not capped", Evidence{Route: RouteFAQExact, Rewritten: true, Intent: .3}, .95, ReasonFAQExact},
		{"deterministic", Evidence{Route: RouteDeterministic}, .90, ReasonDeterministic},
		{"strong", Evidence{TopScore: .70, Contexts: 3, Intent: .9}, .85, ReasonStrongEvidence},
		{"just not strong", Evidence{TopScore: .69, Contexts: 3}, .65, ReasonMediumEvidence},
		{"medium", Evidence{TopScore: .45, Contexts: 1}, .65, ReasonMediumEvidence},
		{"weak", Evidence{TopScore: .44, Contexts: 1}, .45, ReasonWeakEvidence},
		{"no context beats the score", Evidence{TopScore: .9}, .20, ReasonNoEvidence},
		{"insufficient", Evidence{Route: RouteInsufficient, TopScore: .9, Contexts: 4}, .20, ReasonInsufficient},
		{"rewritten", Evidence{TopScore: .9, Contexts: 3, Rewritten: true}, .65, ReasonRewritten},
		{"unsure intent", Evidence{TopScore: .9, Contexts: 3, Intent: .69}, .54, ReasonUnsureIntent},
		{"a logit is squeezed", Evidence{TopScore: 3, Contexts: 1}, .85, ReasonStrongEvidence},
		{"1.0 is strong, 1.1 is squeezed", Evidence{TopScore: 1.1, Contexts: 1}, .65, ReasonMediumEvidence},
		{"not a number", Evidence{TopScore: math.NaN(), Contexts: 1}, .45, ReasonWeakEvidence},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Tier(tt.in)
			if got.Score != tt.want || !slices.Contains(got.Reasons, tt.reason) {
				t.Errorf("got %+v, want %v with %s", got, tt.want, tt.reason)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	bad := []Claim{{Missing: []string{"15"}}}
	tests := []struct {
		name    string
		text    string
		report  Report
		invalid int
		want    float64
		status  string
		reasons []string
	}{
		{"both", "x", Report{Coverage: .5, Support: .45}, 0, .85, StatusVerified, []string{ReasonGrounded}},
		{"coverage only", "x", Report{Coverage: .5, Support: .44}, 0, .65, StatusPartial, []string{ReasonLowSupport}},
		{"support only", "x", Report{Coverage: .49, Support: .9}, 0, .65, StatusPartial, []string{ReasonLowCoverage}},
		{"neither", "x", Report{Coverage: .4, Support: .4}, 0, .35, StatusFailed, []string{ReasonLowCoverage, ReasonLowSupport}},
		{"cites what does not carry it", "x", Report{Coverage: 1, Support: .1}, 0, .35, StatusFailed, []string{ReasonLowSupport}},
		{"bad mark", "x", Report{Coverage: 1, Support: 1}, 1, .35, StatusFailed, []string{ReasonInvalidCitation}},
		{"wrong number", "x", Report{Coverage: 1, Support: 1, Claims: bad}, 0, .65, StatusPartial, []string{ReasonUnsupportedDetail}},
		{"empty", " \n", Report{}, 0, 0, StatusFailed, []string{ReasonEmptyAnswer}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Check(tt.text, tt.report, tt.invalid)
			if got.Score != tt.want || got.Status != tt.status || !slices.Equal(got.Reasons, tt.reasons) {
				t.Errorf("got %+v, want %v %s %v", got, tt.want, tt.status, tt.reasons)
			}
		})
	}
}

func TestConfidenceIsTheLower(t *testing.T) {
	strong := Evidence{TopScore: .9, Contexts: 2, Intent: 1, Probability: 1.2}
	good := Verdict{Score: .85, Status: StatusVerified}
	poor := Verdict{Score: .35, Status: StatusFailed, Reasons: []string{ReasonInvalidCitation}}
	tests := []struct {
		name  string
		in    Evidence
		check Verdict
		score float64
		level core.Level
	}{
		{"both good", strong, good, .85, core.LevelHigh},
		{"invented mark", strong, poor, .35, core.LevelLow},
		{"medium evidence", Evidence{TopScore: .5, Contexts: 1}, good, .65, core.LevelMedium},
		{"unsure intent is low", Evidence{TopScore: .9, Contexts: 1, Intent: .5}, good, .54, core.LevelLow},
		{"not written", Evidence{Route: RouteFAQExact}, NotWritten(), .95, core.LevelHigh},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := Confidence(tt.in, tt.check)
			if c.Score != tt.score || c.Level != tt.level || c.Status != tt.check.Status || c.Probability > 1 {
				t.Errorf("got %+v, want %v %s", c, tt.score, tt.level)
			}
		})
	}
}
