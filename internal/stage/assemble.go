package stage

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"kaoju/internal/answer"
	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
	"kaoju/internal/prompt"
	"kaoju/internal/retrieve"
	"kaoju/internal/text"
)

// quoteRunes is the length of the quote that is shown with a reference; the
// whole passage is one request away.
const quoteRunes = 200

// Assemble chooses the evidence within its budgets, gives each passage its
// handle, publishes the references, and renders the prompt. Without any
// evidence the turn ends with the fallback, and no model is called.
func Assemble(prompts *prompt.Library) pipeline.Plugin {
	return step{"assemble", pipeline.StageAssemble, func(ctx context.Context, t *pipeline.Turn) error {
		plan := t.Plan.Value()
		chosen := choose(t.FAQ.Value().Candidates, slices.Concat(t.Computed.Value(), t.Ranked.Value()), plan)
		t.Note(pipeline.StageAssemble, "evidence", fmt.Sprintf("%d of %d passages, %d characters", len(chosen), len(t.Ranked.Value()), size(chosen)))
		if len(chosen) == 0 {
			return pipeline.ErrNothingFound
		}
		sources := answer.NewSources()
		evidence := make([]llm.Evidence, 0, len(chosen))
		for _, f := range chosen {
			evidence = append(evidence, toEvidence(sources.Add(reference(f), f.Text, f.Parts...), f))
		}
		if err := t.Sources.Set(sources); err != nil {
			return err
		}
		if err := t.Evidence.Set(evidence); err != nil {
			return err
		}
		t.Note(pipeline.StageAssemble, "history", strconv.Itoa(len(t.History.Value())))
		err := t.Prompt.Set(pipeline.Prompt{
			Profile:  t.Profile.Value().Name(),
			Messages: messages(t, prompts, evidence, t.History.Value()),
		})
		if err != nil {
			return err
		}
		if t.Request.Cites() == core.CiteNothing {
			return publishReferences(ctx, t, sources.Final(nil))
		}
		return publishReferences(ctx, t, sources.Published())
	}}
}

// said gives the rounds as a model sees them.
func said(rounds []pipeline.Round) []prompt.Said {
	var out []prompt.Said
	for _, r := range rounds {
		if r.Answer != "" {
			out = append(out, prompt.Said{Question: r.Question, Answer: r.Answer})
		}
	}
	return out
}

func publishReferences(ctx context.Context, t *pipeline.Turn, refs []core.Reference) error {
	return t.Publish(ctx, core.Event{
		Type: core.EventReferences,
		Data: pipeline.Data(pipeline.References{References: refs}),
	})
}

// Standard questions in the prompt: at most so many, and each at least so
// likely the one that was meant.
const (
	faqEvidence = 2
	faqLikely   = .12
)

// choose puts the evidence together: standard questions first, then passages,
// rows of tables before others where the plan prefers them.
func choose(faqs []retrieve.FAQCandidate, ranked []retrieve.Found, plan pipeline.Plan) []retrieve.Found {
	var list []retrieve.Found
	first := map[string]bool{}
	for _, c := range faqs {
		if len(list) < faqEvidence && (c.Exact || c.Score >= max(faqLikely, plan.MinScore)) {
			list = append(list, c.Found)
			first[c.Chunk.ID] = true
		}
	}
	rest := slices.DeleteFunc(slices.Clone(ranked), func(f retrieve.Found) bool { return first[f.Chunk.ID] || f.Score < plan.MinScore })
	if plan.PreferTable {
		slices.SortStableFunc(rest, func(a, b retrieve.Found) int { return boolOrder(tabular(b), tabular(a)) })
	}
	return selectEvidence(append(list, rest...), plan)
}

// tabular reports whether a passage is of a table.
func tabular(f retrieve.Found) bool {
	switch f.Chunk.Type {
	case core.ChunkTableRow, core.ChunkTableSummary, core.ChunkTableColumn:
		return true
	}
	return false
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// selectEvidence takes passages, best first, while they fit: as many as the
// plan wants, and its characters in all. One document fills at most its share
// as long as others have something to say; what is left over then goes to the
// best passages that were put back.
func selectEvidence(ranked []retrieve.Found, plan pipeline.Plan) []retrieve.Found {
	chosen := make([]bool, len(ranked))
	perDocument := map[string]int{}
	count, total := 0, 0
	for _, capped := range []bool{true, false} {
		for i, f := range ranked {
			size := utf8.RuneCountInString(f.Text)
			full := capped && perDocument[f.Chunk.DocumentID] > 0 && perDocument[f.Chunk.DocumentID]+size > plan.DocChars
			if chosen[i] || full || count == plan.Evidence || (count > 0 && total+size > plan.Chars) {
				continue
			}
			chosen[i] = true
			count++
			total += size
			perDocument[f.Chunk.DocumentID] += size
		}
	}
	out := make([]retrieve.Found, 0, count)
	for i, f := range ranked {
		if chosen[i] {
			out = append(out, f)
		}
	}
	return out
}

// size is how many characters passages have in all.
func size(passages []retrieve.Found) int {
	n := 0
	for _, f := range passages {
		n += utf8.RuneCountInString(f.Text)
	}
	return n
}

func toEvidence(handle string, f retrieve.Found) llm.Evidence {
	e := llm.Evidence{
		Handle: handle, Type: string(f.Chunk.Type), Title: title(f.Document),
		Headings: f.Chunk.Headings, Sheet: f.Chunk.Sheet, Row: f.Chunk.Row, Text: f.Text, Score: f.Score,
	}
	if faq := f.Chunk.FAQ; faq != nil {
		e.Question, e.Answers = faq.Question, faq.Answers
	}
	return e
}

func reference(f retrieve.Found) core.Reference {
	url := ""
	if f.Chunk.Type == core.ChunkWebSearch {
		url = f.Document.Source
	}
	return core.Reference{
		URL: url, ChunkID: f.Chunk.ID, DocumentID: f.Chunk.DocumentID, BaseID: f.Chunk.BaseID,
		Document: f.Document.Name, Title: title(f.Document), Headings: f.Chunk.Headings,
		Page: f.Chunk.Page, Sheet: f.Chunk.Sheet, Row: f.Chunk.Row, Type: f.Chunk.Type,
		Quote: text.Truncate(f.Chunk.Content, quoteRunes), Score: f.Score, ChunkIDs: chunkIDs(f.Parts),
	}
}

func chunkIDs(parts []retrieve.Part) []string {
	var ids []string
	for _, p := range parts {
		ids = append(ids, p.ChunkID)
	}
	return ids
}

func title(d core.Document) string {
	if d.Title != "" {
		return d.Title
	}
	return d.Name
}
