package app

import (
	"fmt"
	"time"

	"kaoju/internal/cache"
	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/llm"
	"kaoju/internal/pipeline"
)

// caches are the engine as turns see it: with what it came to before.
type caches struct {
	documents index.Engine
	faqs      index.Engine
}

// newCaches puts caches before the engine. They are told of each change of this
// process.
func newCaches(a *App) caches {
	room := a.cfg.Memory.Candidates
	if room <= 0 {
		return caches{a.engine, a.engine}
	}
	epochs := cache.NewEpochs(a.db, time.Now)
	a.db.OnAdvance(epochs.Forget)
	return caches{
		documents: cache.NewEngine(a.engine, cache.KindDocuments, epochs, 3*room/4, time.Now),
		faqs:      cache.NewEngine(a.engine, cache.KindFAQ, epochs, room/8, time.Now),
	}
}

// cachedQuestions remembers the vectors of questions that a model at an endpoint
// made; the built-in embedder takes less time than a look-up saves.
func cachedQuestions(e llm.Embedder, room int64) llm.Embedder {
	if room <= 0 {
		return e
	}
	return cache.NewEmbedder(e, room/8, time.Now)
}

// account puts into an outcome what the caches had: the counts, and a note in
// the trace beside the stages.
func account(out *pipeline.Outcome, events []cache.Event) {
	sum := pipeline.CacheAccount{Enabled: len(events) > 0, Events: make([]pipeline.CacheEvent, 0, len(events))}
	for _, e := range events {
		sum.Events = append(sum.Events, pipeline.CacheEvent(e))
		result := "miss"
		switch {
		case e.Bypass != "":
			sum.Bypassed++
			result = "left aside: " + e.Bypass
		case e.Hit:
			sum.Hits++
			result = "hit"
		default:
			sum.Misses++
		}
		out.Notes = append(out.Notes, core.TraceNote{Stage: string(stageOf(e.Kind)), Key: "cache", Value: fmt.Sprintf("%s: %s", e.Kind, result)})
	}
	out.Account.Cache = sum
}

func stageOf(kind string) pipeline.Stage {
	if kind == cache.KindFAQ {
		return pipeline.StageFAQ
	}
	return pipeline.StageSearch
}
