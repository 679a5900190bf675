package stage

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"kaoju/internal/answer"
	"kaoju/internal/core"
	"kaoju/internal/pipeline"
	"kaoju/internal/retrieve"
)

// FAQ looks for standard questions like the one asked, in all its wordings,
// and answers with the best where the plan trusts it. Their scores are
// answer.Rate's: the chance that the entry is the one that was meant.
func FAQ(faqs FAQs) pipeline.Plugin {
	return step{"faq", pipeline.StageFAQ, func(ctx context.Context, t *pipeline.Turn) error {
		plan := t.Plan.Value()
		if !plan.RunFAQ {
			return nil
		}
		list, err := candidates(ctx, t, faqs)
		if err != nil {
			return core.Wrap(err, core.CodeOf(err), "the standard questions could not be searched")
		}
		likely := rate(t.Question(), list)
		kept := pipeline.FAQList{Candidates: likely, Question: t.Question(), BaseIDs: baseIDs(faqTargets(t)), Capacity: plan.FAQTopK}
		if err := t.FAQ.Set(kept); err != nil {
			return err
		}
		if len(likely) == 0 {
			return nil
		}
		best := likely[0]
		t.Note(pipeline.StageFAQ, "best", fmt.Sprintf("%.2f, exact %t, needed %.2f", best.Score, best.Exact, plan.FAQDirect))
		switch {
		case best.Exact:
			return answerStandard(ctx, t, best, core.HitFAQExact, likely)
		case !plan.FAQExactOnly && best.Score >= plan.FAQDirect:
			return answerStandard(ctx, t, best, core.HitFAQ, likely)
		}
		return nil
	}}
}

// candidates finds entries for every wording, from the probe's list where
// that is of the same question.
func candidates(ctx context.Context, t *pipeline.Turn, faqs FAQs) ([]retrieve.FAQCandidate, error) {
	plan, words, where := t.Plan.Value(), t.Wordings.Value(), faqTargets(t)
	if len(words) == 0 {
		words = []string{t.Question()}
	}
	var list []retrieve.FAQCandidate
	rest := words
	if probed, ok := t.Probed.Get(); ok && reusable(probed, t, words, baseIDs(where), plan.FAQTopK) {
		list, rest = slices.Clone(probed.Candidates), words[1:]
		t.Note(pipeline.StageFAQ, "reused", fmt.Sprintf("%d candidates of the probe; %d wordings searched", len(list), len(rest)))
	}
	for _, w := range rest {
		found, err := faqs.Search(ctx, retrieve.FAQRequest{Targets: where, Spaces: spaces(t), Question: w, Limit: plan.FAQTopK})
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return once(list, words, plan.FAQTopK), nil
}

// reusable says whether the probe's list stands for a search of the question:
// it was not completed, its first wording is the question, the same bases are
// asked, and the list is long enough.
func reusable(p pipeline.FAQList, t *pipeline.Turn, words, bases []string, capacity int) bool {
	return t.Question() == p.Question && words[0] == p.Question && slices.Equal(p.BaseIDs, bases) && p.Capacity >= capacity
}

// once keeps each entry by its best score, and none that refuses a wording.
func once(list []retrieve.FAQCandidate, words []string, limit int) []retrieve.FAQCandidate {
	var out []retrieve.FAQCandidate
	at := map[string]int{}
	for _, c := range list {
		if c.Chunk.FAQ == nil || refused(c, words) {
			continue
		}
		i, seen := at[c.Chunk.ID]
		switch {
		case !seen:
			at[c.Chunk.ID] = len(out)
			out = append(out, c)
		case c.Exact && !out[i].Exact || c.Exact == out[i].Exact && c.Score > out[i].Score:
			out[i] = c
		}
	}
	slices.SortStableFunc(out, better)
	return out[:min(len(out), limit)]
}

func better(a, b retrieve.FAQCandidate) int {
	switch {
	case a.Exact != b.Exact && a.Exact, a.Exact == b.Exact && a.Score > b.Score:
		return -1
	case a.Exact != b.Exact, a.Score < b.Score:
		return 1
	}
	return 0
}

// rate orders entries by what their questions say together, equal ones first,
// and puts the chance that each is meant in the place of its score.
func rate(question string, list []retrieve.FAQCandidate) []retrieve.FAQCandidate {
	entries := make([]answer.Entry, len(list))
	for i, c := range list {
		entries[i] = answer.Entry{Score: c.Score, Matched: c.Matched, Questions: c.Chunk.FAQ.Questions(), Answers: c.Chunk.FAQ.Answers}
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	ratings := answer.Rate(question, entries)
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(boolOrder(list[b].Exact, list[a].Exact), cmp.Compare(ratings[b].Order, ratings[a].Order))
	})
	rated := make([]retrieve.FAQCandidate, 0, len(list))
	for _, i := range order {
		c := list[i]
		if !c.Exact {
			c.Score = ratings[i].Chance
			c.Steps = append(slices.Clip(c.Steps), retrieve.Step{Name: "likely", Value: c.Score})
		}
		rated = append(rated, c)
	}
	return rated
}
