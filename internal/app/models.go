package app

import (
	"time"

	"kaoju/internal/config"
	"kaoju/internal/llm"
	"kaoju/internal/llm/builtin"
	"kaoju/internal/llm/openai"
	"kaoju/internal/stage"
)

// chatModel gives the model that writes answers: the configured one, behind
// which the built-in answerer stands when it cannot be reached, else the
// built-in one alone.
func chatModel(cfg config.Model, readings *builtin.Readings) (llm.Chat, error) {
	if cfg.BaseURL == "" {
		return builtin.NewAnswerer().With(readings), nil
	}
	remote, err := openai.NewChat(endpoint(cfg), metered())
	if err != nil {
		return nil, err
	}
	return llm.Fallback{Primary: remote, Second: builtin.NewAnswerer().With(readings)}, nil
}

// rerankModel gives the model that ranks passages. Where a configured one
// fails, the stage keeps the order of the search and says so.
func rerankModel(cfg config.Model, readings *builtin.Readings) (llm.Reranker, error) {
	if cfg.BaseURL == "" {
		return builtin.NewReranker().With(readings), nil
	}
	remote, err := openai.NewReranker(endpoint(cfg), metered())
	if err != nil {
		return nil, err
	}
	return stage.Clean(remote), nil
}

// embedders turn texts into vectors of one model. Vectors of two models never
// mix: where it changes, bases are embedded anew in the background.
type embedders struct {
	passages llm.Embedder // patient: a document can wait for its model
	question llm.Embedder // not patient: without the model, keywords answer at once
}

// A question that cannot be embedded in this time is searched by keywords, and
// after so many failures in a row the model is left alone for a while.
const (
	questionWait     = 2 * time.Second
	questionFailures = 2
)

func embeddingModel(all *config.Config) (e embedders, err error) {
	cfg := all.EmbeddingModel
	if cfg.BaseURL == "" {
		return embedders{builtin.Embedder{}, builtin.Embedder{}}, nil
	}
	patient := endpoint(cfg)
	patient.Embed.Batch, patient.Embed.Dimensions = all.EmbeddingBatch, all.EmbeddingDimensions
	if e.passages, err = openai.NewEmbedder(patient, metered()); err != nil {
		return e, err
	}
	quick := endpoint(cfg)
	quick.Embed.Dimensions = all.EmbeddingDimensions
	quick.Limit.Attempts, quick.Limit.Failures = 1, questionFailures
	quick.Timeout.First, quick.Timeout.Total = questionWait, questionWait
	e.question, err = openai.NewEmbedder(quick, metered())
	return e, err
}

// metered has every call counted by the meter of its context.
func metered() openai.Env { return openai.Env{OnUsage: llm.Spend} }

func endpoint(cfg config.Model) openai.Options {
	return openai.Options{BaseURL: cfg.BaseURL, Model: cfg.Name, APIKey: openai.Secret(cfg.APIKey)}
}
