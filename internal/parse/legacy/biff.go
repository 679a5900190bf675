package legacy

import (
	"encoding/binary"
	"math"
	"unicode/utf16"
)

// Records of a workbook, by [MS-XLS] 2.3.
const (
	recFormula    = 0x0006
	recEnd        = 0x000A
	recDateMode   = 0x0022
	recFilePass   = 0x002F
	recContinue   = 0x003C
	recSheet      = 0x0085
	recMulRK      = 0x00BD
	recRString    = 0x00D6
	recXF         = 0x00E0
	recMerges     = 0x00E5
	recStrings    = 0x00FC
	recLabelSST   = 0x00FD
	recNumber     = 0x0203
	recLabel      = 0x0204
	recBoolErr    = 0x0205
	recString     = 0x0207
	recRK         = 0x027E
	recFormat     = 0x041E
	recBegin      = 0x0809
	biff8         = 0x0600
	worksheetType = 0x00
)

// biffRecord is one record; what its continuations add lies in more.
type biffRecord struct {
	kind uint16
	data []byte
	more [][]byte
}

// biffReader walks over the records of a stream.
type biffReader struct {
	data []byte
	at   int
}

// next gives the next record with its continuations; false at the end, or
// where the stream is cut off.
func (r *biffReader) next() (biffRecord, bool) {
	rec, ok := r.one()
	if !ok {
		return rec, false
	}
	for {
		before := r.at
		c, ok := r.one()
		if !ok || c.kind != recContinue {
			r.at = before
			return rec, true
		}
		rec.more = append(rec.more, c.data)
	}
}

func (r *biffReader) one() (biffRecord, bool) {
	if r.at < 0 || r.at+4 > len(r.data) {
		return biffRecord{}, false
	}
	size := int(binary.LittleEndian.Uint16(r.data[r.at+2:]))
	from := r.at + 4
	if from+size > len(r.data) {
		return biffRecord{}, false
	}
	rec := biffRecord{kind: binary.LittleEndian.Uint16(r.data[r.at:]), data: r.data[from : from+size]}
	r.at = from + size
	return rec, true
}

// u16 and u32 read numbers at a place; 0 beyond the end.
func u16(b []byte, at int) int {
	if at < 0 || at+2 > len(b) {
		return 0
	}
	return int(binary.LittleEndian.Uint16(b[at:]))
}

func u32(b []byte, at int) uint32 {
	if at < 0 || at+4 > len(b) {
		return 0
	}
	return binary.LittleEndian.Uint32(b[at:])
}

func f64(b []byte, at int) float64 {
	if at+8 > len(b) {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b[at:]))
}

// rk reads the packed form of a number: 30 bits of an integer or of a float,
// and whether it is counted in hundredths.
func rk(v uint32) float64 {
	var f float64
	if v&2 != 0 {
		f = float64(int32(v) >> 2) //nolint:gosec // the bits of a signed number
	} else {
		f = math.Float64frombits(uint64(v&^3) << 32)
	}
	if v&1 != 0 {
		f /= 100
	}
	return f
}

// strand reads strings that run over the borders of records.
type strand struct {
	data []byte
	more [][]byte
}

// crossed steps into the next record where this one is read.
func (s *strand) crossed() bool {
	if len(s.data) > 0 || len(s.more) == 0 {
		return false
	}
	s.data, s.more = s.more[0], s.more[1:]
	return true
}

// take gives n bytes that no border cuts; false where they are missing.
func (s *strand) take(n int) ([]byte, bool) {
	s.crossed()
	if n > len(s.data) {
		return nil, false
	}
	b := s.data[:n]
	s.data = s.data[n:]
	return b, true
}

// skip steps over n bytes, borders or not.
func (s *strand) skip(n int) {
	for n > 0 {
		s.crossed()
		k := min(n, len(s.data))
		if k == 0 {
			return
		}
		s.data = s.data[k:]
		n -= k
	}
}

// text reads a string with a count of two bytes, without what gives it
// colours and reading aids.
func (s *strand) text() (string, bool) {
	head, ok := s.take(3)
	if !ok {
		return "", false
	}
	count, flags := u16(head, 0), head[2]
	tail := 0
	if flags&8 != 0 { // runs of formatting
		b, ok := s.take(2)
		if !ok {
			return "", false
		}
		tail += 4 * u16(b, 0)
	}
	if flags&4 != 0 { // phonetic text
		b, ok := s.take(4)
		if !ok {
			return "", false
		}
		tail += int(u32(b, 0) & 0x7FFFFFFF)
	}
	text := s.chars(count, flags&1 != 0)
	s.skip(tail)
	return text, true
}

// chars reads characters; each record that goes on with them says anew whether
// they are wide.
func (s *strand) chars(count int, wide bool) string {
	units := make([]uint16, 0, min(count, 1<<12))
	for count > 0 {
		if s.crossed() {
			if len(s.data) == 0 {
				break
			}
			wide = s.data[0]&1 != 0
			s.data = s.data[1:]
		}
		width := 1
		if wide {
			width = 2
		}
		n := min(count, len(s.data)/width)
		if n == 0 {
			break
		}
		for i := range n {
			if wide {
				units = append(units, binary.LittleEndian.Uint16(s.data[2*i:]))
			} else {
				units = append(units, uint16(s.data[i]))
			}
		}
		s.data = s.data[n*width:]
		count -= n
	}
	return string(utf16.Decode(units))
}
