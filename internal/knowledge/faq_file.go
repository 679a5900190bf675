package knowledge

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/xuri/excelize/v2"

	"kaoju/internal/core"
	"kaoju/internal/parse"
)

// Formats of files of FAQ entries.
const (
	FAQCSV  = "csv"
	FAQXLSX = "xlsx"
	FAQJSON = "json"
)

// maxImport is how many entries one file may hold.
const maxImport = 100_000

// faqRecord is an entry of a file: where it stands, and what is wrong with it
// already.
type faqRecord struct {
	row int // 1-based: the row of the sheet, or the number of the entry in JSON
	faq core.FAQ
	err error
}

// readFAQ reads the entries of a file. What it is follows from its first
// bytes: a workbook, JSON, or else separated values of any encoding.
func (s *Service) readFAQ(ctx context.Context, name string, data []byte) ([]faqRecord, error) {
	switch start := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n"); {
	case len(start) == 0:
		return nil, core.Errorf(core.CodeEmpty, "the file is empty")
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		return s.readFAQTable(ctx, parse.FormatXLSX, name, data)
	case start[0] == '[' || start[0] == '{':
		return readFAQJSON(start)
	}
	return s.readFAQTable(ctx, parse.FormatCSV, name, data)
}

func (s *Service) readFAQTable(ctx context.Context, format, name string, data []byte) ([]faqRecord, error) {
	if s.tables == nil {
		return nil, core.Errorf(core.CodeUnavailable, "tables cannot be read here")
	}
	doc, err := s.tables.ReadAs(ctx, format, parse.Input{Name: name, Data: data})
	if err != nil {
		return nil, err
	}
	var records []faqRecord
	found := false
	for _, b := range doc.Blocks {
		l, at, ok := findLayout(b.Rows)
		if !ok {
			continue
		}
		found = true
		for i, row := range b.Rows[at+1:] {
			if blank(row) {
				continue
			}
			f, err := l.entry(row)
			records = append(records, faqRecord{row: b.RowAt + at + 1 + i, faq: f, err: err})
			if len(records) > maxImport {
				return nil, core.Errorf(core.CodeTooLarge, "a file holds at most %d entries; divide it", maxImport)
			}
		}
	}
	if !found {
		return nil, core.Errorf(core.CodeInvalid, "no row of the table names its columns: it needs 标准问题 (or question) and 答案 (or answer); download the template for an example")
	}
	return records, nil
}

// findLayout finds the header among the first rows.
func findLayout(rows [][]string) (l layout, at int, ok bool) {
	const most = 10
	for i, row := range rows[:min(len(rows), most)] {
		if l, ok = layoutOf(row); ok {
			return l, i, true
		}
	}
	return l, 0, false
}

func blank(row []string) bool {
	return strings.TrimSpace(strings.Join(row, "")) == ""
}

// faqJSON is an entry in JSON, as it is exported. The aliases are what other
// systems write.
type faqJSON struct {
	Question string              `json:"standard_question"`
	Similar  []string            `json:"similar_questions"`
	Negative []string            `json:"negative_questions"`
	Answers  []string            `json:"answers"`
	Strategy core.AnswerStrategy `json:"answer_strategy"`
	Tags     []string            `json:"tags"`
	Enabled  *bool               `json:"enabled"`

	AliasQuestion string `json:"question,omitempty"`
	AliasAnswer   string `json:"answer,omitempty"`
}

func (j faqJSON) faq() core.FAQ {
	f := core.FAQ{Tags: j.Tags}
	f.FAQEntry = core.FAQEntry{
		Question: or(j.Question, j.AliasQuestion), Similar: j.Similar, Negative: j.Negative, Answers: j.Answers,
		Strategy: j.Strategy, Disabled: j.Enabled != nil && !*j.Enabled,
	}
	if j.AliasAnswer != "" {
		f.Answers = append(f.Answers, j.AliasAnswer)
	}
	return f
}

// readFAQJSON reads a list of entries, an object with the list as "entries",
// or one entry a line.
func readFAQJSON(data []byte) ([]faqRecord, error) {
	list, err := jsonEntries(data)
	if err != nil {
		return nil, err
	}
	if len(list) > maxImport {
		return nil, core.Errorf(core.CodeTooLarge, "a file holds at most %d entries; divide it", maxImport)
	}
	records := make([]faqRecord, len(list))
	for i, raw := range list {
		var j faqJSON
		records[i].row = i + 1
		if err := json.Unmarshal(raw, &j); err != nil {
			records[i].err = core.Wrap(err, core.CodeInvalid, "this is not an FAQ entry: %s", jsonFault(err))
		}
		records[i].faq = j.faq()
	}
	return records, nil
}

func jsonEntries(data []byte) ([]json.RawMessage, error) {
	var list []json.RawMessage
	if data[0] == '[' {
		if err := json.Unmarshal(data, &list); err != nil {
			return nil, core.Wrap(err, core.CodeInvalid, "the file is not JSON: %s", jsonFault(err))
		}
		return list, nil
	}
	var wrapped struct {
		Entries *[]json.RawMessage `json:"entries"`
	}
	if json.Unmarshal(data, &wrapped) == nil && wrapped.Entries != nil {
		return *wrapped.Entries, nil
	}
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, core.Wrap(err, core.CodeInvalid, "the file is not JSON after entry %d: %s", len(list), jsonFault(err))
		}
		list = append(list, raw)
	}
}

// jsonFault says what is wrong in words without Go in them.
func jsonFault(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("a sign that does not belong there at byte %d", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Sprintf("%s cannot be a %s", kind.Field, kind.Value)
	}
	return "it ends too early"
}

// writeFAQ writes entries in a format, so that reading gives them again.
func writeFAQ(w io.Writer, format string, entries []core.FAQ) error {
	switch format {
	case FAQCSV:
		return writeFAQCSV(w, entries)
	case FAQXLSX:
		return writeFAQXLSX(w, entries)
	case FAQJSON:
		list := make([]faqJSON, len(entries))
		for i, f := range entries {
			enabled := !f.Disabled
			list[i] = faqJSON{
				Question: f.Question, Similar: f.Similar, Negative: f.Negative, Answers: f.Answers,
				Strategy: f.Strategy, Tags: f.Tags, Enabled: &enabled,
			}
		}
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(list)
	}
	return core.Errorf(core.CodeInvalid, "FAQ entries are exported as csv, xlsx or json, not %q", format)
}

// writeFAQCSV writes what Excel opens right: with a byte order mark and CRLF.
func writeFAQCSV(w io.Writer, entries []core.FAQ) error {
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return err
	}
	c := csv.NewWriter(w)
	c.UseCRLF = false // it would turn the line breaks inside of cells too
	rows := [][]string{faqHeader()}
	for _, f := range entries {
		rows = append(rows, faqRow(f))
	}
	return c.WriteAll(rows)
}

func writeFAQXLSX(w io.Writer, entries []core.FAQ) (err error) {
	book := excelize.NewFile()
	defer func() { err = errors.Join(err, book.Close()) }()
	sheet, err := book.NewStreamWriter("Sheet1")
	if err != nil {
		return fmt.Errorf("begin a sheet: %w", err)
	}
	for i, row := range append([][]string{faqHeader()}, rowsOf(entries)...) {
		cells := make([]any, len(row))
		for k, cell := range row {
			cells[k] = cell
		}
		if err := sheet.SetRow(fmt.Sprintf("A%d", i+1), cells); err != nil {
			return fmt.Errorf("write row %d: %w", i+1, err)
		}
	}
	if err := sheet.Flush(); err != nil {
		return fmt.Errorf("end the sheet: %w", err)
	}
	_, err = book.WriteTo(w)
	return err
}

func rowsOf(entries []core.FAQ) [][]string {
	rows := make([][]string, len(entries))
	for i, f := range entries {
		rows[i] = faqRow(f)
	}
	return rows
}
