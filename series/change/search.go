package change

import (
	"encoding/json"
	"slices"
	"strings"

	"perfdata/internal/chars"
	"perfdata/series"
)

// A Search finds the changes of series, whose values it does not keep, and then what they have in
// common:
//
//	var search change.Search
//	for _, s := range answer.Series() {
//		search.Add(s, s.Samples(series.Old))
//	}
//	found := search.Result(answer.Commits, 0.05, 0.05)
type Search struct {
	// Method finds the points of the medians of commits, in place of a [Finder]. It may be nil.
	Method func(medians []float64) []Point

	finder Finder
	series []*series.Series
	found  map[*series.Series]Found
}

// A Result is the result of a Search. It has the judged series, in the order of their traces,
// whatever the order in which they were added.
type Result struct {
	Series  []*series.Series
	All     []Found // of each series
	Reach   Reach
	Commits []string // the names of all commits, in their order

	// Findings and Changes are the results of the function [Findings].
	Findings []Finding
	Changes  []Change
}

// Add finds the changes of a series.
func (x *Search) Add(s *series.Series, samples []series.Sample) {
	var points []Point
	shortage := 0
	if x.Method != nil {
		_, medians := series.Medians(samples)
		points = x.Method(medians)
	} else {
		x.finder.Exact = s.Exact
		points, shortage = x.finder.FindSamples(samples), x.finder.Shortage()
	}
	var commits []int
	if len(points) > 0 {
		commits, _ = series.Medians(samples)
	}
	x.add(s, commits, points, shortage)
}

// AddMedians is Add for a series of which only the medians at its commits are known, and what [Summary] said
// of their variances. There is no Method.
func (x *Search) AddMedians(s *series.Series, commits []int, medians, variances []float64) {
	x.finder.Exact = s.Exact
	x.add(s, commits, x.finder.FindMedians(medians, variances), x.finder.Shortage())
}

func (x *Search) add(s *series.Series, commits []int, points []Point, shortage int) {
	if x.found == nil {
		x.found = make(map[*series.Series]Found)
	}
	x.series = append(x.series, s)
	x.found[s] = Found{s.Identity, s.Better, slices.Clone(points), commits, shortage}
}

// Result returns the changes in the series that [series.Judged] returns: the minimum, mean and
// maximum of a benchmark are not three findings.
func (x *Search) Result(commits []series.Commit, maxQ, threshold float64) *Result {
	var r Result
	judged, _ := series.Judged(x.series, nil)
	r.Series = slices.SortedStableFunc(slices.Values(judged), func(a, b *series.Series) int {
		return strings.Compare(a.Trace, b.Trace)
	})
	for _, s := range r.Series {
		one := x.found[s]
		r.All = append(r.All, one)
		r.Reach.Add(one.shortage)
	}
	for _, c := range commits {
		r.Commits = append(r.Commits, c.Hash)
	}
	r.Findings, r.Changes = Findings(r.All, maxQ, threshold)
	return &r
}

// A pointJSON is a [Point]. Index, lo and hi count the commits at which the series has values.
type pointJSON struct {
	Index  int              `json:"index"`
	Commit string           `json:"commit"`
	Kind   string           `json:"kind"`
	Lo     int              `json:"lo"`
	Hi     int              `json:"hi"`
	Before chars.JSONNumber `json:"before"`
	After  chars.JSONNumber `json:"after"`
	Ratio  chars.JSONNumber `json:"ratio"`
	P      chars.JSONNumber `json:"p"`
	Q      chars.JSONNumber `json:"q"`
}

// SeriesJSON returns a series, by its index, and its points as JSON, with the members of the output of
// perfdata changes --as json. Numbers that are not finite are null.
func (r *Result) SeriesJSON(index int) json.RawMessage {
	s := &r.All[index]
	points := make([]pointJSON, len(s.Points))
	for i, p := range s.Points {
		points[i] = pointJSON{
			p.Index, r.CommitName(s.place(p.Index)), p.Kind.String(), p.Lo, p.Hi, chars.JSONNumber(p.Before),
			chars.JSONNumber(p.After), chars.JSONNumber(p.Ratio), chars.JSONNumber(p.P), chars.JSONNumber(p.Q),
		}
	}
	return chars.JSON(struct {
		Trace  string      `json:"trace"`
		Points []pointJSON `json:"points"`
	}{r.Series[index].Trace, points})
}

// CommitName returns the name of the commit at a place. A trend may end after the last commit.
func (r *Result) CommitName(place int) string {
	if len(r.Commits) == 0 {
		return ""
	}
	return r.Commits[min(max(place, 0), len(r.Commits)-1)]
}
