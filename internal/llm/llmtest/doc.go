// Package llmtest plays endpoints of models as they really behave, for tests.
// A script is a text file that holds an HTTP response byte for byte, with
// directives around it; testdata/habits has one file a habit of a vendor.
//
//	e := llmtest.Start(t, llmtest.Habit(t, "deepseek_reasoning"))
//	model, err := openai.NewChat(openai.Options{BaseURL: e.URL, Model: "m"}, openai.Env{HTTP: e.Client})
//
// A script has a head, a line of three dashes, and a body. A line of three
// equals signs begins the response to the next call; the last response
// answers all further calls.
//
//	# a comment
//	status 429
//	header Retry-After: 2
//	newline crlf          the body's lines end with CR LF
//	---
//	data: {"choices":[]}  sent as it stands, with the end of the line
//	@raw "data: {\"ch"    Go-quoted bytes, without an end of line
//	@gate more            waits until the test calls Open("more")
//	@gone                 waits until the client has gone away
//	@cut                  ends the connection without an end of the body
//
// Everything of one endpoint may be used from several goroutines. With Start
// the network is a pipe in memory, which works in a synctest bubble and keeps
// every write apart; StartTCP uses a real connection.
package llmtest
