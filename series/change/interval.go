package change

import "math"

// The parts of the values in the cost of a place, in heights of the step.
const (
	maxResidue  = 3.0 // a value beyond it is as far from both levels, and says nothing about the place
	huberLimit  = 1.5 // of what counts as a square (Huber 1964), so that a spike moves no step
	levelValues = 40  // of each side tell its level and the noise

	// intervalCost is by how much, in variances of the noise, the cost of a place in the interval may
	// exceed that of the best one. Simulation chose it: see TestIntervals.
	intervalCost = 11.0
)

// setIntervals sets the interval of each step: the places that fit nearly as well as the best one between
// its neighbors.
//
// A place costs the squares of what an AR(1) process does not expect, given the levels: y(t) - rho y(t-1),
// forward and backward in time, so that reversing the series mirrors the interval.
func (m *model) setIntervals() {
	if len(m.y) == 0 {
		return // a counter
	}
	for i := range m.steps {
		s := &m.steps[i]
		s.lo, s.hi = s.at, s.at
		a, b := m.neighbors(i)
		a, b = max(a, s.at-levelValues), min(b, s.at+levelValues)
		before, height := m.mean(a, s.at), m.mean(s.at, b)-m.mean(a, s.at)
		if height != 0 {
			m.setInterval(s, a, b, before, height)
		}
	}
}

func (m *model) setInterval(s *step, a, b int, before, height float64) {
	// Going from place k to k+1, value k changes sides: its pairs with its neighbors cost as if it were on
	// the first level, and no longer as if it were on the second.
	of := func(k int) float64 { return (m.y[k] - before) / height }
	cost, least := 0.0, math.Inf(1)
	m.costs = m.costs[:0]
	for k := a; k < b-1; k++ {
		x := of(k)
		if k > a {
			w := of(k - 1)
			cost += m.pair(w, x) - m.pair(w, x-1)
		}
		z := of(k+1) - 1
		cost += m.pair(x, z) - m.pair(x-1, z)
		m.costs = append(m.costs, cost) // of place k+1
		if k+1-a >= minEnd && b-k-1 >= minEnd {
			least = min(least, cost)
		}
	}

	noise := 0.0
	for k := a + 1; k < b; k++ {
		x, w := of(k), of(k-1)
		if k >= s.at {
			x--
		}
		if k-1 >= s.at {
			w--
		}
		noise += m.pair(w, x)
	}
	limit := least + float64(intervalCost*noise/float64(b-a-1))
	for i, c := range m.costs {
		if k := a + i + 1; k-a >= minEnd && b-k >= minEnd && c <= limit {
			s.lo, s.hi = min(s.lo, k), max(s.hi, k)
		}
	}
}

// pair returns the cost of two neighbors, in heights of the step from their levels.
func (m *model) pair(x, y float64) float64 {
	return residue(y-float64(m.rho*x)) + residue(x-float64(m.rho*y))
}

func residue(e float64) float64 {
	e = min(math.Abs(e), maxResidue)
	if e > huberLimit {
		return float64(2*huberLimit*e) - huberLimit*huberLimit
	}
	return float64(e * e)
}
