package answer

import (
	"slices"
	"strings"
	"unicode/utf8"

	"kaoju/internal/core"
)

// Route is the way to an answer, as far as confidence depends on it.
type Route int

// Routes.
const (
	RouteEvidence      Route = iota // written from passages
	RouteFAQExact                   // the question is a standard question
	RouteDeterministic              // a rule answered: greeting, human service
	RouteInsufficient               // no evidence, or none that answers
	RouteFAQ                        // close enough to a standard question
)

// Tiers of evidence, and the score from which a passage is strong or medium.
const (
	tierFAQExact      = .95
	tierDeterministic = .90
	tierStrong        = .85
	tierMedium        = .65
	tierWeak          = .45
	tierNone          = .20

	strongScore = .70
	mediumScore = .45

	capRewritten    = .65 // the question leans on the conversation
	capUnsureIntent = .54 // the router was not sure what is asked
	sureIntent      = .70
)

// Marks of the generation check, and what an answer needs for them.
const (
	checkGood   = .85
	checkHalf   = .65
	checkPoor   = .35
	minCoverage = .50
	minSupport  = .45
	fairSupport = .15 // less than this is no support at all
	highScore   = .82
	mediumLevel = .55
)

// Reasons a Confidence gives; stable words, for clients and tests.
const (
	ReasonFAQExact          = "faq_exact_match"
	ReasonDeterministic     = "deterministic_route"
	ReasonStrongEvidence    = "strong_evidence"
	ReasonMediumEvidence    = "medium_evidence"
	ReasonWeakEvidence      = "weak_evidence"
	ReasonNoEvidence        = "no_evidence"
	ReasonInsufficient      = "insufficient_context"
	ReasonRewritten         = "history_rewrite_used"
	ReasonUnsureIntent      = "intent_unsure"
	ReasonEmptyAnswer       = "empty_answer"
	ReasonInvalidCitation   = "invalid_citation"
	ReasonLowCoverage       = "low_citation_coverage"
	ReasonLowSupport        = "low_support"
	ReasonGrounded          = "generation_grounded"
	ReasonUnsupportedDetail = "unsupported_detail" // a number, date or name that the source does not have
)

// Words of Confidence.Status.
const (
	StatusVerified      = "verified"
	StatusPartial       = "partial"
	StatusFailed        = "failed"
	StatusNotApplicable = "not_applicable"
)

// Evidence is what is known before a word is written.
type Evidence struct {
	Route       Route
	TopScore    float64 // of the best passage; above 1 is taken for a logit-like score and squeezed
	Contexts    int     // passages in the prompt
	Rewritten   bool    // the question was completed from the conversation
	Sources     int     // references that are shown
	IntentRule  float64 // the score of the rule that routed
	Intent      float64 // how sure the router is of the intent, in [0,1]; 0 when nothing routed
	Probability float64 // calibrated chance that the evidence answers, in [0,1]
}

// Verdict is one of the two marks that make a confidence.
type Verdict struct {
	Score   float64
	Status  string // of a generation check
	Reasons []string
	Signals core.Signals // of a generation check
}

// Tier rates the evidence. It is a rule, not a probability: the way comes
// first, then the best passage, then what lowers trust.
func Tier(e Evidence) Verdict {
	v := baseTier(e)
	if e.Route == RouteFAQExact || e.Route == RouteDeterministic {
		return v
	}
	if e.Rewritten {
		v.lower(capRewritten, ReasonRewritten)
	}
	if e.Intent > 0 && e.Intent < sureIntent {
		v.lower(capUnsureIntent, ReasonUnsureIntent)
	}
	return v
}

func baseTier(e Evidence) Verdict {
	score := normalised(e.TopScore)
	switch {
	case e.Route == RouteFAQExact:
		return Verdict{Score: tierFAQExact, Reasons: []string{ReasonFAQExact}}
	case e.Route == RouteDeterministic:
		return Verdict{Score: tierDeterministic, Reasons: []string{ReasonDeterministic}}
	case e.Contexts == 0:
		return Verdict{Score: tierNone, Reasons: []string{ReasonNoEvidence}}
	case e.Route == RouteInsufficient:
		return Verdict{Score: tierNone, Reasons: []string{ReasonInsufficient}}
	case score >= strongScore:
		return Verdict{Score: tierStrong, Reasons: []string{ReasonStrongEvidence}}
	case score >= mediumScore:
		return Verdict{Score: tierMedium, Reasons: []string{ReasonMediumEvidence}}
	}
	return Verdict{Score: tierWeak, Reasons: []string{ReasonWeakEvidence}}
}

func (v *Verdict) lower(limit float64, reason string) {
	v.Score = min(v.Score, limit)
	v.Reasons = append(v.Reasons, reason)
}

// normalised brings a retrieval score into [0,1]: scores above 1 are squeezed
// rather than cut, so that 3 is .75 and not certainty.
func normalised(score float64) float64 {
	switch {
	case !(score > 0): // also NaN
		return 0
	case score > 1:
		return 1 - 1/(1+score)
	}
	return score
}

// Check rates what was written: how many claims cite a source, how far the
// sources carry them, and whether marks named sources that do not exist.
func Check(text string, r Report, invalidMarks int) Verdict {
	if strings.TrimSpace(text) == "" {
		return Verdict{Score: 0, Status: StatusFailed, Reasons: []string{ReasonEmptyAnswer}}
	}
	cited, carried := r.Unmarked || r.Coverage >= minCoverage, r.Support >= minSupport
	v := Verdict{Score: checkPoor, Status: StatusFailed}
	switch {
	case invalidMarks > 0 || r.Support < fairSupport:
	case cited && carried:
		v = Verdict{Score: checkGood, Status: StatusVerified}
	case cited || carried:
		v = Verdict{Score: checkHalf, Status: StatusPartial}
	}
	if v.Status == StatusVerified && r.Unsupported() > 0 {
		v = Verdict{Score: checkHalf, Status: StatusPartial}
	}
	v.explain(v.Status == StatusVerified, ReasonGrounded)
	v.explain(invalidMarks > 0, ReasonInvalidCitation)
	v.explain(!cited, ReasonLowCoverage)
	v.explain(!carried, ReasonLowSupport)
	v.explain(r.Unsupported() > 0, ReasonUnsupportedDetail)
	v.Signals = core.Signals{
		Coverage: r.Coverage, Support: r.Support, InvalidMarks: invalidMarks, ValidMarks: r.cited(),
		Claims: len(r.Claims), Chars: utf8.RuneCountInString(text),
	}
	return v
}

func (v *Verdict) explain(holds bool, reason string) {
	if holds {
		v.Reasons = append(v.Reasons, reason)
	}
}

// NotWritten is the check of an answer that no model wrote: it neither
// raises nor lowers the tier.
func NotWritten() Verdict {
	return Verdict{Score: 1, Status: StatusNotApplicable}
}

// Confidence joins the tier and the check: the lower of both counts.
func Confidence(e Evidence, check Verdict) core.Confidence {
	tier := Tier(e)
	c := core.Confidence{
		Score:       min(tier.Score, check.Score),
		Probability: min(max(e.Probability, 0), 1),
		Evidence:    tier.Score,
		Generation:  check.Score,
		Status:      check.Status,
		Reasons:     slices.Concat(tier.Reasons, check.Reasons),
		Signals:     signals(e, check.Signals),
	}
	c.Level = LevelOf(c.Score)
	return c
}

// signals joins what was known before a word was written to what the check
// found.
func signals(e Evidence, s core.Signals) core.Signals {
	s.TopScore, s.Normalized = e.TopScore, normalised(e.TopScore)
	s.Contexts, s.Sources, s.Rewritten = e.Contexts, e.Sources, e.Rewritten
	s.IntentRule, s.IntentDecision = e.IntentRule, e.Intent
	if s.ValidMarks == nil {
		s.ValidMarks = []int{}
	}
	return s
}

// LevelOf gives a score in words: high from .82, medium from .55.
func LevelOf(score float64) core.Level {
	switch {
	case score >= highScore:
		return core.LevelHigh
	case score >= mediumLevel:
		return core.LevelMedium
	}
	return core.LevelLow
}
