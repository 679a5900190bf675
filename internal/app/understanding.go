package app

import (
	"context"

	"kaoju/internal/config"
	"kaoju/internal/llm"
	"kaoju/internal/llm/openai"
	"kaoju/internal/llm/registry"
	"kaoju/internal/prompt"
	"kaoju/internal/stage"
	"kaoju/internal/understand"
)

// understander lets models understand questions: the one that the assistant
// names, the configured cheaper one, the one that writes; without any, or
// where they are not wanted, the rules do alone.
func understander(cfg *config.Config, prompts *prompt.Library, models *registry.Registry) (stage.Understander, error) {
	if cfg.Understand.By == config.UnderstandRules {
		return understand.Rules{}, nil
	}
	own, err := understandModel(cfg)
	if err != nil {
		return nil, err
	}
	return understand.Model{
		Prompts: prompts, Timeout: cfg.Understand.Timeout,
		Chats: func(ctx context.Context) (chats []llm.Chat) {
			for _, c := range []llm.Chat{models.Understander(ctx), own, models.Remote(ctx)} {
				if c != nil {
					chats = append(chats, c)
				}
			}
			return chats
		},
	}, nil
}

// understandModel gives the model that understands questions and does nothing
// else; nil where none is named. One that only has a name is at the chat
// model's endpoint.
func understandModel(cfg *config.Config) (llm.Chat, error) {
	own := understandEndpoint(cfg)
	if own.BaseURL == "" {
		return nil, nil
	}
	return openai.NewChat(endpoint(own), metered())
}

func understandEndpoint(cfg *config.Config) config.Model {
	own := cfg.UnderstandModel
	if own.BaseURL == "" && own.Name != "" {
		own.BaseURL, own.APIKey = cfg.ChatModel.BaseURL, cfg.ChatModel.APIKey
	}
	return own
}
