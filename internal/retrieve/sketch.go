package retrieve

import (
	"math/bits"
	"unicode"

	"kaoju/internal/memo"
)

// sketch is what comparing passages needs of a text: its features (words of
// letters and digits, pairs of neighbouring characters elsewhere) as bits of
// their hashes. A turn compares fifty passages of 1,600 characters with each
// other: cutting them into words would take a hundred times as long and
// decide the same.
type sketch struct {
	bits      [sketchBits / 64]uint64
	count     int               // bits set
	spread    [stretches]uint16 // the same by part
	signature uint64            // of all features in order: equal texts, but for case, width and signs
	long      bool              // only the first maxSketched characters are in bits
}

const (
	sketchBits  = 1 << 15
	maxSketched = sketchBits / 8 // more would fill the bits and look like everything
	hashPrime   = 0x9E3779B97F4A7C15
)

func sketchOf(s string) *sketch {
	k := &sketch{}
	var word, last uint64 // the word at hand, and the character before
	n := 0
	for _, r := range s {
		n++
		r = narrow(r)
		switch {
		case r < 0x80 && isAlnum(r):
			word, last = mix(word, uint64(r|0x20)), 0
			continue
		case word != 0:
			k.add(word, n)
			word = 0
		}
		if r >= 0x80 && (r >= 0x3400 && r <= 0x9FFF || unicode.In(r, unicode.L, unicode.N)) {
			k.add(mix(last+1, uint64(r)), n)
			last = uint64(r)
		} else {
			last = 0
		}
	}
	if word != 0 {
		k.add(word, n)
	}
	for i, b := range k.bits {
		n := bits.OnesCount64(b)
		k.count += n
		k.spread[i*stretches/len(k.bits)] += uint16(n)
	}
	return k
}

// narrow gives full-width letters and digits as ASCII.
func narrow(r rune) rune {
	if r >= 0xFF01 && r <= 0xFF5E {
		return r - 0xFEE0
	}
	return r
}

func isAlnum(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

func mix(h, x uint64) uint64 {
	h = (h ^ x) * hashPrime
	return h ^ h>>29
}

func (k *sketch) add(feature uint64, position int) {
	k.signature = mix(k.signature+1, feature)
	if position > maxSketched {
		k.long = true
		return
	}
	at := feature * hashPrime >> 32 % sketchBits
	k.bits[at/64] |= 1 << (at % 64)
}

// common is the number of features that both have.
func (k *sketch) common(other *sketch) int {
	n := 0
	for i, b := range k.bits {
		n += bits.OnesCount64(b & other.bits[i])
	}
	return n
}

// stretches are the parts in which shares looks at the bits.
const stretches = 8

// shares reports whether both have at least so many features in common. It
// stops as soon as what is left cannot reach that any more, which is nearly
// always early.
func (k *sketch) shares(other *sketch, least float64) bool {
	const words = sketchBits / 64 / stretches
	n := 0
	own, others := k.count, other.count // features that were not looked at yet
	for part := range stretches {
		from := part * words
		for i, b := range k.bits[from : from+words] {
			n += bits.OnesCount64(b & other.bits[from+i])
		}
		own, others = own-int(k.spread[part]), others-int(other.spread[part])
		if float64(n+min(own, others)) < least {
			return false
		}
	}
	return float64(n) >= least
}

// jaccard is the share of common features among all.
func (k *sketch) jaccard(other *sketch) float64 {
	common := k.common(other)
	all := k.count + other.count - common
	if all == 0 {
		return 0
	}
	return float64(common) / float64(all)
}

// Sketches compares passages with each other. It remembers what it read of
// their texts, so that no text is read twice; a nil one remembers nothing. It
// is safe for concurrent use.
type Sketches struct {
	known *memo.Memo[string, *sketch]
}

// NewSketches makes one that takes about so many bytes.
func NewSketches(bytes int64) *Sketches {
	return &Sketches{known: memo.New[string, *sketch](bytes)}
}

func (s *Sketches) of(text string) *sketch {
	if s == nil {
		return sketchOf(text)
	}
	k, ok := s.known.Get(text)
	if !ok {
		k = sketchOf(text)
		s.known.Put(s.known.Age(), text, k, int64(len(text))+sketchBits/8)
	}
	return k
}

func (s *Sketches) ofAll(items []Found) []*sketch {
	all := make([]*sketch, len(items))
	for i, f := range items {
		all[i] = s.of(f.Text)
	}
	return all
}
