package pipeline_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/pipeline"
)

// everywhere gives a plugin of all stages that calls do and goes on.
func everywhere(do func(ctx context.Context, s pipeline.Stage, t *pipeline.Turn) error) plugin {
	all := []pipeline.Stage{
		pipeline.StageRoute, pipeline.StageHistory, pipeline.StageUnderstand, pipeline.StagePlan, pipeline.StageSearch, pipeline.StageRerank,
		pipeline.StageMerge, pipeline.StageTopK, pipeline.StageAssemble, pipeline.StageComplete, pipeline.StageVerify,
	}
	return plugin{"everywhere", all, func(ctx context.Context, s pipeline.Stage, t *pipeline.Turn, next pipeline.Next) error {
		if err := do(ctx, s, t); err != nil {
			return err
		}
		return next(ctx)
	}}
}

func TestPresets(t *testing.T) {
	const understood, searched, answered = "load_history query_understand", "chunk_search_parallel chunk_rerank chunk_merge filter_top_k",
		"into_chat_message chat_completion_stream verify_answer"
	for name, tt := range map[string]struct {
		req    pipeline.Request
		intent pipeline.Understanding
		want   string
	}{
		"rag":           {want: "route " + understood + " plan " + searched + " " + answered},
		"retrieve only": {req: pipeline.Request{RetrieveOnly: true}, want: "route " + understood + " plan " + searched},
		"chat":          {req: pipeline.Request{Talk: true}, want: understood + " " + answered},
		"small talk":    {intent: pipeline.Understanding{Intent: pipeline.IntentGreeting}, want: "route " + understood + " plan " + answered},
		"small talk by a model's word": {intent: pipeline.Understanding{Intent: pipeline.IntentChitchat, Unsure: true},
			want: "route " + understood + " plan " + searched + " " + answered},
		"small talk that is only searched for": {req: pipeline.Request{RetrieveOnly: true}, intent: pipeline.Understanding{Intent: pipeline.IntentGreeting},
			want: "route " + understood + " plan " + searched},
	} {
		var ran []string
		reg := pipeline.NewRegistry(everywhere(func(_ context.Context, s pipeline.Stage, turn *pipeline.Turn) error {
			ran = append(ran, string(s))
			if s == pipeline.StageUnderstand {
				return turn.Understanding.Set(tt.intent)
			}
			return nil
		}))
		b := &bus{}
		turn := pipeline.NewTurn(tt.req, b.publish, time.Now)
		if _, err := (pipeline.Runner{Registry: reg}).Run(t.Context(), pipeline.Steps(tt.req), turn); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(ran, " "); got != tt.want {
			t.Errorf("%s ran %s\nwant %s", name, got, tt.want)
		}
		opened := strings.Contains(strings.Join(b.windows(t), " "), "open knowledge_search")
		if opened != strings.Contains(tt.want, searched) {
			t.Errorf("%s: windows %v", name, b.windows(t))
		}
	}
}

// A stop comes before everything: no stage begins after it, not even one that
// would not have listened, and no fallback answers.
func TestAStopBeginsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var ran []string
	b := &bus{}
	turn := pipeline.NewTurn(pipeline.Request{}, b.publish, time.Now)
	_, err := pipeline.Runner{Registry: pipeline.NewRegistry(mark(&ran, "deaf", pipeline.StageRoute, nil))}.Run(ctx, pipeline.RAG(turn.Request), turn)
	if core.CodeOf(err) != core.CodeCanceled || len(ran) != 0 || len(b.events) != 0 {
		t.Errorf("ran %v, published %v, %v", ran, b.events, err)
	}
}

func TestAStopInTheFallbackIsAStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := &bus{}
	turn := pipeline.NewTurn(pipeline.Request{}, b.publish, time.Now)
	runner := pipeline.Runner{
		Registry: pipeline.NewRegistry(everywhere(func(_ context.Context, s pipeline.Stage, _ *pipeline.Turn) error {
			if s == pipeline.StageSearch {
				return pipeline.ErrNothingFound
			}
			return nil
		})),
		Fallback: func(context.Context, *pipeline.Turn) error { cancel(); return errors.New("the write was cut") },
	}
	if _, err := runner.Run(ctx, pipeline.RAG(turn.Request), turn); core.CodeOf(err) != core.CodeCanceled {
		t.Errorf("error %v", err)
	}
	if got := b.windows(t); len(got) != 4 {
		t.Errorf("windows %v", got)
	}
}

// A stage that panics is a stage that fails: an optional one degrades, and
// windows close.
func TestAPanicIsAFailure(t *testing.T) {
	for stage, code := range map[pipeline.Stage]core.Code{pipeline.StageRerank: "", pipeline.StageSearch: core.CodeInternal} {
		b := &bus{}
		turn := pipeline.NewTurn(pipeline.Request{}, b.publish, time.Now)
		reg := pipeline.NewRegistry(everywhere(func(_ context.Context, s pipeline.Stage, _ *pipeline.Turn) error {
			if s == stage {
				panic("a slip")
			}
			return nil
		}))
		_, err := pipeline.Runner{Registry: reg}.Run(t.Context(), pipeline.RAG(turn.Request), turn)
		if core.CodeOf(err) != code {
			t.Errorf("%s: %v", stage, err)
		}
		if got := b.windows(t); len(got) != 4 || !strings.HasPrefix(got[3], "close knowledge_search") {
			t.Errorf("%s: windows %v", stage, got)
		}
	}
}

// An optional stage is ended when its share of the turn's time is over, and
// the turn goes on.
func TestAShareEndsAStage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		reg := pipeline.NewRegistry(everywhere(func(ctx context.Context, s pipeline.Stage, _ *pipeline.Turn) error {
			if s == pipeline.StageUnderstand {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}))
		turn := pipeline.NewTurn(pipeline.Request{}, (&bus{}).publish, time.Now)
		out, err := pipeline.Runner{Registry: reg, Timeout: time.Minute}.Run(t.Context(), pipeline.RAG(turn.Request), turn)
		if err != nil || time.Since(start) != 18*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		for _, timing := range out.Timings {
			if timing.Stage == string(pipeline.StageUnderstand) && !strings.HasPrefix(timing.Note, "degraded") {
				t.Errorf("timing %+v", timing)
			}
		}
	})
}
