package lexicon

import (
	"encoding/binary"
	"testing"
)

// image builds a file with an empty table, one wide pair, the model of one
// character and a tree of three slots: root → code 1 (no word) → code 1 (cost 7).
func image() []byte {
	le := binary.LittleEndian
	var out []byte
	for _, v := range []uint32{Magic, Version, Last - First + 1, 1, 28, 4, 99, 0} {
		out = le.AppendUint32(out, v)
	}
	for r := uint32(First); r <= Last; r++ {
		out = le.AppendUint32(out, r)
	}
	le.PutUint32(out[Header+4*(0x570b-First):], 1<<16|0x56fd) // 國 → 国, code 1
	out = le.AppendUint32(out, 0x2f800)
	out = le.AppendUint32(out, 0x4e3d)
	for i := range uint16(28) {
		out = le.AppendUint16(out, i)
	}
	for _, v := range []uint64{0, 2<<32 | Never<<16 | 1, 0, 7<<16 | 1} {
		out = le.AppendUint64(out, v)
	}
	return out
}

func TestLookups(t *testing.T) {
	l, err := Open(image())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		in, want rune
		code     uint16
	}{{'國', '国', 1}, {'人', '人', 0}, {'a', 'a', 0}, {0x2f800, '丽', 0}, {0x2f801, 0x2f801, 0}, {-1, -1, 0}} {
		if r, code := l.Fold(tt.in); r != tt.want || code != tt.code {
			t.Errorf("Fold(%c) = %c, %d", tt.in, r, code)
		}
	}
	node, value, ok := l.Step(Root, 1)
	if node != 2 || value != Never || !ok {
		t.Errorf("the first step gives %d, %d, %v", node, value, ok)
	}
	if node, value, ok = l.Step(node, 1); node != 0 || value != 7 || !ok {
		t.Errorf("the second step gives %d, %d, %v", node, value, ok)
	}
	for _, code := range []uint16{0, 2, 60000} {
		if _, _, ok := l.Step(Root, code); ok {
			t.Errorf("the root has a child %d", code)
		}
	}
	if got := [...]int{l.Start(Single), l.Transition(End, Middle), l.Emission(1, Middle), l.Emission(0, 0), l.Emission(9, 0), l.Unknown}; got != [...]int{3, 10, 26, Never, Never, 99} {
		t.Errorf("the model gives %v", got)
	}
}

func TestOpenRefuses(t *testing.T) {
	good := image()
	for _, n := range []int{0, Header - 1, Header, len(good) - 1} {
		if _, err := Open(good[:n]); err == nil {
			t.Errorf("%d of %d bytes were accepted", n, len(good))
		}
	}
	good[4]++
	if _, err := Open(good); err == nil {
		t.Error("another version was accepted")
	}
}
