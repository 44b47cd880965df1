package check

import (
	"math"
	"slices"

	"perfdata/internal/elementary"
	"perfdata/series"
	"perfdata/series/judgment"
)

// Where old runs have been far, a new one may be without a reason.
const (
	// far is the share of the distance of new values from which on old ones have been as far. It is
	// less than 1 for noise with two modes that have a width each.
	far = 0.78

	// A history whose farthest run is nearer than that has a tail of its own, if the pool's is heavier than
	// that of simulated noise (minShape): it is continued as a power with this share of the pool's exponent.
	tailShare, minShape = 0.5, 0.1

	// Real noise has outliers that a few runs do not show, and a run with more series has more of
	// them. So in a run of several series, a change needs a minimum score, and no old run may have
	// had a certain share of its score. This is not required where a pool has enough scores, and
	// its tail is as light as that of a normal distribution.
	clearScore, clearShare = 4, 0.64
	manyScores, lightShape = 1500, 0.15
)

// assess sets P and the usual range.
func (c *Checker) assess(r *Result, in *Input, l *level) {
	if r.Reason != "" || in.Exact {
		return
	}
	c.sorted = append(c.sorted[:0], c.old(l)...)
	slices.Sort(c.sorted)
	l.spread = c.pool(l).usualSpread.moderate(r.Old.Median, l.oldSpread(c.sorted))
	if own := l.n - l.borrowed; l.borrowed > 0 { // the level is computed from the others alone
		l.spread = float64(l.spread * math.Sqrt(1+float64(math.Pi/2*(1/float64(own)-1/float64(l.n)))))
	}

	c.latest = c.latest[:0]
	for _, v := range c.values[l.from+l.n:][:l.late] {
		c.latest = append(c.latest, scoreOf(v, r.Old.Median, l.spread))
	}

	c.readRuns(in.New)
	widths, runs := 0.0, len(c.runs)
	for _, run := range c.runs {
		within := l.within
		if !isFinite(within) && run.n > 1 { // old runs have one value each
			within = run.deviation
		}
		width := l.runSpread(l.spread, run.n, within)
		widths += width
		c.latest = append(c.latest, scoreOf(run.median, r.Old.Median, width))
	}

	width := widths / float64(runs)
	r.P = c.tail(l, c.latest[l.late:], r.New.Median > r.Old.Median)
	l.isClear = c.isClear(l, scoreOf(r.New.Median, r.Old.Median, width), runs)
	if l.late > 0 {
		r.P = min(r.P, c.tail(l, c.latest, r.New.Median > r.Old.Median))
		r.P = min(1, r.P*float64((l.lateN+1)*(l.lateN+1))) // they were looked for
	}

	r.Old.Lo = r.Old.Median - float64(c.usual(l, runs, -1)*width)
	r.Old.Hi = r.Old.Median + float64(c.usual(l, runs, 1)*width)
	isNegative := func(v float64) bool { return v < 0 && isFinite(v) } // times, sizes and rates never are
	hasNegative := func(s series.Sample) bool { return slices.ContainsFunc(s.Values, isNegative) }
	if !slices.ContainsFunc(in.History, hasNegative) && !slices.ContainsFunc(in.New, hasNegative) {
		r.Old.Lo = max(0, r.Old.Lo)
	}
	if runs == 1 && l.late == 0 {
		r.P = max(r.P, c.shareOfValues(r, in, l))
	}
}

// shareOfValues returns the probability that half of the values of the only new run are as far as it is, by the
// share of the values of the old runs that are: their medians hide spikes of single values. It is 0 if no
// value has been as far.
func (c *Checker) shareOfValues(r *Result, in *Input, l *level) float64 {
	count, all, runs := 0, 0, 0
	limit := r.Old.Median + float64((r.New.Median-r.Old.Median)*far)
	for _, s := range in.History[r.Base:] {
		old := c.sort(s.Values)
		if len(old) == 0 || runs == l.n-l.borrowed {
			continue
		}

		runs++
		all += len(old)
		for _, v := range old {
			if r.New.Median > r.Old.Median && v >= limit || r.New.Median < r.Old.Median && v <= limit {
				count++
			}
		}
	}

	values := c.runs[0].n
	if count == 0 || !isFinite(limit) || values <= 2 && values >= l.size {
		return 0
	}
	return binomialTail(values, (values+1)/2, float64(count+1)/float64(all+1), 0)
}

// isClear reports whether new runs with a score are far enough for a run of several series.
func (c *Checker) isClear(l *level, score float64, runs int) bool {
	pool := c.pool(l)
	if c.family == 1 || len(pool.scores) >= manyScores && pool.shape < lightShape {
		return true
	}
	score = float64(score * math.Sqrt(float64(runs)))
	for _, v := range c.old(l) {
		if scoreOf(v, l.before, l.spread)/score >= clearShare {
			return false
		}
	}
	return math.Abs(score) >= min(clearScore, 2+float64(c.family)/3)
}

// probability returns the P of the n-th late run, when it was the new one, and whether it was clear.
func (c *Checker) probability(r *Result, l *level, n int) (p float64, isClear bool) {
	if n > l.late {
		return r.P, l.isClear
	}
	late := c.values[l.from+l.n:][:n]
	after := late[n-1]
	if after > r.Old.Median != (r.New.Median > r.Old.Median) || !c.isBeyond(judgment.Change(r.Old.Median, after)) {
		return 1, false
	}
	isClear = c.isClear(l, scoreOf(after, r.Old.Median, l.spread), 1)
	c.latest = c.latest[:0]
	for _, v := range late {
		c.latest = append(c.latest, scoreOf(v, r.Old.Median, l.spread))
	}
	isRise := r.New.Median > r.Old.Median
	p = min(c.tail(l, c.latest[n-1:], isRise), c.tail(l, c.latest, isRise))
	return min(1, p*float64(n)), isClear
}

// tail returns the probability that runs of the old level lie as far as the runs with the scores:
// more than half of them as far as more than half of these. It sorts the scores.
func (c *Checker) tail(l *level, scores []float64, isRise bool) float64 {
	slices.Sort(scores)
	if isRise {
		slices.Reverse(scores)
	}
	score := scores[len(scores)/2]
	if isRise != (score > 0) || score == 0 {
		return 1
	}
	return c.tailAt(l, len(scores), score, true)
}

// The nodes and weights of Gauss and Hermite for a normal distribution.
var (
	nodes   = [...]float64{-2.85697001387280565, -1.35562617997426587, 0, 1.35562617997426587, 2.85697001387280565}
	weights = [...]float64{0.0112574113277206889, 0.222075922005612644, 0.533333333333333333, 0.222075922005612644,
		0.0112574113277206889}
)

// tailAt returns the probability that more than half of runs have a score or one that is farther on
// the same side. The level and the spread that the scores are of are not exact, and are the same for
// all runs: that is as if the score were less or more.
func (c *Checker) tailAt(l *level, runs int, score float64, own bool) float64 {
	next := min(1, c.pool(l).persistence)
	if runs == 1 || math.IsInf(score, 0) {
		return binomialTail(runs, runs/2+1, c.share(l, score, own), next)
	}
	n := float64(l.n)
	levelVariance := math.Pi / 2 / n
	deviation := math.Sqrt(levelVariance + float64(score*score)/(2*(n-1)))
	p := 0.0
	for i, node := range nodes {
		x := score + float64(node*deviation)
		if x > 0 != (score > 0) {
			p += weights[i]
			continue
		}
		share := c.share(l, float64(x*math.Sqrt(1+levelVariance)), own)
		p += float64(weights[i] * binomialTail(runs, runs/2+1, share, next))
	}
	return min(1, p)
}

// share returns the share of runs that have a score or one that is farther on the same side. If own is
// set, it is at least that of the old runs.
func (c *Checker) share(l *level, score float64, own bool) float64 {
	pool := c.pool(l)
	share := pool.share(score)
	if !(share >= 0 && share <= 1) { // values near the largest numbers overflow: nothing is known
		share = 1
	}
	if !own {
		return share
	}

	n, farthest := 0, 0.0 // as a share of the score
	for _, v := range c.old(l) {
		d := scoreOf(v, l.before, l.spread) / score
		if d >= far {
			n++
		}
		if d > farthest {
			farthest = d
		}
	}

	if n > 0 {
		return max(share, float64(n+1)/float64(l.n+1))
	}
	if shape := pool.shape - minShape; shape > 0 && farthest > 0 {
		share = max(share, min(1, elementary.Exp(elementary.Log(farthest)*tailShare/shape)/float64(l.n+1)))
	}
	return share
}

// binomialTail returns the probability of at least k of n events that have probability p each, and next
// after another one if that is more.
func binomialTail(n, k int, p, next float64) float64 {
	if n == 1 {
		return p
	}
	if p > 0 && next > p {
		return float64(p / next * binomialTail(n, k, next, 0))
	}
	sum := 0.0
	for i := k; i <= n; i++ {
		term := 1.0
		for j := range i {
			term = float64(term * (float64(p*float64(n-j)) / float64(i-j)))
		}
		for range n - i {
			term = float64(term * (1 - p))
		}
		sum += term
	}
	return min(1, sum)
}

// usual returns how many spreads new runs may be above the level, or, for the side -1, below it.
func (c *Checker) usual(l *level, runs int, side float64) float64 {
	lo, hi := 0.0, 1.0
	isInside := func(score float64) bool { return c.tailAt(l, runs, float64(side*score), false) >= c.Options.Alpha/2 }
	for hi < 1e6 && isInside(hi) {
		lo, hi = hi, 2*hi
	}

	for range 30 {
		if middle := (lo + hi) / 2; isInside(middle) {
			lo = middle
		} else {
			hi = middle
		}
	}
	return lo
}
