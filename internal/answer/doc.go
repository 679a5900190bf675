// Package answer is what happens between a model's words and the user's
// screen: it hands out the names by which a model knows its sources, turns
// the model's marks into those that the user sees, checks each claim
// against the source that it cites, and says how far the whole may be relied
// on.
//
// A turn uses it in this order:
//
//	sources := answer.NewSources()
//	handle := sources.Add(reference, content)       // before the prompt
//	publish(sources.Published())                    // before the first token
//	x := answer.NewExpander(sources, style)
//	text += x.Write(delta)                          // for every delta
//	text += x.Flush()                               // after the last
//	report := answer.Support(text, x.Marks(), sources)
//	final := sources.Final(x.Cited())
//	confidence := answer.Confidence(evidence, answer.Check(text, report, x.Invalid()))
//
// Everything here is computation over values: no model, no store, no network.
// A Sources may be read from several goroutines once its last Add is done;
// an Expander belongs to one stream.
package answer
