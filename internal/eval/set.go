package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"

	"kaoju/internal/core"
)

// Kind says what a set measures.
type Kind string

// Kinds of set.
const (
	KindRetrieval     Kind = "retrieval"     // questions and the passages that answer them
	KindFAQ           Kind = "faq"           // the same, where each passage is an FAQ entry
	KindAnswerability Kind = "answerability" // questions that given passages answer, or do not
)

// Set is a data set in memory. A set may hold both Queries and Probes.
type Set struct {
	Name    string
	Kind    Kind
	Docs    []Doc
	Queries []Query
	Probes  []Probe
}

// Half gives the set with the questions of one half, 1 or 2, by a hash of their
// ids: a setting that was chosen on one half is reported on the other.
func (s Set) Half(n int) Set {
	mine := func(id string) bool {
		h := fnv.New32a()
		_, _ = h.Write([]byte(id)) // never fails
		return int(h.Sum32()>>7&1) == n-1
	}
	s.Queries = slices.DeleteFunc(slices.Clone(s.Queries), func(q Query) bool { return !mine(q.ID) })
	s.Probes = slices.DeleteFunc(slices.Clone(s.Probes), func(p Probe) bool { return !mine(p.ID) })
	return s
}

// Doc is a passage of a set. It is ingested as a document whose name is ID
// and whose title is Title.
type Doc struct {
	ID    string
	Title string
	Text  string
	Lang  string
	FAQ   *core.FAQEntry // of an FAQ set, else nil
}

// Turn is one earlier message of a conversation.
type Turn struct {
	Role string `json:"role"` // user or assistant
	Text string `json:"text"`
}

// UnmarshalJSON reads a turn, or a bare string as a message of the user: some
// sets keep only the questions of a history.
func (t *Turn) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte{'"'}) {
		t.Role = "user"
		return json.Unmarshal(data, &t.Text)
	}
	type plain Turn
	if err := json.Unmarshal(data, (*plain)(t)); err != nil {
		return fmt.Errorf("read a turn: %w", err)
	}
	return nil
}

// Query is a question with the passages that answer it. Answers are the gold
// answers, any of which will do; they may be empty.
type Query struct {
	ID       string
	Text     string
	Lang     string
	Answers  []string
	History  []Turn
	Relevant []string // ids of Docs, never empty
}

// Probe is a question of which it is known whether the passages in Contexts
// answer it. No contexts means all passages of the set.
type Probe struct {
	ID         string
	Text       string
	History    []Turn
	Contexts   []string
	Answerable bool
}
