// Package change finds the places where a series of measurements changes: steps, slow trends, and
// outliers.
//
// A series is the values of one benchmark, one or more for each commit, in the order of the commits. It
// is short, from six to a thousand commits, and its noise is not normal: it has spikes, two modes, long
// tails, values that resemble the previous ones, and a level that walks. People want to know of a change
// which commit made it, and how sure that is, and not to be told of changes that are none.
//
// # How it works
//
// A Finder has one model of a series: a level, or a line, with steps on it, and noise around it whose
// neighbors resemble each other.
//
//  1. A counter without noise needs no statistics (commits.go): a change that stays is a step, and a value
//     that returns within three commits is none.
//
//  2. Otherwise, the values become a signal (signal.go): their logarithms, because noise grows with the
//     level, in units of the noise between neighbors. A value that no neighbor confirms is moved to where it
//     does no harm.
//
//  3. Steps are proposed (candidates.go): places where the means of the values on both sides differ, of
//     which dynamic programming chooses those that leave the least. These are more than there are.
//
//  4. The least certain step is removed until all are certain (model.go). A step is certain if its size
//     stands out of the noise, or if the nearest values on both sides lie apart (evidence.go). The noise is
//     that of the two segments, that of the whole series, the resemblance of neighbors, and what the
//     repetitions of a commit say of their median. More is asked of a small change than of a large one, of a
//     short bump, and of a long series.
//
//  5. The same is tried on lines of several slopes (fit.go), and the model that explains the values best, by
//     the Bayesian information criterion, has the word. So a trend swallows no step.
//
//  6. The places that fit nearly as well as that of a step are its interval (report.go). Values far from
//     the level are outliers (report.go).
//
// This costs about n log n for n values, and no memory once a Finder is warm. [Finder.Shortage]
// says what a history is too short for.
//
// The results, including the results of Findings, are the same on all platforms to the last bit:
// sums are not fused with products, and logarithms are not computed by package math, whose results
// differ.
//
// # Findings
//
// One commit changes many series. Findings takes the points of many series, groups points whose
// intervals overlap, says which params their series have in common, and leaves out the changes
// that are to be expected by chance with this number of series.
//
// A finding has one direction: all of its series got worse, or all got better. If a commit made some
// faster and others slower, these are two findings. Where the direction of a series is not known, what
// rose and what fell are two findings. A change that was taken back within a few commits is one finding,
// an excursion.
//
// # How good it is
//
// The tests of this package score a method (rows_test.go, quality_test.go); with -method, a method
// of package [perfdata/series/change/peers], which finds changes as Apache Otava and Skia Perf
// (Mann-Whitney, seven commits a side) do. The constants in evidence.go hold all rows at the same
// time.
//
//	                                                        Finder  EDivisive  StepFit
//	128 steps of real histories that nobody would dispute     99%       95%      89%
//	  steps reported in all                                   351       517      877
//	steps of 5% to x 10 on levels that walk, the worst cell  100%      100%      35%
//	  false steps per 1,000 values, the worst background      4.4        98       74
//	6 to 30 commits: steps found                            97.4%     95.3%    18.7%
//	  unchanged series accused                               0.5%      1.4%     3.2%
//	the last 4 of 100 values are higher: found               100%      100%       0%
//	a step of 3 sigma after 100: values needed (90%)        4 (6)     2 (3)    6 (7)
//	one more value: old steps that vanish or move far        0.7%      0.3%       0%
//	  that move by 1 to 3                                    0.9%      0.1%       0%
//	120 drifts without a step: named trends; with a step  116; 3    0; 118   0; 117
//	seven kinds of noise, F1; false per 1,000             0.95; 0.1  0.56; 8.6  0.26; 32
//	noise of real histories, F1; false per 1,000          0.95; 0    0.83; 2.1  0.36; 21
//
// On 64 series of public histories that nobody looked at before the last measurement, the Finder
// finds 87 of 87 clear steps, of eight values on both sides that do not overlap. Of the steps that
// only five values on both sides show, it finds 64%, and 77% in the series of the table: most of
// the others look like swings of noise.
//
// EDivisive needs fewer new values, and its old steps are the most stable, but where there is no step it
// reports ten times as many. The Finder's weak side is a slow change that is not a line: a curve that rises by 10%
// over 100 values, in noise of 0.3%, has 18 steps in 1,000 values, and a level that walks by 0.3% a commit 8. If the
// noise is 5% of the level or more, and neighbors resemble each other by 0.8, a step of 5% is not found.
//
// # What it does not do
//
// A step needs two values on each side at the ends of a series, and three between others. A change of the
// spread alone is not found. Two series are never compared with each other; see package series/compare.
package change
