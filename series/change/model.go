package change

import "math"

// A step is a place where the level changes.
type step struct {
	at     int // the first value after it
	lo, hi int // the interval
	p      float64
}

// A model is a level with steps on it, and noise around it: an AR(1) process, whose neighbors resemble
// each other by rho.
type model struct {
	*signal
	n     int     // the number of values
	tests float64 // that the series counts as
	steps []step
	noise float64 // variance of y
	rho   float64
	free  float64   // the number of values, less that of the levels
	score float64   // the Bayesian information criterion: less is better
	costs []float64 // of places, memory
}

// levels returns the number of segments between the steps.
func (m *model) levels() int { return len(m.steps) + 1 }

// segment returns the ends of the segment before step i, or of the last one.
func (m *model) segment(i int) (a, b int) {
	b = m.n
	if i > 0 {
		a = m.steps[i-1].at
	}
	if i < len(m.steps) {
		b = m.steps[i].at
	}
	return a, b
}

// maxRho bounds the autocorrelation. An estimate of it is off by one divided by the root of the number of
// values; half of that is taken off, because it is better to say something of a short series.
const (
	maxRho   = 0.95
	rhoSlack = 0.5
)

// measure sets the noise by what the steps leave.
func (m *model) measure() {
	var squares, products float64
	for i := range m.levels() {
		a, b := m.segment(i)
		level := m.mean(a, b)
		last := 0.0
		for _, v := range m.y[a:b] {
			v -= level
			squares += float64(v * v)
			products += float64(v * last)
			last = v
		}
	}

	n, levels := float64(m.n), float64(m.levels())
	m.free = max(1, n-levels)
	m.noise = max(squares/m.free, m.floor, 1e-9)

	// Estimates from short segments are too small, by about (1 + 3 rho) / n for each mean that is
	// subtracted (Kendall 1954).
	m.rho = 0
	if squares > 0 {
		m.rho = products / squares
	}
	m.rho += (1+float64(3*max(m.rho, 0)))*levels/n - rhoSlack/math.Sqrt(n)
	m.rho = min(max(m.rho, 0), maxRho)
}

// manySteps are more than can be removed one at a time, in a time that grows as the number of values does.
const manySteps = 64

// prune removes the least certain step until all are certain. If there are many, it also removes
// steps that are half as uncertain, but not two neighbors at once.
func (m *model) prune() {
	for {
		m.measure()
		worst := maxP
		for i := range m.steps {
			m.steps[i].p = m.p(i)
			worst = max(worst, m.steps[i].p)
		}
		if worst == maxP {
			return
		}
		if len(m.steps) > manySteps {
			worst /= 2
		}

		left, removed := m.steps[:0], false
		for _, s := range m.steps {
			if removed = !removed && s.p > maxP && s.p >= worst; !removed {
				left = append(left, s)
			}
		}
		m.steps = left
	}
}
