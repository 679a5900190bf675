package app

import (
	"fmt"
	"time"

	"kaoju/internal/cache"
	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/llm"
	"kaoju/internal/llm/builtin"
	"kaoju/internal/pipeline"
)

// caches are the engine and the embedder of questions as turns see them: with
// what they came to before.
type caches struct {
	documents index.Engine
	faqs      index.Engine
	questions llm.Embedder
}

// newCaches puts caches before the engine and, where questions are embedded at
// an endpoint, before that; the built-in embedder takes less time than a look-up
// saves. They are told of each change of this process.
func newCaches(a *App) caches {
	room := a.cfg.Memory.Candidates
	if room <= 0 {
		return caches{a.engine, a.engine, a.embed.question}
	}
	epochs := cache.NewEpochs(a.db, time.Now)
	a.db.OnAdvance(epochs.Forget)
	c := caches{
		documents: cache.NewEngine(a.engine, cache.KindDocuments, epochs, 3*room/4, time.Now),
		faqs:      cache.NewEngine(a.engine, cache.KindFAQ, epochs, room/8, time.Now),
		questions: a.embed.question,
	}
	if _, ours := a.embed.question.(builtin.Embedder); !ours {
		c.questions = cache.NewEmbedder(a.embed.question, room/8, time.Now)
	}
	return c
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
