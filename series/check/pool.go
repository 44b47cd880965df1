package check

import (
	"cmp"
	"math"
	"slices"

	"perfdata/internal/elementary"
	"perfdata/series"
)

// A pool has the distances of the values of all histories, each from the others of its history. The
// histories of a pool have about the same length: the fewer values there are, the farther do others
// lie from them.
type pool struct {
	distances []float64 // the finite ones; those of values that are less are negative
	others    int       // distances from values that are all the same

	// These are set when all distances are known, and sorted by their amounts.
	rising   []int   // rising[i] is how many of distances[i:] are positive
	usual    float64 // the distance that a share of alpha exceeds
	tail     int     // how many distances are the farthest
	start    float64 // where they begin
	exponent float64 // of their power; 0 if they are all the same

	usualSpread moderator
	near        []float64 // scratch
}

const (
	classes = 3

	// fewDistances is the number of distances below which those of a normal distribution are added.
	fewDistances = 100
)

// classOf returns the pool of histories with n values.
func classOf(n int) int {
	switch {
	case n >= longHistory:
		return 2
	case n >= 2*minHistory:
		return 1
	}
	return 0
}

// sizeOf returns the number of values that the shortest history of a pool has.
func sizeOf(class int) int { return [classes]int{minHistory, 2 * minHistory, longHistory}[class] }

func (p *pool) reset() {
	p.distances, p.others = p.distances[:0], 0
	p.usualSpread.reset()
}

// add adds the distances of values, which are in the order of time, from those that are not next to
// them. Next to a value, others are often alike, as the machine was warm or busy for a while.
func (p *pool) add(values []float64) {
	apart := 0 // how many on each side are left out
	if len(values) >= 2*minHistory {
		apart = 2
	}
	for i, v := range values {
		p.near = append(append(p.near[:0], values[:max(0, i-apart)]...), values[min(len(values), i+apart+1):]...)
		middle := series.Median(p.near) // sorts them
		sd := p.usualSpread.moderate(middle, spread(p.near))
		if d := distance(v, middle, sd); math.IsInf(d, 0) {
			p.others++
		} else {
			p.distances = append(p.distances, d)
		}
	}
}

// fill completes a pool: if it has few distances, with those of a normal distribution.
func (p *pool) fill(class int, alpha float64) {
	n := sizeOf(class) - 1
	missing := fewDistances - len(p.distances) - p.others
	for i := range max(0, missing) {
		share := (float64(i) + 0.5) / float64(missing)
		d := float64(studentDistance(share, n) * math.Sqrt(1+1/float64(n)))
		if i%2 == 0 {
			d = -d
		}
		p.distances = append(p.distances, d)
	}
	slices.SortFunc(p.distances, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })

	all := len(p.distances)
	p.rising = append(slices.Grow(p.rising[:0], all+1), make([]int, all+1)...)
	for i := all - 1; i >= 0; i-- {
		p.rising[i] = p.rising[i+1]
		if p.distances[i] > 0 {
			p.rising[i]++
		}
	}
	if all == 0 { // there are only others
		p.usual, p.tail, p.start, p.exponent = 0, 0, 0, 0
		return
	}
	p.usual = math.Abs(p.distances[min(all-1, int(float64(all)*(1-alpha)))])

	// Hill's estimate of the exponent.
	p.tail = max(min(all/4, 5), all/20)
	p.start, p.exponent = math.Abs(p.distances[max(0, all-p.tail-1)]), 0
	sum := 0.0
	for _, d := range p.distances[all-p.tail:] {
		sum += elementary.Log(math.Abs(d) / p.start)
	}
	if sum > 0 && !math.IsInf(sum, 0) {
		p.exponent = float64(p.tail-1) / sum
	}
}

// share returns the share of values that lie at least as far on the same side.
func (p *pool) share(distance float64) float64 {
	finite, far := len(p.distances), math.Abs(distance)
	all := float64(finite + p.others)
	if far <= p.start {
		i, _ := slices.BinarySearchFunc(p.distances, far, func(d, far float64) int { return cmp.Compare(math.Abs(d), far) })
		same := p.rising[i]
		if distance < 0 {
			same = finite - i - same
		}
		return (float64(same+p.others) + 1) / (all + 1)
	}

	// Of the farthest ones, as many are on one side as the tail has there.
	side := float64(p.rising[finite-p.tail]+1) / float64(p.tail+2)
	if distance < 0 {
		side = 1 - side
	}
	if p.exponent == 0 || math.IsInf(far, 0) {
		return float64(float64(p.others) / all * side)
	}
	power := elementary.Exp(float64(-p.exponent * elementary.Log(far/p.start)))
	return float64((float64(float64(p.tail+1)*power) + float64(p.others)) / (all + 1) * side)
}

// distance returns how many spreads a value is from the middle: a negative number if it is less. If the
// spread is 0, it is 0 or infinite.
func distance(value, middle, spread float64) float64 {
	if value == middle {
		return 0
	}
	return (value - middle) / spread
}

// studentDistance returns the distance that a share of the values of Student's distribution are below,
// on either side, for a spread of n values.
func studentDistance(share float64, n int) float64 {
	freedom := max(2, (n-1)&^1) // even, for which there is a formula
	lo, hi := 0.0, 1e6
	for range 60 {
		t := (lo + hi) / 2
		x := 1 / (1 + t*t/float64(freedom))
		term, sum := 1.0, 0.0
		for k := range freedom / 2 {
			sum += term
			term = float64(term * (x * float64(2*k+1) / float64(2*k+2)))
		}
		if math.Sqrt(1-x)*sum < share {
			lo = t
		} else {
			hi = t
		}
	}
	return lo
}
