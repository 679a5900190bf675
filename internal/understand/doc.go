// Package understand makes of a question what it means: what the user wants,
// and the question as it would be asked by someone who had said nothing before
// ("那病假呢" after "年假几天" is "病假几天").
//
// Rules needs no model. It follows a conversation round by round, remembers
// what each question was about, and completes a question only where something
// in it points back: a pronoun, a missing subject, "what about …", the short
// form of a name. A question that stands alone is left as it is, whatever was
// said before. Model asks a chat model instead and falls back to another
// Understander where the model gives nothing usable.
//
//	u, err := understand.Rules{}.Understand(ctx, question, rounds)
package understand
