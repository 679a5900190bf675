package legacy

import (
	"encoding/binary"
	"slices"
	"testing"
	"unicode/utf16"

	"kaoju/internal/core"
)

// A container as Office writes it, by [MS-CFB]: header, directory, streams of
// whole sectors, allocation table.
const sector = 512

// named is a stream to be written.
type named struct {
	name string
	data []byte
}

// container writes streams in an OLE container. Each is padded to the size from
// which on streams lie in sectors of their own.
func container(list ...named) []byte {
	le := binary.LittleEndian
	var fat []uint32
	chain := func(n int) uint32 {
		first := uint32(len(fat))
		for i := range n {
			fat = append(fat, first+uint32(i)+1)
		}
		fat[len(fat)-1] = 0xFFFFFFFE
		return first
	}
	dir := make([]byte, sector*((len(list)+1+3)/4))
	chain(len(dir) / sector)
	entry := func(i int, name string, kind byte, first uint32, size int, right uint32, child uint32) {
		e := dir[128*i : 128*i+128]
		for j, u := range utf16.Encode([]rune(name)) {
			le.PutUint16(e[2*j:], u)
		}
		le.PutUint16(e[64:], uint16(2*len(name)+2))
		e[66], e[67] = kind, 1
		le.PutUint32(e[68:], 0xFFFFFFFF)
		le.PutUint32(e[72:], right)
		le.PutUint32(e[76:], child)
		le.PutUint32(e[116:], first)
		le.PutUint64(e[120:], uint64(size))
	}
	entry(0, "Root Entry", 5, 0xFFFFFFFE, 0, 0xFFFFFFFF, 1)
	var body []byte
	for i, s := range list {
		data := slices.Concat(s.data, make([]byte, max(0, 4096-len(s.data))))
		data = append(data, make([]byte, (sector-len(data)%sector)%sector)...)
		right := uint32(i + 2)
		if i == len(list)-1 {
			right = 0xFFFFFFFF
		}
		entry(i+1, s.name, 2, chain(len(data)/sector), len(data), right, 0xFFFFFFFF)
		body = append(body, data...)
	}
	fatAt := uint32(len(fat))
	fat = append(fat, 0xFFFFFFFD)
	for len(fat)%(sector/4) != 0 {
		fat = append(fat, 0xFFFFFFFF)
	}
	if len(fat) > sector/4 {
		panic("the test container has one sector for its table")
	}
	head := make([]byte, sector)
	copy(head, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")
	for at, v := range map[int]uint16{24: 0x3E, 26: 3, 28: 0xFFFE, 30: 9, 32: 6} {
		le.PutUint16(head[at:], v)
	}
	for at, v := range map[int]uint32{44: 1, 48: 0, 56: 4096, 60: 0xFFFFFFFE, 68: 0xFFFFFFFE, 76: fatAt} {
		le.PutUint32(head[at:], v)
	}
	for at := 80; at < sector; at += 4 {
		le.PutUint32(head[at:], 0xFFFFFFFF)
	}
	out := slices.Concat(head, dir, body)
	for _, v := range fat {
		out = le.AppendUint32(out, v)
	}
	return out
}

// bytesOf packs numbers: a byte, two or four bytes by their type.
func bytesOf(values ...any) []byte {
	le := binary.LittleEndian
	var b []byte
	for _, v := range values {
		switch v := v.(type) {
		case byte:
			b = append(b, v)
		case uint16:
			b = le.AppendUint16(b, v)
		case uint32:
			b = le.AppendUint32(b, v)
		case uint64:
			b = le.AppendUint64(b, v)
		case string:
			b = append(b, v...)
		case []byte:
			b = append(b, v...)
		default:
			panic("no number of a known size")
		}
	}
	return b
}

// utf16le gives text as the formats hold it.
func utf16le(s string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

func TestStreamsOfNoContainer(t *testing.T) {
	whole := container(named{"Workbook", []byte("x")})
	for name, data := range map[string][]byte{
		"text":      []byte("no container"),
		"empty":     nil,
		"a header":  whole[:600],
		"the start": whole[:40],
	} {
		if _, err := streams(data, "Workbook"); core.CodeOf(err) != core.CodeCorrupt {
			t.Errorf("%s: got %v, want it called corrupt", name, err)
		}
	}
}
