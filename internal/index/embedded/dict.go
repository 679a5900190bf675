package embedded

import "bytes"

// dict is a set of strings numbered in order of arrival. It holds no
// pointers but its four slices, so that the garbage collector has nothing to
// walk, and costs about 10 bytes a string beside the string.
//
// Reading is safe from any number of goroutines once adding has ended.
type dict struct {
	blob  []byte
	ends  []uint32 // where each string ends in blob
	slots []uint32 // hash table of number+1; the length is a power of two
}

const firstSlots = 16

func hashBytes(b []byte) uint32 {
	// FNV-1a, folded: the same on every machine, so that layouts repeat.
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return uint32(h ^ h>>32)
}

func (d *dict) len() int { return len(d.ends) }

// at gives the string with number i, inside the dictionary's memory.
func (d *dict) at(i uint32) []byte {
	start := uint32(0)
	if i > 0 {
		start = d.ends[i-1]
	}
	return d.blob[start:d.ends[i]:d.ends[i]]
}

func (d *dict) find(key []byte) (uint32, bool) {
	if len(d.slots) == 0 {
		return 0, false
	}
	slot := d.slots[d.slot(key)]
	return slot - 1, slot != 0
}

// slot gives the place of key in the table, taken or free.
func (d *dict) slot(key []byte) uint32 {
	mask := uint32(len(d.slots) - 1)
	at := hashBytes(key) & mask
	for d.slots[at] != 0 && !bytes.Equal(d.at(d.slots[at]-1), key) {
		at = (at + 1) & mask
	}
	return at
}

// add gives the number of key, a new one where it was not there yet.
func (d *dict) add(key []byte) uint32 {
	if 4*(len(d.ends)+1) > 3*len(d.slots) {
		d.grow()
	}
	at := d.slot(key)
	if d.slots[at] != 0 {
		return d.slots[at] - 1
	}
	d.blob = append(d.blob, key...)
	d.ends = append(d.ends, uint32(len(d.blob)))
	d.slots[at] = uint32(len(d.ends))
	return d.slots[at] - 1
}

func (d *dict) grow() {
	d.slots = make([]uint32, max(firstSlots, 2*len(d.slots)))
	mask := uint32(len(d.slots) - 1)
	for i := range uint32(len(d.ends)) {
		at := hashBytes(d.at(i)) & mask
		for d.slots[at] != 0 {
			at = (at + 1) & mask
		}
		d.slots[at] = i + 1
	}
}

// trim gives back what appending reserved too much.
func (d *dict) trim() {
	d.blob = append(make([]byte, 0, len(d.blob)), d.blob...)
	d.ends = append(make([]uint32, 0, len(d.ends)), d.ends...)
}
