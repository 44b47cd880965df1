// Package check judges new results against the history of their series: did they get worse than they
// have been since the last change, and is that more than noise?
//
//	var c check.Checker
//	results := c.Judge([]check.Series{{History: old, New: new, Better: format.Lower}})
//
// # What new values are compared with
//
// The history of a series has a value for each commit. Those before its last change point are left
// out, as package series/change finds it: a new value is compared with the level that the series has
// now, not with the previous run, and not with a level of the past.
//
// The new level may have begun in the history already. A change point that led to it becomes the
// beginning of a level when ten commits have it. Until then, and if no change point was found, the
// last values that are nearer to the new ones than to the median of the history are left out, up to
// twenty and a third of all. A step counts too if it is only found when the new values are added to
// the history. [Result.Since] says where the new level begins.
//
// # How far is far
//
// The distance of a new value is its difference from the median of the history, divided by the
// standard deviation of the history, whose extreme values are moved inward. The deviation of few values
// is a poor estimate, so it is moved toward that of all histories, as a share of their medians: as far
// as the deviations differ by no more than such estimates do. In the same way, each value of the
// history has a distance from the other ones. Two of its neighbors in time are not counted, because
// consecutive values are often alike.
//
// How far the values of all histories lie says how far a new value may lie without a reason: P is the
// share of them that is as far. So nothing is assumed about the noise: if the machine has a spike in
// one of fifty runs, then so do the histories. Beyond the farthest of them, the distribution is
// continued as a power of the distance that the farthest part of them has, which is more cautious than a
// normal distribution. If there are few values in all, values as a normal distribution has them are
// added to them.
//
// Values of the history that are on the same side and at least two thirds as far show that there is
// such noise in this series: with k of them among n, P is at least (k+1) / (n+1).
//
// The interval is that of the usual distances, without the part below 0 if no value is negative: then
// the new value cannot be there either, and the interval is as sure without it. Distances are not those
// of logarithms, because values may be 0, and because that would find fewer times that got worse: of a
// hundred doublings with a normal noise of 30%, 24 in place of 50 (one of 20 series, with 20 old
// values), and of halvings, 2 in place of 1.
//
// Q is P, adjusted for the number of series as Benjamini and Hochberg propose. Of a hundred unchanged
// runs of 100 series with 20 old values, 1 has a series that is worse by chance if the noise is
// normal, and 1 to 5 with other noises, such as spikes or two modes. Of a hundred steps of 20% at a
// noise of 3%, one new value shows 99 if there are up to ten series, and 97 in one of 100 series.
//
// The results are the same on all platforms, to the last bit.
//
// # Verdicts
//
// The verdicts have the same names as in package series/compare:
//
//   - worse, better, changed: the difference exceeds the threshold, and Q is less than alpha. With P
//     less than alpha, but not Q, the verdict is a suspicion: see [Result.Suspect].
//   - same: the difference does not exceed the threshold.
//   - unknown: it exceeds the threshold, and may be noise; or there are too few values. Needed says how
//     many more would likely decide.
//
// For example, a benchmark took 100, 106, 95, 101 and 103 ms at five commits:
//
//   - A new value of 104 ms is the same: 3% is below the threshold of 5%.
//   - A new value of 108 ms is unknown: values vary by 4%, and another of so few may lie that far.
//   - A new value of 130 ms is worse.
//   - With only three commits, even 130 ms are unknown: two more values are needed.
//
// Values that are exact, as the unit metadata assume=exact of Go benchmarks says, are worse with any
// difference beyond the threshold, and one value is enough.
package check
