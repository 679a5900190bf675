package pipeline

// Step is a stage of one turn with the way in which the runner treats it.
type Step struct {
	Stage Stage
	// Optional stages degrade: a failure is noted in the trace and the turn
	// goes on, and they are left out once the turn is past its share of time.
	Optional bool
	// Window is the progress window that the step belongs to, if any.
	Window Window
	// Share is the part of the turn's time, from its start, by which an optional
	// step must be done: what still works then is ended, and what has not begun
	// is left out. 0 means the whole time.
	Share float64
	// When is asked as the step's turn comes; a step whose condition does not
	// hold is passed over, with its window. Nil means always.
	When func(*Turn) bool
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

// Steps gives the steps that a request asks for, by the presets.
func Steps(req Request) []Step {
	switch {
	case req.RetrieveOnly:
		return Retrieve(req)
	case req.Talk:
		return Chat(req)
	}
	return RAG(req)
}

// Chat gives the steps of a conversation without knowledge bases and without
// the web.
func Chat(Request) []Step {
	return new(Builder).Add(understanding()...).Add(answering()...).Steps()
}

// RAG gives the steps of a question over knowledge bases. Words that ask
// nothing of them are answered without a search.
func RAG(req Request) []Step {
	return new(Builder).
		Add(Step{Stage: StageRoute, Window: WindowUnderstand}).
		Add(understanding()...).
		Add(Step{Stage: StagePlan, Window: WindowUnderstand}).
		AddIf(!req.RetrieveOnly, Step{Stage: StageFAQ, Optional: true, Window: WindowSearch, When: (*Turn).Retrieves}).
		Add(searching()...).
		AddIf(req.Assistant.DataAnalysis && !req.RetrieveOnly, Step{Stage: StageData, Optional: true, Window: WindowSearch, Share: .6, When: (*Turn).Retrieves}).
		AddIf(!req.RetrieveOnly, answering()...).
		Steps()
}

// Retrieve gives the steps of a search that writes no answer, for evaluation
// and debugging.
func Retrieve(req Request) []Step {
	req.RetrieveOnly = true
	return RAG(req)
}

func understanding() []Step {
	return []Step{
		{Stage: StageHistory, Optional: true, Window: WindowUnderstand},
		{Stage: StageUnderstand, Optional: true, Window: WindowUnderstand, Share: .3},
	}
}

func searching() []Step {
	steps := []Step{
		{Stage: StageSearch},
		{Stage: StageRerank, Optional: true, Share: .5},
		{Stage: StageMerge},
		{Stage: StageTopK},
	}
	for i := range steps {
		steps[i].Window, steps[i].When = WindowSearch, (*Turn).Retrieves
	}
	return steps
}

func answering() []Step {
	return []Step{{Stage: StageAssemble}, {Stage: StageComplete}, {Stage: StageVerify}}
}
