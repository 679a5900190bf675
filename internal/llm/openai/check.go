package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"kaoju/internal/core"
	"kaoju/internal/llm"
)

// ListModels gives the names that the endpoint lists, in order of the alphabet.
// Not every endpoint has a list; Model of the options is not needed.
func ListModels(ctx context.Context, o Options, e Env) ([]string, error) {
	if o.Model == "" {
		o.Model = "-"
	}
	o.Path = ""
	c, err := newClient(o, e, "", "/models")
	if err != nil {
		return nil, err
	}
	c.noun = "model"
	var answer wireModels
	err = c.run(ctx, func(ctx context.Context, _ *attempt) error {
		return c.exchange(ctx, http.MethodGet, c.url, nil, &answer)
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(answer.names)
	return slices.Compact(answer.names), nil
}

// wireModels takes {data: …}, {models: …} or a plain list.
type wireModels struct{ names []string }

// UnmarshalJSON keeps the names only.
func (w *wireModels) UnmarshalJSON(b []byte) error {
	type model struct {
		ID    string `json:"id"`
		Name  string `json:"name"`
		Model string `json:"model"`
	}
	var list []model
	if json.Unmarshal(b, &list) != nil {
		var object struct {
			Data   []model `json:"data"`
			Models []model `json:"models"`
		}
		if err := json.Unmarshal(b, &object); err != nil {
			return err
		}
		list = append(object.Data, object.Models...)
	}
	for _, m := range list {
		for _, name := range []string{m.ID, m.Model, m.Name} {
			if name != "" {
				w.names = append(w.names, name)
				break
			}
		}
	}
	return nil
}

// Check asks the model for a word and says what is wrong; nil if it works. A
// model that spends the few tokens on reasoning works.
func (m *Chat) Check(ctx context.Context) error {
	req := llm.ChatRequest{Messages: []llm.Message{{Role: "user", Content: "Say: ok"}}, MaxTokens: 16}
	err := m.Stream(ctx, req, func(llm.Delta) error { return nil })
	if errors.Is(err, llm.ErrNoText) {
		return nil
	}
	return err
}

// Check embeds two texts and says what is wrong; nil if the model works. It
// teaches Dim the length of the vectors where the options do not have it.
func (m *Embedder) Check(ctx context.Context) error {
	vectors, err := m.Embed(ctx, llm.ForPassage, []string{"A cat sleeps on the sofa.", "差旅报销须附发票。"})
	if err != nil {
		return err
	}
	if slices.Equal(vectors[0], vectors[1]) {
		return core.Errorf(core.CodeUnavailable, "the embedding model %s gives the same vector for different texts", m.c.Model)
	}
	return nil
}

// Check has two passages scored of which one answers, and says what is wrong;
// nil if the model works. It also settles whether the scores are logits.
func (m *Reranker) Check(ctx context.Context) error {
	scores, err := m.Rerank(ctx, "What is the capital of France?", []llm.Passage{
		{Text: "The capital of France is Paris."}, {Text: "Bananas are rich in potassium."},
	})
	if err != nil {
		return err
	}
	if scores[0] <= scores[1] {
		return core.Errorf(core.CodeUnavailable,
			"the rerank model %s prefers a passage that does not answer; check that it is a rerank model and whether it needs affixes", m.c.Model)
	}
	return nil
}
