package builtin

// The weights of the features of an assessment, written by TestExpFitAssess
// (assess_exp_test.go): logistic regression on the best passage of each case.
// Chinese: half (by hash of the question's id) of insufficient_zh, and pairs
// made in the same way from cmrc2018_trial, drcd_test and xquad_zh. English: half
// of squad2_dev, and pairs made from half of xquad_en; questions with passages far down the ranking
// for both. What they reach on the
// other half is in docs/benchmarks.md. Weights stand in the order of the features
// (assess.go).

var chineseOdds = Features{-4.01, 3.19, -1.26, 2.57, -1.68, 2.79, 1.14, -0.6, -0.46, -2.53, -0.88, -0.76,
	1.34, 1.25, -1.03, -1.01, 1.23, 0.1, 1.81, 0.31, -0.34, -0.66, 1.05, -0.69,
	-0.69, -2.17, 2.55, 0.7, -0.06, -2.78, -0.4, -0.72}

var englishOdds = Features{-1.2, 2, -0.44, 2, -1.25, 0.45, -1.14, -0.27, -0.48, -0.18, -0.07, 0.59,
	0.51, 0.7, -1.22, -1.51, 0.2, 0.38, -0.36, 2.84, -2.04, -0.79, 0.57, -0.17,
	-0.64, -0.37, 0.48, -3.12, -0.26, -0.97, -1.85, -2.72}
