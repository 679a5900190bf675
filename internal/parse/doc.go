// Package parse turns the bytes of a file into blocks of text with a meaning
// (headings, paragraphs, lists, tables, code, formulas).
//
// New builds the front door, a Parser. Parser.Parse finds out what a file is
// from its content (its name is only a hint), hands it to the Reader of that
// format, and cleans what comes out: valid UTF-8, line breaks as \n, no NUL
// and no other control characters, within the Limits. Plain text, Markdown,
// HTML, CSV, JSON and archives are read here; readers that need heavy
// libraries live in sub-packages (office, pdf, mail) and are passed to New by
// the composition root. Files inside files are read by Input.Open, within
// bounds that they all share.
//
// Every error is a *core.Error whose message tells the person who added the
// file what is wrong with it and, where possible, what to do.
package parse
