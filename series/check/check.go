package check

import (
	"math"
	"slices"

	"perfdata/format"
	"perfdata/internal/fdr"
	"perfdata/series"
	"perfdata/series/change"
	"perfdata/series/compare"
	"perfdata/series/judgment"
)

// An Input is what a [Checker] judges. NaN and infinities among the values stand for missing values.
type Input struct {
	// History has a sample for each run, in the order of the commits, the oldest first. Several runs
	// of a commit are several samples.
	History []series.Sample

	// New has a sample for each new run. Their Commit has no meaning.
	New []series.Sample

	Better format.Direction
	Exact  bool // one value is enough, and any difference is one
}

// A Result is the judgment of an Input. The package comment explains it.
type Result struct {
	Verdict judgment.Verdict
	Suspect bool // the difference may be due to the number of series: Q is not less than alpha

	// Known says that the history itself shows the difference: the judgment of one of its commits was
	// as certain. Only Worse can be Known.
	Known bool

	// Base is the index in History of the first sample that the new ones are compared with, and N is
	// of how many commits there are such samples.
	Base, N int

	// Since is the index in History of the first sample of the level that the new values have. It is
	// the length of History if they are the first.
	Since int

	// Before and After are the medians of the values compared. Ratio is After / Before. If one of them
	// is not positive, it is 1 plus the difference divided by the absolute value of Before.
	Before, After, Ratio float64

	// Lo and Hi enclose a new value with a probability of 1 - alpha, if nothing has changed. Lo is not
	// negative unless one of the values is.
	Lo, Hi float64

	P, Q float64 // NaN if there is no comparison, or the values are exact

	// Needed is how many more values would likely decide, if the verdict is Unknown: of the history if
	// it has too few, else new ones. It is 0 if it is not known.
	Needed int

	NeededRuns bool // Needed counts runs: more values of a run would not decide

	// Reason says why there is no comparison. It is empty if there is one.
	Reason string
}

// VerdictText returns the verdict, with a question mark if it is suspect, such as "worse?".
func (r *Result) VerdictText() string {
	if r.Suspect {
		return r.Verdict.String() + "?"
	}
	return r.Verdict.String()
}

// A Checker judges series. It reuses its memory. Only one goroutine at a time may use a Checker.
type Checker struct {
	// Options say what is a difference. The zero Options mean [compare.DefaultOptions].
	// Confidence has no effect.
	Options compare.Options

	finder change.Finder
	values []float64 // scratch
	near   []float64 // scratch
	pools  [classes]pool
}

const (
	// minHistory is the number of values from which on a history has a spread.
	minHistory = 5

	// longHistory is the number of values from which on a history says enough about its spread.
	longHistory = 20

	// maxHistory is the number of values that are looked at since the last change. More would say
	// little more about the level, and less about the noise of today.
	maxHistory = 100
)

// Judge judges series together: what is usual for all of them says what is unusual for one. The order
// of the results is that of the series.
func (c *Checker) Judge(inputs []Input) []Result {
	all := make([]medians, len(inputs))
	for i, in := range inputs {
		all[i] = medians{mediansOf(in.History), mediansOf(in.New), in.Better, in.Exact}
	}
	if c.Options == (compare.Options{}) {
		c.Options = compare.DefaultOptions()
	}
	results := make([]Result, len(all))
	steps := make([]change.Point, len(all)) // that the new values complete
	for i := range c.pools {
		c.pools[i].reset()
	}

	for i := range all {
		steps[i] = c.compare(&results[i], &all[i])
	}
	for i := range c.pools {
		c.pools[i].usualSpread.settle()
	}
	for i := range all {
		if r := &results[i]; r.isPooled(&all[i]) {
			c.latest(all[i].History[r.Base:])
			c.pools[classOf(r.N)].add(c.values[:r.N])
		}
	}
	for i := range c.pools {
		c.pools[i].fill(i, c.Options.Alpha)
	}
	for i := range all {
		c.assess(&results[i], &all[i], steps[i])
	}
	c.adjust(results)
	for i := range all {
		c.decide(&results[i], &all[i])
	}
	return results
}

// compare finds the base and the medians of a series, and notes the spread of its history. It returns
// the step that ends in the new values, if there is one.
func (c *Checker) compare(r *Result, s *medians) (step change.Point) {
	r.P, r.Q, r.Lo, r.Hi = math.NaN(), math.NaN(), math.Inf(-1), math.Inf(1)
	r.Since = len(s.History)
	c.near = appendFinite(c.near[:0], s.New)
	if len(c.near) == 0 {
		r.Reason = "no new value is a number"
		return step
	}
	r.After = series.Median(c.near)

	for _, p := range c.finder.Find(s.History) {
		if p.Kind == change.Step && !isYoung(p, s.History, r.After) {
			r.Base = p.Hi
		}
	}
	c.values = append(append(c.values[:0], s.History...), s.New...)
	for _, p := range c.finder.Find(c.values) {
		if p.Kind == change.Step && p.Index > r.Base && p.Hi <= len(s.History) && p.Hi >= len(s.History)-maxLate {
			step = p
		}
	}

	r.Base += c.latest(s.History[r.Base:])
	if r.N = len(c.values); r.N == 0 {
		r.Reason = "the history has no value since its last change"
		if len(appendFinite(nil, s.History)) == 0 {
			r.Reason = "no value of the history is a number"
		}
		return step
	}
	c.near = append(c.near[:0], c.values...)
	c.setBefore(r)

	// The last commits may have the new level already. Then they are no part of the old one.
	if late := c.late(r); late > 0 {
		r.N -= late
		r.Since = nthLast(s.History, late)
		c.near = append(c.near[:0], c.values[:r.N]...)
		c.setBefore(r)
	}
	if r.isPooled(s) {
		c.pools[classOf(r.N)].usualSpread.add(r.Before, c.values[:r.N])
	}
	return step
}

// isPooled reports whether the history of a series says something about those of others.
func (r *Result) isPooled(s *medians) bool { return r.Reason == "" && r.N >= minHistory && !s.Exact }

// isYoung reports whether a step is the last one of a history and led to the level of the new values a
// few commits ago: then these are compared with the level before it.
func isYoung(p change.Point, history []float64, after float64) bool {
	return len(history)-p.Index < 2*minHistory && math.Abs(after-p.After) < math.Abs(after-p.Before)
}

// setBefore sets the old level to the median of c.near.
func (c *Checker) setBefore(r *Result) {
	r.Before = series.Median(c.near)
	r.Ratio = ratio(r.Before, r.After)
}

// maxLate is how many commits of the history may have the level of the new values already.
const maxLate = 20

// late returns how many of the last c.values are nearer to the new level than to the old one, if a step
// to the new one exceeds the threshold. At most a third are: more would be the level of the history.
func (c *Checker) late(r *Result) int {
	if !c.isBeyond(r.Ratio) {
		return 0
	}
	half := float64(r.Before/2) + float64(r.After/2)
	n := 0
	for n < min(maxLate, len(c.values)/3) {
		v := c.values[len(c.values)-1-n]
		if v == half || (v > half) != (r.After > half) {
			break
		}
		n++
	}
	return n
}

// nthLast returns the index of the n-th last number of a history.
func nthLast(history []float64, n int) int {
	i := len(history)
	for n > 0 {
		i--
		if isFinite(history[i]) {
			n--
		}
	}
	return i
}

// latest sets c.values to the last values of a history that are numbers, up to maxHistory. It returns
// the index of the first of them.
func (c *Checker) latest(history []float64) (first int) {
	first = len(history)
	for n := 0; first > 0 && n < maxHistory; {
		first--
		if isFinite(history[first]) {
			n++
		}
	}
	c.values = appendFinite(c.values[:0], history[first:])
	return first
}

// assess sets P and the interval.
func (c *Checker) assess(r *Result, s *medians, step change.Point) {
	switch {
	case r.Reason != "" || s.Exact:
		return
	case r.N < minHistory:
		r.Needed = minHistory - r.N
		r.Reason = "the history has too few values"
		return
	}
	c.latest(s.History[r.Base:])
	late := len(c.values) - r.N
	c.values = c.values[:r.N]
	slices.Sort(c.values)
	pool := &c.pools[classOf(r.N)]
	sd := pool.usualSpread.moderate(r.Before, spread(c.values))
	r.Lo, r.Hi = r.Before-float64(pool.usual*sd), r.Before+float64(pool.usual*sd)
	if !s.hasNegative() {
		r.Lo = max(0, r.Lo)
	}
	r.P = min(1, pool.share(distance(r.After, r.Before, sd))*float64(late+1)) // late was looked for
	if far := c.countFar(r); far > 0 {
		r.P = max(r.P, float64(far+1)/float64(r.N+1))
	}

	// A step says more if several values have the new level.
	if step.P < r.P && step.Index > 0 {
		if before := ratio(step.Before, step.After); c.isBeyond(before) && (before > 1) == (r.Ratio > 1) {
			r.P, r.Since = step.P, step.Index
			r.Before, r.Ratio = step.Before, ratio(step.Before, r.After)
		}
	}
	if width := float64(pool.usual * sd); c.isBeyond(r.Ratio) {
		share := width / math.Abs(r.After-r.Before)
		if needed := math.Ceil(share * share); needed <= maxNeeded {
			r.Needed = max(0, max(2, int(needed))-len(s.New)) // values of the history may be as far: more do not help
		}
	}
}

// hasNegative reports whether a value is less than 0. Times, sizes and rates never are.
func (s *medians) hasNegative() bool {
	isNegative := func(v float64) bool { return v < 0 && isFinite(v) }
	return slices.ContainsFunc(s.History, isNegative) || slices.ContainsFunc(s.New, isNegative)
}

// countFar returns how many values of the history, which c.values has, are on the side of the new ones
// and at least two thirds as far: where they have been, a value may be without a reason. The thirds are
// for noise with two modes that have a width each.
func (c *Checker) countFar(r *Result) int {
	far := 0
	limit := r.Before + (r.After-r.Before)*2/3
	for _, v := range c.values {
		if r.After > r.Before && v >= limit || r.After < r.Before && v <= limit {
			far++
		}
	}
	return far
}

// maxNeeded is the largest number of values that is worth to be named.
const maxNeeded = 100

// isBeyond reports whether a change exceeds the threshold.
func (c *Checker) isBeyond(ratio float64) bool { return math.Abs(ratio-1) > c.Options.Threshold }

// adjust sets Q of the results: P, adjusted for the number of all that were compared.
func (c *Checker) adjust(results []Result) {
	var family []*Result
	var p []float64
	for i := range results {
		if r := &results[i]; !math.IsNaN(r.P) {
			family, p = append(family, r), append(p, r.P)
		}
	}
	for i, q := range fdr.Adjust(p, len(p)) {
		family[i].Q = q
	}
}

// decide sets the verdict.
func (c *Checker) decide(r *Result, s *medians) {
	switch {
	case r.Reason != "":
		return
	case !c.isBeyond(r.Ratio):
		r.Verdict = judgment.Same
	case s.Exact || r.P < c.Options.Alpha:
		r.Verdict = verdictOf(r.Ratio > 1, s.Better)
		r.Suspect = r.Q >= c.Options.Alpha
	}
	if r.Verdict != judgment.Unknown {
		r.Needed = 0
	}
}

// verdictOf returns the verdict of values that rose or fell.
func verdictOf(rose bool, better format.Direction) judgment.Verdict {
	switch {
	case better == format.Unknown:
		return judgment.Changed
	case (better == format.Higher) == rose:
		return judgment.Better
	}
	return judgment.Worse
}

// ratio returns after / before, as Result.Ratio has it.
func ratio(before, after float64) float64 {
	switch {
	case before == after:
		return 1
	case before > 0 && after > 0:
		return after / before
	}
	return 1 + (after-before)/math.Abs(before) // infinite if before is 0
}

func isFinite(x float64) bool { return x-x == 0 }

func appendFinite(dst, values []float64) []float64 {
	for _, v := range values {
		if isFinite(v) {
			dst = append(dst, v)
		}
	}
	return dst
}

type medians struct {
	History, New []float64
	Better       format.Direction
	Exact        bool
}

func mediansOf(samples []series.Sample) []float64 {
	medians := make([]float64, len(samples))
	for i, s := range samples {
		medians[i] = series.Median(appendFinite(nil, s.Values))
	}
	return medians
}
