package change

import (
	"encoding/json"

	"perfdata/internal/chars"
)

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
