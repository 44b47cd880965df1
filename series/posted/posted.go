// Package posted gives findings of package [perfdata/series/change] ids that they keep while their history
// grows, so that a program posts each of them once.
//
// A step is found some commits late, its place may move by a commit when the next values come, and another
// series may join it. So a finding keeps the id of an earlier one if both have the same direction, their
// intervals overlap, and they share a series. If several can have one id, the one that shares most series has
// it, and of equal ones the nearest.
//
//	before, err := posted.Read(file)      // what an earlier run printed
//	now := posted.Of(found)
//	former := posted.Assign(now, before, found.Commits)
//
// Earlier findings that are not found any more are kept, because they may be found once more: in
// JSON, they are in the member former.
package posted

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"perfdata/series/change"
	"perfdata/traceid"
)

// A Finding is a [change.Finding] with the names of its commits and series. Its members are the members of
// the output of perfdata changes --as json.
type Finding struct {
	ID     string         `json:"id"`
	Kind   string         `json:"kind"`
	Commit string         `json:"commit"` // at which most series changed
	First  string         `json:"first"`  // one of the commits from First to Last is the cause
	Last   string         `json:"last"`
	Back   string         `json:"back,omitempty"` // the commit at which the level came back
	Params traceid.Params `json:"params"`
	Ratio  *float64       `json:"ratio"` // nil if it is not finite
	Worse  int            `json:"worse"` // how many series got worse, and better; none if that is not known
	Better int            `json:"better"`
	Traces []string       `json:"traces"` // in the order of the changes
}

// Of returns the findings of a search, without ids.
func Of(found *change.Result) []Finding {
	all := make([]Finding, len(found.Findings))
	for i := range all {
		f := &found.Findings[i]
		all[i] = Finding{
			Kind: f.Kind.String(), Commit: found.CommitName(f.At), First: found.CommitName(f.Lo),
			Last: found.CommitName(f.Hi), Params: f.Params, Worse: f.Worse, Better: f.Better,
		}
		if f.Kind == change.Excursion {
			all[i].Back = found.CommitName(f.Back)
		}
		if f.Ratio-f.Ratio == 0 {
			all[i].Ratio = &f.Ratio
		}
		for _, c := range f.Changes {
			all[i].Traces = append(all[i].Traces, found.Series[c.Series].Trace)
		}
	}
	return all
}

// Read reads the findings of an earlier run, and the former ones of the runs before it: the output of perfdata
// changes --as json. An empty input has none.
func Read(in io.Reader) ([]Finding, error) {
	var all struct {
		Findings []Finding `json:"findings"`
		Former   []Finding `json:"former"`
	}
	if err := json.NewDecoder(in).Decode(&all); err != nil && err != io.EOF {
		return nil, err
	}
	for i := range all.Findings {
		if all.Findings[i].ID == "" {
			return nil, fmt.Errorf("findings.%d: missing id", i)
		}
	}
	return append(all.Findings, all.Former...), nil
}

// direction returns what a finding means: worse, better, or that values rose or fell.
func (f *Finding) direction() string {
	switch {
	case f.Worse > 0:
		return "worse"
	case f.Better > 0:
		return "better"
	case f.Ratio != nil && *f.Ratio < 1:
		return "fell"
	}
	return "rose"
}

// A claim is the claim of a finding to the id of an earlier one.
type claim struct {
	now, before int
	shared      int // series
	distance    int // of the commits at which most series changed
}

// maxFormer is the number of former findings that are kept, the latest first.
const maxFormer = 1000

// Assign sets the ids of findings: ids of earlier ones, or otherwise new ones. It returns the
// earlier findings whose ids no finding has, at most 1,000. Commits are the names of all commits in
// their order.
func Assign(now, before []Finding, commits []string) (former []Finding) {
	places := make(map[string]int, len(commits))
	for i, name := range commits {
		if name != "" {
			places[name] = i
		}
	}

	byTrace := make(map[string][]int) // indexes in before
	for i := range before {
		for _, trace := range before[i].Traces {
			byTrace[trace] = append(byTrace[trace], i)
		}
	}

	var claims []claim
	for i := range now {
		shared := make(map[int]int)
		for _, trace := range now[i].Traces {
			for _, k := range byTrace[trace] {
				shared[k]++
			}
		}

		for k, n := range shared {
			if now[i].direction() == before[k].direction() && overlap(&now[i], &before[k], places) {
				distance := places[now[i].Commit] - places[before[k].Commit]
				claims = append(claims, claim{i, k, n, max(distance, -distance)})
			}
		}
	}
	slices.SortFunc(claims, func(a, b claim) int {
		return cmp.Or(b.shared-a.shared, a.distance-b.distance, a.now-b.now, a.before-b.before)
	})

	used := make(map[string]bool)
	for _, c := range claims {
		if id := before[c.before].ID; now[c.now].ID == "" && !used[id] {
			now[c.now].ID, used[id] = id, true
		}
	}

	for i := range before {
		if len(former) < maxFormer && !used[before[i].ID] {
			former, used[before[i].ID] = append(former, before[i]), true
		}
	}

	for i := range now {
		for n := 0; now[i].ID == ""; n++ {
			if id := now[i].newID(n); !used[id] {
				now[i].ID, used[id] = id, true
			}
		}
	}
	return former
}

// Known reports which findings are among earlier ones, and so keep an id.
func Known(now, before []Finding, commits []string) []bool {
	now, before = slices.Clone(now), slices.Clone(before)
	isKnown := make([]bool, len(now))
	for i := range before {
		before[i].ID = fmt.Sprint(i)
	}
	for i := range now {
		now[i].ID = ""
	}
	Assign(now, before, commits)
	for i := range now {
		isKnown[i] = slices.ContainsFunc(before, func(f Finding) bool { return f.ID == now[i].ID })
	}
	return isKnown
}

// overlap reports whether the intervals of two findings overlap. A commit that is not known any more is before
// all others.
func overlap(a, b *Finding, places map[string]int) bool {
	aHi, aOK := places[a.Last]
	bHi, bOK := places[b.Last]
	return aOK && bOK && places[a.First] <= bHi && places[b.First] <= aHi
}

// newID returns an id, and others for greater n.
func (f *Finding) newID(n int) string {
	trace := ""
	if len(f.Traces) > 0 {
		trace = f.Traces[0]
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", f.direction(), f.Commit, trace, n))
	return fmt.Sprintf("%x", sum[:5])
}
