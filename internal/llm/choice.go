package llm

import "context"

// Choice is what a turn's assistant says of models: ids of registered ones,
// empty where it takes the server's.
type Choice struct {
	Chat, Understand, Rerank string
	// NoFallback keeps the built-in answerer from standing in for a chat model
	// that is away.
	NoFallback bool
}

type choiceKey struct{}

// WithChoice gives a context in which models are chosen so.
func WithChoice(ctx context.Context, c Choice) context.Context {
	return context.WithValue(ctx, choiceKey{}, c)
}

// ChoiceOf gives the choice of a context; the zero one where there is none.
func ChoiceOf(ctx context.Context) Choice {
	c, _ := ctx.Value(choiceKey{}).(Choice)
	return c
}

// NameOf names what stands behind a model under a context, where that differs
// from turn to turn.
func NameOf(ctx context.Context, m interface{ Model() string }) string {
	if chosen, ok := m.(interface{ ModelIn(context.Context) string }); ok {
		return chosen.ModelIn(ctx)
	}
	return m.Model()
}
