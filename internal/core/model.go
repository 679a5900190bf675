package core

import (
	"encoding/json"
	"time"
)

// ModelKind says what a model does.
type ModelKind string

// Kinds of models.
const (
	ModelChat      ModelKind = "chat"
	ModelEmbedding ModelKind = "embedding"
	ModelRerank    ModelKind = "rerank"
	ModelVision    ModelKind = "vision"
)

// Model is a model that the server can ask, as its administrators see it.
type Model struct {
	ID      string    `json:"id"` // 1 to 64 of a-z, 0-9, _ and -
	Kind    ModelKind `json:"kind"`
	Name    string    `json:"name"` // what the endpoint calls it
	BaseURL string    `json:"base_url"`
	// APIKey is masked in all that leaves the server: dots and the last four
	// characters.
	APIKey  string          `json:"api_key,omitempty"`
	Options json.RawMessage `json:"options,omitempty"` // headers, body, timeouts, limits and more; headers masked
	Default bool            `json:"default"`           // what its kind uses where nobody names one
	Origin  ModelOrigin     `json:"origin"`
	// Trouble says why the model cannot be used; empty for most.
	Trouble   string    `json:"trouble,omitempty"`
	CreatedAt time.Time `json:"created_at,omitzero"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
}

// ModelOrigin says where a model is described.
type ModelOrigin string

// Origins of models. Those of the configuration cannot be changed over the API.
const (
	ModelOfConfig ModelOrigin = "config"
	ModelOfAPI    ModelOrigin = "api"
)

// StoredModel is a model as it is kept: what is secret of it is sealed.
type StoredModel struct {
	ID, Name, BaseURL string
	Kind              ModelKind
	Options           string // JSON without anything secret
	Sealed            string // API key and headers
	Default           bool
	CreatedAt         time.Time
	UpdatedAt         time.Time
}
