package change

import (
	"cmp"
	"math"
	"slices"

	"perfdata/series"
)

const (
	minTrend       = 10 // values; shorter parts of a line are not reported
	trendHeight    = 2  // of a part of a line at least, in deviations of the noise
	outlierSpreads = 5  // an outlier is this many times as far from the level as one value in ten is
	minOutliers    = 8  // values of a segment that has outliers

	// A value beyond this many heights of a step is as far from both levels, and says nothing about the place.
	maxResidue = 2.0

	levelValues = 40 // of each side tell its level and the noise

	// intervalCost is by how much, in variances of the noise, the cost of a place in the interval may
	// exceed that of the best one. Simulation chose it: see TestIntervals.
	intervalCost = 11.0
)

// report makes points of the best model.
func (f *Finder) report() {
	m := &f.best
	slopeP := 1.0 // the probability that values without a slope have one as steep
	if m.slope != 0 {
		_, deviation := m.slopeWithin()
		t := math.Abs(m.slope) / float64(deviation*math.Sqrt((1+m.rho)/(1-m.rho)))
		slopeP = min(1, float64(float64(len(m.y))*twoSided(t, m.free)))
	}
	for i := range m.levels() {
		a, b := m.segment(i)
		f.reportOutliers(a, b)
		if slopeP <= maxP && b-a >= minTrend && float64(b-a)*math.Abs(m.slope) >= float64(trendHeight*math.Sqrt(m.noise)) {
			f.points = append(f.points, f.trend(a, b, slopeP))
		}
	}

	for i := range m.steps {
		if len(m.y) > 0 { // not a counter
			m.setInterval(i)
		}
		at, s := f.commits.at, m.steps[i]
		before, after := f.median(m.segment(i)), f.median(m.segment(i+1))
		f.points = append(f.points, Point{
			// Missing values before lo belong to neither side.
			Index: at[s.at], Lo: at[s.lo-1] + 1, Hi: at[s.hi],
			Before: before, After: after, Ratio: ratio(before, after), P: s.p, Kind: Step,
		})
	}
	slices.SortFunc(f.points, func(a, b Point) int { return cmp.Or(a.Index-b.Index, int(a.Kind)-int(b.Kind)) })
}

// median returns the median of the values in [a, b).
func (f *Finder) median(a, b int) float64 {
	s := &f.signal
	s.sorted = append(s.sorted[:0], f.commits.values[a:b]...)
	return series.Median(s.sorted)
}

// trend returns the part [a, b) of the line.
func (f *Finder) trend(a, b int, p float64) Point {
	c := &f.commits
	third := max(1, (b-a)/3)
	one, three := f.median(a, a+third), f.median(b-third, b)
	// The line reaches past the middles of the thirds by half a third, of the two thirds between them; but
	// not beyond the values.
	rise := float64(three/2-one/2) * float64(third) / float64(b-a-third)
	least, most := slices.Min(c.values[a:b]), slices.Max(c.values[a:b])
	first, last := min(max(one-rise, least), most), min(max(three+rise, least), most)
	lo, hi := c.at[a], c.at[b-1]+1
	return Point{
		Index: lo + (hi-lo)/2, Lo: lo, Hi: hi,
		Before: first, After: last, Ratio: ratio(first, last), P: p, Kind: Trend,
	}
}

// reportOutliers adds the outliers in [a, b): values without a neighbor near them that are far from the
// line of the segment, or that differ from the others of a counter.
func (f *Finder) reportOutliers(a, b int) {
	s, c := &f.signal, &f.commits
	level := f.median(a, b)
	isOutlier := func(i int) bool { return c.values[i] != level } // of a counter
	if len(s.y) > 0 {
		isLonely := func(i int) bool { return s.raw(i) != s.y[i] }
		lonely := 0
		s.sorted = s.sorted[:0]
		for i := a; i < b; i++ {
			if isLonely(i) {
				lonely++
			}
			s.sorted = append(s.sorted, s.raw(i))
		}

		n := b - a
		if lonely == 0 || n < minOutliers {
			return
		}

		d := s.sorted
		middle := series.Median(d) // sorts them
		low := middle - float64(outlierSpreads*(middle-d[n/10]))
		high := middle + float64(outlierSpreads*(d[n-1-n/10]-middle))
		isOutlier = func(i int) bool { return isLonely(i) && (s.raw(i) < low || s.raw(i) > high) }
	}

	for i := a; i < b; i++ {
		if at, v := c.at[i], c.values[i]; isOutlier(i) {
			f.points = append(f.points, Point{
				Index: at, Lo: at, Hi: at, Before: level, After: v, Ratio: ratio(level, v), P: 1, Kind: Outlier,
			})
		}
	}
}

// setInterval sets the interval of step i: the places that fit nearly as well as the best one between its
// neighbors, by the squares of the distances of the values from the levels, in heights of the step.
func (m *model) setInterval(i int) {
	s := &m.steps[i]
	a, _ := m.segment(i)
	_, b := m.segment(i + 1)
	a, b = max(a, s.at-levelValues), min(b, s.at+levelValues)
	before := m.mean(a, s.at)
	height := m.mean(s.at, b) - before

	// Going from place k to k+1, value k changes sides: it costs its distance from the first level,
	// and no longer its distance from the second.
	cost, least, noise := 0.0, math.Inf(1), 0.0
	m.costs = m.costs[:0]
	for k := a; k < b; k++ {
		m.costs = append(m.costs, cost) // of place k
		if k-a >= minEnd && b-k >= minEnd {
			least = min(least, cost)
		}

		x := (m.y[k] - before) / height
		first, second := residue(x), residue(x-1)
		cost += first - second
		if k < s.at {
			noise += first
		} else {
			noise += second
		}
	}

	limit := least + float64(intervalCost*noise/float64(b-a))
	s.lo, s.hi = s.at, s.at
	for k := a + minEnd; k <= b-minEnd; k++ {
		if m.costs[k-a] <= limit {
			s.lo, s.hi = min(s.lo, k), max(s.hi, k)
		}
	}
}

func residue(x float64) float64 {
	x = min(math.Abs(x), maxResidue)
	return float64(x * x)
}
