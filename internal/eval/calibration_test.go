package eval_test

import (
	"testing"

	"kaoju/internal/eval"
)

func TestAUROC(t *testing.T) {
	tests := []struct {
		name string
		fs   []eval.Forecast
		want float64
		ok   bool
	}{
		{"perfect", forecasts(.9, true, .8, true, .2, false), 1, true},
		{"upside down", forecasts(.1, true, .9, false), 0, true},
		{"all the same", forecasts(.5, true, .5, false, .5, false), .5, true},
		{"three of four pairs", forecasts(.9, true, .4, true, .5, false, .1, false), .75, true},
		{"a tie counts half", forecasts(.9, true, .4, true, .4, false, .1, false), .875, true},
		{"one outcome only", forecasts(.9, true, .2, true), 0, false},
		{"nothing", nil, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := eval.AUROC(tt.fs)
			if ok != tt.ok {
				t.Fatalf("ok = %v, want %v", ok, tt.ok)
			}
			near(t, "AUROC", got, tt.want)
		})
	}
}

func TestCalibration(t *testing.T) {
	fs := forecasts(.95, true, .95, true, .95, false, .05, false, 1, true, 0, false)
	bins := eval.Reliability(fs, 10)
	if bins[0].Count != 2 || bins[9].Count != 4 || bins[4].Count != 0 {
		t.Fatalf("counts: %+v", bins)
	}
	near(t, "observed in the last bin", bins[9].Observed, .75)
	near(t, "stated in the last bin", bins[9].Probability, (3*.95+1)/4)
	near(t, "upper end", bins[9].High, 1)
	near(t, "ECE", eval.ECE(fs, 10), (4*((3*.95+1)/4-.75)+2*.025)/6)
	near(t, "Brier", eval.Brier(fs), (2*.0025+.9025+.0025)/6)
	near(t, "ECE of nothing", eval.ECE(nil, 10), 0)
	near(t, "Brier of nothing", eval.Brier(nil), 0)
}

func TestReliabilityHoldsStrayProbabilities(t *testing.T) {
	bins := eval.Reliability(forecasts(1.5, true, -1, false), 10)
	if bins[0].Count != 1 || bins[9].Count != 1 {
		t.Errorf("probabilities outside [0,1] must fall into the end bins: %+v", bins)
	}
}

// forecasts reads pairs of probability and outcome.
func forecasts(pairs ...any) []eval.Forecast {
	var fs []eval.Forecast
	for i := 0; i < len(pairs); i += 2 {
		p, isFloat := pairs[i].(float64)
		if !isFloat {
			p = float64(pairs[i].(int))
		}
		fs = append(fs, eval.Forecast{Probability: p, Outcome: pairs[i+1].(bool)})
	}
	return fs
}
