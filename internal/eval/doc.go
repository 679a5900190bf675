// Package eval measures the product on public data sets: how often retrieval
// finds the right passage, how often an answer holds the gold answer, and how
// far the stated probability may be believed.
//
// Load reads a set, Run asks a System about it, and Report turns the results
// into JSON, a table or a page with charts. The measures are pure functions
// and can be used alone. The package knows no store and no pipeline: whoever
// runs it hands in a System.
package eval
