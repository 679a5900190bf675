package office

import (
	"encoding/xml"
	"io"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"
)

// merge is a merged range, 1-based and inclusive.
type merge struct {
	top, left, bottom, right int
	text                     string // of its top left cell, once that row was met
}

// maxMerges is above what any sheet made by people holds.
const maxMerges = 200_000

// readMerges reads the merged ranges of a sheet, which stand behind its rows.
func readMerges(r io.Reader) ([]merge, error) {
	d := xml.NewDecoder(r)
	d.Strict = false
	var out []merge
	for len(out) < maxMerges {
		tok, err := d.RawToken()
		if err != nil {
			return out, limitOnly(err)
		}
		if el, ok := tok.(xml.StartElement); ok && el.Name.Local == "mergeCell" {
			if m, ok := parseMerge(attr(el, "ref")); ok {
				out = append(out, m)
			}
		}
	}
	return out, nil
}

func parseMerge(ref string) (merge, bool) {
	from, to, ok := strings.Cut(strings.ReplaceAll(ref, "$", ""), ":")
	if !ok {
		return merge{}, false
	}
	left, top, err := excelize.CellNameToCoordinates(from)
	if err != nil {
		return merge{}, false
	}
	right, bottom, err := excelize.CellNameToCoordinates(to)
	if err != nil {
		return merge{}, false
	}
	return merge{top: min(top, bottom), left: min(left, right), bottom: max(top, bottom), right: max(left, right)}, true
}

// maxRepeats bounds the cells that merges fill in one sheet; real sheets stay
// far below. What is beyond keeps its text in the first cell only.
const maxRepeats = 2_000_000

// repeatMerged writes the text of merged cells wherever they reach, in rows
// that exist. Work is proportional to the cells filled.
func (w *workbook) repeatMerged(rows []sheetRow, merges []merge) error {
	slices.SortFunc(merges, func(a, b merge) int { return a.top - b.top })
	var active []merge
	work := 0
	for i := range rows {
		r := &rows[i]
		for len(merges) > 0 && merges[0].top <= r.number {
			if m := merges[0]; m.top == r.number && m.left <= len(r.cells) && r.cells[m.left-1] != "" {
				m.text = r.cells[m.left-1]
				active = append(active, m)
			}
			merges = merges[1:]
		}
		active = slices.DeleteFunc(active, func(m merge) bool { return m.bottom < r.number })
		for _, m := range active {
			if work += m.right - m.left + 1; work > maxRepeats {
				return nil
			}
			if err := w.charge(r.fill(m), 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill writes a merge into a row and reports how many bytes that added.
func (r *sheetRow) fill(m merge) int {
	if m.right > len(r.cells) {
		r.cells = append(r.cells, make([]string, m.right-len(r.cells))...)
	}
	r.wide = r.wide || m.right > m.left
	if r.own == 1 && r.number == m.top && m.right > m.left {
		return 0 // a title or a note across the table: once is enough
	}
	added := 0
	for c := m.left - 1; c < m.right; c++ {
		if r.cells[c] == "" {
			r.cells[c] = m.text
			added += len(m.text)
		}
	}
	return added
}
