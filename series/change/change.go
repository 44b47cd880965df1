package change

import (
	"math"
	"slices"

	"perfdata/series"
)

// A Kind says what a Point is.
type Kind uint8

const (
	// Step is a change of the level that lasts until the next change.
	Step Kind = iota
	// Trend is a slow change. It has no one place: Lo to Hi is where it lasts.
	Trend
	// Outlier is a single value, or one of two, far from those around it.
	Outlier
	// Excursion is a change that was taken back soon: a step, and one back. It is the kind of findings
	// only.
	Excursion
)

func (k Kind) String() string {
	names := [...]string{"step", "trend", "outlier", "excursion"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// A Point is a place where a series changes.
type Point struct {
	// Index is the place of the first value after a step, of an outlier, or of the middle of a trend.
	Index int
	// Lo and Hi enclose a step: with 95% confidence, the first value after it is at Lo, at Hi, or
	// between them. A trend begins at Lo and ends before Hi. For an outlier, both are Index.
	Lo, Hi int
	// Before and After are the levels on both sides of a step: the medians of the values back to
	// the previous step, and up to the next one. They are the ends of the line of a trend, and the
	// median around an outlier, and its value.
	Before, After float64
	// Ratio is After / Before, and 1 if they are equal. If only Before is 0, it is infinite.
	Ratio float64
	// P is the probability that a series that does not change has a point as clear as this one
	// anywhere; it is 0 for a counter without noise, and 1 for an outlier, of which nothing is claimed.
	P float64
	// Q is the expected share of false points among those of all series with a P of at most this one's
	// (Benjamini and Hochberg), and 1 for an outlier. The function [Findings] sets it.
	Q    float64
	Kind Kind
}

// The limits of a Finder.
const (
	maxP      = 0.01 // of a point that is not an outlier
	minValues = 6    // fewer have no points
)

// A Finder finds the points of series. Its zero value is ready to use. It reuses its memory, so
// that a program with many series should use one Finder for all of them; it must not be used by
// two goroutines at once.
type Finder struct {
	// Exact says that the values have no noise, so that any change of them is one: the attr assume of
	// Go benchmarks is "exact". Series that look so are taken for exact ones in any case.
	Exact bool

	commits    commits
	signal     signal
	candidates candidates
	model      model
	best       model
	apart      []int // the places of steps that no slope may explain
	points     []Point
}

// Find returns the points of a series in the order of their indexes. The values are in the order
// of time, one for each commit; NaN and infinities stand for missing values and are skipped. The
// slice is the Finder's and valid until the next call. Find does not change values.
//
// Multiplying all values by the same power of two, or by -1, gives points at the same places.
func (f *Finder) Find(values []float64) []Point { return f.FindMedians(values, nil) }

// FindSamples is Find for the values of each commit, which are one sample: their spread says how
// far their median may be off. The samples are in the order of the commits, and samples of one
// commit follow one another. The indexes of the points count the commits of the samples, as
// [series.Medians] does.
func (f *Finder) FindSamples(samples []series.Sample) []Point {
	c := &f.commits
	c.reset()
	for i, n := 0, 0; i < len(samples); n++ {
		c.sample = c.sample[:0]
		for commit := samples[i].Commit; i < len(samples) && samples[i].Commit == commit; i++ {
			c.sample = append(c.sample, samples[i].Values...)
		}
		c.sample = slices.DeleteFunc(c.sample, func(v float64) bool { return v-v != 0 }) // NaN and infinities
		if len(c.sample) > 0 {
			median, variance := Summary(c.sample)
			c.add(n, median, variance)
		}
	}
	return f.find()
}

// LastLevel returns the index of the first sample that surely has the level of the last one: the
// sample after the last step, or 0 if there is no step. The samples are as for FindSamples.
func (f *Finder) LastLevel(samples []series.Sample) int {
	before, first := 0, 0 // commits and samples
	for _, p := range f.FindSamples(samples) {
		if p.Kind == Step {
			before = p.Hi
		}
	}
	for ; before > 0; first++ {
		if samples[first+1].Commit != samples[first].Commit {
			before--
		}
	}
	return first
}

// FindMedians is FindSamples for commits of which only the medians are known, and what [Summary] said of
// their variances, which are nil if each has one value. It skips medians that are not finite.
func (f *Finder) FindMedians(medians, variances []float64) []Point {
	f.commits.reset()
	for i, v := range medians {
		variance := math.NaN()
		if variances != nil {
			variance = variances[i]
		}
		f.commits.add(i, v, variance)
	}
	return f.find()
}

func (f *Finder) find() []Point {
	f.points = f.points[:0]
	n := len(f.commits.values)
	if n < minValues {
		return nil
	}
	for _, m := range []*model{&f.best, &f.model} {
		m.signal, m.n, m.tests, m.steps = &f.signal, n, testsOf(float64(n)), m.steps[:0]
	}
	if f.Exact || f.commits.areExact() {
		f.findExact()
	} else {
		f.fit()
	}
	f.report()
	return f.points
}

// ratio returns after divided by before.
func ratio(before, after float64) float64 {
	if before == after {
		return 1
	}
	return after / before
}
