package stage

import (
	"context"
	"strconv"
	"unicode/utf8"

	"kaoju/internal/answer"
	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
	"kaoju/internal/prompt"
	"kaoju/internal/text"
)

// quoteRunes is the length of the quote that is shown with a reference; the
// whole passage is one request away.
const quoteRunes = 200

// Assemble chooses the evidence within its budgets, gives each passage its
// handle, publishes the references, and renders the prompt. Without any
// evidence the turn ends with the fallback, and no model is called.
func Assemble(budget config.Evidence) pipeline.Plugin {
	return step{"assemble", pipeline.StageAssemble, func(ctx context.Context, t *pipeline.Turn) error {
		plan := t.Plan.Value()
		chosen := selectEvidence(t.Ranked.Value(), plan.Evidence, budget)
		t.Note(pipeline.StageAssemble, "evidence", strconv.Itoa(len(chosen)))
		if len(chosen) == 0 {
			return pipeline.ErrNothingFound
		}
		sources := answer.NewSources()
		evidence := make([]llm.Evidence, 0, len(chosen))
		for _, p := range chosen {
			evidence = append(evidence, toEvidence(sources.Add(reference(p), p.Chunk.Content), p))
		}
		if err := t.Sources.Set(sources); err != nil {
			return err
		}
		if err := t.Evidence.Set(evidence); err != nil {
			return err
		}
		profile := prompt.Default()
		t.Note(pipeline.StageAssemble, "profile", profile.Name)
		err := t.Prompt.Set(pipeline.Prompt{
			Profile:  profile.Name,
			Messages: profile.Messages(t.Request.Assistant, evidence, t.Question()),
		})
		if err != nil {
			return err
		}
		return publishReferences(ctx, t, sources.Published())
	}}
}

func publishReferences(ctx context.Context, t *pipeline.Turn, refs []core.Reference) error {
	return t.Publish(ctx, core.Event{
		Type: core.EventReferences,
		Data: pipeline.Data(pipeline.References{References: refs}),
	})
}

// selectEvidence takes passages, best first, while they fit: n at most, and
// budget.Chars characters in all. One document fills at most
// budget.DocumentChars as long as others have something to say; what is left
// over then goes to the best passages that were put back.
func selectEvidence(ranked []pipeline.Passage, n int, budget config.Evidence) []pipeline.Passage {
	chosen := make([]bool, len(ranked))
	perDocument := map[string]int{}
	count, total := 0, 0
	for _, capped := range []bool{true, false} {
		for i, p := range ranked {
			size := utf8.RuneCountInString(p.Chunk.Content)
			full := capped && perDocument[p.Chunk.DocumentID] > 0 && perDocument[p.Chunk.DocumentID]+size > budget.DocumentChars
			if chosen[i] || full || count == n || (count > 0 && total+size > budget.Chars) {
				continue
			}
			chosen[i] = true
			count++
			total += size
			perDocument[p.Chunk.DocumentID] += size
		}
	}
	out := make([]pipeline.Passage, 0, count)
	for i, p := range ranked {
		if chosen[i] {
			out = append(out, p)
		}
	}
	return out
}

func toEvidence(handle string, p pipeline.Passage) llm.Evidence {
	e := llm.Evidence{
		Handle: handle, Type: string(p.Chunk.Type), Title: title(p.Document),
		Headings: p.Chunk.Headings, Text: p.Chunk.Content, Score: p.Score,
	}
	if faq := p.Chunk.FAQ; faq != nil {
		e.Question, e.Answers = faq.Question, faq.Answers
	}
	return e
}

func reference(p pipeline.Passage) core.Reference {
	return core.Reference{
		ChunkID: p.Chunk.ID, DocumentID: p.Chunk.DocumentID, BaseID: p.Chunk.BaseID,
		Document: p.Document.Name, Title: title(p.Document), Headings: p.Chunk.Headings,
		Page: p.Chunk.Page, Sheet: p.Chunk.Sheet, Row: p.Chunk.Row, Type: p.Chunk.Type,
		Quote: text.Truncate(p.Chunk.Content, quoteRunes), Score: p.Score,
	}
}

func title(d core.Document) string {
	if d.Title != "" {
		return d.Title
	}
	return d.Name
}
