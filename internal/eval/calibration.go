package eval

import (
	"cmp"
	"slices"
)

// Forecast is a stated probability and what came true.
type Forecast struct {
	Probability float64 // in [0,1]
	Outcome     bool
}

// AUROC is the chance that a forecast that came true was given a higher
// probability than one that did not, ties counting half. It is .5 for
// guessing; ok is false where only one outcome occurs.
func AUROC(fs []Forecast) (auroc float64, ok bool) {
	sorted := slices.Clone(fs)
	slices.SortFunc(sorted, func(a, b Forecast) int { return cmp.Compare(a.Probability, b.Probability) })
	var below, wins, positives float64
	for i := 0; i < len(sorted); {
		var yes, no float64
		p := sorted[i].Probability
		for ; i < len(sorted) && sorted[i].Probability == p; i++ {
			if sorted[i].Outcome {
				yes++
			} else {
				no++
			}
		}
		wins += yes * (below + no/2)
		below += no
		positives += yes
	}
	if positives == 0 || below == 0 {
		return 0, false
	}
	return wins / (positives * below), true
}

// Brier is the mean squared difference of probability and outcome.
func Brier(fs []Forecast) float64 {
	sum := 0.0
	for _, f := range fs {
		d := f.Probability - number(f.Outcome)
		sum += d * d
	}
	return sum / float64(max(len(fs), 1))
}

// Bin is a step of a reliability diagram: the forecasts with a probability in
// [Low, High) (the last bin includes 1), their mean probability and the share
// that came true.
type Bin struct {
	Low         float64 `json:"low"`
	High        float64 `json:"high"`
	Count       int     `json:"count"`
	Probability float64 `json:"probability"`
	Observed    float64 `json:"observed"`
}

// Reliability sorts forecasts into n bins of equal width.
func Reliability(fs []Forecast, n int) []Bin {
	bins := make([]Bin, n)
	for _, f := range fs {
		p := min(max(f.Probability, 0), 1)
		b := &bins[min(int(p*float64(n)), n-1)]
		b.Count++
		b.Probability += p
		b.Observed += number(f.Outcome)
	}
	for i := range bins {
		b := &bins[i]
		b.Low, b.High = float64(i)/float64(n), float64(i+1)/float64(n)
		if b.Count > 0 {
			b.Probability /= float64(b.Count)
			b.Observed /= float64(b.Count)
		}
	}
	return bins
}

// ECE is the expected calibration error over n bins: the mean distance of
// stated probability and observed share, weighted by the bins' counts.
func ECE(fs []Forecast, n int) float64 {
	sum := 0.0
	for _, b := range Reliability(fs, n) {
		sum += float64(b.Count) * max(b.Probability-b.Observed, b.Observed-b.Probability)
	}
	return sum / float64(max(len(fs), 1))
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
