package builtin

// The weights of the features of an assessment where question and passage are of
// two languages, written by TestExpFitCross (answer_cross_exp_test.go): half of
// the questions (by hash of the id) of xquad_xling, with the passages that the
// product finds, without those that hold gold, and with the last ones that it
// ranks.

var chineseToEnglishOdds = Features{-1.35, 0.12, -0.49, 1.35, -0.47, -0.26, -0.57, -0.44, 0.8, -0.92, -1.23, 0.09,
	0, 0.14, -0.7, -1.22, -0.13, 0.05, -0.14, 0.78, 0.05, -0.02, 0.15, -0.38,
	-0.01, -1.58, 2.25, -0.41, -0.11, -1.01, -1.78, -0.92, 0.43, 4.66, 0.9, 1.57}

var englishToChineseOdds = Features{-1.74, 0.19, -0.16, 0.91, -0.28, 0.01, -0.52, 0.22, 0.12, -1.36, -0.5, 0.13,
	0.33, -0.07, -1.09, -0.23, -0.3, 0.72, 0.97, 0.93, -0.64, -0.26, 0.4, -0.43,
	-0.43, 0.46, 1.33, -0.04, 0.09, -1.65, -1.7, -1.7, -0.31, 3.69, 1.59, 0.65}
