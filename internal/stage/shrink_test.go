package stage_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/llm"
)

// narrow is a chat model that reads at most so many pieces of evidence.
type narrow struct {
	script
	most int
	seen []int
}

func (n *narrow) Stream(ctx context.Context, req llm.ChatRequest, yield func(llm.Delta) error) error {
	n.seen = append(n.seen, len(req.Evidence))
	if len(req.Evidence) > n.most {
		return core.Wrap(&llm.ContextLengthError{Limit: 4096, Given: 5000}, core.CodeTooLarge, "the input is longer than the chat model can read")
	}
	return n.script.Stream(ctx, req, yield)
}

// A prompt that the model cannot read is shortened once: the better half of
// the evidence answers.
func TestEvidenceShrinksOnce(t *testing.T) {
	model := &narrow{script: script{deltas: []llm.Delta{{Text: `Five days <ref id="c1"/>.`}}}, most: 3}
	out, _ := run(t, model, "How many days?",
		passage("a", "leave", "Five days of leave.", .9), passage("b", "b", "Other words altogether.", .8),
		passage("c", "c", "Something else again.", .7), passage("d", "d", "And one thing more.", .6))
	if !model.asked.Final {
		t.Error("the shorter request may be shortened again")
	}
	if fmt.Sprint(model.seen) != "[4 2]" || out.Answer != "Five days [1]." {
		t.Errorf("asked with %v passages; answered %q", model.seen, out.Answer)
	}
	prompt := model.asked.Messages[len(model.asked.Messages)-1].Content
	if !strings.Contains(prompt, "Five days of leave.") || strings.Contains(prompt, "one thing more") {
		t.Errorf("the prompt holds\n%s", prompt)
	}
	noted := false
	for _, n := range out.Notes {
		noted = noted || n.Key == "shrunk" && strings.Contains(n.Value, "2 of 4")
	}
	if !noted {
		t.Errorf("the trace does not tell: %+v", out.Notes)
	}
}
