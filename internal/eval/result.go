package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"kaoju/internal/core"
)

// Names of metrics, as they stand in the result file. A metric that a set
// cannot give is absent.
const (
	MetricRecall1    = "recall@1"
	MetricRecall5    = "recall@5"
	MetricRecall10   = "recall@10"
	MetricMRR        = "mrr@10"
	MetricNDCG       = "ndcg@10"
	MetricGold       = "answer_contains_gold"
	MetricAUROC      = "auroc"
	MetricBrier      = "brier"
	MetricECE        = "ece"
	MetricRefusedYes = "refused_answerable"   // share of answerable questions that were refused
	MetricFAQTop1    = "faq_top1"             // the nearest FAQ entry is the right one
	MetricDirect     = "faq_direct"           // share of questions that were given a standard answer as it stands
	MetricWrong      = "faq_direct_wrong"     // share that were given the answer of another entry
	MetricRefusedNo  = "refused_unanswerable" // share of unanswerable questions that were refused
)

// bins of the reliability diagram and of the calibration error.
const bins = 10

// Results is the result file of `kaoju eval`. Its shape is a contract.
type Results struct {
	Sets []SetResult `json:"sets"`
}

// SetResult is what was measured on one set.
type SetResult struct {
	Name        string             `json:"name"`
	Kind        Kind               `json:"kind"`
	Metrics     map[string]float64 `json:"metrics"`
	Queries     int                `json:"queries"` // questions asked for retrieval, or probes where there are none
	Passages    int                `json:"passages"`
	Probes      int                `json:"probes,omitempty"`
	Golds       int                `json:"golds,omitempty"` // answers compared with gold
	IngestMS    float64            `json:"ingest_ms"`
	Stages      []StageTime        `json:"stages,omitempty"`
	Steps       []StageRanks       `json:"stage_metrics,omitempty"`
	Reliability []Bin              `json:"reliability,omitempty"`
}

// StageTime is how long a stage took over all questions of a set, in
// milliseconds. Stages of searches and of answers are told apart by Call.
type StageTime struct {
	Call  string  `json:"call"` // search or ask
	Stage string  `json:"stage"`
	P50   float64 `json:"p50_ms"`
	P95   float64 `json:"p95_ms"`
	Count int     `json:"count"`
}

// StageRanks is how good the ranking is after a stage of the search.
type StageRanks struct {
	Stage   string             `json:"stage"`
	Metrics map[string]float64 `json:"metrics"` // recall@1, recall@10 and mrr@10
}

// Write encodes the results, indented.
func (rs Results) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(rs); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}

// ReadResults decodes a result file.
func ReadResults(r io.Reader) (Results, error) {
	var rs Results
	if err := json.NewDecoder(r).Decode(&rs); err != nil {
		return Results{}, core.Wrap(err, core.CodeInvalid, "not a result file of kaoju eval")
	}
	return rs, nil
}

// Find gives the result of the set of that name.
func (rs Results) Find(name string) (SetResult, bool) {
	i := slices.IndexFunc(rs.Sets, func(s SetResult) bool { return s.Name == name })
	if i < 0 {
		return SetResult{}, false
	}
	return rs.Sets[i], true
}

func (r *run) result() SetResult {
	t := tally{metrics: map[string][]float64{}, stages: map[stageKey][]float64{}, ranks: map[stageKey][]float64{}}
	for _, o := range r.outcomes {
		t.add(o)
	}
	res := SetResult{
		Name: r.set.Name, Kind: r.set.Kind, Metrics: t.means(),
		Queries: len(t.metrics[MetricRecall1]), Passages: len(r.set.Docs),
		Probes: len(t.forecasts), Golds: len(t.metrics[MetricGold]),
		IngestMS: float64(r.ingest.Microseconds()) / 1000,
		Stages:   t.stageTimes(),
		Steps:    t.stageRanks(),
	}
	if res.Queries == 0 {
		res.Queries = res.Probes
	}
	if len(t.forecasts) > 0 {
		res.Reliability = Reliability(t.forecasts, bins)
	}
	return res
}

type stageKey struct{ call, stage string }

// tally gathers the outcomes of a run.
type tally struct {
	metrics   map[string][]float64
	forecasts []Forecast
	stages    map[stageKey][]float64
	order     []stageKey             // in which stages were first seen
	ranks     map[stageKey][]float64 // metrics (call) of rankings by stage
	ranking   []string               // stages with rankings, in their order
}

func (t *tally) add(o outcome) {
	t.times("search", o.ranking.Timings)
	t.times("ask", o.answer.Timings)
	if o.probe != nil {
		t.forecasts = append(t.forecasts, Forecast{Probability: o.answer.Probability, Outcome: o.probe.Answerable})
		name := MetricRefusedNo
		if o.probe.Answerable {
			name = MetricRefusedYes
		}
		t.put(name, number(o.answer.Refused))
		return
	}
	ranked, relevant := o.ranking.Docs, o.query.Relevant
	t.put(MetricRecall1, Recall(ranked, relevant, 1))
	t.put(MetricRecall5, Recall(ranked, relevant, 5))
	t.put(MetricRecall10, Recall(ranked, relevant, 10))
	t.put(MetricMRR, ReciprocalRank(ranked, relevant, 10))
	t.put(MetricNDCG, NDCG(ranked, relevant, 10))
	t.rank(o.ranking.Stages, relevant)
	if o.asked && o.answer.Nearest != nil {
		right := Recall(o.answer.Nearest, relevant, len(o.answer.Nearest)) > 0
		t.put(MetricFAQTop1, number(right))
		t.put(MetricDirect, number(o.answer.Direct))
		t.put(MetricWrong, number(o.answer.Direct && !right))
	}
	if o.hasGold && o.asked {
		t.put(MetricGold, number(ContainsGold(o.answer.Text, o.query.Answers)))
	}
}

// rank takes in the rankings of one question after each stage.
func (t *tally) rank(stages []Ranked, relevant []string) {
	for _, s := range stages {
		if !slices.Contains(t.ranking, s.Stage) {
			t.ranking = append(t.ranking, s.Stage)
		}
		for metric, v := range map[string]float64{
			MetricRecall1: Recall(s.Docs, relevant, 1), MetricRecall10: Recall(s.Docs, relevant, 10),
			MetricMRR: ReciprocalRank(s.Docs, relevant, 10),
		} {
			k := stageKey{metric, s.Stage}
			t.ranks[k] = append(t.ranks[k], v)
		}
	}
}

func (t *tally) stageRanks() []StageRanks {
	var out []StageRanks
	for _, stage := range t.ranking {
		r := StageRanks{Stage: stage, Metrics: map[string]float64{}}
		for _, metric := range []string{MetricRecall1, MetricRecall10, MetricMRR} {
			r.Metrics[metric] = Mean(t.ranks[stageKey{metric, stage}])
		}
		out = append(out, r)
	}
	return out
}

func (t *tally) put(name string, v float64) { t.metrics[name] = append(t.metrics[name], v) }

func (t *tally) times(call string, timings []core.Timing) {
	for _, tm := range timings {
		k := stageKey{call, tm.Stage}
		if _, seen := t.stages[k]; !seen {
			t.order = append(t.order, k)
		}
		t.stages[k] = append(t.stages[k], tm.ElapsedMS)
	}
}

func (t *tally) means() map[string]float64 {
	out := map[string]float64{}
	for name, vs := range t.metrics {
		out[name] = Mean(vs)
	}
	if auroc, ok := AUROC(t.forecasts); ok {
		out[MetricAUROC] = auroc
	}
	if len(t.forecasts) > 0 {
		out[MetricBrier] = Brier(t.forecasts)
		out[MetricECE] = ECE(t.forecasts, bins)
	}
	return out
}

func (t *tally) stageTimes() []StageTime {
	out := make([]StageTime, 0, len(t.order))
	for _, k := range t.order {
		vs := t.stages[k]
		out = append(out, StageTime{
			Call: k.call, Stage: k.stage, Count: len(vs),
			P50: Median(vs), P95: Percentile(vs, 95),
		})
	}
	return out
}
