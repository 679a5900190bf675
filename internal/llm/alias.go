package llm

// Alias is another name for words of a question, as the glossary of a base has
// it.
type Alias struct {
	Of   string // words of the question, as they stand there
	Said string // what they are called elsewhere
}
