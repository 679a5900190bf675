package builtin

// The weights of the features of an assessment, written by TestExpFitAssess
// (assess_exp_test.go): logistic regression on the best passage of each case,
// with the evidence as the product chooses and scores it. Chinese: half (by hash
// of the question's id) of insufficient_zh, and of pairs of the evidence with and
// without its passages that hold gold, from cmrc2018_trial, drcd_test and
// xquad_zh. English: half of squad2_dev over the whole set and over single
// passages, and of such pairs from xquad_en. For both, questions with passages
// far down the ranking. What they reach on the other half is in
// docs/benchmarks.md. Weights stand in the order of the features (assess.go).

var chineseOdds = Features{-3.51, 3.19, -1.49, 1.92, -1.45, 2.25, 0.68, -0.83, -0.63, -1.58, -1.02, -0.7,
	1.49, 0.98, -1.18, -1.28, 0.96, -0.24, 0.84, -0.12, 0.03, -0.67, 1.36, -0.83,
	0.04, -2.07, 2.43, 0.68, 0.02, -2.97, -1.12, -0.89, 1.34, 5.5}

var englishOdds = Features{-0.7, 1.59, -0.35, 2.3, -0.93, 0.47, -1.52, -0.45, -0.68, 0.17, 0.22, 0.02,
	0.21, 0.79, -1.42, -1.41, 0.08, 0.58, -0.77, 1.66, -1.69, -0.62, 0.87, -0.2,
	-0.23, -0.17, 0.56, -3.28, -0.21, -1.1, -0.76, -2.66, 0.7, 2.11}
