package series

import (
	"math"
	"slices"
	"strings"
)

// A Sample is the values of a series that one run measured at one commit: one value, or its
// repetitions.
type Sample struct {
	Commit int // the place of the commit among all commits of an answer, from 0
	Run    int // tells the runs of a commit apart
	Values []float64
}

// A placedValue is a value with its place.
type placedValue struct {
	rank, run int
	value     float64
}

// IsOrdered reports whether the order of the commits of a side is known, and not that of the files: Sort of the
// answer says so.
func (s *Series) IsOrdered(side int) bool {
	return s.of.lineOf(side).isKnown
}

// CommitName returns the name of the commit of a sample of a side, or the name of the run if it
// names no commit.
func (s *Series) CommitName(side, commit int) string {
	return s.of.lineOf(side).names[commit]
}

// Samples returns the samples of a side, in the order of the commits. The Commit of a sample is its place among
// Commits, or NewCommits; where the question named the commits of the sides, it is a number. The samples
// belong to the caller.
func (s *Series) Samples(side int) []Sample {
	c := &s.of.columns
	c.scratch = c.scratch[:0]
	ranks := s.of.lineOf(side).ranks
	isSorted := true
	for column, v := range s.placed() {
		one := &c.all[column]
		p := placedValue{one.commit, one.run, v}
		if one.side != side {
			continue
		}

		if one.commit < len(ranks) {
			if p.rank = ranks[one.commit]; p.rank < 0 {
				continue
			}
		}
		if n := len(c.scratch); n > 0 && c.comparePlaced(c.scratch[n-1], p) > 0 {
			isSorted = false
		}
		c.scratch = append(c.scratch, p)
	}
	if !isSorted {
		slices.SortStableFunc(c.scratch, c.comparePlaced)
	}

	var samples []Sample
	values := make([]float64, 0, len(c.scratch))
	for i, p := range c.scratch {
		values = append(values, p.value)
		n := len(values)
		if i == 0 || c.comparePlaced(c.scratch[i-1], p) != 0 {
			samples = append(samples, Sample{Commit: p.rank, Run: p.run, Values: values[n-1 : n : n]})
			continue
		}
		last := &samples[len(samples)-1]
		last.Values = values[n-1-len(last.Values) : n : n]
	}
	return samples
}

// comparePlaced compares values by their commits, and then by the names of their runs: these do not depend on
// the order in which they came.
func (c *columns) comparePlaced(a, b placedValue) int {
	if a.rank != b.rank || a.run == b.run {
		return a.rank - b.rank
	}
	return strings.Compare(c.runs[a.run], c.runs[b.run])
}

// Median sorts values, and returns their median: the mean of the two in the middle if their number is
// even. It is NaN if a value is, or if there are none.
func Median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	if math.IsNaN(values[0]) { // NaN sorts first
		return math.NaN()
	}
	a, b := values[(n-1)/2], values[n/2]
	if sum := a + b; !math.IsInf(sum, 0) {
		return sum / 2
	}
	return float64(a/2) + float64(b/2)
}

// Medians returns the commits of samples, and the medians of the values of each. The samples of a commit
// follow one another. Both are new.
func Medians(samples []Sample) (commits []int, medians []float64) {
	var values []float64
	for i := range samples {
		values = append(values, samples[i].Values...)
		if i+1 == len(samples) || samples[i+1].Commit != samples[i].Commit {
			commits, medians = append(commits, samples[i].Commit), append(medians, Median(values))
			values = values[:0]
		}
	}
	return commits, medians
}
