//go:build exp

package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaoju/internal/llm"
)

// expDump is a question with what the product gives the answerer to read:
// TestExpDumpEvidence of internal/app writes them to the folder KAOJU_EVIDENCE.
type expDump struct {
	ID, Question string
	Answers      []string
	Answerable   bool
	Whole        bool // asked over the whole set, else over the contexts that the set names
	Evidence     []llm.Evidence
	Ranked       []llm.Evidence // more of what the search found; Evidence is a part
}

func expDumps(t testing.TB, name string) []expDump {
	if os.Getenv("KAOJU_EVIDENCE") == "" {
		t.Skip("KAOJU_EVIDENCE names no folder")
	}
	return expLines[expDump](t, filepath.Join(os.Getenv("KAOJU_EVIDENCE"), name+".jsonl"))
}

// expAsked gives the questions over a whole set that have answers.
func expAsked(t testing.TB, name string) []expDump {
	var list []expDump
	for _, d := range expDumps(t, name) {
		if d.Whole && len(d.Answers) > 0 {
			list = append(list, d)
		}
	}
	return list
}

// expWritten is the answer as it is written, without its marks, and how many
// pieces it has.
func expWritten(v *evidenceView, evidence []llm.Evidence, until float64) (string, int) {
	var b strings.Builder
	list := v.quote(evidence, until)
	for _, q := range list {
		b.WriteString(q.before + q.text + "\x00")
	}
	return b.String(), len(list)
}
