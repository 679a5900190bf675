// Package index is the contract of a search engine over chunks. An engine
// finds; it decides neither what a caller may see (the query names bases and
// versions that were authorised before) nor how lists are fused (package
// retrieve).
//
// Engines stand in folders of their own: embedded keeps everything that the
// SQL store holds in memory, in compact form. Every engine passes the suite
// in indextest.
package index

import (
	"context"

	"kaoju/internal/core"
)

// Term is a term of a passage with its weighted frequency: how often it
// occurs, a title or heading counting more than the body. Weights are
// quantised to eighths and saturate at 31.
type Term struct {
	Text   string
	Weight float32
}

// Entry is what an engine keeps of a chunk.
type Entry struct {
	ChunkID    string
	DocumentID string
	FolderID   string
	TagIDs     []string
	Type       core.ChunkType
	Terms      []Term    // each term once
	Vector     []float32 // unit length; nil for keyword-only bases
	Lives      []core.Interval
}

// Target is a knowledge base at a version, narrowed by filters. Empty filters
// do not narrow; several filters must all match.
type Target struct {
	BaseID      string
	Version     int64
	DocumentIDs []string
	FolderIDs   []string
	TagIDs      []string
	Types       []core.ChunkType
}

// QueryTerm is a term that a question asks for. Terms with the same Group
// stand for one word (its forms, synonyms, translations): a passage is scored
// by the best of them, once.
type QueryTerm struct {
	Text   string
	Weight float32 // 1 for a word of the question, less for a guess
	Group  int
	// Foreign marks a translation. It is as rare as the word that it stands
	// for, where passages say that word, and costs nothing where they do not
	// say the translation.
	Foreign bool
}

// Query asks for passages. The keyword and the vector part are answered
// apart; an empty part gives an empty list.
type Query struct {
	Targets []Target
	Terms   []QueryTerm
	Vector  []float32
	Limit   int // of each list; 0 or less means 50, at most 500
}

// Hit is a passage found. Keyword scores are BM25 divided by the largest
// score that the query could reach, vector scores are cosines cut at 0: both
// lie in [0,1].
type Hit struct {
	BaseID     string
	ChunkID    string
	DocumentID string
	Score      float64
}

// Result holds both lists, best first, ties broken by chunk id.
type Result struct {
	Keyword []Hit
	Vector  []Hit
}

// Engine searches what was published. Search is safe from any number of
// goroutines and sees everything that Refresh had been told of before.
type Engine interface {
	// Search answers one query over all its targets with shared statistics.
	Search(ctx context.Context, q Query) (Result, error)
	// Refresh makes the last publish of a base searchable; when it returns,
	// a search of that version finds it.
	Refresh(ctx context.Context, baseID string) error
}
