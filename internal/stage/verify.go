package stage

import (
	"context"
	"fmt"
	"strings"

	"kaoju/internal/answer"
	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
)

// Assessor gives the calibrated probability, in [0,1], that the evidence
// answers the question.
type Assessor interface {
	Probability(question string, aliases []llm.Alias, evidence []llm.Evidence) float64
}

// Verify checks the answer claim by claim against what it cites, resolves the
// citations, and says how far the answer may be relied on.
func Verify(assessor Assessor) pipeline.Plugin {
	return step{"verify", pipeline.StageVerify, func(_ context.Context, t *pipeline.Turn) error {
		written, evidence := t.Answer.Value(), t.Evidence.Value()
		known := weigh(assessor, t, route(written, evidence))
		v := pipeline.Verdict{HitType: hitType(written, known.Route)}
		if known.Route != answer.RouteEvidence {
			v.References = written.References
			if sources, ok := t.Sources.Get(); ok && v.References == nil {
				v.References = sources.Final(nil)
			}
			known.Sources = len(v.References)
			v.Confidence = confidence(t, known, answer.NotWritten(), written)
			noteVerdict(t, v)
			return t.Verdict.Set(v)
		}
		sources := t.Sources.Value()
		report := answer.Support(written.Text, written.Marks, sources)
		report.Unmarked = t.Request.Cites() == core.CiteNothing
		check := answer.Check(written.Text, report, written.Invalid)
		v.References = sources.Final(written.Cited)
		if !report.Unmarked {
			v.Citations = report.Citations(sources)
		}
		v.Unsupported = report.UnsupportedClaims(written.Text)
		known.Sources = sources.Len()
		v.Confidence = confidence(t, known, check, written)
		noteVerdict(t, v)
		return t.Verdict.Set(v)
	}}
}

// reasonModelDown stands with the answer of the built-in model that wrote in
// place of the configured one.
const reasonModelDown = "chat_model_unavailable"

// reasonKeywords stands with an answer whose passages were searched for
// without vectors, because the embedding model could not be used.
const reasonKeywords = "keyword_search_only"

func confidence(t *pipeline.Turn, known answer.Evidence, check answer.Verdict, written pipeline.Answer) core.Confidence {
	c := answer.Confidence(known, check)
	if written.Degraded {
		c.Reasons = append(c.Reasons, reasonModelDown)
	}
	if t.Explain.Value().Degraded != "" {
		c.Reasons = append(c.Reasons, reasonKeywords)
	}
	if len(t.Request.Images) > 0 && t.Seen.Value() == "" {
		c.Reasons = append(c.Reasons, reasonPictures)
	}
	return c
}

func noteVerdict(t *pipeline.Turn, v pipeline.Verdict) {
	t.Note(pipeline.StageVerify, "hit_type", string(v.HitType))
	t.Note(pipeline.StageVerify, "confidence", fmt.Sprintf("%.2f %s: %s", v.Confidence.Score, v.Confidence.Level, strings.Join(v.Confidence.Reasons, "; ")))
}

func route(a pipeline.Answer, evidence []llm.Evidence) answer.Route {
	switch {
	case a.HitType == core.HitDirect:
		return answer.RouteDeterministic
	case a.HitType == core.HitFAQExact:
		return answer.RouteFAQExact
	case a.HitType == core.HitFAQ:
		return answer.RouteFAQ
	case a.Insufficient || len(evidence) == 0:
		return answer.RouteInsufficient
	default:
		return answer.RouteEvidence
	}
}

func hitType(a pipeline.Answer, r answer.Route) core.HitType {
	switch {
	case a.HitType != "":
		return a.HitType
	case r == answer.RouteInsufficient:
		return core.HitInsufficient
	default:
		return core.HitRAG
	}
}

// settledBy is the probability from which evidence settles what was meant.
const settledBy = .45

// settled is how sure the intent is once the evidence is known: where no rule
// was sure what is asked, passages that plainly answer it settle that.
func settled(d pipeline.Decision, probability float64) float64 {
	if d.Confidence == d.Rule && d.Confidence < sureIntent && probability >= settledBy {
		return sureIntent
	}
	return d.Confidence
}

// weigh says how good the evidence is. Its strength is the calibrated
// probability and not the best passage's score: a score ranks passages of one
// question, and means different things for different questions and models.
func weigh(assessor Assessor, t *pipeline.Turn, r answer.Route) answer.Evidence {
	evidence := t.Evidence.Value()
	e := answer.Evidence{Route: r, Contexts: len(evidence), Rewritten: t.Understanding.Value().Rewritten}
	d := t.Decision.Value()
	e.IntentRule, e.Intent = d.Rule, d.Confidence
	switch {
	case r == answer.RouteFAQExact || r == answer.RouteFAQ:
		e.Contexts, e.Probability = 1, t.Answer.Value().Score
	case r == answer.RouteDeterministic:
		e.Probability = 1 // a rule answered from the store's own facts
	case len(evidence) > 0 && t.Answer.Value().Assessed != nil:
		e.Probability = *t.Answer.Value().Assessed
	case len(evidence) > 0:
		e.Probability = assessor.Probability(t.Question(), t.Aliases.Value(), evidence)
	}
	if r == answer.RouteEvidence {
		e.Intent = settled(d, e.Probability)
	}
	e.TopScore = e.Probability
	return e
}
