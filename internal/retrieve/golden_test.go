package retrieve_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"kaoju/internal/retrieve"
)

var update = flag.Bool("update", false, "write the rankings that come out to testdata")

// near is the share of the first score from which on the order of passages
// says something; below it stand chance likenesses.
const near = .7

// TestGoldenRanking compares the first passages of every question with
// testdata/ranking.golden, so that a change of ranking shows as a diff:
//
//	go test ./internal/retrieve -run Golden -update
func TestGoldenRanking(t *testing.T) {
	questions, err := os.ReadFile("testdata/questions.txt")
	if err != nil {
		t.Fatal(err)
	}
	s := searcher(corpus(t))
	var out strings.Builder
	for question := range strings.Lines(string(questions)) {
		question = strings.TrimSpace(question)
		fmt.Fprintf(&out, "%s\n", question)
		found := find(t, s, question, 3)
		if len(found) == 0 {
			continue
		}
		for _, f := range retrieve.AtLeast(found, near*found[0].Score) {
			fmt.Fprintf(&out, "\t%s\n", f.Chunk.ID)
		}
	}
	const golden = "testdata/ranking.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	compareLines(t, out.String(), string(want))
}

func compareLines(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	question := ""
	for i := range max(len(g), len(w)) {
		a, b := line(g, i), line(w, i)
		if !strings.HasPrefix(a, "\t") {
			question = a
		}
		if a != b {
			t.Fatalf("line %d, question %q: found %q, the golden file has %q (-update accepts the change)", i+1, question, a, b)
		}
	}
}

func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}
