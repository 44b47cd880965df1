// Package judgment has the results of judging series: a [Judgment] of each, which
// [perfdata/series/compare] and [perfdata/series/check] make.
//
// A Judgment has the same members whoever made it, so that programs print it in one way. The
// change that it shows is Ratio, that of the two medians; an estimate that has an interval stands
// apart from it.
package judgment

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"perfdata/format"
	"perfdata/series"
	"perfdata/traceid"
)

// A Judgment says how the new values of a series differ from the old ones.
type Judgment struct {
	Series *series.Series // of the new values
	Group  traceid.Params // the params and attrs by which series are grouped

	// From is the series of the old values, if it has another unit than Series, and nil otherwise.
	// Its values were converted to the unit of Series.
	From *series.Series

	// Side is the value of a param that tells the new values from the old ones. It is empty if
	// these are two sets.
	Side string

	Better format.Direction
	Exact  bool // one value is enough, and any difference beyond the threshold counts

	Old, New Summary

	// Ratio is the median of the new values divided by the median of the old ones. If one of them is
	// not positive, it is 1 plus their difference divided by the absolute value of the old median.
	Ratio float64

	Estimate Estimate

	// P is the probability of such a difference by chance, and NaN if the values are exact. Q is
	// P, adjusted for the number of series, and NaN where nothing is adjusted. If two samples have
	// only two different values, P may exceed 1, as in benchstat.
	P, Q float64

	Verdict Verdict
	Suspect bool // the difference may be due to the number of series

	// Since is the first commit of the level that the new values have, if the history has it
	// already. Known says that an earlier commit was judged worse for it.
	Since string
	Known bool

	// Accepted is why a change is accepted. It is empty for others.
	Accepted string

	// Needed is how many values on each side would likely decide, if the verdict is Unknown. It is
	// 0 if that is not known. If NeededRuns is set, it is how many more runs.
	Needed     int
	NeededRuns bool

	// Reason says why there is no judgment. It is empty if there is one.
	Reason string

	// Inexact says that values that should be exact differ on one side.
	Inexact bool
}

// An Estimate is the Hodges-Lehmann estimate of new / old: the median of the ratios of all pairs
// of values. If a value is not positive, it is 1 plus the median of the differences of all pairs,
// divided by the absolute value of the old median.
type Estimate struct {
	Ratio  float64 // NaN where no pairs are compared
	Lo, Hi float64 // the confidence interval: 0 and infinite if there are too few values
}

// A Summary describes the values of one side.
type Summary struct {
	N      int     // values, or commits of a history
	Median float64 // if the values are exact: the most frequent one

	// Lo and Hi are the confidence interval of the median, or the usual range of a history. They
	// are infinite if there are too few values. If the values are exact, they are the least and
	// the greatest.
	Lo, Hi float64

	// Since is the first commit of the values, if earlier commits of the side have another level.
	// It is empty if these are all values of the side.
	Since string
}

// Percent returns the width of the interval as benchstat prints it, such as "2%" or "∞".
func (s Summary) Percent() string {
	return benchmath.Summary{Center: s.Median, Lo: s.Lo, Hi: s.Hi}.PctRangeString()
}

// A Geomean is the geometric mean of the medians of a group of series with one unit.
type Geomean struct {
	Group traceid.Params
	Unit  string
	Side  string // as that of a Judgment

	// Old and New are of all series of a side, and Ratio is of the ratios of the series in both.
	// They are NaN if one of the numbers is not positive.
	Old, New, Ratio float64

	Series   int  // in both
	SameSets bool // all series are in both
}

// Change returns new / old, as [Judgment].Ratio has it.
func Change(old, new float64) float64 {
	switch {
	case old == new:
		return 1
	case old > 0 && new > 0:
		return new / old
	}
	return 1 + (new-old)/math.Abs(old) // infinite if old is 0
}

// A Verdict says whether a series differs, and whether that is better or worse.
type Verdict int8

const (
	Unknown Verdict = iota // it may be noise or a difference: more values would decide
	Noise                  // the difference exceeds the threshold, and is within the usual range of the series
	Same                   // the difference does not exceed the threshold
	Better
	Changed // it is not known which direction is better
	Worse
)

var verdictNames = map[Verdict]string{
	Noise: "within noise", Same: "same", Better: "better", Changed: "changed", Worse: "worse",
}

// String returns the verdict as it is printed.
func (v Verdict) String() string { return cmp.Or(verdictNames[v], "unknown") }

// IsDifferent reports whether v says that there is a difference.
func (v Verdict) IsDifferent() bool { return v == Better || v == Changed || v == Worse }

// VerdictOf returns the verdict of values that differ: they rose, or else fell.
func VerdictOf(rose bool, better format.Direction) Verdict {
	switch {
	case better == format.Unknown:
		return Changed
	case rose == (better == format.Higher):
		return Better
	}
	return Worse
}

// The texts of verdicts, the worst first, as [Judgment.VerdictText] returns them.
var texts = [...]string{
	"worse", "worse?", "known", "changed", "changed?", "better", "better?", "unknown", "within noise", "same",
}

// Texts returns the texts of all verdicts, the worst first.
func Texts() []string { return append([]string(nil), texts[:]...) }

// VerdictText returns the verdict, with a question mark if it is suspect, such as "worse?". A
// worse level that an earlier commit was judged for is "known".
func (j *Judgment) VerdictText() string {
	switch {
	case j.Suspect:
		return j.Verdict.String() + "?"
	case j.Known && j.Verdict == Worse:
		return "known"
	}
	return j.Verdict.String()
}

// Delta returns the change of the median as benchstat prints it: a percentage, ~ if p is greater
// than alpha, or ? if the old median is 0.
func (j *Judgment) Delta(alpha float64) string {
	return benchmath.Comparison{P: j.p(), Alpha: alpha}.FormatDelta(j.Old.Median, j.New.Median)
}

// Test returns p and the numbers of values as benchstat prints them, such as "p=0.008 n=5+6".
func (j *Judgment) Test() string {
	return benchmath.Comparison{P: j.p(), N1: j.Old.N, N2: j.New.N}.String()
}

// p returns P as benchstat has it: 0 for exact values.
func (j *Judgment) p() float64 {
	if j.P != j.P {
		return 0
	}
	return j.P
}

// Compare sorts judgments: the worst first, and within one verdict the largest change first. Equal
// ones are in the order of their traces.
func Compare(a, b *Judgment) int {
	return cmp.Or(
		a.rank()-b.rank(),
		cmp.Compare(a.size(), b.size()),
		strings.Compare(a.Series.Trace, b.Series.Trace),
		strings.Compare(a.Side, b.Side),
	)
}

// rank returns the place of a verdict among all. Accepted changes are last.
func (j *Judgment) rank() int {
	if j.Accepted != "" {
		return len(texts)
	}
	return slices.Index(texts[:], j.VerdictText())
}

// size returns a number that is the least for the largest change. Without a ratio, it is the
// greatest.
func (j *Judgment) size() float64 {
	size := -math.Abs(math.Log(math.Abs(j.Ratio)))
	if size != size {
		return math.Inf(1)
	}
	return size
}
