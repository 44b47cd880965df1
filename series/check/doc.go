// Package check judges new results against the history of their series: did they get worse than they
// have been since the last change, and is that more than noise?
//
//	var c check.Checker
//	results := c.Judge([]check.Input{{History: old, New: new, Better: format.Lower}})
//
// Old and new values are samples: a sample is the values of one run at one commit.
//
// # What new values are compared with
//
// Runs are compared by their medians. The runs before the last change point of the history are left out, as
// package series/change finds it: a new value is compared with the level that the series has now, not with
// the previous run, and not with a level of the past.
//
// The new level may have begun in the history already: it has the last runs, of up to nine commits,
// that are usually nearer to the new values than to the median of the others. They are not part of
// the old level, and [judgment.Judgment.Since] is the first of them. After more commits, their
// level is the level of the history.
//
// # How far is far
//
// The score of a run is the distance of its median from the median of the old runs, divided by
// their standard deviation. The deviation of a few runs is a poor estimate. It is therefore moved
// toward the deviation of all series together (as a share of their medians), the more, the better
// such poor estimates would explain why the deviations differ. Each run of the history gets a score
// in the same way, from the runs outside of a window around it, because neighbors are often alike.
//
// The scores of these old runs, of all series, show how far a run may be from its level for no
// reason. So nothing is assumed about the noise. If there are few scores, scores of a normal
// distribution are added, and a generalized Pareto distribution is fitted to the largest. P is the
// probability of a score as large on the same side or, with several new runs, that more than half
// of them have such scores.
//
//   - Several values in a run make its median more certain, as far as values of a run differ; how far runs
//     differ remains. So more values decide more, and more runs more than that. If old runs have one
//     value each, the values of the new run say how far those of a run differ.
//   - Soon after a change, the level has few runs. Those before the change, moved to the new level, say
//     how much noise there is, up to 20 runs in all.
//   - Runs in a row are often alike. If one is far, the next is with the probability that the histories
//     show, and not by chance alone.
//   - Where old runs have been at least 0.78 times as far on the same side, there is such noise in this
//     series: P is at least their share. Where single values of the old runs have been, P is at least the
//     probability that half of the values of a new run are. If the farthest old run has been nearer, it
//     says how far the next may be, in noise that has outliers.
//
// Q is P, adjusted for the number of series as Benjamini and Hochberg propose. Real noise has outliers that
// histories do not show before they have them. So in a run of several series, a difference is certain
// only if also its score is at least 4, or 2 plus a third of the number of series if that is less, and no
// old run has been 0.64 times as far. This is not asked where 1,500 scores or more have a light tail.
//
// # Known regressions
//
// A regression fails one commit: the first at which it is certain. [judgment.Judgment.Known] says that the judgment of
// one of the late runs, as if it had been the new one, was worse already.
//
// # How often it is right
//
// By simulation, with histories of 20 to 60 commits whose runs differ by half of the noise; in
// brackets, the target:
//
//   - Alone in its run, an unchanged series is accused in at most 1% (1%) of the cases, except for one new
//     value after single values of which one of 20 is a spike: 1.2% of 8,000, and 1.6% of the 1,000 of the
//     test. In 0.8%, it is the first spike of the history.
//   - Of steps of 20% at 8% noise, normal, a run of ten values finds 77% (60%) with old commits of five
//     values, ten runs 93% (90%), and one value 30% (30%) with old commits of one.
//   - One step of 20% at 3% noise, with one new value after 20, is found in 99% alone, 95% among ten series,
//     and 95% (95%) among a hundred. Of unchanged runs of a hundred, at most 4.9% (5%) fail.
//   - Of regressions of 20% at 3% noise, 0.7% (3%) pass at most, and 4% (5%) fail two commits at most.
//   - What is needed decides in 76 to 86% (70%).
//
// In 2,694 runs of thirteen real histories, 58 fail, of which 34 (36) have only differences that the next
// eight values do not confirm, and 37 (47) have one. 3.5% (10%) of the verdicts are unknown. Of 2,608
// steps of 20 and 50% that are put into one series of a run, with one value and with five, 708 (687) and
// 765 (652), 1,366 (1,343) and 1,546 (1,282) are worse. The constants were chosen with these histories.
// Fewer unconfirmed failures cost found steps: with 0.62 in place of 0.64, 32 fail, and 1,330 are worse.
// The tests say how to measure this again.
//
// The results are the same on all platforms, to the last bit.
//
// # Verdicts
//
// The verdicts have the same names as in package series/compare:
//
//   - worse, better, changed: the difference exceeds the threshold, P is less than a fifth of alpha, and Q
//     less than alpha. If it is certain only alone, the verdict is a suspicion: see [judgment.Judgment.Suspect].
//   - same: the difference does not exceed the threshold.
//   - within noise: it exceeds the threshold, and lies in the usual range: P is at least half of alpha.
//   - unknown: it is outside of that, and may still be noise; or the history is too short. Needed says how
//     many more values or runs would likely decide.
//
// For example, a benchmark took 100, 106, 95, 101 and 103 ms at five commits:
//
//   - A new value of 104 ms is the same: 3% is below the threshold of 5%.
//   - A new value of 108 ms is within noise: such a history may have values that far from its median.
//   - A new value of 125 ms is unknown: of five values nobody can be sure.
//   - A new value of 130 ms is worse.
//   - With only three commits, even 130 ms are unknown. Three commits with several values each would do.
//
// Values that are exact, as the unit metadata assume=exact of Go benchmarks says, are worse with any
// difference beyond the threshold, and one value is enough.
package check
