package check

import (
	"cmp"
	"math"
	"slices"

	"perfdata/series"
	"perfdata/series/change"
	"perfdata/series/judgment"
)

// A level has the runs of a history that new ones are compared with, and the runs that already have
// the level of the new ones.
type level struct {
	from, n  int // the values of the old level are n of Checker.values
	borrowed int // of these, the first are runs of earlier levels, moved to this one
	late     int // and the values of the new level follow them
	lateN    int // of how many commits they are

	size   int     // how many values most of the old runs have
	values int     // how many values they have together
	within float64 // the standard deviation of the values of a run; NaN if they have one each
	before float64 // the median of the old runs
	spread float64 // of the old runs

	isExact bool
	isClear bool // see Checker.isClear
}

// A run is what is looked at of a sample: its values that are numbers, of which there is one at least.
type run struct {
	index     int
	place     int // how many commits the samples have before it
	n         int // values
	median    float64
	deviation float64 // of the values
}

const (
	// minRuns and minValues are the numbers from which on a history has a spread: of runs, and of their
	// values. A history with fewer runs than minValues has one if they have several values each.
	minRuns, minValues = 3, 5
	minRepetitions     = 10

	// maxHistory is the number of runs that are looked at since the last change. More would say
	// little more about the level, and less about the noise of today.
	maxHistory = 100

	// enoughRuns is the number of runs since the last change from which on they alone say how much noise
	// there is.
	enoughRuns = 20

	// maxLate is the number of commits for which a new level is compared with the previous one.
	maxLate = 9
)

// old returns the medians of the runs of the old level.
func (c *Checker) old(l *level) []float64 { return c.values[l.from : l.from+l.n] }

// findLevel finds the levels of a history before and after a change, and their medians.
func (c *Checker) findLevel(r *Result, in *Input) level {
	c.starts = c.starts[:0]
	commits := c.readRuns(in.History)
	if len(c.runs) == 0 {
		return level{}
	}

	runs := c.runs
	if !in.Exact {
		runs = runs[c.lastStep(in.History, commits, r.New.Median):]
	}
	runs = runs[max(0, len(runs)-maxHistory):]

	// The last commits may already have the new level. Then they are not part of the old one, or
	// they are the whole of it.
	late, commits := 0, 0
	for range 2 {
		r.Old.Median = c.medianOf(runs[:len(runs)-late])
		r.Ratio = judgment.Change(r.Old.Median, r.New.Median)
		if !c.isBeyond(r.Ratio) {
			late, commits = 0, 0
			break
		}
		late, commits = countLate(runs, r.Old.Median, r.New.Median)
	}

	n := len(runs) - late
	if commits > maxLate || late > n {
		runs, n, late, commits = runs[n:], late, 0, 0
		c.starts = c.starts[:0]
	}
	r.Old.Median = c.medianOf(runs[:n])
	r.Ratio = judgment.Change(r.Old.Median, r.New.Median)
	r.Base = runs[0].index
	for i := range runs[:n] {
		if i == 0 || runs[i].place != runs[i-1].place {
			r.Old.N++ // commits
		}
	}
	if late > 0 {
		r.Level = runs[n].index
	}

	l := level{from: len(c.values), late: late, lateN: commits, before: r.Old.Median, isExact: in.Exact}
	if n >= minValues {
		c.borrow(&l, enoughRuns-n)
	}
	l.n = l.borrowed + n
	for _, run := range runs {
		c.values = append(c.values, run.median)
	}
	if !in.Exact {
		c.addSizes(&l, runs[:n])
	}
	return l
}

// readRuns sets the runs of samples, and returns how many commits these have.
func (c *Checker) readRuns(samples []series.Sample) (commits int) {
	c.runs = c.runs[:0]
	for i, s := range samples {
		if i == 0 || s.Commit != samples[i-1].Commit {
			commits++
		}
		if values := c.sort(s.Values); len(values) > 0 {
			deviation := deviationWithin(values, values[0], values[len(values)-1])
			c.runs = append(c.runs, run{i, commits - 1, len(values), series.Median(values), deviation})
		}
	}
	return commits
}

// sort returns the values that are numbers, sorted. The next call overwrites them.
func (c *Checker) sort(values []float64) []float64 {
	c.sorted = slices.DeleteFunc(append(c.sorted[:0], values...), func(v float64) bool { return !isFinite(v) })
	slices.Sort(c.sorted)
	return c.sorted
}

// lastStep returns the index in c.runs of the first run of the level that new values are compared with.
// A step that led to the new values a few commits ago is not its beginning, nor one after which there are too
// few commits for a history.
func (c *Checker) lastStep(history []series.Sample, commits int, after float64) int {
	c.starts = append(c.starts, 0)
	for _, p := range c.finder.FindSamples(history) {
		n := commits - p.Index
		isYoung := n < minValues || n <= maxLate && math.Abs(after-p.After) < math.Abs(after-p.Before)
		if p.Kind == change.Step && !isYoung {
			c.starts = append(c.starts, c.runAt(p.Lo), c.runAt(p.Hi))
		}
	}
	return c.starts[len(c.starts)-1]
}

// runAt returns the index in c.runs of the first one at a commit, or after it.
func (c *Checker) runAt(place int) int {
	i, _ := slices.BinarySearchFunc(c.runs, place, func(r run, place int) int { return cmp.Compare(r.place, place) })
	return i
}

// borrow adds runs of the levels before the old one, the last level first, moved to the old one: soon
// after a change, few runs say little about how much noise there is, and nothing about rare noise.
func (c *Checker) borrow(l *level, missing int) {
	for i := len(c.starts) - 3; i >= 0 && missing > 0; i -= 2 {
		runs := c.runs[c.starts[i]:max(c.starts[i], c.starts[i+1])]
		middle := c.medianOf(runs)
		if len(runs) < minValues || !(middle/l.before > 0) {
			continue
		}
		for _, r := range runs[max(0, len(runs)-missing):] {
			c.values = append(c.values, float64(r.median/middle*l.before))
			l.borrowed, missing = l.borrowed+1, missing-1
		}
	}
}

// countLate returns how many of the last runs have the new level, and how many commits they have.
// It chooses the runs after the place from which, most clearly, more runs are nearer to the new
// level than to the old one.
func countLate(runs []run, before, after float64) (late, commits int) {
	half := float64(before/2) + float64(after/2)
	lead, most, seen := 0, 0, 0
	for i := len(runs) - 1; i >= 0; i-- {
		if v := runs[i].median; v != half && (v > half) == (after > half) {
			lead++
		} else {
			lead--
		}
		if i > 0 && runs[i].place == runs[i-1].place {
			continue
		}
		seen++
		if lead > most {
			most, late, commits = lead, len(runs)-i, seen
		}
	}
	return late, commits
}

func (c *Checker) medianOf(runs []run) float64 {
	c.sorted = c.sorted[:0]
	for _, run := range runs {
		c.sorted = append(c.sorted, run.median)
	}
	return series.Median(c.sorted)
}

// addSizes sets how many values the old runs have, and how far these vary within a run. The deviation
// of the runs in the middle is that: a spike says nothing about the others.
func (c *Checker) addSizes(l *level, runs []run) {
	c.scores, c.chosen = c.scores[:0], c.chosen[:0]
	for _, run := range runs {
		l.values += run.n
		c.chosen = append(c.chosen, float64(run.n))
		if run.n > 1 {
			// The median of such deviations of a normal distribution, as a share of its own (Wilson and Hilferty).
			a := 1 - 2/float64(9*(run.n-1))
			c.scores = append(c.scores, run.deviation/math.Sqrt(a*a*a))
		}
	}
	slices.Sort(c.chosen)
	l.size = int(c.chosen[(len(c.chosen)-1)/2])
	l.within = series.Median(c.scores)
}

// medianVariance returns the variance of the median of n values as a share of theirs.
func medianVariance(n int) float64 {
	if n <= 2 {
		return 1 / float64(n)
	}
	return math.Pi / 2 / (float64(n) + math.Pi/2 - 1)
}
