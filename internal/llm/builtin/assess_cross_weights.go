package builtin

// The weights of the features of an assessment where question and passage are of
// two languages, written by TestExpFitCross (answer_cross_exp_test.go): half of
// the questions (by hash of the id) of xquad_xling, with the passages that the
// product finds, without those that hold gold, and with the last ones that it
// ranks.

var chineseToEnglishOdds = Features{-1.31, 0.05, -0.28, 1.05, -0.37, -0.31, -0.24, -0.36, 0.65, -0.9, -1.06, -0.16,
	0.29, 0.41, -0.44, -1.15, -0.02, 0.15, 0.01, 0.63, 0.28, -0.04, 0.34, -0.33,
	0.04, -1.42, 2.13, -0.3, -0.03, -1.28, -1.61, -0.85, 1.04, 4.98}

var englishToChineseOdds = Features{-1.56, 0.55, -0.02, 1.35, -0.39, 0.02, -0.57, 0.23, 0.15, -1.26, -0.45, -0.05,
	0.33, -0.2, -1.23, -0.28, -0.31, 0.65, 1.09, 0.86, -0.48, -0.32, 0.74, -0.49,
	-0.25, 0.3, 1.48, -0.03, 0.08, -1.75, -1.45, -1.49, 0.37, 4.08}
