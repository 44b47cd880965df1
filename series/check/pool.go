package check

import (
	"cmp"
	"math"
	"slices"

	"perfdata/internal/elementary"
	"perfdata/series"
)

// A pool has the scores of the runs of all histories: how many spreads each is from the level of the
// others of its history. The histories of a pool have about the same length: the fewer runs there
// are, the farther do others lie from them.
type pool struct {
	scores   []float64 // the finite ones, by their amounts
	infinite int       // those of runs among others that are all the same

	rising   []int   // rising[i] is how many of scores[i:] are positive
	tail     int     // how many scores are the farthest
	start    float64 // where they begin
	exponent float64 // of their power; 0 if they are all the same

	usualSpread moderator
}

const (
	classes = 3

	// fewScores is the number of scores below which those of a normal distribution are added.
	fewScores = 100

	// enoughScores is about how many scores are computed. Of more histories, a part of the runs is
	// enough to know how far all of them lie.
	enoughScores = 1 << 14
)

// classOf returns the pool of histories with n runs.
func classOf(n int) int {
	switch {
	case n >= sizeOf(2):
		return 2
	case n >= sizeOf(1):
		return 1
	}
	return 0
}

// sizeOf returns the number of runs that the shortest history of a pool has.
func sizeOf(class int) int { return [classes]int{5, 10, 20}[class] }

func (p *pool) reset() {
	p.scores, p.infinite = p.scores[:0], 0
	p.usualSpread.reset()
}

// fillPools completes the pools with the scores of the histories.
func (c *Checker) fillPools() {
	for i := range c.pools {
		c.pools[i].usualSpread.settle()
	}
	runs := 0
	for i := range c.levels {
		runs += c.levels[i].n
	}
	every := 1 + runs/enoughScores
	for i := range c.levels {
		if l := &c.levels[i]; l.isPooled() && !l.isExact {
			c.addScores(l, every)
		}
	}
	for i := range c.pools {
		c.pools[i].fill(i)
	}
}

// addScores adds the scores of old runs, which are in the order of time: how far each is from those
// that are not next to it. Next to a run, others are often alike, as the machine was warm or busy for
// a while.
func (c *Checker) addScores(l *level, every int) {
	p, old := &c.pools[classOf(l.n)], c.old(l)
	gap := 0 // how many on each side are left out
	if l.n >= sizeOf(1) {
		gap = 2
	}
	for i := 0; i < len(old); i += every {
		c.sorted = append(append(c.sorted[:0], old[:max(0, i-gap)]...), old[min(len(old), i+gap+1):]...)
		middle := series.Median(c.sorted) // sorts them
		score := distance(old[i], middle, p.usualSpread.moderate(middle, l.oldSpread(c.sorted)))
		if math.IsInf(score, 0) {
			p.infinite++
		} else {
			p.scores = append(p.scores, score)
		}
	}
}

// fill completes a pool: if it has few scores, with those of a normal distribution.
func (p *pool) fill(class int) {
	n := sizeOf(class) - 1
	missing := fewScores - len(p.scores) - p.infinite
	for i := range max(0, missing) {
		share := (float64(i) + 0.5) / float64(missing)
		d := float64(studentDistance(share, n) * math.Sqrt(1+1/float64(n)))
		if i%2 == 0 {
			d = -d
		}
		p.scores = append(p.scores, d)
	}
	slices.SortFunc(p.scores, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })

	all := len(p.scores)
	p.rising = append(slices.Grow(p.rising[:0], all+1), make([]int, all+1)...)
	for i := all - 1; i >= 0; i-- {
		p.rising[i] = p.rising[i+1]
		if p.scores[i] > 0 {
			p.rising[i]++
		}
	}
	if all == 0 { // they are infinite
		p.tail, p.start, p.exponent = 0, 0, 0
		return
	}

	// Hill's estimate of the exponent.
	p.tail = max(min(all/4, 5), all/20)
	p.start, p.exponent = math.Abs(p.scores[max(0, all-p.tail-1)]), 0
	sum := 0.0
	for _, d := range p.scores[all-p.tail:] {
		sum += elementary.Log(math.Abs(d) / p.start)
	}
	if sum > 0 && !math.IsInf(sum, 0) {
		p.exponent = float64(p.tail-1) / sum
	}
}

// share returns the share of runs that lie at least as far on the same side.
func (p *pool) share(score float64) float64 {
	finite, far := len(p.scores), math.Abs(score)
	all := float64(finite + p.infinite)
	if far <= p.start {
		i, _ := slices.BinarySearchFunc(p.scores, far, func(d, far float64) int { return cmp.Compare(math.Abs(d), far) })
		same := p.rising[i]
		if score < 0 {
			same = finite - i - same
		}
		return (float64(same+p.infinite) + 1) / (all + 1)
	}

	// Of the farthest ones, as many are on one side as the tail has there.
	side := float64(p.rising[finite-p.tail]+1) / float64(p.tail+2)
	if score < 0 {
		side = 1 - side
	}
	if p.exponent == 0 || math.IsInf(far, 0) {
		return float64(float64(p.infinite) / all * side)
	}
	power := elementary.Exp(float64(-p.exponent * elementary.Log(far/p.start)))
	return float64((float64(float64(p.tail+1)*power) + float64(p.infinite)) / (all + 1) * side)
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
