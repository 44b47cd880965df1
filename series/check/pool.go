package check

import (
	"cmp"
	"math"
	"slices"

	"perfdata/internal/elementary"
	"perfdata/series"
)

// A pool has the scores of the runs of all histories: how many spreads each is from the level of the
// runs outside of its window. The histories of a pool have about the same length: the fewer runs there
// are, the farther is a new one from them.
type pool struct {
	scores   []float64 // the finite ones, by their amounts
	infinite int       // those of runs outside of whose window all are the same
	pairs    []float64 // the lesser of the scores of two runs in a row on the same side

	rising []int   // rising[i] is how many of scores[i:] are positive
	tail   int     // how many scores are the farthest
	start  float64 // where they begin
	scale  float64 // of their excess; 0 if they are all the same
	shape  float64 // of its distribution: the more, the heavier is its tail

	persistence float64 // the share of the farthest whose next run is one on the same side

	usualSpread moderator
}

const (
	classes = 3

	// fewScores is the number of scores below which scores of a normal distribution are added.
	fewScores = 100

	// enoughScores is about how many scores are computed. Of more histories, a part of the runs is
	// enough to know how far all of them lie.
	enoughScores = 1 << 14

	// Few scores say little about the shape of their tail: it is averaged with usualShape, which
	// has the weight of shapeWeight scores. Tails that seem to be lighter than exponential ones
	// have leastShape.
	usualShape, shapeWeight = 0.2, 20
	leastShape, mostShape   = 0.01, 0.9
)

// pool returns the pool of a history, by all of its runs, including the runs of the new level. So a
// series whose last run is far away is in the same pool as the others.
func (c *Checker) pool(l *level) *pool {
	class := classes - 1
	for class > 0 && l.n+l.late < sizeOf(class) {
		class--
	}
	return &c.pools[class]
}

// sizeOf returns the number of runs that the shortest history of a pool has.
func sizeOf(class int) int { return [classes]int{5, 10, 20}[class] }

// addScores adds the scores of old runs, which are in the order of time: each from the runs outside of a
// window around it. Inside, they are often alike, as the machine was warm or busy for a while.
func (c *Checker) addScores(l *level, every int) {
	p, old := c.pool(l), c.old(l)
	gap := 0 // how many on each side are in the window
	if l.n >= sizeOf(1) {
		gap = 2
	}
	c.chosen = append(c.chosen[:0], old...)
	slices.Sort(c.chosen)
	last := 0.0
	for i := range old {
		if i/2%every != 0 { // pairs are left out
			last = 0
			continue
		}

		c.sorted = append(c.sorted[:0], c.chosen...)
		for _, v := range old[max(0, i-gap):min(len(old), i+gap+1)] {
			k, _ := slices.BinarySearch(c.sorted, v)
			c.sorted = slices.Delete(c.sorted, k, k+1)
		}
		middle := series.Median(c.sorted)
		score := scoreOf(old[i], middle, p.usualSpread.moderate(middle, l.oldSpread(c.sorted)))
		if math.IsInf(score, 0) {
			p.infinite++
		} else {
			p.scores = append(p.scores, score)
		}
		if last > 0 && score > 0 || last < 0 && score < 0 {
			p.pairs = append(p.pairs, min(math.Abs(last), math.Abs(score)))
		}
		last = score
	}
}

// fill completes a pool: if it has few scores, with scores of a normal distribution. Only histories that are
// too short for scores use a pool without any: the first one.
func (p *pool) fill(class int) {
	if class > 0 && len(p.scores)+p.infinite == 0 {
		return
	}
	n := sizeOf(class) - 1
	missing := fewScores - len(p.scores) - p.infinite
	for i := range max(0, missing) {
		share := (float64(i) + 0.5) / float64(missing)
		d := float64(studentScore(share, n) * math.Sqrt(1+1/float64(n)))
		if i%2 == 0 {
			d = -d
		}
		p.scores = append(p.scores, d)
	}
	slices.SortFunc(p.scores, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })

	all := len(p.scores)
	p.rising = make([]int, all+1)
	for i := all - 1; i >= 0; i-- {
		p.rising[i] = p.rising[i+1]
		if p.scores[i] > 0 {
			p.rising[i]++
		}
	}
	if all > 0 { // else they are infinite
		p.fillTail()
	}
}

// fillTail finds how the farthest scores are distributed: their excess over the start has a generalized
// Pareto distribution, by the probability-weighted moments of Hosking and Wallis.
func (p *pool) fillTail() {
	all := len(p.scores)
	p.tail = max(min(all/4, 20), all/20)
	p.start = math.Abs(p.scores[max(0, all-p.tail-1)])
	mean, weighted := 0.0, 0.0
	for i, d := range p.scores[all-p.tail:] {
		excess := (math.Abs(d) - p.start) / float64(p.tail)
		mean += excess
		weighted += float64(excess * (1 - (float64(i)+0.65)/float64(p.tail)))
	}

	shape := -0.5
	if divisor := mean - 2*weighted; divisor > 0 {
		shape = max(shape, 2-mean/divisor)
	}
	shape = float64(float64(p.tail)*shape) + shapeWeight*usualShape
	p.shape = min(max(shape/float64(p.tail+shapeWeight), leastShape), mostShape)
	p.scale = float64(mean * (1 - p.shape))

	// Two runs more, of which one in twenty has such a next one: few runs say little.
	pairs := 0.1
	for _, score := range p.pairs {
		if score >= p.start {
			pairs++
		}
	}
	p.persistence = pairs / float64(p.tail+p.infinite+2)
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
	beyond := 0.0 // the share of these that have such an excess over the start
	if excess := far - p.start; p.scale != 0 && !math.IsInf(excess, 0) {
		beyond = elementary.Exp(-elementary.Log(1+float64(p.shape*excess/p.scale)) / p.shape)
	}
	return float64((float64(float64(p.tail+1)*beyond) + float64(p.infinite)) / (all + 1) * side)
}

// scoreOf returns how many spreads a value is from the middle: a negative number if it is less. If the
// spread is 0, it is 0 or infinite.
func scoreOf(value, middle, spread float64) float64 {
	if value == middle {
		return 0
	}
	return (value - middle) / spread
}

// studentScore returns the score that a share of the values of Student's distribution are below,
// on either side, for a spread of n values.
func studentScore(share float64, n int) float64 {
	freedom := max(2, (n-1)&^1) // even, for which there is a formula
	t, root := 0.0, math.Sqrt(float64(freedom))
	for last := -1.0; t > last; { // Newton's method comes nearer from below, until it is exact
		last = t
		x := 1 / (1 + t*t/float64(freedom))
		term, sum := 1.0, 0.0
		for k := range freedom / 2 {
			sum += term
			term = float64(term * (x * float64(2*k+1) / float64(2*k+2)))
		}
		t += (share/math.Sqrt(x) - float64(t/root*sum)) / (root * term)
	}
	return t
}
