// Package memo remembers values within a bound of bytes: rows that were read,
// and what a pure function made of a text.
//
//	m := memo.New[string, core.Chunk](64 << 20)
//	at := m.Age()              // before the value is read
//	m.Put(at, id, chunk, size) // left out if something was forgotten meanwhile
//	chunk, ok := m.Get(id)
//
// A nil *Memo, and one without room, remembers nothing.
package memo

import "sync"

// Memo is safe for any number of goroutines. What was asked for lately stays
// longest: entries live in two generations, a hit lifts an entry into the
// young one, and when that has filled half of the room the old one is dropped.
type Memo[K comparable, V any] struct {
	half int64

	mu    sync.RWMutex
	age   uint64
	young map[K]entry[V]
	old   map[K]entry[V]
	bytes int64 // of the young
}

type entry[V any] struct {
	value V
	size  int64
}

// entryBytes is what an entry costs beside its value: its place in a map.
const entryBytes = 64

// New makes a memo for about so many bytes.
func New[K comparable, V any](bytes int64) *Memo[K, V] {
	return &Memo[K, V]{half: bytes / 2, young: map[K]entry[V]{}}
}

// Get gives what is remembered under a key. The value is shared: it must not
// be changed.
func (m *Memo[K, V]) Get(key K) (V, bool) {
	if m == nil {
		var none V
		return none, false
	}
	m.mu.RLock()
	e, ok := m.young[key]
	aged := false
	if !ok {
		e, aged = m.old[key]
	}
	age := m.age
	m.mu.RUnlock()
	if aged {
		m.put(age, key, e)
	}
	return e.value, ok || aged
}

// Age counts how often everything was forgotten.
func (m *Memo[K, V]) Age() uint64 {
	if m == nil {
		return 0
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.age
}

// Put remembers a value of so many bytes that was read at an age. A value that
// may be out of date by now, or would fill the room alone, is left out.
func (m *Memo[K, V]) Put(age uint64, key K, value V, size int64) {
	if m != nil {
		m.put(age, key, entry[V]{value, size + entryBytes})
	}
}

func (m *Memo[K, V]) put(age uint64, key K, e entry[V]) {
	if e.size > m.half {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if age != m.age {
		return
	}
	if have, ok := m.young[key]; ok {
		m.bytes -= have.size
	}
	if m.bytes+e.size > m.half {
		m.old, m.young, m.bytes = m.young, make(map[K]entry[V], len(m.young)), 0
	}
	m.young[key] = e
	m.bytes += e.size
}

// Forget drops everything, and whatever is being read at the moment.
func (m *Memo[K, V]) Forget() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.age++
	m.young, m.old, m.bytes = map[K]entry[V]{}, nil, 0
}
