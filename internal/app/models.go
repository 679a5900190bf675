package app

import (
	"context"
	"path/filepath"
	"time"

	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/llm"
	"kaoju/internal/llm/builtin"
	"kaoju/internal/llm/openai"
	"kaoju/internal/llm/registry"
	"kaoju/internal/stage"
)

// keyFile opens the secrets of the database beside it.
const keyFile = "secrets.key"

// openModels takes up the models of the configuration and those registered
// over the API.
func (a *App) openModels(ctx context.Context) error {
	configured, err := configuredModels(a.cfg)
	if err != nil {
		return err
	}
	sealer, err := registry.OpenSealer(filepath.Join(a.cfg.Data, keyFile))
	if err != nil {
		return err
	}
	a.registry, err = registry.Open(ctx, registry.Options{
		Store: a.db, Sealer: sealer, Configured: configured, Env: metered(), Clean: stage.Clean, Changed: a.follow,
	})
	if err != nil {
		return err
	}
	a.embed = a.embedders()
	a.follow()
	return nil
}

// configuredModels are those of the options, by the names of their groups, and
// behind them those of the file.
func configuredModels(cfg *config.Config) ([]registry.Configured, error) {
	var list []registry.Configured
	add := func(id string, kind core.ModelKind, m config.Model, change func(*openai.Options)) {
		if m.BaseURL != "" {
			o := endpoint(m)
			if change != nil {
				change(&o)
			}
			list = append(list, registry.Configured{ID: id, Kind: kind, Options: o})
		}
	}
	add("chat_model", core.ModelChat, cfg.ChatModel, nil)
	add("rerank_model", core.ModelRerank, cfg.RerankModel, nil)
	add("embedding_model", core.ModelEmbedding, cfg.EmbeddingModel, func(o *openai.Options) {
		o.Embed.Batch, o.Embed.Dimensions = cfg.EmbeddingBatch, cfg.EmbeddingDimensions
	})
	add("vision_model", core.ModelVision, cfg.Vision(), nil)
	if cfg.ModelsFile == "" {
		return list, nil
	}
	of, err := registry.ReadFile(cfg.ModelsFile)
	return append(list, of...), err
}

// embedders turn texts into vectors of the default embedding model. Vectors of
// two models never mix: where it changes, bases are embedded anew in the
// background, and searched by keywords meanwhile.
type embedders struct {
	passages llm.Switching // patient: a document can wait for its model
	question llm.Switching // not patient: without the model, keywords answer at once
}

// A question that cannot be embedded in this time is searched by keywords, and
// after so many failures in a row the model is left alone for a while.
const (
	questionWait     = 2 * time.Second
	questionFailures = 2
)

// embedders gives those of the registry.
func (a *App) embedders() embedders {
	patient := func(o openai.Options) (llm.Embedder, error) {
		e, err := openai.NewEmbedder(o, metered())
		return bookedEmbedder{e, ledger{a.db}}, err
	}
	quick := func(o openai.Options) (llm.Embedder, error) {
		o.Limit.Attempts, o.Limit.Failures = 1, questionFailures
		o.Timeout.First, o.Timeout.Total = questionWait, questionWait
		e, err := openai.NewEmbedder(o, metered())
		return cachedQuestions(e, a.cfg.Memory.Candidates), err
	}
	return embedders{a.registry.Embedder(builtin.Embedder{}, patient), a.registry.Embedder(builtin.Embedder{}, quick)}
}

// follow takes up the embedding model of this moment: from here on the store
// takes no vectors of another, and the bases that have others are embedded
// anew.
func (a *App) follow() {
	a.db.Embeds(a.embed.passages.Model())
	if a.worker != nil {
		a.worker.Reembed()
	}
}

// metered has every call counted by the meter of its context.
func metered() openai.Env { return openai.Env{OnUsage: llm.Spend} }

func endpoint(cfg config.Model) openai.Options {
	return openai.Options{BaseURL: cfg.BaseURL, Model: cfg.Name, APIKey: openai.Secret(cfg.APIKey)}
}
