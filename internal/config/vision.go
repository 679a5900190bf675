package config

// visionTable binds the options of the model that reads pictures.
func (c *Config) visionTable() []Option {
	own := c.VisionModel.table("vision_model", "reads pictures")
	own[0].Doc = "Address of the OpenAI-compatible endpoint of a model that reads pictures: those in documents, scanned pages, and those of questions. Empty means the chat model's endpoint."
	own[1].Doc = "Name of the model there. Empty, without an address, means that pictures are not read."
	return own
}

// Vision gives the model that reads pictures; one that only has a name is at
// the chat model's endpoint. Without an address there is none.
func (c *Config) Vision() Model {
	own := c.VisionModel
	if own.BaseURL == "" && own.Name != "" {
		own.BaseURL, own.APIKey = c.ChatModel.BaseURL, c.ChatModel.APIKey
	}
	return own
}
