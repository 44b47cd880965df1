package change

import (
	"math"

	"perfdata/series"
)

// commits are the commits of a series that have a value.
type commits struct {
	at       []int     // their indexes
	values   []float64 // the medians of their repetitions
	variance []float64 // of each of them: see Summary
	sample   []float64 // memory
}

func (c *commits) reset() {
	c.at, c.values, c.variance = c.at[:0], c.values[:0], c.variance[:0]
}

// add adds a commit, if its median is finite.
func (c *commits) add(at int, median, variance float64) {
	if median-median == 0 {
		c.at, c.values, c.variance = append(c.at, at), append(c.values, median), append(c.variance, variance)
	}
}

// Summary sorts the values of a commit, which must be finite, and returns their median, and its variance
// by their spread: NaN if there is only one.
func Summary(values []float64) (median, variance float64) {
	median = series.Median(values)
	n := float64(len(values))
	if n == 1 {
		return median, math.NaN()
	}
	mean := 0.0
	for _, v := range values {
		mean += v / n
	}
	squares := 0.0
	for _, v := range values {
		squares += float64((v - mean) * (v - mean))
	}
	return median, squares / (n - 1) / n
}

// A counter without noise changes at most at one commit in this many, and a change that comes back
// within fewer than minExcursion commits is none.
const (
	exactCommits = 12
	minExcursion = 3
	minEnd       = 2 // values before the first change, and after the last
)

// areExact reports whether the values have no noise: they are equal within each commit, and hardly ever
// change from one commit to the next.
func (c *commits) areExact() bool {
	changes := 0
	for i, v := range c.values {
		if c.variance[i] > 0 {
			return false
		}
		if i > 0 && v != c.values[i-1] {
			changes++
		}
	}
	return changes <= max(1, len(c.values)/exactCommits)
}

// findExact finds the steps of a counter: where the values become others and stay so.
func (f *Finder) findExact() {
	v := f.commits.values
	f.signal.y, f.signal.slope = f.signal.y[:0], 0
	level := v[0]
	for i := 1; i < len(v); {
		to := i + 1
		for to < len(v) && v[to] == v[i] {
			to++
		}
		stays := to-i >= minExcursion || to == len(v) && to-i >= minEnd
		if v[i] != level && stays && i >= minEnd {
			f.best.steps = append(f.best.steps, step{at: i, lo: i, hi: i})
			level = v[i]
		}
		i = to
	}
}
