package stage

import (
	"context"
	"slices"
	"strconv"

	"kaoju/internal/answer"
	"kaoju/internal/assistant"
	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
	"kaoju/internal/text"
)

// FAQs finds standard questions; retrieve.FAQSearcher is one.
type FAQs interface {
	Exact(ctx context.Context, targets []index.Target, question string) ([]retrieve.FAQCandidate, error)
	Search(ctx context.Context, req retrieve.FAQRequest) ([]retrieve.FAQCandidate, error)
}

// Standard questions that are looked for: as many by the probe as any plan
// wants, so that its list can be used again.
const (
	faqTopK         = 20
	faqFollowUpTopK = 24
	faqProbeTopK    = 30
)

// Probe answers a question that is a standard question word for word, before
// history, understanding and search. What else it found is kept for the FAQ
// stage. Register it last of the route.
func Probe(faqs FAQs, rules Rulebook, patterns *assistant.Patterns) pipeline.Plugin {
	return step{"probe", pipeline.StageRoute, func(ctx context.Context, t *pipeline.Turn) error {
		req := t.Request
		where := faqTargets(t)
		named := len(patterns.SourcesOf(req.Assistant, req.Question)) > 0
		if req.RetrieveOnly || req.Talk || req.Assistant.FAQ.Off || len(where) == 0 || !rules.Rules().Probes(req.Question, named) {
			return nil
		}
		exact, err := faqs.Exact(ctx, where, req.Question)
		if err != nil {
			return err
		}
		if len(exact) > 0 {
			return exactly(ctx, t, exact)
		}
		list, err := faqs.Search(ctx, retrieve.FAQRequest{Targets: where, Spaces: spaces(t), Question: req.Question, Limit: faqProbeTopK})
		if err != nil {
			return err
		}
		t.Note(pipeline.StageRoute, "faq_probe", "no standard question is equal; "+strconv.Itoa(len(list))+" kept")
		return t.Probed.Set(pipeline.FAQList{Candidates: list, Question: req.Question, BaseIDs: baseIDs(where), Capacity: faqProbeTopK})
	}}
}

// exactly ends the turn with the answer of the standard question that was
// asked. The plan of the account is what was done.
func exactly(ctx context.Context, t *pipeline.Turn, exact []retrieve.FAQCandidate) error {
	t.Note(pipeline.StageRoute, "route", pipeline.RouteFAQExact)
	err := t.Decision.Set(pipeline.Decision{
		Intent: pipeline.LabelFAQ, Rule: sureFAQ, Confidence: sureFAQ, Reason: "standard_question_exact", Route: pipeline.RouteFAQExact,
	})
	if err != nil {
		return err
	}
	if err := t.Plan.Set(pipeline.Plan{RunFAQ: true, FAQTopK: 1, FAQExactOnly: true, FAQDirect: 1, Reason: "standard_question_exact"}); err != nil {
		return err
	}
	return answerStandard(ctx, t, exact[0], core.HitFAQExact, exact)
}

// answerStandard ends the turn with the answer of an entry, which is its
// first reference.
func answerStandard(ctx context.Context, t *pipeline.Turn, c retrieve.FAQCandidate, hit core.HitType, all []retrieve.FAQCandidate) error {
	refs := make([]core.Reference, 0, 1)
	chosen := reference(c.Found)
	chosen.Number = 1
	refs = append(refs, chosen)
	for _, other := range all {
		if len(refs) < 3 && other.Chunk.ID != c.Chunk.ID {
			refs = append(refs, reference(other.Found))
		}
	}
	if err := publishReferences(ctx, t, refs); err != nil {
		return err
	}
	words := answer.Standard(*c.Chunk.FAQ, t.Request.RequestID)
	if err := t.Publish(ctx, core.Event{Type: core.EventAnswer, Content: words}); err != nil {
		return err
	}
	if err := t.Answer.Set(pipeline.Answer{Text: words, HitType: hit, References: refs, Score: c.Score}); err != nil {
		return err
	}
	return pipeline.ErrAnswered
}

// faqTargets are the FAQ bases of the turn.
func faqTargets(t *pipeline.Turn) []index.Target {
	kinds := map[string]core.BaseKind{}
	for _, b := range t.Bases.Value() {
		kinds[b.ID] = b.Kind
	}
	return slices.DeleteFunc(targets(t), func(target index.Target) bool { return kinds[target.BaseID] != core.BaseFAQ })
}

func baseIDs(where []index.Target) []string {
	ids := make([]string, len(where))
	for i, w := range where {
		ids[i] = w.BaseID
	}
	slices.Sort(ids)
	return ids
}

// refused reports whether an entry says that it does not answer a wording.
func refused(c retrieve.FAQCandidate, wordings []string) bool {
	return slices.ContainsFunc(c.Chunk.FAQ.Negative, func(n string) bool {
		return slices.ContainsFunc(wordings, func(w string) bool { return text.Key(w) == text.Key(n) })
	})
}
