package retrieve

import (
	"context"
	"fmt"
	"slices"

	"kaoju/internal/core"
	"kaoju/internal/text"
)

// merger gathers passages as they are read and makes one of all that was
// found of an FAQ entry: what is read and cited is the entry.
type merger struct {
	key   string // of the question asked
	found []Found
	at    map[string]int // of an entry, in found
	parts []entryParts   // beside found; zero for other passages
}

// entryParts are the best scores that an entry was found with.
type entryParts struct{ whole, question float64 }

func newMerger(question string) *merger {
	return &merger{key: text.Key(question), at: map[string]int{}}
}

// add takes passages in; entries holds those of the questions among them, by
// id. Questions whose entry is not there are left out, and so are entries that
// refuse the question.
func (m *merger) add(items []Found, entries map[string]core.Chunk) {
	for _, f := range items {
		part := entryParts{whole: f.Score}
		if f.Chunk.Type == core.ChunkFAQQuestion {
			entry, ok := entries[f.Chunk.ParentID]
			if !ok {
				continue
			}
			part = entryParts{question: f.Score}
			if m.key != "" && text.Key(f.Chunk.Content) == m.key {
				part = entryParts{1, 1}
			}
			f.Chunk, f.Text = entry, entry.Content
		}
		switch i, again := m.at[f.Chunk.ID]; {
		case f.Chunk.FAQ == nil:
			m.found, m.parts = append(m.found, f), append(m.parts, entryParts{})
		case again:
			m.parts[i].whole = max(m.parts[i].whole, part.whole)
			m.parts[i].question = max(m.parts[i].question, part.question)
		case !f.Chunk.FAQ.Disabled && !refuses(f.Chunk.FAQ, m.key):
			m.at[f.Chunk.ID] = len(m.found)
			m.found, m.parts = append(m.found, f), append(m.parts, part)
		}
	}
}

// done gives the passages. An entry's score is the mean of what it is found
// with as a whole and of its best question: the one knows its answers and all
// its wordings, the other is not thinned by them.
func (m *merger) done() []Found {
	for i, p := range m.parts {
		if m.found[i].Chunk.FAQ != nil {
			m.found[i] = m.found[i].with("entry", (p.whole+p.question)/2)
		}
	}
	return m.found
}

// entriesOf reads the entries of the FAQ questions among the passages.
func (s *Searcher) entriesOf(ctx context.Context, items []Found) (map[string]core.Chunk, error) {
	var ids []string
	for _, f := range items {
		if f.Chunk.Type == core.ChunkFAQQuestion && !slices.Contains(ids, f.Chunk.ParentID) {
			ids = append(ids, f.Chunk.ParentID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	chunks, err := s.Chunks.ChunksByID(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read the FAQ entries found: %w", err)
	}
	entries := make(map[string]core.Chunk, len(chunks))
	for _, c := range chunks {
		entries[c.ID] = c
	}
	return entries, nil
}

// questions searches like Search and gives the questions of FAQ entries
// themselves, without their documents.
func (s *Searcher) questions(ctx context.Context, req Request) ([]Found, error) {
	req = req.normalised()
	var explain Explain
	scored, err := s.ranked(ctx, req, &explain)
	if err != nil {
		return nil, err
	}
	scored = scored[:min(req.Limit, len(scored))]
	ids := make([]string, len(scored))
	for i, item := range scored {
		ids[i] = item.ID
	}
	chunks, err := s.Chunks.ChunksByID(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read the questions found: %w", err)
	}
	byID := make(map[string]core.Chunk, len(chunks))
	for _, c := range chunks {
		byID[c.ID] = c
	}
	var found []Found
	for _, item := range scored {
		if c, ok := byID[item.ID]; ok {
			found = append(found, Found{Chunk: c, Text: c.Content, Score: item.Score, Steps: item.Steps})
		}
	}
	return found, nil
}

// likeness compares questions with one that was asked.
type likeness struct {
	key     string
	weights map[string]float64
	sum     float64
}

func newLikeness(question string) likeness {
	l := likeness{key: text.Key(question)}
	l.weights, l.sum = questionWeights(question)
	return l
}

// stopShare is what a function word weighs in a question, against others.
const stopShare = .3

// questionWeights gives the terms of a question with what each is worth, and
// their sum.
func questionWeights(question string) (map[string]float64, float64) {
	weights, sum := map[string]float64{}, 0.0
	for _, t := range text.Terms(question) {
		if _, again := weights[t.Text]; again || t.Part {
			continue
		}
		w := 1.0
		if text.IsStop(t.Text) {
			w = stopShare
		}
		weights[t.Text] = w
		sum += w
	}
	return weights, sum
}

// of is the share of both questions' weight that they have in common (Dice).
func (l likeness) of(question string) float64 {
	other, sum := questionWeights(question)
	if l.sum+sum == 0 {
		return 0
	}
	common := 0.0
	for t, w := range other {
		if l.weights[t] > 0 {
			common += w
		}
	}
	return 2 * common / (l.sum + sum)
}

// candidate scores a question that the engine found and names its entry.
func (l likeness) candidate(q Found, entry core.Chunk) FAQCandidate {
	c := FAQCandidate{Matched: q.Chunk.Content, Standard: q.Chunk.Content == entry.FAQ.Question}
	c.Found = Found{Chunk: entry, Text: entry.Content, Score: q.Score, Steps: q.Steps}
	if l.key != "" && text.Key(q.Chunk.Content) == l.key {
		c.Exact = true
		c.Found = c.with("exact", 1)
		return c
	}
	c.Found = c.with("question", min(maxInexact, (q.Score+l.of(q.Chunk.Content))/2))
	return c
}
