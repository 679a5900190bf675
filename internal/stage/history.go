package stage

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"kaoju/internal/answer"
	"kaoju/internal/core"
	"kaoju/internal/pipeline"
)

// Messages reads what was said in a session: the last limit messages before
// an order, oldest first.
type Messages interface {
	ListMessages(ctx context.Context, scope core.Scope, sessionID string, before int64, limit int) ([]core.Message, error)
}

// spare messages are read beyond two a round, so that rounds which failed do
// not crowd out those that count.
const spare = 10

// History loads the last rounds of the session, oldest first; 0 rounds turns
// it off, and so does an assistant that takes each question alone. A round counts if its answer says something: what failed, or is
// still being written, is left out, for a model reads an empty answer as an
// example to follow.
func History(messages Messages, rounds int) pipeline.Plugin {
	return step{"history", pipeline.StageHistory, func(ctx context.Context, t *pipeline.Turn) error {
		req := t.Request
		said := req.History
		switch {
		case rounds <= 0 || !req.Assistant.MultiTurn:
			t.Note(pipeline.StageHistory, "reason", "history is off")
			return nil
		case len(said) == 0 && (req.Before <= 1 || req.SessionID == ""):
			t.Note(pipeline.StageHistory, "reason", "nothing was said before")
			return nil
		case len(said) == 0:
			list, err := messages.ListMessages(ctx, req.Scope, req.SessionID, req.Before, rounds*2+spare)
			if err != nil {
				return core.Wrap(err, core.CodeOf(err), "what was said before could not be read")
			}
			said = pair(list)
			t.Note(pipeline.StageHistory, "messages", fmt.Sprint(len(list)))
		}
		kept := said[max(0, len(said)-rounds):]
		t.Note(pipeline.StageHistory, "rounds", fmt.Sprintf("%d of %d", len(kept), len(said)))
		return t.History.Set(withoutTags(kept))
	}}
}

// withoutTags gives rounds whose answers carry no tags: those name the sources
// of another turn, by ids that no model is told.
func withoutTags(rounds []pipeline.Round) []pipeline.Round {
	out := slices.Clone(rounds)
	for i := range out {
		out[i].Answer = answer.WithoutTags(out[i].Answer)
	}
	return out
}

// pair makes rounds of messages, by their request, in the order of the
// questions.
func pair(messages []core.Message) []pipeline.Round {
	answers := map[string]core.Message{}
	for _, m := range messages {
		if m.Role == core.RoleAssistant && spoken(m) {
			answers[m.RequestID] = m
		}
	}
	slices.SortStableFunc(messages, func(a, b core.Message) int { return int(a.Order - b.Order) })
	var rounds []pipeline.Round
	for _, m := range messages {
		answer, ok := answers[m.RequestID]
		text := withoutThinking(answer.Content)
		if m.Role != core.RoleUser || !ok || text == "" || strings.TrimSpace(m.Content) == "" {
			continue
		}
		rounds = append(rounds, pipeline.Round{Question: m.Content, Answer: text, Image: m.Image, Cited: cited(answer.References)})
	}
	return rounds
}

// spoken reports whether a message says something that the user has read. A
// text that was stopped is what the user has read.
func spoken(m core.Message) bool {
	return m.State != core.MessageFailed && m.State != core.MessagePending && strings.TrimSpace(m.Content) != ""
}

func cited(references []core.Reference) []core.Reference {
	var out []core.Reference
	for _, r := range references {
		if r.Number > 0 {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b core.Reference) int { return a.Number - b.Number })
	return out
}

// thinking is what a model wrote to itself; a text that was cut off may not
// have closed it.
var thinking = regexp.MustCompile(`(?is)<think(?:ing)?>.*?(?:</think(?:ing)?>|\z)`)

func withoutThinking(s string) string {
	if !strings.Contains(s, "<") {
		return strings.TrimSpace(s)
	}
	return strings.TrimSpace(thinking.ReplaceAllString(s, ""))
}
