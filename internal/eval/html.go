package eval

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"
)

//go:embed report.html.tmpl
var reportTemplate string

// Page is what a report shows beside the results.
type Page struct {
	Title    string
	Command  string   // how the results were made
	Baseline *Results // an earlier run to compare with; nil for none
	Made     time.Time
}

// WriteHTML writes the results as one page with charts that needs nothing
// from outside.
func WriteHTML(w io.Writer, rs Results, page Page) error {
	t, err := template.New("report").Parse(reportTemplate)
	if err != nil {
		return fmt.Errorf("parse report template: %w", err)
	}
	if err := t.Execute(w, newReport(rs, page)); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// report is what the template reads.
type report struct {
	Page
	Date    string
	Columns []string
	Rows    []reportRow
	Charts  []chart
}

type reportRow struct {
	Set   SetResult
	Cells []reportCell
}

type reportCell struct {
	Value, Change string
	Better, Worse bool
}

// chart is a drawing with its caption. Every Kind has its own block in the
// template.
type chart struct {
	Kind   string // ranking, reliability or stages
	Name   string
	Bars   []bar
	Points []point
	Height int
}

// bar is a horizontal bar: lengths are in drawing units, of which the full
// width has barWidth.
type bar struct {
	Label  string
	Y      int
	Length float64
	Second float64 // a longer, paler bar behind it; 0 for none
	Tick   float64 // a mark for the baseline; 0 for none
	Value  string
}

// point of a reliability diagram, in drawing units from the lower left.
type point struct {
	X, Y, R float64
	Note    string
}

const (
	barWidth  = 360.0
	barStep   = 22
	plotWidth = 240.0
)

func newReport(rs Results, page Page) report {
	r := report{Page: page, Date: page.Made.UTC().Format(time.RFC3339), Columns: presentMetrics(rs)}
	if r.Title == "" {
		r.Title = "Kaoju"
	}
	for _, s := range rs.Sets {
		r.Rows = append(r.Rows, newRow(s, r.Columns, page.Baseline))
		r.Charts = append(r.Charts, charts(s, page.Baseline)...)
	}
	return r
}

func newRow(s SetResult, cols []string, baseline *Results) reportRow {
	row := reportRow{Set: s}
	for _, m := range cols {
		row.Cells = append(row.Cells, newCell(s, m, baseline))
	}
	return row
}

func newCell(s SetResult, metric string, baseline *Results) reportCell {
	v, ok := s.Metrics[metric]
	if !ok {
		return reportCell{Value: "–"}
	}
	c := reportCell{Value: fmt.Sprintf("%.3f", v)}
	if was, ok := baselineValue(baseline, s.Name, metric); ok {
		d := v - was
		if lowerIsBetter(metric) {
			d = -d
		}
		c.Change = fmt.Sprintf("%+.3f", v-was)
		c.Better, c.Worse = d > .0005, d < -.0005
	}
	return c
}

func lowerIsBetter(metric string) bool {
	return metric == MetricECE || metric == MetricBrier || metric == MetricRefusedYes || metric == MetricWrong
}

func charts(s SetResult, baseline *Results) []chart {
	var out []chart
	if c := rankingChart(s, baseline); len(c.Bars) > 0 {
		out = append(out, c)
	}
	if len(s.Reliability) > 0 {
		out = append(out, reliabilityChart(s))
	}
	if len(s.Stages) > 0 {
		out = append(out, stagesChart(s))
	}
	return out
}

func rankingChart(s SetResult, baseline *Results) chart {
	c := chart{Kind: "ranking", Name: s.Name}
	for _, m := range []string{MetricRecall1, MetricRecall5, MetricRecall10, MetricMRR, MetricNDCG, MetricGold} {
		v, ok := s.Metrics[m]
		if !ok {
			continue
		}
		was, _ := baselineValue(baseline, s.Name, m)
		c.Bars = append(c.Bars, bar{
			Label: m, Y: len(c.Bars) * barStep, Length: v * barWidth,
			Tick: was * barWidth, Value: fmt.Sprintf("%.3f", v),
		})
	}
	c.Height = len(c.Bars) * barStep
	return c
}

func reliabilityChart(s SetResult) chart {
	c := chart{Kind: "reliability", Name: s.Name, Height: int(plotWidth)}
	for _, b := range s.Reliability {
		if b.Count == 0 {
			continue
		}
		share := float64(b.Count) / float64(max(s.Probes, 1))
		c.Points = append(c.Points, point{
			X: b.Probability * plotWidth, Y: (1 - b.Observed) * plotWidth, R: 3 + 12*share,
			Note: fmt.Sprintf("%.2f → %.2f (%d)", b.Probability, b.Observed, b.Count),
		})
	}
	return c
}

func stagesChart(s SetResult) chart {
	c := chart{Kind: "stages", Name: s.Name}
	longest := 0.0
	for _, st := range s.Stages {
		longest = max(longest, st.P95)
	}
	for _, st := range s.Stages {
		c.Bars = append(c.Bars, bar{
			Label: strings.TrimSpace(st.Call + " " + st.Stage), Y: len(c.Bars) * barStep,
			Length: scaled(st.P50, longest), Second: scaled(st.P95, longest),
			Value: fmt.Sprintf("%.2f / %.2f ms", st.P50, st.P95),
		})
	}
	c.Height = len(c.Bars) * barStep
	return c
}

func scaled(v, longest float64) float64 {
	if longest == 0 {
		return 0
	}
	return v / longest * barWidth
}
