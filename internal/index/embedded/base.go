package embedded

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"

	"kaoju/internal/core"
	"kaoju/internal/index"
	"kaoju/internal/store"
)

// base is what memory holds of one knowledge base. Searches read the snapshot
// and never wait; refreshes take turns.
type base struct {
	id      string
	current atomic.Pointer[snapshot] // nil until the first refresh
	// generation changes after each new snapshot; counter gives the numbers, which
	// no other base of the engine has had.
	generation atomic.Uint64
	counter    *atomic.Uint64

	writing sync.Mutex
}

// refresh reads what was published after the last refresh, and puts a new
// snapshot in place. On an error the old one stays.
func (b *base) refresh(ctx context.Context, source Source, seed maphash.Seed) error {
	b.writing.Lock()
	defer b.writing.Unlock()
	return b.refreshLocked(ctx, source, seed)
}

// reload puts a snapshot in place that has nothing of the old one.
func (b *base) reload(ctx context.Context, source Source, seed maphash.Seed) error {
	b.writing.Lock()
	defer b.writing.Unlock()
	fresh := &snapshot{baseID: b.id}
	if old := b.current.Load(); old != nil {
		fresh.asked = old.asked
	}
	return b.follow(ctx, fresh, source, seed)
}

func (b *base) refreshLocked(ctx context.Context, source Source, seed maphash.Seed) error {
	old := b.current.Load()
	if old == nil {
		old = &snapshot{baseID: b.id}
	}
	return b.follow(ctx, old, source, seed)
}

// follow puts a snapshot in place that has, beside what is in old, what was
// published since.
func (b *base) follow(ctx context.Context, old *snapshot, source Source, seed maphash.Seed) error {
	w := &writer{seed: seed, parts: slices.Clone(old.parts), shared: len(old.parts), seen: old.seen, next: newBuilder()}
	w.copied = make([]bool, len(old.parts))
	if err := source.EachEntry(ctx, b.id, old.seen, w.take); err != nil {
		return err
	}
	w.flush()
	b.show(&snapshot{baseID: b.id, parts: compact(w.parts), seen: w.seen, asked: old.asked})
	return nil
}

// at gives a snapshot that knows the version, reading it from the source
// where another process, or a later call, published it.
func (b *base) at(ctx context.Context, version int64, source Source, seed maphash.Seed) (*snapshot, error) {
	if s := b.current.Load(); s.knows(version) {
		return s, nil
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	if s := b.current.Load(); s.knows(version) {
		return s, nil
	}
	if err := b.refreshLocked(ctx, source, seed); err != nil {
		return nil, err
	}
	s := *b.current.Load()
	s.asked = version
	b.current.Store(&s)
	return &s, nil
}

// show puts a snapshot in place, and then tells that there is another: who
// reads the new generation finds the new snapshot.
func (b *base) show(s *snapshot) {
	b.current.Store(s)
	b.generation.Store(b.counter.Add(1))
}

// writer applies entries to a copy of a snapshot's parts.
type writer struct {
	seed   maphash.Seed
	parts  []part
	shared int    // parts[:shared] came from the old snapshot
	copied []bool // whether a shared part has lives of its own by now
	seen   int64
	next   *builder
}

// take applies one entry: new passages are added, known ones get their new
// lives, and what differs under a known id replaces it.
func (w *writer) take(e store.StoredEntry) error {
	e.Lives = w.real(e.Lives)
	print := w.fingerprint(e)
	if doc, ok := w.next.seg.ids.find([]byte(e.ChunkID)); ok {
		if w.next.seg.prints[doc] == print {
			w.next.lives.set(doc, e.Lives)
			return nil
		}
		w.flush()
	}
	if w.update(e, print) || len(e.Lives) == 0 {
		return nil
	}
	if !w.next.fits(dimOf(e.Vector)) {
		w.flush()
	}
	return w.next.add(e, print)
}

// real notes the versions of all intervals, and leaves out those that hold
// none: the store marks deleted chunks by them.
func (w *writer) real(lives []core.Interval) []core.Interval {
	var kept []core.Interval
	for _, i := range lives {
		w.seen = max(w.seen, i.Since, i.Until)
		if i.Until == 0 || i.Since < i.Until {
			kept = append(kept, i)
		}
	}
	return kept
}

// update looks for the passage in the finished parts and sets its lives. It
// reports whether that was all; a passage that says something else is
// withdrawn, and must be added anew.
func (w *writer) update(e store.StoredEntry, print uint64) bool {
	for i := len(w.parts) - 1; i >= 0; i-- {
		doc, ok := w.parts[i].ids.find([]byte(e.ChunkID))
		if !ok || w.parts[i].lives.isGone(doc) {
			continue
		}
		if w.parts[i].prints[doc] != print {
			w.livesOf(i).set(doc, nil)
			return false
		}
		if !slices.Equal(w.parts[i].lives.get(doc), e.Lives) {
			w.livesOf(i).set(doc, e.Lives)
		}
		return true
	}
	return false
}

// livesOf gives lives of a part that may be changed: searches still read the
// old ones.
func (w *writer) livesOf(i int) *lives {
	if i < w.shared && !w.copied[i] {
		w.parts[i].lives = w.parts[i].lives.clone()
		w.copied[i] = true
	}
	return w.parts[i].lives
}

func (w *writer) flush() {
	if w.next.len() > 0 {
		w.parts = append(w.parts, w.next.finish())
	}
	w.next = newBuilder()
}

// fingerprint tells whether two entries of one id say the same, but for their
// lives.
func (w *writer) fingerprint(e store.StoredEntry) uint64 {
	var h maphash.Hash
	h.SetSeed(w.seed)
	for _, s := range [...]string{e.DocumentID, e.FolderID, string(e.Type)} {
		h.WriteString(s)
		h.WriteByte(0)
	}
	for _, tag := range e.TagIDs {
		h.WriteString(tag)
		h.WriteByte(0)
	}
	h.WriteByte(1)
	h.Write(e.Terms)
	h.WriteByte(2)
	h.Write(e.Vector)
	return h.Sum64()
}

func dimOf(vector []byte) int {
	p, err := index.SplitVector(vector)
	if err != nil {
		return 0 // the builder reports it
	}
	return len(p.High)
}
