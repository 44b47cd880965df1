// Package change finds the places where a series of measurements changes: steps, slow trends, and
// outliers.
//
// A series is the values of one benchmark, one for each commit, in the order of the commits. It
// is short, from ten to a thousand values, and its noise is not normal: it has spikes, two modes,
// long tails, and values that resemble the previous ones. People want to know of a change which
// commit made it, and how sure that is, and not to be told of changes that are none.
//
// # How it works
//
// A Finder does what a careful person would do, in these steps.
//
//  1. It looks at the whole series, and at overlapping windows of a half, a quarter, and so on of
//     it, and finds in each the place that splits it best into low and high values. Only ranks
//     count, not the sizes of values: a spike is the highest value, however high it is. A window
//     sees a step that a step back hides from the whole series. (Seeded binary segmentation:
//     Kovács, Bühlmann, Li and Munk 2023.)
//
//  2. It tests each of these candidates between its neighbors, and removes the weakest until all
//     are significant. The test is Student's t of the ranks. Three things make a split look
//     clearer than it is, and are allowed for: the best of many splits is compared with the best
//     of many splits of noise; short segments have more places, and have to be clearer (Dümbgen
//     and Spokoiny 2001); and values that resemble the previous ones say less than independent
//     ones, by (1-rho)/(1+rho), where rho is measured within the segments. The probabilities are
//     not derived but simulated: criticalvalues.go.
//
//  3. It moves each step to the place that fits the values best, rather than the ranks, with a
//     cost that large deviations hardly increase (Huber 1964), and takes as its interval all
//     places that fit nearly as well.
//
//  4. A row of steps in one direction may be a slow trend. The Bayesian information criterion
//     decides whether the steps or a line describe the values better, and a line becomes a Trend.
//
//  5. Values far outside of the segment that they are in are outliers.
//
// All of this costs about n log n for n values, and no memory once a Finder is warm.
//
// The results, to the last bit, and those of [Findings], are the same on all platforms: sums are not
// fused with products, and logarithms are not those of package math, which differ. The P of [EDivisive],
// and of the Mann-Whitney U test of [StepFit], may differ in the last of their digits.
//
// # Findings
//
// One commit changes many series. [Findings] takes the points of many series, puts those together
// whose intervals overlap, says which params their series have in common, and leaves out what is
// to be expected by chance among so many series.
//
// A finding has one direction: all of its series got worse, or all got better. If a commit made some
// faster and others slower, these are two findings. Where the direction of a series is not known, what
// rose and what fell are two findings.
//
// A series should have one value for each commit: the median of its repetitions. Commits at which
// it was not measured are left out of the values, and [Found.Commits] says which those are.
//
// # Other methods
//
// [EDivisive] finds the steps that Apache Otava finds, and [StepFit] fits a step as Skia Perf
// does. They are here to compare with: on the same series, more of what they find is noise.
//
// # What it does not do
//
// A step needs three values on each side, and in noise more: about six if the series has 200
// values. A change of the spread alone is not found. Two series are never compared with each
// other; see package series/compare.
package change
