package embedded

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"kaoju/internal/index"
	"kaoju/internal/index/indextest"
	"kaoju/internal/store"
)

// shelf is a store in memory.
type shelf struct {
	mu    sync.Mutex
	bases map[string]map[string]store.StoredEntry
	reads int   // entries yielded
	fail  error // what reading ends in
}

func newShelf() *shelf { return &shelf{bases: map[string]map[string]store.StoredEntry{}} }

func stored(e index.Entry) store.StoredEntry {
	return store.StoredEntry{
		ChunkID: e.ChunkID, DocumentID: e.DocumentID, FolderID: e.FolderID, TagIDs: e.TagIDs, Type: e.Type,
		Terms: index.EncodeTerms(e.Terms), Vector: index.EncodeVector(e.Vector), Lives: e.Lives,
	}
}

func (s *shelf) write(baseID string, entries ...store.StoredEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bases[baseID] == nil {
		s.bases[baseID] = map[string]store.StoredEntry{}
	}
	for _, e := range entries {
		s.bases[baseID][e.ChunkID] = e
	}
}

// EachEntry yields in order of chunk id, as the store does. Entries without
// lives come every time.
func (s *shelf) EachEntry(_ context.Context, baseID string, since int64, yield func(store.StoredEntry) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var entries []store.StoredEntry
	for _, e := range s.bases[baseID] {
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b store.StoredEntry) int { return strings.Compare(a.ChunkID, b.ChunkID) })
	for _, e := range entries {
		newest := int64(0)
		for _, l := range e.Lives {
			newest = max(newest, l.Since, l.Until)
		}
		if newest <= since && len(e.Lives) > 0 {
			continue
		}
		s.reads++
		if err := yield(e); err != nil {
			return err
		}
	}
	return s.fail
}

type harness struct {
	shelf  *shelf
	engine *Engine
}

func (h harness) Engine() index.Engine { return h.engine }

func (h harness) Write(_ context.Context, baseID string, entries ...index.Entry) error {
	for _, e := range entries {
		h.shelf.write(baseID, stored(e))
	}
	return nil
}

func open(*testing.T) indextest.Harness {
	s := newShelf()
	return harness{s, New(s)}
}

func TestConformance(t *testing.T) { indextest.Run(t, open) }
