package change

// A step is a candidate, and at the end a step.
type step struct {
	at        int // the first position after it
	lo, hi    int // the interval
	statistic float64
	penalty   float64
	p         float64
	inTrend   bool // a trend takes its place
}

// findSteps finds the steps: candidates from windows, of which those go that are not significant
// between their neighbors. What is left is put where it fits best, and tested again.
func (f *Finder) findSteps() {
	f.findWindows()
	f.chooseSteps()
	f.prune()
	f.locate()
	f.locate() // the levels are now those between better places
	f.prune()
	f.assess()
	f.findTrends()
}

// neighbors returns the ends of the two segments that step i separates.
func (f *Finder) neighbors(i int) (a, b int) {
	b = len(f.values)
	if i > 0 {
		a = f.steps[i-1].at
	}
	if i+1 < len(f.steps) {
		b = f.steps[i+1].at
	}
	return a, b
}

// prune removes the weakest step until all are significant. The autocorrelation is that within
// the segments that remain: steps that are not there make it smaller, and steps that are missed,
// larger.
func (f *Finder) prune() {
	f.measureAll()
	for i := range f.steps {
		f.test(i)
	}
	for len(f.steps) > 0 {
		rho := f.autocorrelation()
		worst := f.weakest(rho)
		if pValue(f.excess(worst, rho), len(f.values), rho) <= f.alpha() {
			break
		}
		f.remove(worst)
	}
}

// assess sets the p of each step: that of the clearest set of steps that contains it, as
// simulated. It goes on to remove the weakest step until none is left. A step up and a step down
// soon after it may each look clear because of the other: without the other, little is left of
// it.
func (f *Finder) assess() {
	f.moved = append(f.moved[:0], f.steps...)
	p := 1.0
	for len(f.steps) > 0 {
		rho := f.autocorrelation()
		weakest := f.weakest(rho)
		p = min(p, pValue(f.excess(weakest, rho), len(f.values), rho))
		at := f.steps[weakest].at
		for i := range f.moved {
			if f.moved[i].at == at {
				f.moved[i].p = max(p, leastP(len(f.values), at))
			}
		}
		f.remove(weakest)
	}
	f.steps, f.moved = f.moved, f.steps
}

// measureAll measures the segments between all steps.
func (f *Finder) measureAll() {
	f.segments = f.segments[:0]
	a := 0
	for _, s := range f.steps {
		f.segments = append(f.segments, f.series.measure(a, s.at))
		a = s.at
	}
	f.segments = append(f.segments, f.series.measure(a, len(f.values)))
}

// test compares the segments on both sides of step i.
func (f *Finder) test(i int) {
	s := &f.steps[i]
	a, b := f.neighbors(i)
	squares, odd := f.series.rank(a, b)
	var sum int64
	for _, x := range f.series.local[:s.at-a] {
		sum += int64(x)
	}
	s.statistic = statistic(sum, squares, s.at-a, b-a, odd)
	s.penalty = penalty(len(f.values), s.at-a, b-s.at)
}

// excess returns by how much the statistic of step i exceeds its penalty.
func (f *Finder) excess(i int, rho float64) float64 {
	return float64(f.steps[i].statistic*deflation(rho)) - f.steps[i].penalty
}

// weakest returns the step with the least excess; of several, the one farthest from the middle.
func (f *Finder) weakest(rho float64) int {
	n := len(f.values)
	worst, least := 0, f.excess(0, rho)
	for i, s := range f.steps {
		e := f.excess(i, rho)
		if e < least || e == least && distance(2*s.at, n) > distance(2*f.steps[worst].at, n) {
			worst, least = i, e
		}
	}
	return worst
}

// remove removes step i, joins its segments, and tests its neighbors again.
func (f *Finder) remove(i int) {
	a, b := f.neighbors(i)
	f.steps = append(f.steps[:i], f.steps[i+1:]...)
	f.segments = append(f.segments[:i], f.segments[i+1:]...)
	f.segments[i] = f.series.measure(a, b)
	if i > 0 {
		f.test(i - 1)
	}
	if i < len(f.steps) {
		f.test(i)
	}
}
