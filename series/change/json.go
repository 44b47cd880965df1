package change

import (
	"encoding/json"

	"perfdata/internal/chars"
	"perfdata/traceid"
)

// An Encoder writes series and findings as JSON, with the members of the output of perfdata changes
// --as json. Numbers that are not finite are null.
type Encoder struct {
	all     []Found
	traces  []string
	commits []string
	q       map[[2]int]float64 // by the indexes of the series and the point
}

// NewEncoder returns an Encoder of series and their changes, which [Findings] returned. Traces are the
// trace IDs of the series, and commits the names of all commits in their order.
func NewEncoder(all []Found, changes []Change, traces, commits []string) *Encoder {
	q := make(map[[2]int]float64, len(changes))
	for _, c := range changes {
		q[[2]int{c.Series, c.Point}] = c.Q
	}
	return &Encoder{all, traces, commits, q}
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

// Series returns a series, by its index, and its points.
func (e *Encoder) Series(index int) json.RawMessage {
	s := &e.all[index]
	points := make([]pointJSON, len(s.Points))
	for i, p := range s.Points {
		points[i] = pointJSON{
			Index: p.Index, Commit: e.commit(s.place(p.Index)), Kind: p.Kind.String(), Lo: p.Lo, Hi: p.Hi,
			Before: chars.JSONNumber(p.Before), After: chars.JSONNumber(p.After), Ratio: chars.JSONNumber(p.Ratio),
			P: chars.JSONNumber(p.P), Q: chars.JSONNumber(e.Q(index, i)),
		}
	}
	return chars.JSON(struct {
		Trace  string      `json:"trace"`
		Points []pointJSON `json:"points"`
	}{e.traces[index], points})
}

// Q returns the q of a point, by the indexes of the series and the point. The q of an outlier is
// 1: nothing is claimed about it.
func (e *Encoder) Q(series, point int) float64 {
	if q, ok := e.q[[2]int{series, point}]; ok {
		return q
	}
	return 1
}

// Finding returns a finding, with an id unless it is empty. Commit is the one at which most series
// changed. One of the commits from first to last caused the finding.
func (e *Encoder) Finding(f *Finding, id string) json.RawMessage {
	traces := make([]string, len(f.Changes))
	for i, c := range f.Changes {
		traces[i] = e.traces[c.Series]
	}

	back := ""
	if f.Kind == Excursion {
		back = e.commit(f.Back)
	}
	return chars.JSON(struct {
		ID     string           `json:"id,omitempty"`
		Kind   string           `json:"kind"`
		Commit string           `json:"commit"`
		First  string           `json:"first"`
		Last   string           `json:"last"`
		Back   string           `json:"back,omitempty"` // the commit at which the level came back
		Params traceid.Params   `json:"params"`
		Ratio  chars.JSONNumber `json:"ratio"`
		Worse  int              `json:"worse"`
		Better int              `json:"better"`
		Traces []string         `json:"traces"` // in the order of Finding.Changes
	}{
		id, f.Kind.String(), e.commit(f.At), e.commit(f.Lo), e.commit(f.Hi), back, f.Params, chars.JSONNumber(f.Ratio),
		f.Worse, f.Better, traces,
	})
}

// commit returns the name of the commit at a place. A trend may end after the last commit.
func (e *Encoder) commit(place int) string {
	if len(e.commits) == 0 {
		return ""
	}
	return e.commits[min(max(place, 0), len(e.commits)-1)]
}
