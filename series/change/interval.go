package change

import "math"

const (
	// A value beyond this many heights of a step is as far from both levels, and says nothing about the place.
	maxResidue = 2.0

	levelValues = 40 // of each side tell its level and the noise

	// intervalCost is by how much, in variances of the noise, the cost of a place in the interval may
	// exceed that of the best one. Simulation chose it: see TestIntervals.
	intervalCost = 11.0
)

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
