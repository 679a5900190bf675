package builtin

// The weights of the features of an assessment, written by TestExpFitAssess
// (assess_exp_test.go): logistic regression on the best passage of each case.
// Chinese: half (by hash of the question's id) of insufficient_zh, and pairs
// made in the same way from cmrc2018_trial, drcd_test and xquad_zh. English: half
// of squad2_dev, and pairs made from half of xquad_en; questions with passages far down the ranking
// for both. What they reach on the
// other half is in docs/benchmarks.md. Weights stand in the order of the features
// (assess.go).

var chineseOdds = Features{-4.01, 3.1, -1.27, 2.61, -1.65, 2.75, 1.12, -0.53, -0.48, -2.53, -0.86, -0.75,
	1.44, 1.14, -1.03, -1.01, 1.23, 0.1, 1.79, 0.31, -0.16, -0.67, 1.07, -0.66,
	-0.69, -2.22, 2.55, 0.7, -0.06, -2.83, -0.37, -0.76}

var englishOdds = Features{-1.2, 2.05, -0.47, 1.98, -1.27, 0.44, -1.18, -0.27, -0.47, -0.19, -0.07, 0.57,
	0.54, 0.71, -1.21, -1.53, 0.19, 0.38, -0.33, 2.83, -2.04, -0.8, 0.56, -0.16,
	-0.66, -0.34, 0.47, -3.12, -0.25, -0.95, -1.73, -2.79}
