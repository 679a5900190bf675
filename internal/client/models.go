package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"kaoju/internal/core"
)

// ModelDraft is a model to register.
type ModelDraft struct {
	ID      string          `json:"id,omitempty"`
	Kind    core.ModelKind  `json:"kind"`
	Name    string          `json:"name"`
	BaseURL string          `json:"base_url"`
	APIKey  string          `json:"api_key,omitempty"`
	Options json.RawMessage `json:"options,omitempty"`
	Default bool            `json:"default,omitempty"`
}

// ModelTest is how a real call to a model went.
type ModelTest struct {
	Works bool      `json:"works"`
	Code  core.Code `json:"code,omitempty"`
	Error string    `json:"error,omitempty"`
}

func modelPath(id string) string { return "/api/v1/models/" + url.PathEscape(id) }

// Models gives the models that the server can ask, secrets masked.
func (c *Client) Models(ctx context.Context) ([]core.Model, error) {
	var list struct {
		Items []core.Model `json:"items"`
	}
	err := c.call(ctx, http.MethodGet, "/api/v1/models", nil, &list)
	return list.Items, err
}

// AddModel registers a model.
func (c *Client) AddModel(ctx context.Context, d ModelDraft) (core.Model, error) {
	var m core.Model
	err := c.call(ctx, http.MethodPost, "/api/v1/models", d, &m)
	return m, err
}

// MakeDefaultModel has a model serve where nobody names another.
func (c *Client) MakeDefaultModel(ctx context.Context, id string) (core.Model, error) {
	var m core.Model
	err := c.call(ctx, http.MethodPatch, modelPath(id), map[string]bool{"default": true}, &m)
	return m, err
}

// RemoveModel takes a model away.
func (c *Client) RemoveModel(ctx context.Context, id string) error {
	return c.call(ctx, http.MethodDelete, modelPath(id), nil, nil)
}

// TestModel has the server ask a model for something small.
func (c *Client) TestModel(ctx context.Context, id string) (ModelTest, error) {
	var t ModelTest
	err := c.call(ctx, http.MethodPost, modelPath(id)+"/test", nil, &t)
	return t, err
}

// EndpointModels gives what a model's endpoint lists.
func (c *Client) EndpointModels(ctx context.Context, id string) ([]string, error) {
	var list struct {
		Names []string `json:"names"`
	}
	err := c.call(ctx, http.MethodGet, modelPath(id)+"/names", nil, &list)
	return list.Names, err
}

// RotateModelKey has the server seal all keys with a new one, and gives how
// many models have any.
func (c *Client) RotateModelKey(ctx context.Context) (int, error) {
	var done struct {
		Models int `json:"models"`
	}
	err := c.call(ctx, http.MethodPost, "/api/v1/models/rotate-key", nil, &done)
	return done.Models, err
}
