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
//
// The medians are the medians of the samples' medians. Old has the usual range of New.Median: if
// nothing has changed, it is there with a probability of 1 - alpha. It is not negative unless one
// of the values is. Old.N is the number of commits whose samples the new ones are compared with.
// No pairs are compared.
//
// Known says that the history itself shows that the series is worse: the judgment of one of its
// commits was as certain. Only Worse can be Known. Needed counts runs of the history if it is too short,
// else new runs: more values of the same run would not decide.
type Result struct {
	judgment.Judgment

	// Base is the index in History of the first sample that the new ones are compared with.
	Base int

	// Level is the index in History of the first sample of the level that the new ones have. It is
	// the length of History if they are the first.
	Level int
}

// A Checker judges series. It reuses its memory. Only one goroutine at a time may use a Checker.
type Checker struct {
	// Options decide which changes are differences. The zero Options mean
	// [compare.DefaultOptions]. Confidence has no effect.
	Options compare.Options

	finder change.Finder
	values []float64 // the medians of the runs compared, of all series
	levels []level   // of each series
	family int       // how many series are judged together
	pools  [classes]pool

	runs   []run     // scratch: of a history, or the new ones
	starts []int     // scratch: of the levels of the history, and after each but the last where it ends
	sorted []float64 // scratch
	scores []float64 // scratch: of the old level
	latest []float64 // scratch: of the new level
	chosen []float64 // scratch
}

// aloneShare is the share of alpha that P must be less than: a series alone in its run is suspected without a
// reason once in 100 times.
const aloneShare = 0.2

// Judge judges series together: the usual noise of all of them tells what is unusual for one. The
// results are in the order of the inputs.
func (c *Checker) Judge(all []Input) []Result {
	if c.Options == (compare.Options{}) {
		c.Options = compare.DefaultOptions()
	}
	c.values, c.levels, c.pools = c.values[:0], c.levels[:0], [classes]pool{}

	results := make([]Result, len(all))
	c.family = 0
	runs := 0
	for i := range all {
		c.levels = append(c.levels, c.compare(&results[i], &all[i]))
		runs += c.levels[i].n
		if results[i].Reason == "" && !all[i].Exact {
			c.family++
		}
	}

	for i := range c.pools {
		c.pools[i].usualSpread.settle()
	}
	for i := range c.levels {
		if l := &c.levels[i]; l.n >= minValues && !l.isExact {
			c.addScores(l, 1+runs/enoughScores)
		}
	}
	for i := range c.pools {
		c.pools[i].fill(i)
	}

	for i := range all {
		c.assess(&results[i], &all[i], &c.levels[i])
	}
	adjust(results)
	for i := range all {
		c.decide(&results[i], &all[i], &c.levels[i])
	}
	c.findKnown(results, all)
	return results
}

// Series judges the series of an answer that have values of both sides, by their own direction and
// whether they are exact, and returns the judgments, the worst first. It also returns a series of
// each benchmark with several statistics of which none is judged: see [series.Judged]. The commits
// are the commits of the answer.
//
// Accept returns the place of the first commit of a series whose values count, and why a change of its new values
// is accepted, or an empty text.
func (c *Checker) Series(
	all []*series.Series, commits []series.Commit, accept func(*series.Series) (first int, reason string),
) (rows []*judgment.Judgment, undecided []*series.Series) {
	isInBoth := func(s *series.Series) bool { return len(s.Samples(series.Old)) > 0 && s.Has(series.New) }
	judged, undecided := series.Judged(all, isInBoth)
	var inputs []Input
	for _, s := range judged {
		if !isInBoth(s) {
			continue
		}

		first, reason := accept(s)
		history := slices.DeleteFunc(s.Samples(series.Old), func(s series.Sample) bool { return s.Commit < first })
		inputs = append(inputs, Input{History: history, New: s.Samples(series.New), Better: s.Better, Exact: s.Exact})
		rows = append(rows, &judgment.Judgment{Series: s, Accepted: reason})
	}

	for i, r := range c.Judge(inputs) {
		j, history := rows[i], inputs[i].History
		r.Series = j.Series
		if r.Verdict.IsDifferent() {
			r.Accepted = j.Accepted
			if r.Level < len(history) {
				r.Since = commits[history[r.Level].Commit].Hash
			}
		}
		*j = r.Judgment
	}
	slices.SortStableFunc(rows, judgment.Compare)
	return rows, undecided
}

// compare finds the levels before and after, and notes the spread of the old one.
func (c *Checker) compare(r *Result, in *Input) level {
	nan := math.NaN()
	r.Judgment = judgment.Judgment{
		Better: in.Better, Exact: in.Exact, Estimate: judgment.Estimate{Ratio: nan, Lo: nan, Hi: nan}, P: nan, Q: nan,
		Old: judgment.Summary{Lo: math.Inf(-1), Hi: math.Inf(1)},
		New: judgment.Summary{Lo: nan, Hi: nan},
	}
	for _, sample := range in.New {
		r.New.N += len(sample.Values)
	}

	c.readRuns(in.New)
	r.New.Median = c.medianOf(c.runs)
	r.Base, r.Level = len(in.History), len(in.History)
	if math.IsNaN(r.New.Median) {
		r.Reason = "no new value is a number"
		return level{}
	}
	l := c.findLevel(r, in)
	switch {
	case r.Old.N == 0:
		r.Reason = "no value of the history is a number"
		return level{}
	case in.Exact:
		return l
	}

	isEnough := l.n >= minRuns && l.values >= minRepetitions && isFinite(l.within)
	if l.n < minValues && !isEnough {
		needed := minValues // runs, with as many values as the others
		if isFinite(l.within) {
			needed = min(needed, max(minRuns, (minRepetitions+l.size-1)/l.size))
		}
		r.Reason = "the history has too few values"
		r.Needed, r.NeededRuns = max(1, needed-l.n), true
		return l
	}
	if l.n >= minValues { // it says something about the histories of others
		c.pool(&l).usualSpread.add(r.Old.Median, c.old(&l))
	}
	return l
}

// isBeyond reports whether a change exceeds the threshold.
func (c *Checker) isBeyond(ratio float64) bool { return math.Abs(ratio-1) > c.Options.Threshold }

// adjust sets Q of the results: P, adjusted for the number of all compared series.
func adjust(results []Result) {
	for i, q := range fdr.Adjust(len(results), func(i int) float64 { return results[i].P }, 0) {
		results[i].Q = q
	}
}

// decide sets the verdict.
func (c *Checker) decide(r *Result, in *Input, l *level) {
	switch {
	case r.Reason != "":
		return
	case !c.isBeyond(r.Ratio):
		r.Verdict = judgment.Same
	case in.Exact || r.P < aloneShare*c.Options.Alpha:
		r.Verdict = judgment.VerdictOf(r.Ratio > 1, in.Better)
		r.Suspect = !in.Exact && (r.Q >= c.Options.Alpha || !l.isClear)
	case r.P >= c.Options.Alpha/2:
		r.Verdict = judgment.Noise
		r.Old.Lo, r.Old.Hi = min(r.Old.Lo, r.New.Median), max(r.Old.Hi, r.New.Median) // the history itself has been as far
	default:
		r.Needed, r.NeededRuns = 1, true
	}
}

// findKnown finds the results that the history shows: one of its commits since the change would have
// been judged as certain, with the runs up to it, among the same series.
func (c *Checker) findKnown(results []Result, all []Input) {
	most := 0 // runs since the change
	isOpen := make([]bool, len(results))
	for i := range results {
		r := &results[i]
		isWorse := r.Verdict == judgment.Worse && !r.Suspect && r.Level < len(all[i].History)
		isOpen[i] = isWorse && !all[i].Exact
		r.Known = isWorse && all[i].Exact // each of these commits differs
		if isOpen[i] {
			most = max(most, c.levels[i].late)
		}
	}

	for after := 1; after <= most; after++ {
		earlier := slices.Clone(results)
		isClear := make([]bool, len(results))
		for i := range earlier {
			if isOpen[i] {
				earlier[i].P, isClear[i] = c.probability(&results[i], &c.levels[i], after)
			}
		}
		adjust(earlier)
		for i := range earlier {
			isKnown := isClear[i] && after <= c.levels[i].late && earlier[i].P < aloneShare*c.Options.Alpha
			results[i].Known = results[i].Known || isKnown && earlier[i].Q < c.Options.Alpha
		}
	}
}

func isFinite(x float64) bool { return x-x == 0 }
