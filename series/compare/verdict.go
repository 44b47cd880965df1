package compare

import (
	"math"

	"perfdata/internal/fdr"
	"perfdata/series/judgment"
)

// Options decide which changes are differences.
type Options struct {
	Threshold  float64 // the share that a change must exceed: 0.05 is 5%
	Alpha      float64 // p and q below it are significant; intervals of ratios have the confidence 1 - Alpha
	Confidence float64 // of the intervals of medians
}

// DefaultOptions returns a threshold of 5%, and 95% confidence.
func DefaultOptions() Options { return Options{Threshold: 0.05, Alpha: 0.05, Confidence: 0.95} }

// judge sets the verdict of a comparison.
func (o *Options) judge(r *judgment.Judgment) {
	direction := o.beyond(r)
	switch {
	case direction != 0 && (r.Exact || r.P < o.Alpha):
		r.Verdict = judgment.VerdictOf(direction > 0, r.Better)
	case direction == 0 && r.Estimate.Lo >= 1-o.Threshold && r.Estimate.Hi <= 1+o.Threshold:
		r.Verdict = judgment.Same
	default:
		r.Verdict = judgment.Unknown
		r.Needed = o.needed(r)
	}
}

// beyond returns 1 if the interval of a ratio is greater than the threshold, -1 if it is less, or 0.
func (o *Options) beyond(r *judgment.Judgment) int {
	switch {
	case r.Estimate.Lo > 1+o.Threshold:
		return 1
	case r.Estimate.Hi < 1-o.Threshold:
		return -1
	}
	return 0
}

// maxNeeded is the largest number of values that is worth to be named.
const maxNeeded = 1000

// needed returns the number of values on each side that would likely decide: the width of the interval
// falls with the square root of the number, until it is on one side of the threshold. It is 0 for
// more than maxNeeded.
func (o *Options) needed(r *judgment.Judgment) int {
	n := 2 / (1/float64(r.Old.N) + 1/float64(r.New.N))
	least := 1 // on each side, from which on p can be below alpha: it is at least 2 / binomial(2n, n)
	for p := 1.0; !(p < o.Alpha) && least < maxNeeded; {
		least++
		p = float64(p * (float64(least) / float64(4*least-2)))
	}
	least = max(least, min(r.Old.N, r.New.N)+1)
	e := &r.Estimate
	if math.IsInf(e.Hi, 0) || math.IsInf(e.Lo, 0) || e.Lo == 0 {
		return least
	}
	distance := math.Abs(math.Abs(e.Ratio-1) - o.Threshold)
	width := (e.Hi - e.Lo) / 2
	needed := math.Ceil(n * (width / distance) * (width / distance))
	if !(needed <= maxNeeded) {
		return 0
	}
	return max(least, int(needed))
}

// Adjust sets Q of the results whose intervals are beyond the threshold: p, adjusted for their number
// as Benjamini and Hochberg propose.
func (o *Options) Adjust(results []*judgment.Judgment) {
	p := func(i int) float64 {
		if r := results[i]; r.Reason == "" && o.beyond(r) != 0 {
			return r.P
		}
		return math.NaN()
	}
	for i, q := range fdr.Adjust(len(results), p, 0) {
		results[i].Q = q
		results[i].Suspect = results[i].Verdict.IsDifferent() && q >= o.Alpha
	}
}
