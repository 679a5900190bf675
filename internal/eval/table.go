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
