package office

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// sheetScan is a pass over the part of a sheet, byte by byte, for what the row
// iterator of excelize does not give: where rows end that it could not read,
// numbers with all their digits, and merged ranges.
type sheetScan struct {
	merges  []merge
	damaged bool              // rows follow that could not be read
	raw     map[string]string // of the cells asked for, the number as the file has it

	r    *bufio.Reader
	last int // the last row that could be read
	row  int // the row being passed over
	want map[string]bool
	tail []byte // the last row, up to maxTail
}

const (
	// tagSize is how much of a tag is looked at; the attributes needed stand
	// at its start.
	tagSize = 512
	// maxTail bounds the part of the last row that is checked.
	maxTail = 4 << 20
)

// scanSheet passes over a sheet whose rows have been read up to last.
func (w *workbook) scanSheet(name string, last int, want map[string]bool) (*sheetScan, error) {
	s := &sheetScan{last: last, want: want, raw: map[string]string{}}
	rc, err := w.archive.open(w.parts[name])
	if errors.Is(err, errNoPart) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	defer rc.Close() //nolint:errcheck // reading only
	s.r = bufio.NewReaderSize(rc, 64<<10)
	if err := s.rows(); err != nil {
		s.damaged = true
		return s, limitOnly(err)
	}
	s.damaged = s.row > s.last || !wellFormed(s.tail)
	s.merges, err = readMerges(s.r)
	return s, err
}

// rows reads to the end of a sheet's rows.
func (s *sheetScan) rows() error {
	for {
		text, err := s.r.ReadSlice('<')
		if s.tail != nil && len(s.tail) < maxTail {
			s.tail = append(s.tail, text...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return err
		}
		tag, err := s.r.Peek(tagSize)
		if err != nil && len(tag) == 0 {
			return err
		}
		name, _, _ := bytes.Cut(tag, []byte(">"))
		if bytes.HasSuffix(name, []byte("sheetData")) && name[0] == '/' || bytes.HasSuffix(name, []byte("sheetData/")) {
			s.tail = bytes.TrimSuffix(s.tail, []byte("<"))
			_, err := io.CopyN(io.Discard, s.r, int64(len(name)+1))
			return err
		}
		s.tag(name, tag)
	}
}

// tag looks at a start tag among the rows. Rest is what the tag begins.
func (s *sheetScan) tag(tag, rest []byte) {
	name, _, _ := bytes.Cut(tag, []byte(" "))
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	switch string(bytes.TrimSuffix(name, []byte("/"))) {
	case "row":
		s.row++
		if n, err := strconv.Atoi(tagAttr(tag, "r")); err == nil {
			s.row = n
		}
		if s.row == s.last {
			s.tail = []byte("<")
		}
	case "c":
		if len(s.want) == 0 {
			return
		}
		if ref := tagAttr(tag, "r"); s.want[ref] {
			s.raw[ref] = numberIn(tag, rest)
		}
	}
}

func tagAttr(tag []byte, name string) string {
	_, rest, _ := bytes.Cut(tag, []byte(" "+name+`="`))
	value, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(value)
}

// numberIn gives the number in a cell; "" where it holds something else.
func numberIn(tag, rest []byte) string {
	if kind := tagAttr(tag, "t"); kind != "" && kind != "n" {
		return ""
	}
	cell, _, ok := bytes.Cut(rest, []byte("</c>"))
	if _, value, found := bytes.Cut(cell, []byte("<v>")); ok && found {
		number, _, _ := bytes.Cut(value, []byte("</v>"))
		return string(number)
	}
	return ""
}

// wellFormed reports whether XML can be read to its end.
func wellFormed(part []byte) bool {
	if len(part) >= maxTail {
		return true // longer than what was kept
	}
	d := xml.NewDecoder(bytes.NewReader(part))
	for {
		if _, err := d.Token(); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

// exactDigits is how many digits of a number excelize gives; it fills the
// places behind with zeros.
const exactDigits = 15

// roundedCells names the cells with numbers whose last digits excelize may
// have rounded.
func roundedCells(rows []sheetRow) map[string]bool {
	var out map[string]bool
	for _, r := range rows {
		for i, c := range r.cells {
			if len(c) <= exactDigits || c[len(c)-1] != '0' || strings.Trim(c, "-0123456789,") != "" || digitsIn(c) <= exactDigits {
				continue
			}
			if ref, err := excelize.CoordinatesToCellName(i+1, r.number); err == nil {
				if out == nil {
					out = map[string]bool{}
				}
				out[ref] = true
			}
		}
	}
	return out
}

func digitsIn(s string) int {
	n := 0
	for _, r := range s {
		if r >= '0' && r <= '9' {
			n++
		}
	}
	return n
}

// restoreDigits puts the digits that the file has into the cells that show
// rounded ones, and leaves signs and separators as shown.
func restoreDigits(rows []sheetRow, raw map[string]string) {
	if len(raw) == 0 {
		return
	}
	for _, r := range rows {
		for i, c := range r.cells {
			if len(c) <= exactDigits {
				continue
			}
			ref, err := excelize.CoordinatesToCellName(i+1, r.number)
			digits := strings.TrimPrefix(raw[ref], "-")
			if err != nil || digits == "" || len(digits) != digitsIn(c) || strings.Trim(digits, "0123456789") != "" {
				continue
			}
			r.cells[i] = strings.Map(func(shown rune) rune {
				if shown >= '0' && shown <= '9' {
					shown = rune(digits[0])
					digits = digits[1:]
				}
				return shown
			}, c)
		}
	}
}
