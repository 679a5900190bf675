// Package builtin is the embedded default for each of the models that
// package llm names: an answerer that chooses and cites sentences, an
// embedder by subword statistics and a reranker by term evidence.
//
// It needs no file, no network and no key, always gives the same output for
// the same input, and does not pretend to be more than it is: the answerer
// writes nothing of its own but the frame around what it quotes, and says so
// when the evidence does not answer.
//
//	var chat llm.Chat = builtin.NewAnswerer()
//	p := builtin.Assess(question, evidence).Probability
//
// Everything in the package is safe for use from several goroutines.
package builtin
