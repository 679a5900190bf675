package app

import (
	"kaoju/internal/config"
	"kaoju/internal/llm"
	"kaoju/internal/llm/builtin"
	"kaoju/internal/llm/openai"
)

// chatModel gives the model that writes answers: the configured one, behind
// which the built-in answerer stands when it cannot be reached, else the
// built-in one alone.
func chatModel(cfg config.Model, readings *builtin.Readings) (llm.Chat, error) {
	if cfg.BaseURL == "" {
		return builtin.NewAnswerer().With(readings), nil
	}
	remote, err := openai.NewChat(endpoint(cfg), openai.Env{})
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
	remote, err := openai.NewReranker(endpoint(cfg), openai.Env{})
	if err != nil {
		return nil, err
	}
	return remote, nil
}

func endpoint(cfg config.Model) openai.Options {
	return openai.Options{BaseURL: cfg.BaseURL, Model: cfg.Name, APIKey: openai.Secret(cfg.APIKey)}
}
