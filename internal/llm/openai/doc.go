// Package openai talks to models over HTTP in the form that OpenAI made common:
// chat with streams, embeddings, and rerank in the shape of Jina, Cohere or
// TEI. It expects endpoints as they really behave; see llmtest for the habits.
//
//	model, err := openai.NewChat(openai.Options{
//		BaseURL: "https://api.deepseek.com", Model: "deepseek-chat", APIKey: key,
//	}, openai.Env{})
//	err = model.Stream(ctx, llm.ChatRequest{Messages: messages}, func(d llm.Delta) error { … })
//
// One value stands for one model and is shared by all callers: its queue,
// pace and breaker are what protects the endpoint. Every call goes through
// client.run: place in the queue, breaker, pace, attempt; and again after a
// pause where the failure allows it and nothing was passed on yet.
//
// Errors are *core.Error. Messages are for people and hold neither address nor
// key; causes hold the endpoint's own words with all secrets masked. Causes
// that callers tell apart are in package llm.
package openai
