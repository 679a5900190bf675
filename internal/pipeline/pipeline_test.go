package pipeline_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/pipeline"
)

// plugin is a pipeline.Plugin made of a function.
type plugin struct {
	name   string
	stages []pipeline.Stage
	handle func(ctx context.Context, s pipeline.Stage, t *pipeline.Turn, next pipeline.Next) error
}

func (p plugin) Name() string             { return p.name }
func (p plugin) Stages() []pipeline.Stage { return p.stages }
func (p plugin) Handle(ctx context.Context, s pipeline.Stage, t *pipeline.Turn, next pipeline.Next) error {
	return p.handle(ctx, s, t, next)
}

// mark gives a plugin that writes its name before and after the rest of the
// chain, and fails with err after it.
func mark(log *[]string, name string, stage pipeline.Stage, err error) plugin {
	return plugin{name, []pipeline.Stage{stage}, func(ctx context.Context, _ pipeline.Stage, _ *pipeline.Turn, next pipeline.Next) error {
		*log = append(*log, name)
		if nextErr := next(ctx); nextErr != nil {
			return nextErr
		}
		*log = append(*log, "/"+name)
		return err
	}}
}

// bus collects published events.
type bus struct{ events []core.Event }

func (b *bus) publish(_ context.Context, e core.Event) error {
	b.events = append(b.events, e)
	return nil
}

func (b *bus) windows(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, e := range b.events {
		if e.Type != core.EventToolCall && e.Type != core.EventToolResult {
			continue
		}
		var p pipeline.Progress
		if err := json.Unmarshal(e.Data, &p); err != nil {
			t.Fatal(err)
		}
		line := "open " + string(p.ToolName)
		if e.Type == core.EventToolResult {
			line = "close " + string(p.ToolName)
			if !*p.Success {
				line += " failed"
			}
		}
		out = append(out, line)
	}
	return out
}

func TestChainOrder(t *testing.T) {
	var log []string
	reg := pipeline.NewRegistry(
		mark(&log, "outer", pipeline.StageRerank, nil),
		mark(&log, "inner", pipeline.StageRerank, nil),
		mark(&log, "other", pipeline.StageMerge, nil))
	turn := pipeline.NewTurn(pipeline.Request{}, (&bus{}).publish, time.Now)
	_, err := pipeline.Runner{Registry: reg}.Run(t.Context(), []pipeline.Step{{Stage: pipeline.StageRerank}}, turn)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(log, " "); got != "outer inner /inner /outer" {
		t.Errorf("order %q", got)
	}
}

// Fault 20: what a step failed with closes its window as a result without
// success, and is no error event.
func TestWaysOut(t *testing.T) {
	boom := core.Errorf(core.CodeUnavailable, "no model answers")
	tests := []struct {
		name     string
		fail     map[pipeline.Stage]error
		cancelIn pipeline.Stage
		want     string // stages that ran
		windows  string
		code     core.Code
		fallback bool
	}{
		{name: "all", want: "route plan chunk_search_parallel chunk_rerank chat_completion_stream verify_answer",
			windows: "open query_understand, close query_understand, open knowledge_search, close knowledge_search"},
		{name: "an optional stage degrades", fail: map[pipeline.Stage]error{pipeline.StageRerank: boom},
			want:    "route plan chunk_search_parallel chunk_rerank chat_completion_stream verify_answer",
			windows: "open query_understand, close query_understand, open knowledge_search, close knowledge_search"},
		{name: "a needed stage fails", fail: map[pipeline.Stage]error{pipeline.StageSearch: boom},
			want: "route plan chunk_search_parallel", code: core.CodeUnavailable,
			windows: "open query_understand, close query_understand, open knowledge_search, close knowledge_search failed"},
		{name: "nothing found", fail: map[pipeline.Stage]error{pipeline.StageSearch: pipeline.ErrNothingFound},
			want: "route plan chunk_search_parallel verify_answer", fallback: true,
			windows: "open query_understand, close query_understand, open knowledge_search, close knowledge_search"},
		{name: "answered early", fail: map[pipeline.Stage]error{pipeline.StageRoute: pipeline.ErrAnswered},
			want: "route verify_answer", windows: "open query_understand, close query_understand"},
		{name: "a stop is no fallback", fail: map[pipeline.Stage]error{pipeline.StageSearch: pipeline.ErrNothingFound},
			cancelIn: pipeline.StageSearch, want: "route plan chunk_search_parallel", code: core.CodeCanceled,
			windows: "open query_understand, close query_understand, open knowledge_search, close knowledge_search failed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var ran []string
			all := plugin{"all", []pipeline.Stage{
				pipeline.StageRoute, pipeline.StagePlan, pipeline.StageSearch, pipeline.StageRerank,
				pipeline.StageComplete, pipeline.StageVerify,
			}, func(_ context.Context, s pipeline.Stage, _ *pipeline.Turn, _ pipeline.Next) error {
				ran = append(ran, string(s))
				if s == tt.cancelIn {
					cancel()
				}
				return tt.fail[s]
			}}
			fellBack := false
			runner := pipeline.Runner{
				Registry: pipeline.NewRegistry(all),
				Fallback: func(context.Context, *pipeline.Turn) error { fellBack = true; return nil },
			}
			b := &bus{}
			turn := pipeline.NewTurn(pipeline.Request{RequestID: "r"}, b.publish, time.Now)
			_, err := runner.Run(ctx, pipeline.RAG(turn.Request), turn)
			if core.CodeOf(err) != tt.code {
				t.Errorf("error %v, want code %q", err, tt.code)
			}
			if got := strings.Join(ran, " "); got != tt.want {
				t.Errorf("ran %q, want %q", got, tt.want)
			}
			if got := strings.Join(b.windows(t), ", "); got != tt.windows {
				t.Errorf("windows %q, want %q", got, tt.windows)
			}
			if slices.ContainsFunc(b.events, func(e core.Event) bool { return e.Type == core.EventError }) {
				t.Error("a step that failed became an error event")
			}
			if fellBack != tt.fallback {
				t.Errorf("fallback = %v", fellBack)
			}
		})
	}
}

// Fault 11: what is left out of a turn is said, with the reason.
func TestDegradationIsWritten(t *testing.T) {
	failing := plugin{"rerank", []pipeline.Stage{pipeline.StageRerank},
		func(context.Context, pipeline.Stage, *pipeline.Turn, pipeline.Next) error {
			return core.Wrap(errors.New("dial tcp 10.0.0.1: refused"), core.CodeUnavailable, "the reranker does not answer")
		}}
	turn := pipeline.NewTurn(pipeline.Request{}, (&bus{}).publish, time.Now)
	out, err := pipeline.Runner{Registry: pipeline.NewRegistry(failing)}.Run(t.Context(),
		[]pipeline.Step{{Stage: pipeline.StageRerank, Optional: true}}, turn)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Timings) != 1 || out.Timings[0].Note != "degraded: the reranker does not answer" {
		t.Errorf("timings %+v", out.Timings)
	}
	want := core.TraceNote{Stage: "chunk_rerank", Key: "degraded", Value: "unavailable"}
	if !slices.Contains(out.Notes, want) {
		t.Errorf("notes %+v", out.Notes)
	}
}

func TestLateOptionalStagesAreSkipped(t *testing.T) {
	clock := time.Unix(0, 0)
	now := func() time.Time { return clock }
	var ran []string
	slow := plugin{"slow", []pipeline.Stage{pipeline.StageSearch, pipeline.StageRerank, pipeline.StageMerge},
		func(_ context.Context, s pipeline.Stage, _ *pipeline.Turn, _ pipeline.Next) error {
			ran = append(ran, string(s))
			clock = clock.Add(40 * time.Second)
			return nil
		}}
	turn := pipeline.NewTurn(pipeline.Request{}, (&bus{}).publish, now)
	out, err := pipeline.Runner{Registry: pipeline.NewRegistry(slow), Timeout: time.Minute}.Run(t.Context(), []pipeline.Step{
		{Stage: pipeline.StageSearch},
		{Stage: pipeline.StageRerank, Optional: true, Share: .5},
		{Stage: pipeline.StageMerge},
	}, turn)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(ran, " "); got != "chunk_search_parallel chunk_merge" {
		t.Errorf("ran %q", got)
	}
	if !strings.HasPrefix(out.Timings[1].Note, "skipped") {
		t.Errorf("timings %+v", out.Timings)
	}
}

func TestTimeoutIsNamed(t *testing.T) {
	hang := plugin{"hang", []pipeline.Stage{pipeline.StageSearch},
		func(ctx context.Context, _ pipeline.Stage, _ *pipeline.Turn, _ pipeline.Next) error {
			<-ctx.Done()
			return ctx.Err()
		}}
	turn := pipeline.NewTurn(pipeline.Request{}, (&bus{}).publish, time.Now)
	_, err := pipeline.Runner{Registry: pipeline.NewRegistry(hang), Timeout: time.Millisecond}.
		Run(t.Context(), []pipeline.Step{{Stage: pipeline.StageSearch}}, turn)
	if core.CodeOf(err) != core.CodeTimeout {
		t.Errorf("error %v", err)
	}
}

func TestArtifactIsSetOnce(t *testing.T) {
	var a pipeline.Artifact[int]
	if _, ok := a.Get(); ok {
		t.Error("an artifact is set from the start")
	}
	if err := a.Set(1); err != nil {
		t.Fatal(err)
	}
	if err := a.Set(2); core.CodeOf(err) != core.CodeInternal {
		t.Errorf("second set: %v", err)
	}
	if a.Value() != 1 {
		t.Errorf("value %d", a.Value())
	}
}

func TestRetrieveOnlyWritesNothing(t *testing.T) {
	for _, step := range pipeline.RAG(pipeline.Request{RetrieveOnly: true}) {
		if step.Stage == pipeline.StageComplete || step.Stage == pipeline.StageAssemble {
			t.Errorf("a retrieval has stage %s", step.Stage)
		}
	}
}
