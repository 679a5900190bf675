// Package table is the file format of the compiled dictionary: a sorted list
// of keys, each with weighted links to keys of another table. It is written by
// the generator and read in place, without being unpacked: Open looks at the
// header only, and a look-up decodes one block of sixteen keys.
//
//	file   = keys, blocks (uint32 each), { offset of the block (uint32) }, { entry }
//	entry  = shared bytes with the key before, own bytes, bytes of links
//	         (varints), the own bytes, { link }
//	link   = number of the other key << 4 | weight in sixteenths less 1 (varint)
//
// The first entry of a block shares nothing. Numbers are little endian.
package table

import (
	"encoding/binary"
	"errors"
	"sort"
)

const (
	blockKeys  = 16
	headerSize = 8
	// Levels is the number of steps that a weight is rounded to.
	Levels = 16
)

var errDamaged = errors.New("dictionary table is damaged")

// Link points at a key of the other table.
type Link struct {
	To     uint32
	Weight float32 // above 0, at most 1
}

// Entry is a key with its links, as the generator hands it in.
type Entry struct {
	Key   string
	Links []Link
}

// Encode packs entries, which must stand in ascending order of their keys,
// each once.
func Encode(entries []Entry) []byte {
	blocks := (len(entries) + blockKeys - 1) / blockKeys
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(entries)))
	out = binary.LittleEndian.AppendUint32(out, uint32(blocks))
	out = append(out, make([]byte, 4*blocks)...)
	last := ""
	for i, e := range entries {
		if i%blockKeys == 0 {
			binary.LittleEndian.PutUint32(out[headerSize+i/blockKeys*4:], uint32(len(out)))
			last = ""
		}
		out = appendEntry(out, last, e)
		last = e.Key
	}
	return out
}

func appendEntry(out []byte, last string, e Entry) []byte {
	shared := 0
	for shared < min(len(last), len(e.Key)) && last[shared] == e.Key[shared] {
		shared++
	}
	var links []byte
	for _, l := range e.Links {
		level := min(max(int(l.Weight*Levels+.5), 1), Levels) - 1
		links = binary.AppendUvarint(links, uint64(l.To)*Levels+uint64(level))
	}
	out = binary.AppendUvarint(out, uint64(shared))
	out = binary.AppendUvarint(out, uint64(len(e.Key)-shared))
	out = binary.AppendUvarint(out, uint64(len(links)))
	out = append(out, e.Key[shared:]...)
	return append(out, links...)
}

// Table is a packed table. It is read-only and safe for concurrent use.
type Table struct {
	data   []byte
	keys   int
	blocks int
}

// Open gives the table in data, which it keeps.
func Open(data []byte) (*Table, error) {
	if len(data) < headerSize {
		return nil, errDamaged
	}
	t := &Table{data: data,
		keys:   int(binary.LittleEndian.Uint32(data)),
		blocks: int(binary.LittleEndian.Uint32(data[4:]))}
	if t.blocks != (t.keys+blockKeys-1)/blockKeys || len(data) < headerSize+4*t.blocks {
		return nil, errDamaged
	}
	for i := range t.blocks {
		if at := t.offset(i); at < headerSize+4*t.blocks || at > len(data) {
			return nil, errDamaged
		}
	}
	return t, nil
}

// Len is the number of keys.
func (t *Table) Len() int { return t.keys }

func (t *Table) offset(block int) int {
	return int(binary.LittleEndian.Uint32(t.data[headerSize+4*block:]))
}

// Find gives the links of a key, in the order in which they were handed in;
// false where the key is not there.
func (t *Table) Find(key string) ([]Link, bool) {
	links, ok := t.find(key)
	if !ok {
		return nil, false
	}
	return decode(links), true
}

// Has says whether a key is there and has links.
func (t *Table) Has(key string) bool {
	links, ok := t.find(key)
	return ok && len(links) > 0
}

func (t *Table) find(key string) (links []byte, ok bool) {
	block := sort.Search(t.blocks, func(i int) bool { return string(t.head(i)) > key }) - 1
	if block < 0 {
		return nil, false
	}
	var room [roomBytes]byte
	c := t.block(block, room[:0])
	for c.next() {
		if string(c.key) == key {
			return t.data[c.links:c.at], true
		}
	}
	return nil, false
}

// Key gives the key with a number, "" for none.
func (t *Table) Key(number uint32) string {
	if int64(number) >= int64(t.keys) {
		return ""
	}
	var room [roomBytes]byte
	c := t.block(int(number)/blockKeys, room[:0])
	for range number%blockKeys + 1 {
		if !c.next() {
			return ""
		}
	}
	return string(c.key)
}

// head gives the first key of a block.
func (t *Table) head(block int) []byte {
	c := cursor{data: t.data, at: t.offset(block)}
	_, own, _, ok := c.sizes()
	if !ok || own > len(t.data)-c.at {
		return nil
	}
	return t.data[c.at : c.at+own]
}

// roomBytes holds nearly every key; longer ones are allocated.
const roomBytes = 64

func (t *Table) block(i int, room []byte) cursor {
	return cursor{data: t.data, at: t.offset(i), left: min(blockKeys, t.keys-i*blockKeys), key: room}
}

// cursor walks through a block. Places are numbers, since pointers that move
// cost the garbage collector's attention.
type cursor struct {
	data  []byte
	at    int // end of the entry
	links int // start of its links
	left  int // entries to come
	key   []byte
}

// next reads an entry; false at the block's end, or where it is damaged.
func (c *cursor) next() bool {
	if c.left == 0 {
		return false
	}
	c.left--
	shared, own, links, ok := c.sizes()
	rest := len(c.data) - c.at
	if !ok || shared > len(c.key) || own > rest || links > rest-own {
		c.left = 0
		return false
	}
	c.key = append(c.key[:shared], c.data[c.at:c.at+own]...)
	c.links = c.at + own
	c.at = c.links + links
	return true
}

func (c *cursor) sizes() (shared, own, links int, ok bool) {
	shared, ok1 := c.number()
	own, ok2 := c.number()
	links, ok3 := c.number()
	return shared, own, links, ok1 && ok2 && ok3
}

func (c *cursor) number() (int, bool) {
	if c.at < len(c.data) && c.data[c.at] < 0x80 { // nearly always
		c.at++
		return int(c.data[c.at-1]), true
	}
	v, n := binary.Uvarint(c.data[c.at:])
	if n <= 0 || v > uint64(len(c.data)) {
		return 0, false
	}
	c.at += n
	return int(v), true
}

func decode(links []byte) []Link {
	out := make([]Link, 0, len(links)/2)
	for len(links) > 0 {
		v, n := binary.Uvarint(links)
		if n <= 0 {
			return out
		}
		links = links[n:]
		out = append(out, Link{To: uint32(v / Levels), Weight: float32(v%Levels+1) / Levels})
	}
	return out
}
