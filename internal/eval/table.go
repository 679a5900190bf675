package eval

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// tableMetrics is the order in which metrics are shown.
func tableMetrics() []string {
	return []string{
		MetricRecall1, MetricRecall5, MetricRecall10, MetricMRR, MetricNDCG,
		MetricGold, MetricAUROC, MetricBrier, MetricECE, MetricRefusedYes, MetricRefusedNo,
		MetricFAQTop1, MetricDirect, MetricWrong,
	}
}

// WriteTable prints one line a set. Metrics that no set has get no column.
// With a baseline, a metric that was measured before is followed by its
// change.
func WriteTable(w io.Writer, rs Results, baseline *Results) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	cols := presentMetrics(rs)
	head := append([]string{"set", "kind", "passages", "queries"}, cols...)
	lines := []string{strings.Join(head, "\t")}
	for _, s := range rs.Sets {
		cells := []string{s.Name, string(s.Kind), strconv.Itoa(s.Passages), strconv.Itoa(s.Queries)}
		for _, m := range cols {
			cells = append(cells, metricCell(s, m, baseline))
		}
		lines = append(lines, strings.Join(cells, "\t"))
	}
	if _, err := fmt.Fprintln(tw, strings.Join(lines, "\n")); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	if err := tw.Flush(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

func presentMetrics(rs Results) []string {
	return slices.DeleteFunc(tableMetrics(), func(m string) bool {
		return !slices.ContainsFunc(rs.Sets, func(s SetResult) bool { _, ok := s.Metrics[m]; return ok })
	})
}

func metricCell(s SetResult, metric string, baseline *Results) string {
	v, ok := s.Metrics[metric]
	if !ok {
		return "–"
	}
	cell := fmt.Sprintf("%.3f", v)
	if was, ok := baselineValue(baseline, s.Name, metric); ok {
		cell += fmt.Sprintf(" (%+.3f)", v-was)
	}
	return cell
}

func baselineValue(baseline *Results, set, metric string) (float64, bool) {
	if baseline == nil {
		return 0, false
	}
	s, ok := baseline.Find(set)
	if !ok {
		return 0, false
	}
	v, ok := s.Metrics[metric]
	return v, ok
}

// WriteStages prints, one line a set, how good the ranking is after each stage
// of the search: recall@1, recall@10 and MRR@10. Sets without such figures are
// left out.
func WriteStages(w io.Writer, rs Results) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var stages []string
	for _, s := range rs.Sets {
		for _, r := range s.Steps {
			if !slices.Contains(stages, r.Stage) {
				stages = append(stages, r.Stage)
			}
		}
	}
	lines := []string{strings.Join(append([]string{"set (R@1 / R@10 / MRR@10)"}, stages...), "\t")}
	for _, s := range rs.Sets {
		if len(s.Steps) == 0 {
			continue
		}
		cells := []string{s.Name}
		for _, stage := range stages {
			cells = append(cells, stageCell(s.Steps, stage))
		}
		lines = append(lines, strings.Join(cells, "\t"))
	}
	if len(stages) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(tw, strings.Join(lines, "\n")); err != nil {
		return fmt.Errorf("write the table of stages: %w", err)
	}
	if err := tw.Flush(); err != nil {
		return fmt.Errorf("write the table of stages: %w", err)
	}
	return nil
}

func stageCell(steps []StageRanks, stage string) string {
	i := slices.IndexFunc(steps, func(r StageRanks) bool { return r.Stage == stage })
	if i < 0 {
		return "–"
	}
	m := steps[i].Metrics
	return fmt.Sprintf("%.3f / %.3f / %.3f", m[MetricRecall1], m[MetricRecall10], m[MetricMRR])
}
