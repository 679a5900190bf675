package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kaoju/internal/core"
	"kaoju/internal/text"
)

// Names says which files of a set's folder are read. Empty fields mean
// corpus.jsonl, queries.jsonl and qrels.tsv; a path with a slash is taken from
// the set's folder, so that "../other/queries.jsonl" reads a sibling's.
type Names struct {
	Corpus  string
	Queries string
	Qrels   string
}

// Load reads the set in dir under the default file names.
func Load(dir string) (Set, error) { return LoadNamed(dir, Names{}) }

// LoadNamed reads the set in dir. A set needs queries with their judgements,
// or items with contexts; unanswerable questions and FAQ entries are read
// where they are present. Judgements of passages that the corpus does not
// hold, and queries without any judgement, are left out.
func LoadNamed(dir string, names Names) (Set, error) {
	l := loader{dir: dir, names: withDefaults(names)}
	set := Set{Name: filepath.Base(filepath.Clean(dir)), Kind: KindRetrieval}
	steps := []func(*Set) error{l.docs, l.faq, l.queries, l.unanswerable, l.items}
	for _, step := range steps {
		if err := step(&set); err != nil {
			return Set{}, fmt.Errorf("load set %s: %w", dir, err)
		}
	}
	if len(set.Docs) == 0 || len(set.Queries)+len(set.Probes) == 0 {
		return Set{}, core.Errorf(core.CodeInvalid,
			"%s is not an evaluation set: it needs %s with %s and %s, or items.jsonl",
			dir, l.names.Corpus, l.names.Queries, l.names.Qrels)
	}
	if len(set.Queries) == 0 {
		set.Kind = KindAnswerability
	}
	return set, nil
}

func withDefaults(n Names) Names {
	n.Corpus = orDefault(n.Corpus, "corpus.jsonl")
	n.Queries = orDefault(n.Queries, "queries.jsonl")
	n.Qrels = orDefault(n.Qrels, "qrels.tsv")
	return n
}

func orDefault(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

type loader struct {
	dir   string
	names Names
}

type docLine struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
	Lang  string `json:"lang"`
}

func (l loader) docs(set *Set) error {
	lines, err := readLines[docLine](filepath.Join(l.dir, l.names.Corpus))
	if err != nil {
		return err
	}
	for _, d := range lines {
		set.Docs = append(set.Docs, Doc{ID: d.ID, Title: d.Title, Text: d.Text, Lang: d.Lang})
	}
	return nil
}

type faqLine struct {
	ID        string   `json:"id"`
	Question  string   `json:"question"`
	Answers   []string `json:"answers"`
	Similar   []string `json:"similar"`
	Negatives []string `json:"negatives"`
}

func (l loader) faq(set *Set) error {
	lines, err := readLines[faqLine](filepath.Join(l.dir, "faq.jsonl"))
	if err != nil || len(lines) == 0 {
		return err
	}
	set.Kind = KindFAQ
	at := docIndex(set.Docs)
	for _, f := range lines {
		if i, ok := at[f.ID]; ok {
			set.Docs[i].FAQ = &core.FAQEntry{
				Question: f.Question, Similar: f.Similar, Negative: f.Negatives, Answers: f.Answers,
			}
		}
	}
	return nil
}

type queryLine struct {
	ID        string   `json:"id"`
	Text      string   `json:"text"`
	Lang      string   `json:"lang"`
	Answers   []string `json:"answers"`
	History   []Turn   `json:"history"`
	ContextID string   `json:"context_id"`
}

func (l loader) queries(set *Set) error {
	lines, err := readLines[queryLine](filepath.Join(l.dir, l.names.Queries))
	if err != nil || len(lines) == 0 {
		return err
	}
	relevant, err := readQrels(filepath.Join(l.dir, l.names.Qrels), docIndex(set.Docs))
	if err != nil {
		return err
	}
	listed := listedQuestions(set.Docs)
	for _, q := range lines {
		if len(relevant[q.ID]) == 0 {
			continue
		}
		for _, id := range listed[text.Key(q.Text)] {
			if !slices.Contains(relevant[q.ID], id) {
				relevant[q.ID] = append(relevant[q.ID], id)
			}
		}
		set.Queries = append(set.Queries, Query{
			ID: q.ID, Text: q.Text, Lang: q.Lang, Answers: q.Answers,
			History: q.History, Relevant: relevant[q.ID],
		})
	}
	return nil
}

// listedQuestions gives the FAQ entries that list a question, by text.Key. An
// entry that lists the question asked is right, whatever else is judged so.
func listedQuestions(docs []Doc) map[string][]string {
	listed := map[string][]string{}
	for _, d := range docs {
		if d.FAQ == nil {
			continue
		}
		for _, q := range d.FAQ.Questions() {
			if key := text.Key(q); key != "" {
				listed[key] = append(listed[key], d.ID)
			}
		}
	}
	return listed
}

// unanswerable adds the questions that their own passage does not answer and,
// as their counterpart, every query with its passages.
func (l loader) unanswerable(set *Set) error {
	lines, err := readLines[queryLine](filepath.Join(l.dir, "unanswerable.jsonl"))
	if err != nil || len(lines) == 0 {
		return err
	}
	for _, q := range set.Queries {
		set.Probes = append(set.Probes, Probe{
			ID: q.ID, Text: q.Text, History: q.History, Contexts: q.Relevant, Answerable: true,
		})
	}
	for _, q := range lines {
		p := Probe{ID: q.ID, Text: q.Text, History: q.History}
		if q.ContextID != "" {
			p.Contexts = []string{q.ContextID}
		}
		set.Probes = append(set.Probes, p)
	}
	return nil
}

type itemLine struct {
	ID            string   `json:"id"`
	Question      string   `json:"question"`
	Text          string   `json:"text"`
	Corpus        string   `json:"corpus"` // sibling folder whose passages Contexts names
	Label         string   `json:"label"`
	Answerability string   `json:"answerability"`
	Contexts      []string `json:"contexts"`
	History       []Turn   `json:"history"`
}

// items adds questions with contexts. Where some have no contexts (nothing in
// the corpus answers them), all of the set's are asked over its whole corpus:
// a question must not be told apart by how it is asked.
func (l loader) items(set *Set) error {
	lines, err := readLines[itemLine](filepath.Join(l.dir, "items.jsonl"))
	if err != nil || len(lines) == 0 {
		return err
	}
	if err := l.siblings(set, lines); err != nil {
		return err
	}
	var probes []Probe
	open := false
	for _, it := range lines {
		answerable, known := it.answerable()
		if !known {
			continue
		}
		open = open || len(it.Contexts) == 0
		probes = append(probes, Probe{
			ID: it.ID, Text: orDefault(it.Question, it.Text), History: it.History,
			Contexts: it.Contexts, Answerable: answerable,
		})
	}
	for i := range probes {
		if open {
			probes[i].Contexts = nil
		}
	}
	set.Probes = append(set.Probes, probes...)
	return nil
}

// answerable reads either label; questions that call for a counter-question
// are neither.
func (it itemLine) answerable() (answerable, known bool) {
	switch strings.ToLower(it.Label + it.Answerability) {
	case "sufficient", "answerable", "partial":
		return true, true
	case "insufficient", "unanswerable":
		return false, true
	}
	return false, false
}

// siblings adds the passages of the other sets that the items point into.
func (l loader) siblings(set *Set, lines []itemLine) error {
	seen := map[string]bool{"": true}
	for _, it := range lines {
		if seen[it.Corpus] {
			continue
		}
		seen[it.Corpus] = true
		name := filepath.Join("..", filepath.Base(it.Corpus), "corpus.jsonl")
		if err := (loader{dir: l.dir, names: Names{Corpus: name}}).docs(set); err != nil {
			return err
		}
	}
	return nil
}

func docIndex(docs []Doc) map[string]int {
	at := make(map[string]int, len(docs))
	for i, d := range docs {
		at[d.ID] = i
	}
	return at
}

// readQrels reads query TAB passage [TAB grade] lines; grade 0 means not
// relevant.
func readQrels(path string, docs map[string]int) (map[string][]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read judgements: %w", err)
	}
	relevant := map[string][]string{}
	for n, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSuffix(line, "\r")
		if line == "" {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) < 2 {
			return nil, core.Errorf(core.CodeInvalid, "%s:%d: want query TAB passage", path, n+1)
		}
		if _, ok := docs[f[1]]; !ok || len(f) > 2 && f[2] == "0" {
			continue
		}
		relevant[f[0]] = append(relevant[f[0]], f[1])
	}
	return relevant, nil
}

// readLines decodes a file of one JSON object a line; a missing file is an
// empty one.
func readLines[T any](path string) ([]T, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read lines: %w", err)
	}
	var out []T
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(nil, len(data)+1)
	for n := 1; sc.Scan(); n++ {
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			return nil, core.Errorf(core.CodeInvalid, "%s:%d: %v", path, n, err)
		}
		out = append(out, v)
	}
	return out, nil
}
