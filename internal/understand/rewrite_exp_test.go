//go:build exp

package understand

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"kaoju/internal/pipeline"
	"kaoju/internal/text"
)

type rewriteItem struct {
	History  []string `json:"history"`
	Question string   `json:"question"`
	Rewrite  string   `json:"rewrite"`
}

// TestRewriteSets prints how near the rules come to what people wrote, by
// words without inflection. KAOJU_EVAL is the folder of the sets; KAOJU_SHOW
// prints so many rewrites of each.
func TestRewriteSets(t *testing.T) {
	for _, name := range []string{"mtrag_rewrite", "canard", "treccast_rewrite"} {
		var raw, ours, gained score
		changed, better, worse := 0, 0, 0
		for i, item := range readRewrites(t, filepath.Join(os.Getenv("KAOJU_EVAL"), name, "rewrite.jsonl")) {
			u, _ := Rules{}.Understand(context.Background(), item.Question, rounds(item.History, name == "canard"))
			before, after := overlap(item.Question, item.Rewrite), overlap(u.Question, item.Rewrite)
			raw.add(before)
			ours.add(after)
			if !u.Rewritten {
				continue
			}
			changed++
			gained.add(after)
			switch {
			case after.recall > before.recall+1e-9:
				better++
			case after.f1() < before.f1()-.1:
				worse++
			}
			if os.Getenv("KAOJU_SHOW") == name && i%5 == 0 {
				fmt.Printf("%.2f→%.2f %s\n  Q %s\n  O %s\n  R %s\n", before.f1(), after.f1(), u.Reason, item.Question, u.Question, item.Rewrite)
			}
		}
		fmt.Printf("| %s | %d | %d | %.3f | %.3f | %.3f | %.3f | %d | %d |\n", name, raw.n, changed,
			raw.recall/float64(raw.n), ours.recall/float64(ours.n), raw.mean(), ours.mean(), better, worse)
	}
}

func readRewrites(t *testing.T, path string) (items []rewriteItem) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var item rewriteItem
		if err := json.Unmarshal(lines.Bytes(), &item); err != nil {
			t.Fatal(err)
		}
		items = append(items, item)
	}
	return items
}

func rounds(history []string, answers bool) (out []pipeline.Round) {
	for i := 0; i < len(history); i++ {
		r := pipeline.Round{Question: history[i]}
		if answers && i+1 < len(history) {
			i++
			r.Answer = history[i]
		}
		out = append(out, r)
	}
	return out[max(0, len(out)-5):]
}

type score struct {
	precision, recall, f float64
	n                    int
}

func (s score) f1() float64 {
	if s.precision+s.recall == 0 {
		return 0
	}
	return 2 * s.precision * s.recall / (s.precision + s.recall)
}

func (s *score) add(o score) {
	s.precision += o.precision
	s.recall += o.recall
	s.f += o.f1()
	s.n++
}

func (s score) mean() float64 { return s.f / float64(max(1, s.n)) }

// overlap compares the words that carry a topic.
func overlap(got, want string) score {
	g, w := topics(got), topics(want)
	common := 0
	for k := range g {
		if w[k] {
			common++
		}
	}
	return score{precision: float64(common) / float64(max(1, len(g))), recall: float64(common) / float64(max(1, len(w)))}
}

func topics(s string) map[string]bool {
	set := map[string]bool{}
	for _, t := range text.Terms(s) {
		if !t.Part && !text.IsStop(t.Text) {
			set[t.Text] = true
		}
	}
	return set
}
