package answer

// The weights of a rating, written by TestExpFitFAQ (faq_exp_test.go) from one
// half of the questions of the four FAQ sets of evaluation, each set counting the
// same: orderWeights by the likelihood of the right entry among those found
// (softmax), chanceWeights by logistic regression on the first entry, each question
// once as it is and once with its entry taken away. What they reach on the other
// half is in docs/benchmarks.md.

var orderWeights = [fitCount]float64{5.54, -2.10, -2.72, 5.73, 4.27, 4.16, 4.13, 3.34, 1.26, 0.44, -0.97, -0.70}

var chanceWeights = [sureCount]float64{-3.15, 1.12, 2.38, -0.16, 0.11, 0.21, 0.65, 1.21, -0.98, -1.18, -0.45, -0.54, 0.99, 0.63}
