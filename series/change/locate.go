package change

import "math"

// Costs of places are integers of this many bits after the point, so that their sums are exact.
const costBits = 24

// Limits of a residue and of its part that counts as a square, in heights of the step. A value
// beyond the first says nothing about the place: it is as far from both levels.
const (
	maxResidue  = 3.0
	huberLimit  = 1.5
	locateSides = 2 // a step stays this far from its neighbors
)

// intervalCost is the cost, in variances of the noise, by which the places in a step's interval
// may exceed that of the best place. Simulation chose it: see TestIntervals.
const intervalCost = 11.0

// locate moves each step to the place between its neighbors that fits best, and finds its
// interval.
//
// The levels on both sides are the medians. A place costs the squares of what an AR(1) process
// does not expect, given the levels: e(t) = y(t) - rho y(t-1). Large ones cost less than their
// squares (Huber), so that a spike beside a step does not move it. The mean of the costs forward
// and backward in time is used: reversing the series mirrors the place.
func (f *Finder) locate() {
	rho := f.autocorrelation()
	f.moved = f.moved[:0]
	for i, s := range f.steps {
		a, b := f.neighbors(i)
		f.place(&s, a, b, rho)
		f.moved = append(f.moved, s)
	}
	// All move at once, or else the order of the steps would matter. Two that come too close
	// stay.
	for i := 1; i < len(f.moved); i++ {
		if f.moved[i].at-f.moved[i-1].at < minSide {
			f.moved[i-1], f.moved[i] = f.steps[i-1], f.steps[i]
		}
	}
	for i := 1; i < len(f.moved); i++ {
		if f.moved[i].at-f.moved[i-1].at < minSide {
			return
		}
	}
	f.steps, f.moved = f.moved, f.steps
	f.measureAll()
}

// place finds the place and the interval of a step in [a, b).
func (f *Finder) place(s *step, a, b int, rho float64) {
	s.lo, s.hi = s.at, s.at
	before, after := f.series.median(a, s.at), f.series.median(s.at, b)
	scale := level{before, after}
	if before == after || !scale.usable() || b-a < 2*locateSides+1 {
		return
	}
	f.costs = f.costs[:0]
	v := f.values

	// The cost of a place k is that of the values before k on the first level, and of the others
	// on the second. Going from k to k+1, value k changes sides.
	var cost int64
	least := int64(math.MaxInt64)
	y0 := 0.0 // the previous value, measured from the first level
	for k := a; k < b; k++ {
		x0 := scale.of(v[k])
		x1 := x0 - 1
		if k > a {
			// The pair of k-1 and k was across the step, and is now before it.
			cost += residue(x0, y0, rho) - residue(x1, y0, rho)
			cost += residue(y0, x0, rho) - residue(y0, x1, rho)
		} else {
			cost += residue(x0, 0, 0) - residue(x1, 0, 0)
		}
		if k+1 < b {
			// The pair of k and k+1 was after the step, and is now across it.
			z0 := scale.of(v[k+1])
			z1 := z0 - 1
			cost += residue(z1, x0, rho) - residue(z1, x1, rho)
			cost += residue(x0, z1, rho) - residue(x1, z1, rho)
		}
		f.costs = append(f.costs, cost) // of the place k+1
		y0 = x0
		if k+1-a >= locateSides && b-k-1 >= locateSides && cost < least {
			least = cost
		}
	}
	s.at = f.cheapest(a, b, least)
	f.interval(s, a, b, least, f.noise(scale, s.at, a, b, rho))
}

// cheapest returns the place with the least cost; of several, that nearest to the middle.
func (f *Finder) cheapest(a, b int, least int64) int {
	best := -1
	for i, c := range f.costs {
		k := a + i + 1
		if c != least || k-a < locateSides || b-k < locateSides {
			continue
		}
		if best < 0 || distance(2*k, a+b) < distance(2*best, a+b) {
			best = k
		}
	}
	return best
}

func distance(a, b int) int { return max(a-b, b-a) }

// noise returns the mean cost of a value, with the step at k. Costs of more than six times the
// mean count as six times: the intervals of a series with a few spikes are those without them.
func (f *Finder) noise(scale level, k, a, b int, rho float64) float64 {
	f.noises = f.noises[:0]
	var sum int64
	for i := a + 1; i < b; i++ {
		x, y := scale.of(f.values[i]), scale.of(f.values[i-1])
		if i >= k {
			x--
		}
		if i-1 >= k {
			y--
		}
		c := residue(x, y, rho) + residue(y, x, rho)
		f.noises = append(f.noises, c)
		sum += c
	}

	n := int64(len(f.noises))
	for range 64 {
		before := sum
		limit := 6 * sum / n
		sum = 0
		for _, c := range f.noises {
			sum += min(c, limit)
		}
		if sum >= before-before/64 {
			break
		}
	}
	return float64(sum) / float64(n)
}

// interval sets lo and hi to the first and last place whose cost is not much above the least.
func (f *Finder) interval(s *step, a, b int, least int64, noise float64) {
	limit := float64(intervalCost * noise)
	s.lo, s.hi = s.at, s.at
	for i, c := range f.costs {
		k := a + i + 1
		if k-a < locateSides || b-k < locateSides || float64(c-least) > limit {
			continue
		}
		s.lo, s.hi = min(s.lo, k), max(s.hi, k)
	}
}

// residue returns the cost of x after y.
func residue(x, y, rho float64) int64 {
	e := math.Abs(x - float64(rho*y))
	e = min(e, maxResidue)
	c := float64(e * e)
	if e > huberLimit {
		c = float64(2*huberLimit*e) - huberLimit*huberLimit
	}
	return int64(c * (1 << costBits))
}

// A level measures values in heights of a step: its first level is 0 and its second 1.
type level struct{ before, after float64 }

// of returns the value in heights of the step. Values very far away are brought nearer, because
// the difference of two infinite ones would not be a number.
func (l level) of(v float64) float64 {
	d, x := l.after-l.before, v-l.before
	if math.IsInf(d, 0) || math.IsInf(x, 0) {
		d, x = float64(l.after/2)-float64(l.before/2), float64(v/2)-float64(l.before/2)
	}
	const far = 1 << 40
	return min(max(x/d, -far), far)
}

// usable tells whether the height is a number that values can be divided by.
func (l level) usable() bool {
	x := l.of(l.after)
	return x == 1
}
