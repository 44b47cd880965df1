// Package compare compares the values of series before and after a change: what got worse, by how much,
// and how sure that is.
//
// A [Comparer] compares two samples, or the sides of all series of a [series.Answer]:
//
//	comparer := compare.NewComparer(compare.DefaultOptions())
//	report := comparer.Compare(answer.Series(), compare.Rule{})
//
// # Numbers
//
// The medians, their confidence intervals, p and the geometric means equal benchstat's, and most of
// them come from the same package, golang.org/x/perf/benchmath. p is computed by the Mann-Whitney U
// test, which assumes no distribution.
//
// Ratio is the ratio of the two medians. Estimate is the Hodges-Lehmann estimate of new / old, the
// median of the ratios of all pairs of values, and Lo to Hi its interval with a confidence of 1 -
// alpha. If a value is not positive, it is the median of the differences, as a share of the old
// median.
//
// Values are compared as the files have them. If the series of both sides have units of one quantity,
// such as ns and ms, the old values are converted first: see [judgment.Judgment].From.
//
// # Levels
//
// A side may be the values of many commits. Where their order is known (see [series.Series].IsOrdered), and
// [change.Finder] finds a step in them, only the values since the last step are compared, as package check does:
// the older ones have another level. [judgment.Summary].Since is the first commit of these. A side of one
// commit, or without an order, is compared as a whole.
//
// # Verdicts
//
// With the default threshold of 5%, and alpha of 0.05:
//
//   - Worse: the ratio of a time is between 1.08 and 1.12, and p is 0.001. All of the interval is beyond
//     the threshold, and p is below alpha.
//   - Better: the same of a rate, for which more is better.
//   - Changed: the same, of a count where it is not known whether more is better.
//   - Same: the ratio is between 0.98 and 1.03, all of it within the threshold. p does not matter: a
//     change of 1% may be certain.
//   - Unknown: the ratio is between 1.01 and 1.09. It may be more than the threshold, or not. Needed is
//     the number of values on each side that would likely decide. With fewer than four values on each
//     side, p cannot be below 0.05, whatever they are.
//
// Values that are exact, such as counts of allocations whose unit has assume=exact, need no test: any
// ratio beyond the threshold is Worse, Better or Changed, and any other is Same.
//
// # Many comparisons
//
// Of 1,000 benchmarks that did not change, some have a p below 0.05. Their intervals are rarely
// beyond the threshold. For the series whose intervals are, Q is p adjusted for their number, as
// Benjamini and Hochberg propose: the expected share of false differences among the series with
// this Q or less. A verdict whose Q is alpha or more is [judgment.Judgment].Suspect, and is printed
// with a question mark.
//
// # Platforms
//
// P and geometric means may differ between platforms in the last of their 16 digits, because
// package math does. A verdict differs only where a number equals its limit to all but the last digit.
package compare
