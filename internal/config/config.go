// Package config is the one table of options. Each option has a file key, an
// environment variable, a type, a default, a rule and a sentence that explains
// it; the YAML file, the environment and the flags override the default in
// that order. Nothing else in the product has a default of its own for a value
// that stands here.
//
//	cfg, err := config.Load(config.Sources{File: path, Environ: os.Environ(), Flags: map[string]string{"listen": "127.0.0.1:9000"}})
package config

import (
	"time"
)

// Config holds the effective values. It is filled by Load and not changed
// afterwards.
type Config struct {
	Data           string
	Listen         string
	PublicHosts    []string
	FetchHosts     []string // that documents may be fetched from
	Log            Log
	Auth           Auth
	Redis          Redis
	Limits         Limits
	Memory         Memory
	Ingest         Ingest
	Chunk          Chunk
	Retrieve       Retrieve
	Evidence       Evidence
	Chat           Chat
	Understand     Understand
	ChatModel      Model
	EmbeddingModel Model
	EmbeddingBatch int // texts in one call
	// EmbeddingDimensions is the length of the vectors; 0 is learned.
	EmbeddingDimensions int
	RerankModel         Model
	// UnderstandModel that has only a name is one of the chat model's endpoint.
	UnderstandModel Model
	// VisionModel reads pictures; without one they are not read.
	VisionModel Model
	// ModelsFile describes further models, with all that can be set of them.
	ModelsFile string
	Prompts    Prompts
	Assistants Assistants
	Rules      Rules
}

// Model says where a model answers. An empty BaseURL means the built-in one.
type Model struct {
	BaseURL string
	Name    string
	APIKey  string
}

// Log says what is logged, and how.
type Log struct {
	Level  string
	Format string
}

// Auth holds the server's credential.
type Auth struct {
	APIKey string
}

// Redis says where the logs of turns are kept.
type Redis struct {
	URL string
}

// Limits bound what comes from outside.
type Limits struct {
	UploadBytes   int64
	TextBytes     int64
	QuestionChars int
	ParseTimeout  time.Duration
	ParseMemory   int64
}

// Memory bounds what is kept to answer sooner, in bytes.
type Memory struct {
	Passages   int64
	Candidates int64
}

// Ingest sets the work on new documents.
type Ingest struct {
	Workers int
}

// Chunk sets how documents are cut; characters, not bytes.
type Chunk struct {
	Child   int
	Overlap int
	Parent  int
}

// Retrieve sets the search.
type Retrieve struct {
	TopK         int
	Fusion       string
	VectorWeight float64
	// ModelVectorWeight stands for VectorWeight beside a model at an endpoint.
	ModelVectorWeight float64
	RerankTopK        int
	RerankThreshold   float64
	RerankRescue      float64
	MMRLambda         float64
	KeywordThreshold  float64
	VectorThreshold   float64
	Join              int // characters up to which neighbours become one passage; 0 is off
	Widen             int // characters below which a passage gets the text around it; 0 is off
}

// Evidence bounds what goes into a prompt.
type Evidence struct {
	TopN          int
	Chars         int
	DocumentChars int
}

// Prompts says where templates come from.
type Prompts struct {
	Dir string
}

// Assistants says where the files of assistants lie.
type Assistants struct {
	Dir string
}

// Rules says where the rules of routing come from.
type Rules struct {
	File string
}

// Chat sets turns and streams.
type Chat struct {
	MaxRounds   int
	Temperature float64
	MaxTokens   int
	Timeout     time.Duration
	Concurrent  int
	Drain       time.Duration
	Heartbeat   time.Duration
	Fallback    string // a core.FallbackStrategy
}
