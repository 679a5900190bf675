package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"kaoju/internal/api"
	"kaoju/internal/api/native"
	"kaoju/internal/api/openai"
	"kaoju/internal/api/ragchat"
	"kaoju/internal/api/ws"
	"kaoju/internal/assistant"
	"kaoju/internal/auth"
	"kaoju/internal/chat"
	"kaoju/internal/chunk"
	"kaoju/internal/config"
	"kaoju/internal/core"
	"kaoju/internal/enrich"
	"kaoju/internal/eventlog"
	"kaoju/internal/eventlog/memory"
	"kaoju/internal/eventlog/redis"
	"kaoju/internal/fetch"
	"kaoju/internal/index/embedded"
	"kaoju/internal/ingest"
	"kaoju/internal/knowledge"
	"kaoju/internal/llm"
	"kaoju/internal/llm/builtin"
	"kaoju/internal/llm/registry"
	"kaoju/internal/parse"
	"kaoju/internal/parse/formats"
	"kaoju/internal/parse/sandbox"
	"kaoju/internal/pipeline"
	"kaoju/internal/prompt"
	"kaoju/internal/retrieve"
	"kaoju/internal/stage"
	"kaoju/internal/store"
	"kaoju/internal/web"
	"kaoju/internal/wiki"
	"kaoju/internal/wiki/synthesis"
)

// App is the product over one data folder.
type App struct {
	cfg        *config.Config
	lock       *store.FolderLock
	db         *store.DB
	engine     *embedded.Engine
	caches     caches
	readings   *builtin.Readings
	registry   *registry.Registry
	embed      embedders
	sandbox    *sandbox.Pool
	worker     *ingest.Worker
	enricher   *enrich.Enricher
	knowledge  *knowledge.Service
	wiki       *wiki.Service
	pages      *synthesis.Worker // writes pages of a wiki
	glossaries *knowledge.Glossaries
	events     eventlog.Log
	answerer   answerer
	chat       *chat.Service
	assistants *assistant.Service
	rules      *assistant.Book
	auth       *auth.Authenticator
	handler    http.Handler
	closing    chan struct{}  // closed when the server begins to stop
	close      []func() error // in the order in which things were opened
}

// Open takes the data folder, recovers what a crash left, and starts the
// work on documents that wait. A folder that another process has is
// core.CodeBusy. Close the App when done.
func Open(ctx context.Context, cfg *config.Config) (*App, error) {
	a := &App{cfg: cfg, closing: make(chan struct{})}
	for _, part := range []func(context.Context) error{a.openStore, a.openIngestion, a.openChat} {
		if err := part(ctx); err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	a.openAPI()
	return a, nil
}

// Handler serves the HTTP API.
func (a *App) Handler() http.Handler { return a.handler }

// Close ends everything in the reverse order of its start and waits for it.
func (a *App) Close() error {
	var all error
	for i := len(a.close) - 1; i >= 0; i-- {
		all = errors.Join(all, a.close[i]())
	}
	a.close = nil
	return all
}

func (a *App) onClose(f func() error) { a.close = append(a.close, f) }

func (a *App) openStore(ctx context.Context) (err error) {
	if a.lock, err = store.Lock(a.cfg.Data); err != nil {
		return err
	}
	a.onClose(a.lock.Release)
	if a.db, err = store.Open(ctx, a.cfg.Data); err != nil {
		return err
	}
	a.onClose(a.db.Close)
	a.db.Remember(3 * a.cfg.Memory.Passages / 8)
	a.readings = builtin.NewReadings(3 * a.cfg.Memory.Passages / 8)
	if err := a.openModels(ctx); err != nil {
		return err
	}
	a.engine = embedded.New(a.db)
	a.caches = newCaches(a)
	bases, err := a.db.AllBases(ctx)
	if err != nil {
		return err
	}
	for _, b := range bases {
		if err := a.engine.Refresh(ctx, b.ID); err != nil {
			return fmt.Errorf("load the index of %s: %w", b.Name, err)
		}
	}
	return nil
}

func (a *App) openIngestion(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find our own program: %w", err)
	}
	a.sandbox = sandbox.NewPool(sandbox.Options{
		Command: []string{self, WorkerCommand, filepath.Join(a.cfg.Data, "cache")},
		Workers: a.cfg.Ingest.Workers, MaxMemory: a.cfg.Limits.ParseMemory,
	})
	a.onClose(a.sandbox.Close)
	a.glossaries = knowledge.NewGlossaries(a.db)
	if err := a.openEnrichment(); err != nil {
		return err
	}
	cut := chunk.Settings{Child: a.cfg.Chunk.Child, Overlap: a.cfg.Chunk.Overlap, Parent: a.cfg.Chunk.Parent}
	a.worker = ingest.New(ingest.Deps{
		Store: a.db, Index: a.engine, Glossaries: a.glossaries, Embedder: a.embed.passages, Log: slog.Default(),
		Parser:    a.parser(),
		Reader:    Version,
		Chunk:     cut,
		Workers:   a.cfg.Ingest.Workers,
		Recognise: a.enricher.Recognise, Published: a.enricher.Wake,
	})
	if err := a.worker.Start(ctx); err != nil {
		return err
	}
	a.onClose(func() error { a.worker.Close(); return nil })
	a.enricher.Start(ctx)
	a.onClose(func() error { a.enricher.Close(); return nil })
	pages := fetch.New(fetch.Options{Hosts: a.cfg.FetchHosts, Limit: a.cfg.Limits.UploadBytes})
	a.onClose(func() error { pages.Close(); return nil })
	a.knowledge = knowledge.New(knowledge.Options{
		Store: a.db, Work: a.worker, Index: a.engine, Limit: a.cfg.Limits.UploadBytes,
		Indexer: knowledge.Indexer{Embedder: a.embed.passages, Glossaries: a.glossaries}, Tables: a.parser(), Parts: a.parser(), Pages: pages, Chunking: cut,
	})
	a.wiki = wiki.New(wiki.Options{
		Store: a.db, Index: a.engine, Reader: a.parser(), Remover: a.knowledge, Chunking: cut,
		Indexer: knowledge.Indexer{Embedder: a.embed.passages, Glossaries: a.glossaries},
	})
	return nil
}

// parser reads the simple formats here and those with a history of hostile
// files in child processes.
func (a *App) parser() *parse.Parser {
	readers := map[string]parse.Reader{}
	for _, format := range formats.Names() {
		readers[format] = a.sandbox.Reader(format)
	}
	return parse.New(readers).WithLimits(parse.Limits{
		MaxBytes: a.cfg.Limits.UploadBytes, MaxText: int(a.cfg.Limits.TextBytes), Timeout: a.cfg.Limits.ParseTimeout,
	})
}

func (a *App) openChat(ctx context.Context) error {
	if err := a.openAssistants(); err != nil {
		return err
	}
	prompts, err := prompt.Load(a.cfg.Prompts.Dir)
	if err != nil {
		return err
	}
	writer := a.registry.Writer(builtin.NewAnswerer().With(a.readings))
	ranker := a.registry.Ranker(builtin.NewReranker().With(a.readings))
	thinker, err := understander(a.cfg, prompts, a.registry)
	if err != nil {
		return err
	}
	speaks := func(ctx context.Context) bool { return a.registry.Remote(ctx) != nil }
	fallback := stage.Fallback{Prompts: prompts, Model: writer, Speaks: speaks, Strategy: core.FallbackStrategy(a.cfg.Chat.Fallback), Chat: a.cfg.Chat}
	a.answerer = answerer{prompts: prompts, ledger: ledger{a.db}, runner: pipeline.Runner{
		Registry: a.stages(models{prompts, writer, ranker, thinker, a.registry.Vision, speaks}), Fallback: fallback.Answer, Timeout: a.cfg.Chat.Timeout, Log: slog.Default(),
	}}
	if err := a.openWiki(ctx, prompts, func() llm.Chat { return a.registry.Remote(context.Background()) }); err != nil {
		return err
	}
	if err := a.openEvents(ctx); err != nil {
		return err
	}
	a.chat = chat.New(chat.Options{
		Sessions: a.db, Rounds: a.db, Messages: a.db, Archive: a.db, Sources: a.db, Log: a.events,
		Answerer: a.answerer, Assistant: core.DefaultAssistant(core.DefaultTenantID), Assistants: a.assistants, Titler: titler{a.registry, prompts, ledger{a.db}}, Leases: a.leases(),
		Limits: chat.Limits{Question: a.cfg.Limits.QuestionChars, Turns: a.cfg.Chat.Concurrent, Turn: 2 * a.cfg.Chat.Timeout},
	})
	a.onClose(a.drain)
	return a.chat.Recover(ctx)
}

// leases are kept where other processes may have the store open too.
func (a *App) leases() chat.Leases {
	if !a.db.Shared() {
		return nil
	}
	return a.db
}

// openEvents opens the logs of turns: in Redis where one is configured, else
// in memory.
func (a *App) openEvents(ctx context.Context) error {
	if a.cfg.Redis.URL == "" {
		log := memory.New(memory.DefaultLimits(), time.Now)
		a.events = log
		a.onClose(func() error { log.Close(); return nil })
		return nil
	}
	log, err := redis.Open(ctx, redis.Options{URL: a.cfg.Redis.URL})
	if err != nil {
		return err
	}
	a.events = log
	a.onClose(func() error { log.Close(); return nil })
	return nil
}

// drain lets running turns end for the configured time, then interrupts them.
func (a *App) drain() error {
	ctx, cancel := context.WithTimeout(context.Background(), a.cfg.Chat.Drain)
	defer cancel()
	return a.chat.Close(ctx)
}

// models are what the stages ask, and in what words.
type models struct {
	prompts *prompt.Library
	writer  llm.Chat
	ranker  llm.Reranker
	thinker stage.Understander
	eyes    func() llm.Vision
	speaks  func(context.Context) bool // whether the turn's writer is more than the built-in answerer
}

// stages puts the plugins of a turn together, in their order.
func (a *App) stages(m models) *pipeline.Registry {
	searcher := searcher{&retrieve.Searcher{Engine: a.caches.documents, Embedder: a.embed.question, Chunks: a.db, Weigh: a.weigh}, a.glossaries}
	sketches := retrieve.NewSketches(a.cfg.Memory.Passages / 4)
	patterns, faqs := &assistant.Patterns{}, a.faqSearcher()
	return pipeline.NewRegistry(
		stage.Route(a.db),
		stage.Direct(a.rules, patterns, m.speaks),
		stage.Catalogue(a.db),
		stage.Probe(faqs, a.rules, patterns),
		stage.History(a.db, a.cfg.Chat.MaxRounds),
		stage.Look(stage.Sight{Model: m.eyes, Prompts: m.prompts}),
		stage.Understand(m.thinker),
		stage.KnowNames(a.glossaries),
		stage.ExtractEntity(stage.NoEntities{}),
		stage.Planner{Retrieve: a.cfg.Retrieve, Evidence: a.cfg.Evidence, Rules: a.rules, Patterns: patterns, Prompts: m.prompts}.Plugin(),
		stage.Switches(),
		stage.FAQ(faqs),
		stage.Search(searcher, a.db, a.cfg.Retrieve),
		stage.Rerank(m.ranker, a.cfg.Retrieve),
		stage.Merge(searcher, a.db, sketches, a.cfg.Retrieve),
		stage.TopK(a.cfg.Retrieve.MMRLambda, sketches),
		stage.DataAnalysis(a.db, m.writer, m.speaks),
		stage.Talk(m.prompts, assessor{a.readings}, m.speaks),
		stage.Assemble(m.prompts),
		stage.Complete(m.writer, a.cfg.Chat, m.prompts),
		stage.Verify(assessor{a.readings}),
	)
}

// weigh gives the weights of a search by the model of its vectors: those of a
// model at an endpoint say more than the built-in ones.
func (a *App) weigh(model string, f retrieve.Fusion) retrieve.Fusion {
	if model != (builtin.Embedder{}).Model() {
		f.Vector = a.cfg.Retrieve.ModelVectorWeight
		f.Keyword = 1 - f.Vector
	}
	return f
}

// assessor asks the built-in model how likely the evidence answers.
type assessor struct{ readings *builtin.Readings }

func (a assessor) Probability(question string, aliases []llm.Alias, evidence []llm.Evidence) float64 {
	return a.readings.Assess(question, evidence, aliases...).Probability
}

func (a *App) openAPI() {
	a.auth = auth.New(auth.Options{Keys: []string{a.cfg.Auth.APIKey}, Hosts: a.cfg.PublicHosts})
	handlers := native.New(native.Options{
		Chat: a.chat, Documents: editor{a.knowledge}, Bases: editor{a.knowledge}, Library: a.db, Reading: reading{a.knowledge, a.db}, Traces: a.db, Usage: a.db,
		Glossaries: a.glossaries, FAQ: a.knowledge, FAQFiles: a.knowledge, BaseFiles: a.knowledge, Passages: a.knowledge, Pages: a.knowledge, Settings: a.knowledge, Desk: a.knowledge, Anew: a.knowledge, Shelves: a.knowledge, Names: a.knowledge, Folders: a.knowledge,
		Wiki: a.wiki, WikiHistory: a.wiki, WikiFiles: a.wiki, WikiJobs: a.pages, WikiWork: a.pages,
		Finder:   faqFinder{a.faqSearcher()},
		Progress: progress{a.worker, a.db}, Version: Version, Heartbeat: a.cfg.Chat.Heartbeat, Closing: a.closing,
		Assistants: a.assistants, Rules: a.rules, Feedback: a.db, Ratings: a.db, Models: a.registry, ModelTools: a.registry, Examples: examples{a.knowledge, a.assistants}, Enrichments: a.enricher,
	})
	sockets := ws.New(ws.Options{Chat: a.chat, Origin: a.auth.CheckOrigin, Heartbeat: a.cfg.Chat.Heartbeat})
	a.onClose(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
		defer cancel()
		return sockets.Close(ctx)
	})
	a.handler = api.New(api.Options{
		Native: handlers, OpenAI: openai.New(openai.Options{Chat: a.chat, Assistants: a.assistants, Heartbeat: a.cfg.Chat.Heartbeat}),
		RagChat:   ragchat.New(ragchat.Options{Chat: a.chat, Bases: a.db, Numbers: numbers{a.db}, Heartbeat: a.cfg.Chat.Heartbeat}),
		WebSocket: sockets, Pages: web.New(), Auth: a.auth, MaxText: a.cfg.Limits.UploadBytes,
	})
}
