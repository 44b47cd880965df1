package change

import (
	"math"
	"slices"

	"perfdata/internal/elementary"
)

// The costs of a step and of a slope in the Bayesian information criterion, in logarithms of the number
// of values. A step has two parameters and a search; a slope that explains the values as well as a step
// is preferred.
const (
	stepCost  = 3
	slopeCost = 1.6

	worthwhile = 2.5 // deviations of a slope from 0
	minSloping = 12  // values; fewer have no trend
	slopeTurns = 2   // more find no other slope in practice
)

// fit finds the best model: steps on a level, or on a line, whose steps stand out of its own
// residues. The slope is the same in all segments. The first slopes are the slope of all values,
// and the slope of the segments of the model without a slope; a better one follows from the steps
// that remain.
func (f *Finder) fit() {
	f.signal.set(&f.commits)
	f.run(0)
	f.model, f.best = f.best, f.model
	f.model.steps = f.model.steps[:0]
	f.model.measure()
	overall, t := f.model.slopeWithin()
	inSegments, u := f.best.slopeWithin()
	if f.best.n < minSloping || max(math.Abs(overall)/t, math.Abs(inSegments)/u) < worthwhile {
		return
	}

	f.apart = f.apart[:0]
	for _, s := range f.best.steps {
		if f.signal.isApart(s.at) {
			f.apart = append(f.apart, s.at)
		}
	}

	best := 0.0
	isHidden := func(at int) bool { // a slope explains values that lie apart without it
		isNear := func(s step) bool { return max(s.at-at, at-s.at) < minExcursion }
		return !slices.ContainsFunc(f.model.steps, isNear)
	}
	for _, slope := range [...]float64{overall, inSegments} {
		for range slopeTurns {
			f.run(slope)
			rest, _ := f.model.slopeWithin()
			if f.model.score < f.best.score && !slices.ContainsFunc(f.apart, isHidden) {
				best = slope
				f.model, f.best = f.best, f.model
			}
			slope += rest
		}
	}

	if f.signal.slope != best {
		f.signal.detrend(best)
	}
}

// run fits the steps for a slope.
func (f *Finder) run(slope float64) {
	m := &f.model
	f.signal.detrend(slope)
	m.steps = f.candidates.choose(&f.signal, m.steps[:0])
	m.prune()

	n := float64(len(m.y))
	innovations := float64(m.noise * m.free * (1 - float64(m.rho*m.rho)))
	m.score = float64(n*elementary.Log(innovations/n)) + float64(float64(stepCost*len(m.steps))*elementary.Log(n))
	if slope != 0 {
		m.score += float64(slopeCost * elementary.Log(n))
	}
}

// slopeWithin returns the slope of y that the segments have in common, by least squares, and its deviation if
// neighbors do not resemble each other.
func (m *model) slopeWithin() (slope, deviation float64) {
	var products, squares float64
	for i := range m.levels() {
		a, b := m.segment(i)
		level, middle := m.mean(a, b), float64(a+b-1)/2
		for i := a; i < b; i++ {
			products += float64((float64(i) - middle) * (m.y[i] - level))
		}
		n := float64(b - a)
		squares += float64(n*(float64(n*n)-1)) / 12 // of n successive integers less their mean
	}
	squares = max(squares, 1e-9)
	return products / squares, math.Sqrt(m.noise / squares)
}
