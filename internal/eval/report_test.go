package eval_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"kaoju/internal/core"
	"kaoju/internal/eval"
)

func sample() eval.Results {
	return eval.Results{Sets: []eval.SetResult{{
		Name: "hand<book>", Kind: eval.KindRetrieval, Queries: 2, Passages: 9, Probes: 4,
		Metrics: map[string]float64{eval.MetricRecall1: .5, eval.MetricECE: .04},
		Stages:  []eval.StageTime{{Call: "search", Stage: "rank", P50: 1, P95: 4, Count: 2}},
		Reliability: eval.Reliability(
			[]eval.Forecast{{Probability: .9, Outcome: true}, {Probability: .2}}, 10),
	}}}
}

func TestResultsSurviveAFile(t *testing.T) {
	var b bytes.Buffer
	if err := sample().Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{`"sets"`, `"name"`, `"kind": "retrieval"`, `"recall@1": 0.5`, `"queries": 2`} {
		if !strings.Contains(b.String(), key) {
			t.Errorf("result file lacks %s", key)
		}
	}
	back, err := eval.ReadResults(&b)
	if err != nil || !reflect.DeepEqual(back, sample()) {
		t.Errorf("read back %+v, err %v", back, err)
	}
	if _, err := eval.ReadResults(strings.NewReader("no")); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("err = %v", err)
	}
}

func TestTable(t *testing.T) {
	base := sample()
	base.Sets[0].Metrics = map[string]float64{eval.MetricRecall1: .25}
	var b bytes.Buffer
	if err := eval.WriteTable(&b, sample(), &base); err != nil {
		t.Fatal(err)
	}
	want := "set         kind       passages  queries  recall@1        ece\n" +
		"hand<book>  retrieval  9         2        0.500 (+0.250)  0.040\n"
	if b.String() != want {
		t.Errorf("table:\n%s\nwant:\n%s", b.String(), want)
	}
}

func TestHTMLStandsAlone(t *testing.T) {
	base := sample()
	base.Sets[0].Metrics = map[string]float64{eval.MetricRecall1: .75, eval.MetricECE: .08}
	var b bytes.Buffer
	page := eval.Page{Command: "kaoju eval x", Baseline: &base, Made: time.Unix(0, 0)}
	if err := eval.WriteHTML(&b, sample(), page); err != nil {
		t.Fatal(err)
	}
	html := b.String()
	for _, want := range []string{
		"hand&lt;book&gt;", "评测", "prefers-color-scheme: dark", "<circle", `class="tick"`,
		`class="worse">-0.250`, `class="better">-0.040`, "1.00 / 4.00 ms", "1970-01-01T00:00:00Z",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("page lacks %q", want)
		}
	}
	for _, bad := range []string{"http://", "https://", "<script", "ZgotmplZ"} {
		if strings.Contains(html, bad) {
			t.Errorf("page holds %q", bad)
		}
	}
}
