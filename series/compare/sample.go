package compare

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"perfdata/format"
	"perfdata/series/judgment"
)

// A Summary describes the values of one side.
type Summary struct {
	N      int
	Median float64 // if the values are exact: the most frequent one

	// Lo and Hi are the confidence interval of the median, by order statistics. They are infinite if
	// there are too few values. If the values are exact, they are the least and the greatest.
	Lo, Hi float64
}

// Percent returns the width of the confidence interval as benchstat prints it, such as "2%" or "∞".
func (s Summary) Percent() string {
	return benchmath.Summary{Center: s.Median, Lo: s.Lo, Hi: s.Hi}.PctRangeString()
}

// A Result is what two samples say about each other.
type Result struct {
	Old, New Summary

	// Ratio is the Hodges-Lehmann estimate of new / old: the median of the ratios of all pairs. Lo
	// and Hi are its confidence interval. They are 0 and infinite if there are too few values.
	// If a value is not positive, Ratio is 1 plus the median of the differences of all pairs,
	// divided by the absolute median of the old values.
	Ratio, Lo, Hi float64

	// P is of the Mann-Whitney U test, and NaN if the values are exact. If the samples have only two
	// different values, it may exceed 1, as in benchstat.
	P float64
	Q float64 // see [Options.Adjust]; NaN until then, and for all other results

	Verdict judgment.Verdict
	Suspect bool // the difference may be due to the number of comparisons: Q is not less than alpha

	// Needed is the number of values on each side that would likely decide, if the verdict is
	// Unknown. It is 0 if more than 1000 are needed.
	Needed int

	// Reason says why there is no comparison. It is empty if there is one.
	Reason string

	// EqualSamples says that all values of both sides are equal, so that P is 1.
	EqualSamples bool

	// Inexact says that values that should be exact differ on one side.
	Inexact bool
}

// Delta returns the change of the median as benchstat prints it: a percentage, ~ if p is greater than
// alpha, or ? if the old median is 0.
func (r *Result) Delta(alpha float64) string {
	p := r.P
	if p != p { // exact
		p = 0
	}
	c := benchmath.Comparison{P: p, Alpha: alpha}
	return c.FormatDelta(r.Old.Median, r.New.Median)
}

// Test returns p and the numbers of values as benchstat prints them, such as "p=0.008 n=5+6".
func (r *Result) Test() string {
	p := r.P
	if p != p {
		p = 0
	}
	return benchmath.Comparison{P: p, N1: r.Old.N, N2: r.New.N}.String()
}

// A Comparer compares samples. It remembers what it has computed about sizes and patterns of samples,
// and reuses its memory. Only one goroutine at a time may use a Comparer.
type Comparer struct {
	options Options
	old     []float64
	new     []float64
	tests   map[[3]int]float64 // p by the sizes and 2U, without equal values
	ranks   map[[2]int]int     // the rank of the interval's lower end by the sizes
	groups  []int              // the numbers of equal values
	tied    tieCounter
}

// NewComparer returns a Comparer with the options.
func NewComparer(options Options) *Comparer {
	return &Comparer{options: options, tests: make(map[[3]int]float64), ranks: make(map[[2]int]int)}
}

// Samples compares the values of two samples. It does not change them. Without values on one side, or
// with a value that is not a finite number, there is no comparison, and the verdict is Unknown.
func (c *Comparer) Samples(old, new []float64, better format.Direction, exact bool) Result {
	c.old = append(c.old[:0], old...)
	c.new = append(c.new[:0], new...)
	nan := math.NaN()
	r := Result{
		Old: Summary{len(old), nan, nan, nan}, New: Summary{len(new), nan, nan, nan},
		Ratio: nan, Lo: 0, Hi: math.Inf(1), P: nan, Q: nan, Verdict: judgment.Unknown,
	}
	if r.Reason = reasonAgainst(c.old, c.new); r.Reason != "" {
		return r
	}
	slices.Sort(c.old)
	slices.Sort(c.new)
	if exact {
		c.compareExact(&r)
	} else {
		c.compareSamples(&r)
	}
	c.options.judge(&r, better, exact)
	return r
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

func (c *Comparer) compareExact(r *Result) {
	r.Old.summarize(c.old, c.options.Confidence, true)
	r.New.summarize(c.new, c.options.Confidence, true)
	r.Inexact = r.Old.Lo != r.Old.Hi || r.New.Lo != r.New.Hi
	scale := scaleOf([]float64{r.Old.Median}, []float64{r.New.Median}, r.Old.Median)
	r.Ratio = scale.ratio(r.New.Median, r.Old.Median)
	r.Lo, r.Hi = r.Ratio, r.Ratio
}

func (c *Comparer) compareSamples(r *Result) {
	r.Old.summarize(c.old, c.options.Confidence, false)
	r.New.summarize(c.new, c.options.Confidence, false)
	r.P = c.test()
	r.EqualSamples = c.old[0] == c.old[len(c.old)-1] && c.new[0] == c.new[len(c.new)-1] && c.old[0] == c.new[0]
	c.interval(r)
}

func (s *Summary) summarize(sorted []float64, confidence float64, exact bool) {
	var assumption benchmath.Assumption = benchmath.AssumeNothing
	if exact {
		assumption = benchmath.AssumeExact
	}
	b := assumption.Summary(&benchmath.Sample{Values: sorted}, confidence)
	s.Median, s.Lo, s.Hi = b.Center, b.Lo, b.Hi
}

// maxTests bounds the patterns that are remembered.
const maxTests = 1 << 14

// test returns p. It is the same for all samples with the same pattern of ranks, and without equal
// values it is the same for all with the same sizes and rank sum: so most are known.
func (c *Comparer) test() float64 {
	twoU := c.readPattern()
	ties := len(c.groups) < len(c.old)+len(c.new)
	// With two different values, benchmath is fast, and sometimes gives a p above 1.
	if ties && len(c.groups) > 2 && len(c.old) <= tiedSize && len(c.new) <= tiedSize {
		return c.tied.p(len(c.old), len(c.new), c.groups, twoU)
	}
	key := [3]int{len(c.old), len(c.new), twoU}
	if !ties {
		if p, ok := c.tests[key]; ok {
			return p
		}
	}
	thresholds := benchmath.Thresholds{CompareAlpha: c.options.Alpha}
	old := &benchmath.Sample{Values: c.old, Thresholds: &thresholds}
	new := &benchmath.Sample{Values: c.new, Thresholds: &thresholds}
	p := benchmath.AssumeNothing.Compare(old, new).P
	if !ties {
		if len(c.tests) >= maxTests {
			clear(c.tests)
		}
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
		var v float64
		if j == len(new) || i < len(old) && old[i] < new[j] {
			v = old[i]
		} else {
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
