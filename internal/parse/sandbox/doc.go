// Package sandbox runs readers of untrusted formats in child processes of our
// own binary, so that a crash, an endless loop or runaway memory in a parser
// ends that child and not the server.
//
// The parent makes a Pool and registers Pool.Reader(format) with parse.New.
// The child is the same binary under a hidden subcommand that calls Serve
// with the real readers on its standard input and output. A child serves one
// document after the other; it is replaced after a crash, a timeout or a
// number of documents, and ends after a while without work. It gets no
// environment but PATH, HOME, TMPDIR and what Options.Env says.
package sandbox
