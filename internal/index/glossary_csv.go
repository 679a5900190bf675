package index

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"kaoju/internal/core"
	"kaoju/internal/text"
)

// The columns of a glossary's table, each under the names that it may have.
var glossaryColumns = [...][]string{
	{"term", "word", "name", "术语", "词", "词语", "名称"},
	{"synonyms", "synonym", "同义词", "别名", "缩写"},
	{"translations", "translation", "译文", "翻译", "译名"},
	{"split", "可拆分"},
}

// maxComplaints bounds what is said about one table.
const maxComplaints = 10

// ReadGlossary reads a table in CSV whose first row names the columns: term,
// synonyms, translations, split, in any order, of which only term is needed.
// Synonyms and translations may be several, with semicolons or vertical bars
// between; split is yes or no. Other columns and empty rows are left out. What
// is wrong is a core.CodeInvalid error that names the lines.
func ReadGlossary(r io.Reader) ([]core.GlossaryEntry, error) {
	rows := csv.NewReader(r)
	rows.FieldsPerRecord = -1
	rows.TrimLeadingSpace = true
	head, err := rows.Read()
	if err != nil {
		return nil, core.Errorf(core.CodeInvalid, "the glossary is empty or its first line cannot be read; it must name the columns: term, synonyms, translations, split")
	}
	columns := columnsOf(head)
	if columns[0] < 0 {
		return nil, core.Errorf(core.CodeInvalid, "line 1 of the glossary names no column \"term\"; it must name the columns: term, synonyms, translations, split")
	}
	var entries []core.GlossaryEntry
	c := complaints{first: map[string]string{}}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return entries, c.err()
		}
		if err != nil {
			var at *csv.ParseError
			if errors.As(err, &at) {
				c.say(fmt.Sprintf("line %d", at.StartLine), "%v", at.Err)
			}
			return nil, c.err()
		}
		if strings.TrimSpace(strings.Join(row, "")) == "" {
			continue
		}
		line, _ := rows.FieldPos(0)
		e, wrong := entryOf(row, columns)
		if wrong != "" {
			c.say(fmt.Sprintf("line %d", line), "%s", wrong)
		}
		c.check(fmt.Sprintf("line %d", line), e)
		if entries = append(entries, e); len(entries) > core.MaxGlossaryEntries {
			return nil, core.Errorf(core.CodeTooLarge, "the glossary has more than %d entries", core.MaxGlossaryEntries)
		}
	}
}

// WriteGlossary writes entries as ReadGlossary reads them.
func WriteGlossary(w io.Writer, entries []core.GlossaryEntry) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"term", "synonyms", "translations", "split"}}
	for _, e := range entries {
		split := ""
		if e.Split {
			split = "yes"
		}
		rows = append(rows, []string{e.Term, strings.Join(e.Synonyms, ";"), strings.Join(e.Translations, ";"), split})
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("write the glossary: %w", err)
	}
	return nil
}

// CheckGlossary reports what is wrong with entries, by their numbers from 1,
// as a core.CodeInvalid error.
func CheckGlossary(entries []core.GlossaryEntry) error {
	if len(entries) > core.MaxGlossaryEntries {
		return core.Errorf(core.CodeTooLarge, "the glossary has %d entries; the limit is %d", len(entries), core.MaxGlossaryEntries)
	}
	c := complaints{first: map[string]string{}}
	for i, e := range entries {
		c.check(fmt.Sprintf("entry %d", i+1), e)
	}
	return c.err()
}

func columnsOf(head []string) (columns [len(glossaryColumns)]int) {
	for i := range columns {
		columns[i] = -1
	}
	for at, name := range head {
		name = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))
		for i, names := range glossaryColumns {
			for _, known := range names {
				if name == known && columns[i] < 0 {
					columns[i] = at
				}
			}
		}
	}
	return columns
}

func entryOf(row []string, columns [len(glossaryColumns)]int) (e core.GlossaryEntry, wrong string) {
	cell := func(i int) string {
		if at := columns[i]; at >= 0 && at < len(row) {
			return strings.TrimSpace(row[at])
		}
		return ""
	}
	e = core.GlossaryEntry{Term: cell(0), Synonyms: several(cell(1)), Translations: several(cell(2))}
	switch split := strings.ToLower(cell(3)); split {
	case "", "no", "n", "false", "0", "否":
	case "yes", "y", "true", "1", "是":
		e.Split = true
	default:
		wrong = fmt.Sprintf("split is yes or no, not %q", split)
	}
	return e, wrong
}

func several(s string) []string {
	var out []string
	for _, one := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(";；|", r) }) {
		if one = strings.TrimSpace(one); one != "" {
			out = append(out, one)
		}
	}
	return out
}

// complaints gathers what is wrong with a table.
type complaints struct {
	list  []string
	more  int
	first map[string]string // where a term stands
}

func (c *complaints) say(place, format string, args ...any) {
	if len(c.list) == maxComplaints {
		c.more++
		return
	}
	c.list = append(c.list, place+": "+fmt.Sprintf(format, args...))
}

// check looks at an entry that stands at a place.
func (c *complaints) check(place string, e core.GlossaryEntry) {
	key := newLine(text.Terms(e.Term)).written
	switch before, double := c.first[key]; {
	case strings.TrimSpace(e.Term) == "":
		c.say(place, "the term is missing")
		return
	case key == "":
		c.say(place, "the term %q has no letters or digits", e.Term)
	case double:
		c.say(place, "the term %q stands at %s already", e.Term, before)
	}
	c.first[key] = place
	if n := 1 + len(e.Synonyms) + len(e.Translations); n > core.MaxGlossaryForms {
		c.say(place, "%q has %d forms; the limit is %d", e.Term, n, core.MaxGlossaryForms)
	}
	for _, list := range [][]string{{e.Term}, e.Synonyms, e.Translations} {
		for _, form := range list {
			if utf8.RuneCountInString(form) > core.MaxGlossaryForm {
				c.say(place, "%.20q… is longer than %d characters", form, core.MaxGlossaryForm)
			}
			if !utf8.ValidString(form) || strings.ContainsFunc(form, func(r rune) bool { return r < ' ' }) {
				c.say(place, "a form of %.20q holds control characters or is not UTF-8", e.Term)
			}
		}
	}
}

func (c *complaints) err() error {
	if len(c.list) == 0 {
		return nil
	}
	words := "the glossary was not taken; " + strings.Join(c.list, "; ")
	if c.more > 0 {
		words += fmt.Sprintf("; and %d more", c.more)
	}
	return core.Errorf(core.CodeInvalid, "%s", words)
}
