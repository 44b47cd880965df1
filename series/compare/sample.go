package compare

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"perfdata/format"
	"perfdata/internal/fdr"
	"perfdata/series/change"
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

// A Comparer compares samples. It caches its computations for sizes and rank sums of samples, and
// reuses its memory. Only one goroutine at a time may use a Comparer.
type Comparer struct {
	options Options
	old     []float64
	new     []float64
	tests   map[[3]int]float64 // p by the sizes and 2U, without equal values
	ranks   map[[2]int]int     // the rank of the interval's lower end by the sizes
	groups  []int              // the numbers of equal values
	ways    []float64          // of tiedP
	finder  change.Finder
}

// NewComparer returns a Comparer with the options.
func NewComparer(options Options) *Comparer {
	return &Comparer{options: options, tests: make(map[[3]int]float64), ranks: make(map[[2]int]int)}
}

// Samples compares the values of two samples. It does not change them. Without values on one side, or
// with a value that is not a finite number, there is no comparison, and the verdict is Unknown.
func (c *Comparer) Samples(old, new []float64, better format.Direction, exact bool) judgment.Judgment {
	c.old = append(c.old[:0], old...)
	c.new = append(c.new[:0], new...)
	nan := math.NaN()
	r := judgment.Judgment{
		Better: better, Exact: exact, Ratio: nan, P: nan, Q: nan,
		Old:      judgment.Summary{N: len(old), Median: nan, Lo: nan, Hi: nan},
		New:      judgment.Summary{N: len(new), Median: nan, Lo: nan, Hi: nan},
		Estimate: judgment.Estimate{Ratio: nan, Lo: 0, Hi: math.Inf(1)},
	}
	if r.Reason = reasonAgainst(c.old, c.new); r.Reason != "" {
		return r
	}
	slices.Sort(c.old)
	slices.Sort(c.new)
	r.Old, r.New = summary(c.old, c.options.Confidence, exact), summary(c.new, c.options.Confidence, exact)
	r.Ratio = judgment.Change(r.Old.Median, r.New.Median)
	if exact {
		r.Inexact = r.Old.Lo != r.Old.Hi || r.New.Lo != r.New.Hi
		r.Estimate = judgment.Estimate{Ratio: r.Ratio, Lo: r.Ratio, Hi: r.Ratio}
	} else {
		r.P = c.test()
		c.interval(&r)
	}

	direction := c.options.beyond(&r)
	switch {
	case direction != 0 && (exact || r.P < c.options.Alpha):
		r.Verdict = judgment.VerdictOf(direction > 0, better)
	case direction == 0 && r.Estimate.Lo >= 1-c.options.Threshold && r.Estimate.Hi <= 1+c.options.Threshold:
		r.Verdict = judgment.Same
	default:
		r.Needed = c.options.needed(&r)
	}
	return r
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

// reasonAgainst returns why samples cannot be compared, or the empty string.
func reasonAgainst(samples ...[]float64) string {
	for _, values := range samples {
		if len(values) == 0 {
			return "there is no value on one side"
		}
		for _, v := range values {
			if v-v != 0 {
				return "a value is not a finite number"
			}
		}
	}
	return ""
}

func summary(sorted []float64, confidence float64, exact bool) judgment.Summary {
	var assumption benchmath.Assumption = benchmath.AssumeNothing
	if exact {
		assumption = benchmath.AssumeExact
	}
	b := assumption.Summary(&benchmath.Sample{Values: sorted}, confidence)
	return judgment.Summary{N: len(sorted), Median: b.Center, Lo: b.Lo, Hi: b.Hi}
}

// maxTests bounds the patterns that are remembered.
const maxTests = 1 << 14

// test returns p, as benchmath computes it. Without equal values, it is the same for all samples with the same
// sizes and rank sum, so most are in the cache: without that, comparing two sets of 1,000 benchmarks with 20 values
// each takes 1.5 times the CPU time.
func (c *Comparer) test() float64 {
	twoU := c.readPattern()
	hasTies := len(c.groups) < len(c.old)+len(c.new)
	// With two different values, benchmath is fast, and sometimes gives a p above 1.
	if hasTies && len(c.groups) > 2 && len(c.old) <= tiedSize && len(c.new) <= tiedSize {
		return c.tiedP(twoU)
	}
	key := [3]int{len(c.old), len(c.new), twoU}
	p, ok := c.tests[key]
	if ok && !hasTies {
		return p
	}

	thresholds := benchmath.Thresholds{CompareAlpha: c.options.Alpha}
	old := &benchmath.Sample{Values: c.old, Thresholds: &thresholds}
	new := &benchmath.Sample{Values: c.new, Thresholds: &thresholds}
	p = benchmath.AssumeNothing.Compare(old, new).P
	if !hasTies && len(c.tests) < maxTests {
		c.tests[key] = p
	}
	return p
}

// readPattern sets the numbers of equal values, in ascending order, and returns twice the U statistic
// of the old values.
func (c *Comparer) readPattern() (twoU int) {
	old, new := c.old, c.new
	c.groups = c.groups[:0]
	for i, j := 0, 0; i < len(old) || j < len(new); {
		v := old[min(i, len(old)-1)]
		if i == len(old) || j < len(new) && new[j] < v {
			v = new[j]
		}
		firstOld, firstNew := i, j
		for i < len(old) && old[i] == v {
			i++
		}
		for j < len(new) && new[j] == v {
			j++
		}
		twoU += (i - firstOld) * (firstNew + j)
		c.groups = append(c.groups, i-firstOld+j-firstNew)
	}
	return twoU
}
