package stage_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/pipeline"
	"kaoju/internal/stage"
)

// conversation is a stage.Messages over a list.
type conversation struct {
	messages []core.Message
	asked    string
}

func (c *conversation) ListMessages(_ context.Context, scope core.Scope, session string, before int64, limit int) ([]core.Message, error) {
	c.asked = fmt.Sprint(scope.UserID, " ", session, " ", before, " ", limit)
	var out []core.Message
	for _, m := range c.messages {
		if m.Order < before {
			out = append(out, m)
		}
	}
	return out[max(0, len(out)-limit):], nil
}

// say appends a round.
func (c *conversation) say(question, answer string, state core.MessageState) {
	order := int64(len(c.messages))
	id := fmt.Sprint("r", order)
	c.messages = append(c.messages,
		core.Message{RequestID: id, Role: core.RoleUser, Order: order + 1, Content: question, State: core.MessageComplete},
		core.Message{RequestID: id, Role: core.RoleAssistant, Order: order + 2, Content: answer, State: state,
			References: []core.Reference{{ChunkID: "also found"}, {ChunkID: "second", Number: 2}, {ChunkID: "first", Number: 1}}})
}

func loadHistory(t *testing.T, c *conversation, rounds int, req pipeline.Request) []pipeline.Round {
	t.Helper()
	req.Assistant.MultiTurn = true
	turn := pipeline.NewTurn(req, (&recorder{}).publish, time.Now)
	err := stage.History(c, rounds).Handle(t.Context(), pipeline.StageHistory, turn, func(context.Context) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return turn.History.Value()
}

func lines(rounds []pipeline.Round) string {
	var out []string
	for _, r := range rounds {
		out = append(out, r.Question+"="+r.Answer)
	}
	return strings.Join(out, " ")
}

// A38: an answer that failed, or says nothing, is no round.
func TestHistoryLeavesOutWhatSaysNothing(t *testing.T) {
	c := &conversation{}
	c.say("q1", "a1", core.MessageComplete)
	c.say("q2", "", core.MessageComplete)
	c.say("q3", "half", core.MessageFailed)
	c.say("q4", " <think>hm</think>\n ", core.MessageComplete)
	c.say("q5", "so far", core.MessageStopped)
	c.say("q6", "", core.MessagePending)
	c.say("q7", "<think>x <b></think>a7<thinking>cut", core.MessageInterrupted)
	c.say("q8", "if a < b then c", core.MessageComplete)
	got := loadHistory(t, c, 5, pipeline.Request{Scope: core.Scope{UserID: "u"}, SessionID: "s", Before: 100})
	if want := "q1=a1 q5=so far q7=a7 q8=if a < b then c"; lines(got) != want {
		t.Errorf("got  %q\nwant %q", lines(got), want)
	}
	if c.asked != "u s 100 20" {
		t.Errorf("asked for %q", c.asked)
	}
	if r := got[0].Cited; len(r) != 2 || r[0].ChunkID != "first" || r[1].ChunkID != "second" {
		t.Errorf("cited %+v", r)
	}
}

func TestHistoryIsCutToTheLastRounds(t *testing.T) {
	c := &conversation{}
	for i := range 9 {
		c.say(fmt.Sprint("q", i), fmt.Sprint("a", i), core.MessageComplete)
	}
	asked := pipeline.Request{SessionID: "s", Before: 17} // the ninth question
	tests := []struct {
		rounds int
		req    pipeline.Request
		want   string
	}{
		{2, asked, "q6=a6 q7=a7"},
		{1, asked, "q7=a7"},
		{0, asked, ""},
		{-1, asked, ""},
		{5, pipeline.Request{SessionID: "s", Before: 0}, ""},
		{5, pipeline.Request{SessionID: "s", Before: 1}, ""},
		{5, pipeline.Request{Before: 17}, ""},
		{1, pipeline.Request{SessionID: "s", Before: 17, History: []pipeline.Round{{Question: "h1"}, {Question: "h2"}}}, "h2="},
	}
	for _, tt := range tests {
		if got := lines(loadHistory(t, c, tt.rounds, tt.req)); got != tt.want {
			t.Errorf("%d rounds before %d: %q, want %q", tt.rounds, tt.req.Before, got, tt.want)
		}
	}
}

// Messages of two rounds that overlapped stand in any order.
func TestHistoryPairsByRequest(t *testing.T) {
	c := &conversation{messages: []core.Message{
		{RequestID: "a", Role: core.RoleUser, Order: 1, Content: "qa"},
		{RequestID: "b", Role: core.RoleUser, Order: 2, Content: "qb"},
		{RequestID: "b", Role: core.RoleAssistant, Order: 3, Content: "ab", State: core.MessageComplete},
		{RequestID: "a", Role: core.RoleAssistant, Order: 4, Content: "aa", State: core.MessageComplete},
		{RequestID: "c", Role: core.RoleAssistant, Order: 5, Content: "its question is out of reach", State: core.MessageComplete},
	}}
	got := loadHistory(t, c, 5, pipeline.Request{SessionID: "s", Before: 9})
	if lines(got) != "qa=aa qb=ab" {
		t.Errorf("got %q", lines(got))
	}
}

func TestAnAssistantMayTakeEachQuestionAlone(t *testing.T) {
	turn := pipeline.NewTurn(pipeline.Request{History: []pipeline.Round{{Question: "q"}}}, (&recorder{}).publish, time.Now)
	err := stage.History(&conversation{}, 5).Handle(t.Context(), pipeline.StageHistory, turn, func(context.Context) error { return nil })
	if _, set := turn.History.Get(); set || err != nil {
		t.Errorf("history %+v, %v", turn.History.Value(), err)
	}
}
