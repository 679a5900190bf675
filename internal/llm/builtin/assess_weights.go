package builtin

// The weights of the features of an assessment, written by TestExpFitAssess
// (assess_exp_test.go): logistic regression on the best passage of each case.
// Chinese: half (by hash of the question's id) of insufficient_zh, and pairs
// made in the same way from cmrc2018_trial, drcd_test and xquad_zh. English: half
// of squad2_dev, and pairs made from half of xquad_en; questions with passages far down the ranking
// for both. What they reach on the
// other half is in docs/benchmarks.md. Weights stand in the order of the features
// (assess.go).

var chineseOdds = Features{-4.13, 3.15, -1.14, 2.61, -1.77, 2.45, 1.27, -0.5, -0.51, -2.56, -0.95, -0.73,
	1.59, 1.15, -0.95, -1.44, 1.23, 0.06, 2.06, 0.25, -0.75, -0.52, 0.56, -0.71,
	-0.52, -2.01, 2.38, 0.64, -0.04, -2.59, -0.4, -0.68}

var englishOdds = Features{-1.2, 1.76, -0.55, 1.87, -1.24, 0.54, -1.14, -0.19, -0.41, -0.25, -0.07, 0.61,
	0.51, 0.65, -1.25, -1.52, 0.16, 0.43, -0.24, 2.26, -1.51, -0.76, 0.67, -0.06,
	-0.6, -0.31, 0.58, -3.16, -0.22, -1.02, -1.91, -2.74}
