// Package mail reads e-mail messages (EML, and web pages saved as MHTML).
//
// Reader is a parse.Reader for parse.FormatEML. The library enmime takes the
// message apart, however malformed; which parts are read, and in which
// encoding, is decided here. Attachments are read by the Parser that reads
// the message, through parse.Input.Open.
package mail
