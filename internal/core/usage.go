package core

// Spent is what the calls of one model cost together, in tokens.
type Spent struct {
	Kind      string `json:"kind"` // chat, embedding, rerank
	Model     string `json:"model"`
	Calls     int64  `json:"calls"`
	Input     int64  `json:"input_tokens"`
	Cached    int64  `json:"cached_tokens"` // the part of the input that the provider had
	Output    int64  `json:"output_tokens"`
	Reasoning int64  `json:"reasoning_tokens"` // the part of the output that was reasoning
	// Estimated is how many of the calls came back without numbers; their
	// tokens are counted from the characters.
	Estimated int64 `json:"estimated_calls"`
}

// DayUsage is what the calls of one model cost on one day (UTC).
type DayUsage struct {
	Day string `json:"day"` // 2006-01-02
	Spent
}
