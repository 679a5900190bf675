package pipeline

// Step is a stage of one turn with the way in which the runner treats it.
type Step struct {
	Stage Stage
	// Optional stages degrade: a failure is noted in the trace and the turn
	// goes on, and they are left out once the turn is past its share of time.
	Optional bool
	// Window is the progress window that the step belongs to, if any.
	Window Window
	// Share is the part of the turn's time, from its start, after which an
	// optional step is left out; 0 means never.
	Share float64
}

// Window is a span of progress that users see: opened before its first step
// and closed after its last, on every way out.
type Window string

// The progress windows.
const (
	WindowNone       Window = ""
	WindowUnderstand Window = "query_understand"
	WindowSearch     Window = "knowledge_search"
)

// Builder assembles the steps of a turn.
type Builder struct {
	steps []Step
}

// Add appends steps.
func (b *Builder) Add(steps ...Step) *Builder {
	b.steps = append(b.steps, steps...)
	return b
}

// AddIf appends steps where the condition holds.
func (b *Builder) AddIf(condition bool, steps ...Step) *Builder {
	if condition {
		b.Add(steps...)
	}
	return b
}

// Steps gives what was assembled.
func (b *Builder) Steps() []Step { return b.steps }

// RAG gives the steps of a question over knowledge bases. A request that only
// retrieves ends after the ranking.
func RAG(req Request) []Step {
	return new(Builder).
		Add(
			Step{Stage: StageRoute, Window: WindowUnderstand},
			Step{Stage: StageHistory, Optional: true, Window: WindowUnderstand},
			Step{Stage: StageUnderstand, Optional: true, Window: WindowUnderstand, Share: .3},
			Step{Stage: StagePlan, Window: WindowUnderstand},
			Step{Stage: StageSearch, Window: WindowSearch},
			Step{Stage: StageRerank, Optional: true, Window: WindowSearch, Share: .5},
			Step{Stage: StageMerge, Window: WindowSearch},
			Step{Stage: StageTopK, Window: WindowSearch},
		).
		AddIf(!req.RetrieveOnly,
			Step{Stage: StageAssemble},
			Step{Stage: StageComplete},
			Step{Stage: StageVerify},
		).
		Steps()
}
