package peers

import (
	"cmp"
	"math"
	"slices"

	"github.com/aclements/go-moremath/mathx"

	"perfdata/series/change"
)

// EDivisive finds steps as Apache Otava 0.8 does (formerly Hunter), for programs that compare
// methods: E-divisive means in windows that overlap by a half, Student's t-test in place of
// permutations, and removal of the weakest steps. It finds the steps that Otava finds, except where
// two splits differ only by rounding.
//
// The sources are Matteson and James, "A Nonparametric Approach for Multiple Change Point
// Analysis of Multivariate Data" (2014), and Fleming, Kołaczkowski and others, "Hunter: Using
// Change Point Detection to Hunt for Performance Regressions" (2023).
//
// The zero value has Otava's defaults and is ready to use. It must not be used by two goroutines
// at once.
type EDivisive struct {
	Window       int     // the length of a window, at least 2; 50 if it is zero
	MaxP         float64 // the largest p of a step; 0.001 if it is zero
	MinMagnitude float64 // steps whose relative height is not larger are removed

	values     []float64
	candidates []candidate
	grid       grid
}

// A candidate is a split, and what the t-test says about it.
type candidate struct {
	at            int
	before, after float64 // means
	p             float64
}

// A part is an interval of a window between candidates, and its best split.
type part struct {
	lo, hi int
	at     int
	q      float64 // -2 if the part has one value
}

// Find returns the steps of a series, in the order of their indexes. Before and After are means,
// P is the p of Student's t-test of the neighboring segments, which does not allow for the
// search, and Lo and Hi are Index. Values that are NaN or infinite are skipped.
func (e *EDivisive) Find(values []float64) []change.Point {
	e.values = e.values[:0]
	var at []int
	for i, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			e.values = append(e.values, v)
			at = append(at, i)
		}
	}

	// Candidates in windows have a p that may be larger, because merge decides.
	firstP := cmp.Or(e.MaxP, 0.001)
	switch {
	case firstP < 0.05:
		firstP = float64(firstP * 10)
	case firstP < 0.5:
		firstP *= 2
	}
	e.candidates = e.candidates[:0]
	window := max(cmp.Or(e.Window, 50), 2)
	for start := 0; start < len(e.values); {
		last := e.divide(start, min(start+window, len(e.values)), firstP)
		start = max(last, start+window/2)
	}

	slices.SortFunc(e.candidates, func(a, b candidate) int { return a.at - b.at })
	for i := range e.candidates {
		e.test(i)
	}
	e.merge()

	var points []change.Point
	for _, c := range e.candidates {
		p := newStep(at[c.at], c.before, c.after)
		p.P = c.p
		points = append(points, p)
	}
	return points
}

// divide adds the significant splits of the window [start, end) to the candidates: the best split
// of all its parts, as long as it is significant. It returns the last of them, or 0.
func (e *EDivisive) divide(start, end int, maxP float64) (last int) {
	e.grid.set(e.values[start:end])
	newPart := func(lo, hi int) part {
		if hi-lo < 2 {
			return part{lo: lo, hi: hi, q: -2}
		}
		at, q := e.grid.best(lo-start, hi-start)
		return part{lo, hi, start + at, q}
	}

	parts := []part{newPart(start, end)}
	for {
		best := greatest(parts, func(p part) float64 { return p.q })
		p := parts[best]
		if p.q == -2 {
			return last
		}
		if _, _, pv := studentTest(e.values[p.lo:p.at], e.values[p.at:p.hi]); !(pv <= maxP) {
			return last
		}
		last = max(last, p.at)
		if !slices.ContainsFunc(e.candidates, func(c candidate) bool { return c.at == p.at }) {
			e.candidates = append(e.candidates, candidate{at: p.at})
		}
		parts = slices.Replace(parts, best, best+1, newPart(p.lo, p.at), newPart(p.at, p.hi))
	}
}

// greatest returns the index of the first element with the greatest number.
func greatest[T any](all []T, number func(T) float64) (index int) {
	for i := range all {
		if number(all[i]) > number(all[index]) {
			index = i
		}
	}
	return index
}

// test compares the segments on both sides of candidate i.
func (e *EDivisive) test(i int) {
	lo, hi := 0, len(e.values)
	if i > 0 {
		lo = e.candidates[i-1].at
	}
	if i+1 < len(e.candidates) {
		hi = e.candidates[i+1].at
	}
	c := &e.candidates[i]
	c.before, c.after, c.p = studentTest(e.values[lo:c.at], e.values[c.at:hi])
}

// merge removes the candidate with the largest p until all are significant, and then the ones
// whose height is too small.
func (e *EDivisive) merge() {
	for len(e.candidates) > 0 {
		weakest := greatest(e.candidates, func(c candidate) float64 { return c.p })
		if e.candidates[weakest].p < cmp.Or(e.MaxP, 0.001) {
			weakest = greatest(e.candidates, func(c candidate) float64 { return -c.magnitude() })
			if e.candidates[weakest].magnitude() > e.MinMagnitude {
				return
			}
		}
		e.candidates = slices.Delete(e.candidates, weakest, weakest+1)
		// Otava tests the two candidates that follow. The previous one, whose segment has grown
		// too, keeps the p and the means that it had.
		for i := weakest; i < min(weakest+2, len(e.candidates)); i++ {
			e.test(i)
		}
	}
}

// magnitude returns the relative height, of the smaller mean.
func (c candidate) magnitude() float64 {
	m := 0.0
	if c.before != 0 {
		m = math.Abs(c.after/c.before - 1)
	}
	if c.after != 0 {
		m = max(m, math.Abs(c.before/c.after-1))
	}
	return m
}

// studentTest returns the means of two samples and the p of Otava's t-test, which is Student's
// with equal variances, except that the variances of the samples are divided by n rather than
// n-1. It is NaN if all values of both are equal.
func studentTest(a, b []float64) (before, after, p float64) {
	before, va := meanVariance(a)
	after, vb := meanVariance(b)
	n, m := float64(len(a)), float64(len(b))
	df := n + m - 2
	if df <= 0 {
		return before, after, 1
	}
	v := (float64((n-1)*va) + float64((m-1)*vb)) / df
	return before, after, studentP((before-after)/math.Sqrt(v*(1/n+1/m)), df)
}

// meanVariance returns the mean of values, and the mean of the squares of their differences from
// it.
func meanVariance(values []float64) (mean, variance float64) {
	if len(values) == 0 {
		return 0, 0
	}
	for _, v := range values {
		mean += v
	}
	mean /= float64(len(values))
	for _, v := range values {
		variance += float64((v - mean) * (v - mean))
	}
	return mean, variance / float64(len(values))
}

// studentP returns the probability of a t that is at least as far from 0, with df degrees of
// freedom, and NaN if t is.
func studentP(t, df float64) float64 {
	switch t2 := float64(t * t); {
	case t2 != t2:
		return t
	case t2 < 1: // df/(df+t2) would be rounded to 1
		return 1 - mathx.BetaInc(t2/(df+t2), 0.5, df/2)
	default:
		return mathx.BetaInc(df/(df+t2), df/2, 0.5)
	}
}
