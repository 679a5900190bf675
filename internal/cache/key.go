package cache

import (
	"crypto/sha256"
	"encoding/binary"
)

// key is the hash of all that a value depends on.
type key [sha256.Size]byte

// writing is what a key is made of: texts with their lengths, and numbers of
// eight bytes, so that no two things are written alike.
type writing []byte

func (w *writing) key() key { return sha256.Sum256(*w) }

func (w *writing) number(n uint64) { *w = binary.LittleEndian.AppendUint64(*w, n) }

func (w *writing) flag(b bool) {
	if b {
		w.number(1)
	} else {
		w.number(0)
	}
}

func (w *writing) text(list ...string) {
	for _, s := range list {
		w.number(uint64(len(s)))
		*w = append(*w, s...)
	}
}

func (w *writing) texts(list []string) {
	w.number(uint64(len(list)))
	w.text(list...)
}
