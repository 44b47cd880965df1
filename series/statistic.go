package series

import (
	"slices"

	"perfdata/traceid"
)

// paramStat is the param that names the statistic of several values.
const paramStat = "stat"

// Judged returns the series that are judged, and one series of each benchmark that has none, both in the order of
// all.
//
// Series whose identities differ only in the param stat are statistics of one benchmark: a minimum
// and a standard deviation that change are not two findings. One of them is judged: the one without
// stat, else median, else mean, else the only one. If there are several and none of these, none is
// judged. A series for which complete returns false is judged only if it returns false for all
// statistics of the benchmark: a program that compares two sets prefers a statistic that is in
// both. If complete is nil, all are complete.
func Judged(all []*Series, complete func(*Series) bool) (judged, undecided []*Series) {
	hasStat := func(s *Series) bool { _, ok := s.Identity.Get(paramStat); return ok }
	if !slices.ContainsFunc(all, hasStat) {
		return all, nil
	}

	best := make(map[string]choice)
	keys := make([]string, len(all))
	for i, s := range all {
		rest := slices.DeleteFunc(slices.Clone(s.Identity), func(p traceid.Param) bool { return p.Key == paramStat })
		keys[i] = rest.ID()
		rank := 0 // the least is judged
		if stat, has := s.Identity.Get(paramStat); has {
			rank = 3 - map[string]int{"mean": 1, "median": 2}[stat]
		}
		if complete != nil && !complete(s) {
			rank += incomplete
		}
		switch old, ok := best[keys[i]]; {
		case !ok || rank < old.rank:
			best[keys[i]] = choice{rank, s}
		case rank == old.rank:
			best[keys[i]] = choice{rank, nil} // none is better than the other
		}
	}

	for i, s := range all {
		switch c := best[keys[i]]; {
		case c.series == s:
			judged = append(judged, s)
		case c.series == nil && c.rank != named:
			undecided = append(undecided, s)
			best[keys[i]] = choice{rank: named}
		}
	}
	return judged, undecided
}

// A choice is the best series of a benchmark, or nil if several are the best.
type choice struct {
	rank   int
	series *Series
}

// incomplete is more than the rank of any statistic, and named is the rank of a benchmark of which one of the
// undecided series was returned.
const (
	incomplete = 10
	named      = -1
)
