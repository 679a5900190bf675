package llm

// Kinds of models.
const (
	KindChat   = "chat"
	KindEmbed  = "embedding"
	KindRerank = "rerank"
	KindVision = "vision"
)

// Usage is what one call of a model cost, in tokens.
type Usage struct {
	Kind      string // KindChat …
	Model     string
	Input     int // tokens of the prompt, or of the texts
	Cached    int // the part of Input that the provider had cached
	Output    int // tokens written, reasoning among them
	Reasoning int // the part of Output that was reasoning
	// Estimated says that the endpoint gave no numbers; these are counted from
	// the characters.
	Estimated bool
}
