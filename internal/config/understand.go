package config

import "time"

// Ways to understand a question.
const (
	UnderstandModel = "model"
	UnderstandRules = "rules"
)

// Understand sets how questions are completed and sorted.
type Understand struct {
	By      string // UnderstandModel or UnderstandRules
	Timeout time.Duration
}

// understandTable binds the options of understanding.
func (c *Config) understandTable() []Option {
	ways, checkWay := oneOf(UnderstandModel, UnderstandRules)
	strategies, checkStrategy := oneOf("fixed", "model")
	own := c.UnderstandModel.table("understand_model", "understands questions")
	own[0].Doc = "Address of the OpenAI-compatible endpoint of a model that understands questions in place of the chat model, such as a cheaper one. Empty means the chat model's endpoint."
	own[1].Doc = "Name of the model there. Empty, without an address, means the chat model."
	return append([]Option{
		textOption("understand.by", "Who completes follow-up questions and tells what is wanted: the chat model, where one is configured and answers in time, or rules alone.",
			ways, &c.Understand.By, checkWay),
		durationOption("understand.timeout", "Time that models have for that, before the rules do it.", &c.Understand.Timeout, 50*time.Millisecond),
		textOption("chat.fallback", "What answers where nothing was found: fixed words, or the chat model, which then says that no document stands behind its answer.",
			strategies, &c.Chat.Fallback, checkStrategy),
	}, own...)
}
