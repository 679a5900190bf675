package config

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

// Default gives the values that hold where nothing else is said.
func Default() *Config {
	return &Config{
		Data:   defaultData(),
		Listen: "127.0.0.1:8420",
		Log:    Log{Level: "info", Format: "text"},
		Limits: Limits{
			UploadBytes: 100 << 20, TextBytes: 64 << 20, QuestionChars: 10_000,
			ParseTimeout: 2 * time.Minute, ParseMemory: 1 << 30,
		},
		Memory:         Memory{Passages: 64 << 20, Candidates: 16 << 20},
		Ingest:         Ingest{Workers: max(2, runtime.NumCPU()/2)},
		Chunk:          Chunk{Child: 400, Overlap: 60, Parent: 1600},
		EmbeddingBatch: 32,
		Retrieve: Retrieve{
			TopK: 50, Fusion: "weighted_sum", VectorWeight: .1, ModelVectorWeight: .5,
			RerankTopK: 10, RerankThreshold: .1, RerankRescue: .1, MMRLambda: .9, Join: 1600, Widen: 350,
		},
		Understand: Understand{By: UnderstandModel, Timeout: 5 * time.Second},
		Evidence:   Evidence{TopN: 6, Chars: 6000, DocumentChars: 1600},
		Chat: Chat{
			MaxRounds: 5, Temperature: .3, MaxTokens: 2048, Timeout: 2 * time.Minute,
			Concurrent: 256, Drain: 10 * time.Second, Heartbeat: 15 * time.Second,
			Fallback: "fixed",
		},
	}
}

// defaultData is where the data lies unless told otherwise: the user's own
// data folder, so that every command finds it from any directory.
func defaultData() string {
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "kaoju")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "kaoju-data"
	}
	return filepath.Join(home, ".local", "share", "kaoju")
}

// Table binds every option to its field of c. The defaults shown are the
// values that c holds when Table is called.
func (c *Config) Table() []Option {
	return slices.Concat(c.table(), c.understandTable(), c.visionTable(), c.ChatModel.table("chat_model", "writes the answers"), c.RerankModel.table("rerank_model", "ranks the passages"),
		c.EmbeddingModel.table("embedding_model", "turns passages and questions into vectors"))
}

// table binds the options of a model.
func (m *Model) table(prefix, does string) []Option {
	key := textOption(prefix+".api_key", "Key of that endpoint.", "anything", &m.APIKey, nil)
	key.Secret = true
	return []Option{
		textOption(prefix+".base_url", "Address of the OpenAI-compatible endpoint whose model "+does+". Empty means the built-in one.",
			"empty, or an http or https address", &m.BaseURL, checkURL),
		textOption(prefix+".name", "Name of the model at that endpoint.", "a name that the endpoint knows", &m.Name, nil),
		key,
	}
}

// table binds all options but those of models.
func (c *Config) table() []Option {
	levels, checkLevel := oneOf("debug", "info", "warn", "error")
	formats, checkFormat := oneOf("text", "json")
	fusions, checkFusion := oneOf("weighted_sum", "min_max", "rrf")
	key := textOption("auth.api_key", "Key that callers must send (Authorization: Bearer, or X-API-Key). Needed to listen beyond this machine.",
		"empty, or at least 16 characters", &c.Auth.APIKey, checkKey)
	key.Secret = true
	redis := textOption("redis.url", "Redis that keeps the streams of answers, for several servers or so that they outlast one. Empty keeps them in memory.",
		"empty, or redis://, rediss:// or unix:// with user, password and database", &c.Redis.URL, checkRedis)
	redis.Secret = true
	return []Option{
		textOption("data", "Folder that holds everything: the database, the originals, the lock.", "a folder that can be written", &c.Data, notEmpty),
		textOption("listen", "Address of the server. Beyond loopback only with auth.api_key.", "HOST:PORT", &c.Listen, checkListen),
		listOption("public_hosts", "Host names under which browsers may reach the server, beside this machine's own.", "names, separated by commas", &c.PublicHosts),
		listOption("fetch.hosts", "Hosts that documents may be fetched from: names, *.NAME for those below one, or * for every public host. Addresses inside are never reached. Empty fetches nothing.", "names, separated by commas", &c.FetchHosts),
		textOption("log.level", "Least severity that is logged.", levels, &c.Log.Level, checkLevel),
		textOption("log.format", "Form of the log lines.", formats, &c.Log.Format, checkFormat),
		key,
		redis,
		bytesOption("limits.upload_bytes", "Largest file that is taken.", &c.Limits.UploadBytes, 1<<10, 1<<32),
		bytesOption("limits.text_bytes", "Most text that is taken from one file.", &c.Limits.TextBytes, 1<<10, 1<<32),
		intOption("limits.question_chars", "Longest question, in characters.", &c.Limits.QuestionChars, 1, 1_000_000),
		durationOption("limits.parse_timeout", "Longest time for reading one file.", &c.Limits.ParseTimeout, time.Second),
		bytesOption("limits.parse_memory", "Most memory that the reader of one file may take.", &c.Limits.ParseMemory, 128<<20, 1<<36),
		bytesOption("memory.passages", "Memory for passages that searches found and what was read out of them; 0 keeps none.", &c.Memory.Passages, 0, 1<<36),
		bytesOption("memory.candidates", "Memory for what searches came to and for vectors of questions, for those who ask the same again; 0 keeps none.", &c.Memory.Candidates, 0, 1<<36),
		intOption("ingest.workers", "Documents that are worked on at once.", &c.Ingest.Workers, 1, 64),
		intOption("chunk.child", "Length of a passage that is indexed, in characters.", &c.Chunk.Child, 50, 4000),
		intOption("chunk.overlap", "Characters that neighbouring passages share.", &c.Chunk.Overlap, 0, 1000),
		intOption("chunk.parent", "Length of the wider passage that is read, in characters.", &c.Chunk.Parent, 100, 20_000),
		intOption("retrieve.top_k", "Passages that a search finds before they are ranked.", &c.Retrieve.TopK, 1, 500),
		textOption("retrieve.fusion", "How keyword and vector results are joined.", fusions, &c.Retrieve.Fusion, checkFusion),
		shareOption("retrieve.vector_weight", "Weight of the vector result; the keyword result has the rest.", &c.Retrieve.VectorWeight, 1),
		shareOption("retrieve.model_vector_weight", "The same where embedding_model is set, whose vectors say more than the built-in ones.", &c.Retrieve.ModelVectorWeight, 1),
		intOption("retrieve.rerank_top_k", "Passages kept after ranking.", &c.Retrieve.RerankTopK, 1, 100),
		shareOption("retrieve.rerank_threshold", "Least score of a ranked passage.", &c.Retrieve.RerankThreshold, 1),
		shareOption("retrieve.rerank_rescue", "Least score at which the best passage is kept when none reaches the threshold.", &c.Retrieve.RerankRescue, 1),
		shareOption("retrieve.mmr_lambda", "Relevance against diversity in the choice of passages: 1 is relevance alone.", &c.Retrieve.MMRLambda, 1),
		shareOption("retrieve.keyword_threshold", "Least score of the keyword search for a passage of a whole base; 0 lets all pass.", &c.Retrieve.KeywordThreshold, 1),
		shareOption("retrieve.vector_threshold", "Least score of the vector search for a passage of a whole base; 0 lets all pass.", &c.Retrieve.VectorThreshold, 1),
		intOption("retrieve.join", "Passages that follow each other in a document become one, up to so many characters; 0 leaves them apart.", &c.Retrieve.Join, 0, 20_000),
		intOption("retrieve.widen", "A passage with fewer characters is read with the text around it, up to 850 characters; 0 leaves it as it is.", &c.Retrieve.Widen, 0, 850),
		intOption("embedding_model.batch", "Texts that are sent to the embedding model in one call; some providers take 10 at most.", &c.EmbeddingBatch, 1, 2048),
		intOption("embedding_model.dimensions", "Length of the model's vectors; 0 learns it. Set it where a model changes under its name: bases are then embedded anew.", &c.EmbeddingDimensions, 0, 65_536),
		intOption("evidence.top_n", "Passages that an answer is written from.", &c.Evidence.TopN, 1, 50),
		intOption("evidence.chars", "Characters of evidence in all.", &c.Evidence.Chars, 200, 200_000),
		intOption("evidence.document_chars", "Characters of evidence from one document.", &c.Evidence.DocumentChars, 100, 200_000),
		intOption("chat.max_rounds", "Earlier rounds that a turn reads; 0 turns history off.", &c.Chat.MaxRounds, 0, 50),
		shareOption("chat.temperature", "Temperature of the chat model.", &c.Chat.Temperature, 2),
		intOption("chat.max_tokens", "Longest answer of the chat model, in tokens.", &c.Chat.MaxTokens, 16, 131_072),
		durationOption("chat.timeout", "Longest time for one turn.", &c.Chat.Timeout, time.Second),
		intOption("chat.concurrent", "Turns that run at once; others wait.", &c.Chat.Concurrent, 1, 10_000),
		durationOption("chat.drain", "Time that running turns have to end when the server stops.", &c.Chat.Drain, 0),
		textOption("models.file", "File with further models, with headers, limits, timeouts and affixes (YAML; see docs/configuration.md). The server reads it when it starts.",
			"empty, or a file that can be read", &c.ModelsFile, nil),
		textOption("prompts.dir", "Folder with prompt templates that stand in place of the built-in ones: GROUP.yaml.",
			"empty, or a folder that can be read", &c.Prompts.Dir, nil),
		textOption("assistants.dir", "Folder with a file for each assistant: ID.yaml or ID.toml. A changed file is taken by the next question.",
			"empty, or a folder that can be read", &c.Assistants.Dir, nil),
		textOption("rules.file", "Rules by which questions are routed, in place of the built-in ones (YAML or TOML). A changed file is taken by the next question.",
			"empty, or a file that can be read", &c.Rules.File, nil),
		durationOption("chat.heartbeat", "Time between the comments that keep a quiet stream open.", &c.Chat.Heartbeat, time.Second),
	}
}
