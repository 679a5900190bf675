// Package core is the domain of Kaoju: the words that every other package
// shares (knowledge base, document, chunk, version, session, message, turn
// event, reference, confidence), the scope that says what a caller may see,
// and the one error type.
//
// It imports nothing of ours and does no work: no SQL, no HTTP, no models.
// Values are plain data; those that are shared between goroutines are never
// changed after they were handed over.
package core
