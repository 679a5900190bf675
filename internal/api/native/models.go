package native

import (
	"context"
	"encoding/json"
	"slices"

	"kaoju/internal/core"
	"kaoju/internal/llm/registry"
)

// Models is the registry of models.
type Models interface {
	List() []core.Model
	Model(id string) (core.Model, error)
	Create(ctx context.Context, d registry.Draft) (core.Model, error)
	Change(ctx context.Context, id string, c registry.Change) (core.Model, error)
	Delete(ctx context.Context, id string) error
}

// ModelTools looks at models and their keys.
type ModelTools interface {
	Test(ctx context.Context, id string) error
	Names(ctx context.Context, id string) ([]string, error)
	// Rotate seals all secrets with a new key, and gives how many models have any.
	Rotate(ctx context.Context) (int, error)
}

// administers refuses everybody but the owner of the server: models belong to
// it and to no tenant, and their addresses are asked by the server itself.
func administers(ctx context.Context) error {
	scope := scopeOf(ctx)
	if scope.TenantID != core.DefaultTenantID || !slices.Contains(scope.Roles, core.RoleOwner) {
		return core.Errorf(core.CodeForbidden, "models are looked after by the owner of the server")
	}
	return nil
}

// ListModels gives all models, by kind, secrets masked.
func (h *Handlers) ListModels(ctx context.Context, _ *Empty) (*Reply[List[core.Model]], error) {
	if err := administers(ctx); err != nil {
		return nil, err
	}
	all := h.Models.List()
	return list(all, len(all), nil)
}

// OneModel gives one model, secrets masked.
func (h *Handlers) OneModel(ctx context.Context, in *ByID) (*Reply[core.Model], error) {
	if err := administers(ctx); err != nil {
		return nil, err
	}
	return reply(h.Models.Model(in.ID))
}

// CreateModelInput is a model to register.
type CreateModelInput struct {
	Body struct {
		ID      string          `json:"id,omitempty" maxLength:"64" doc:"1 to 64 of a-z, 0-9, _ and -; made where it is left out"`
		Kind    core.ModelKind  `json:"kind" enum:"chat,embedding,rerank,vision"`
		Name    string          `json:"name" minLength:"1" maxLength:"200" doc:"what the endpoint calls the model"`
		BaseURL string          `json:"base_url" maxLength:"2048" doc:"with or without /v1"`
		APIKey  string          `json:"api_key,omitempty" maxLength:"4096"`
		Options json.RawMessage `json:"options,omitempty" doc:"an object: headers, body, chat, embed, rerank, timeout, limit; see the configuration reference"`
		Default bool            `json:"default,omitempty" doc:"use it where nobody names another"`
	}
}

// CreateModel registers a model.
func (h *Handlers) CreateModel(ctx context.Context, in *CreateModelInput) (*Reply[core.Model], error) {
	if err := administers(ctx); err != nil {
		return nil, err
	}
	b := in.Body
	return reply(h.Models.Create(ctx, registry.Draft{
		ID: b.ID, Kind: b.Kind, Name: b.Name, BaseURL: b.BaseURL, APIKey: b.APIKey, Options: b.Options, Default: b.Default,
	}))
}

// ChangeModelInput changes a model; what is left out stays.
type ChangeModelInput struct {
	ByID
	Body struct {
		Name    *string         `json:"name,omitempty" maxLength:"200"`
		BaseURL *string         `json:"base_url,omitempty" maxLength:"2048"`
		APIKey  *string         `json:"api_key,omitempty" maxLength:"4096" doc:"a masked one stays as it is; an empty one is taken away"`
		Options json.RawMessage `json:"options,omitempty" doc:"in place of all options; masked headers stay as they are"`
		Default *bool           `json:"default,omitempty"`
	}
}

// ChangeModel changes a registered model. The next question is asked by it.
func (h *Handlers) ChangeModel(ctx context.Context, in *ChangeModelInput) (*Reply[core.Model], error) {
	if err := administers(ctx); err != nil {
		return nil, err
	}
	b := in.Body
	return reply(h.Models.Change(ctx, in.ID, registry.Change{Name: b.Name, BaseURL: b.BaseURL, APIKey: b.APIKey, Options: b.Options, Default: b.Default}))
}

// DeleteModel takes a registered model away.
func (h *Handlers) DeleteModel(ctx context.Context, in *ByID) (*Empty, error) {
	if err := administers(ctx); err != nil {
		return nil, err
	}
	return &Empty{}, h.Models.Delete(ctx, in.ID)
}

// ModelTest is how a real call went.
type ModelTest struct {
	Works bool      `json:"works"`
	Code  core.Code `json:"code,omitempty"`
	Error string    `json:"error,omitempty"`
}

// TestModel asks a model for something small.
func (h *Handlers) TestModel(ctx context.Context, in *ByID) (*Reply[ModelTest], error) {
	if err := administers(ctx); err != nil {
		return nil, err
	}
	if _, err := h.Models.Model(in.ID); err != nil {
		return nil, err
	}
	err := h.ModelTools.Test(ctx, in.ID)
	if err != nil {
		return reply(ModelTest{Code: core.CodeOf(err), Error: core.PublicMessage(err)}, nil)
	}
	return reply(ModelTest{Works: true}, nil)
}

// EndpointModels are the names that an endpoint lists.
type EndpointModels struct {
	Names []string `json:"names"`
}

// ListEndpointModels gives the names that a model's endpoint lists.
func (h *Handlers) ListEndpointModels(ctx context.Context, in *ByID) (*Reply[EndpointModels], error) {
	if err := administers(ctx); err != nil {
		return nil, err
	}
	names, err := h.ModelTools.Names(ctx, in.ID)
	return reply(EndpointModels{Names: orEmpty(names)}, err)
}

// Rotated is how many models had their secrets sealed anew.
type Rotated struct {
	Models int `json:"models"`
}

// RotateModelKey seals the secrets of all models with a new key.
func (h *Handlers) RotateModelKey(ctx context.Context, _ *Empty) (*Reply[Rotated], error) {
	if err := administers(ctx); err != nil {
		return nil, err
	}
	n, err := h.ModelTools.Rotate(ctx)
	return reply(Rotated{Models: n}, err)
}
