package eval_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"kaoju/internal/core"
	"kaoju/internal/eval"
)

func TestLoadRetrievalSet(t *testing.T) {
	set := load(t, "plain")
	if set.Name != "plain" || set.Kind != eval.KindRetrieval || len(set.Docs) != 3 {
		t.Fatalf("set: %+v", set)
	}
	if len(set.Queries) != 3 {
		t.Fatalf("a query without a judgement in the corpus must be left out: %+v", set.Queries)
	}
	if got := set.Queries[2].Relevant; !reflect.DeepEqual(got, []string{"p3"}) {
		t.Errorf("grade 0 must not count as relevant: %v", got)
	}
	if got := set.Queries[1].History; !reflect.DeepEqual(got, []eval.Turn{{Role: "user", Text: "你好"}}) {
		t.Errorf("history: %v", got)
	}
	want := []eval.Probe{
		{ID: "q1", Text: set.Queries[0].Text, Contexts: []string{"p1"}, Answerable: true},
		{ID: "q2", Text: set.Queries[1].Text, History: set.Queries[1].History, Contexts: []string{"p2"}, Answerable: true},
		{ID: "q3", Text: set.Queries[2].Text, Contexts: []string{"p3"}, Answerable: true},
		{ID: "u1", Text: "How many days of sick leave do I have?", Contexts: []string{"p1"}},
		{ID: "u2", Text: "Who founded the company?"},
	}
	if !reflect.DeepEqual(set.Probes, want) {
		t.Errorf("probes:\n got %+v\nwant %+v", set.Probes, want)
	}
}

func TestLoadNamedFiles(t *testing.T) {
	set, err := eval.LoadNamed(filepath.Join("testdata", "faq"), eval.Names{
		Corpus: "../plain/corpus.jsonl", Queries: "../plain/queries.jsonl", Qrels: "../plain/other.tsv",
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Queries) != 1 || !reflect.DeepEqual(set.Queries[0].Relevant, []string{"p3", "p1"}) {
		t.Errorf("queries: %+v", set.Queries)
	}
}

func TestLoadFAQSet(t *testing.T) {
	set := load(t, "faq")
	want := &core.FAQEntry{
		Question: "How do I reset my password?", Similar: []string{"I forgot my password"},
		Negative: []string{"How do I change my name?"}, Answers: []string{"Use the link on the sign-in page."},
	}
	if set.Kind != eval.KindFAQ || !reflect.DeepEqual(set.Docs[0].FAQ, want) {
		t.Errorf("kind %s, entry %+v", set.Kind, set.Docs[0].FAQ)
	}
}

// An entry that lists the question asked is right, whatever is judged: covid_faq
// files some questions under one entry and lists them under another.
func TestEntriesThatListAQuestionAreRight(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"corpus.jsonl":  `{"id": "a", "text": "What is it?"}` + "\n" + `{"id": "b", "text": "What is this?"}`,
		"faq.jsonl":     `{"id": "a", "question": "What is it?", "similar": ["what is corona"], "answers": ["x"]}`,
		"queries.jsonl": `{"id": "q", "text": "What is Corona?"}` + "\n" + `{"id": "r", "text": "And now?"}`,
		"qrels.tsv":     "q\tb\t1\nr\tb\t1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, err := eval.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if q := set.Queries; !reflect.DeepEqual(q[0].Relevant, []string{"b", "a"}) || !reflect.DeepEqual(q[1].Relevant, []string{"b"}) {
		t.Errorf("%+v", q)
	}
}

func TestLoadItemsOverAnotherCorpus(t *testing.T) {
	set := load(t, "pairs")
	if set.Kind != eval.KindAnswerability || len(set.Docs) != 3 || len(set.Queries) != 0 {
		t.Fatalf("set: %+v", set)
	}
	if p := set.Probes[1]; p.Answerable || !reflect.DeepEqual(p.Contexts, []string{"p2", "p3"}) {
		t.Errorf("probe: %+v", p)
	}
}

func TestLoadItemsWithoutContextsAreAllAskedOpen(t *testing.T) {
	set := load(t, "talk")
	if len(set.Probes) != 2 {
		t.Fatalf("underspecified items are neither answerable nor not: %+v", set.Probes)
	}
	for _, p := range set.Probes {
		if p.Contexts != nil {
			t.Errorf("probe %s is told apart by its contexts %v", p.ID, p.Contexts)
		}
	}
	if h := set.Probes[1].History; !reflect.DeepEqual(h, []eval.Turn{{Role: "user", Text: "Hello"}}) {
		t.Errorf("a bare string is a message of the user: %+v", h)
	}
	if !set.Probes[0].Answerable || set.Probes[1].Answerable || len(set.Probes[0].History) != 1 {
		t.Errorf("probes: %+v", set.Probes)
	}
}

func TestLoadRefuses(t *testing.T) {
	tests := []struct{ name, file, content, want string }{
		{"an empty folder", "README.md", "nothing", "not an evaluation set"},
		{"a broken line", "corpus.jsonl", "{\"id\": \"a\"}\n{oops\n", "corpus.jsonl:2"},
		{"a corpus alone", "corpus.jsonl", "{\"id\": \"a\"}\n", "not an evaluation set"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, tt.file), []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := eval.Load(dir)
			if core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("err = %v, want %q", err, tt.want)
			}
		})
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"id": "a", "text": "b"}`), []byte(`{"id": "q", "text": "b"}`), []byte("q\ta\t1\n"))
	f.Add([]byte("\xff{"), []byte("[]"), []byte("\t\t\n\r\n"))
	f.Fuzz(func(t *testing.T, corpus, queries, qrels []byte) {
		dir := t.TempDir()
		files := map[string][]byte{"corpus.jsonl": corpus, "queries.jsonl": queries, "qrels.tsv": qrels}
		for name, data := range files {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		set, err := eval.Load(dir)
		if err != nil {
			return
		}
		for _, q := range set.Queries {
			if len(q.Relevant) == 0 {
				t.Errorf("query %q has no relevant passage", q.ID)
			}
		}
	})
}

func load(t *testing.T, name string) eval.Set {
	t.Helper()
	set, err := eval.Load(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// The halves of a set have each question once, and are always the same.
func TestHalves(t *testing.T) {
	var s eval.Set
	for i := range 200 {
		s.Queries = append(s.Queries, eval.Query{ID: fmt.Sprint("q", i)})
		s.Probes = append(s.Probes, eval.Probe{ID: fmt.Sprint("p", i)})
	}
	a, b := s.Half(1), s.Half(2)
	if len(a.Queries)+len(b.Queries) != 200 || len(a.Probes)+len(b.Probes) != 200 || len(a.Queries) < 70 || len(b.Queries) < 70 || len(s.Queries) != 200 {
		t.Errorf("%d and %d questions, %d and %d probes", len(a.Queries), len(b.Queries), len(a.Probes), len(b.Probes))
	}
	if !reflect.DeepEqual(a, s.Half(1)) {
		t.Error("another half the second time")
	}
}
