package compare

import (
	"math"

	"perfdata/internal/jsonenc"
	"perfdata/traceid"
)

// The names of the members are those of the output of perfdata compare --as json, and part of what
// programs rely on.

// A rowJSON is a [Row].
type rowJSON struct {
	Trace    string         `json:"trace"`
	Params   traceid.Params `json:"params"`
	Unit     *string        `json:"unit"`
	FromUnit string         `json:"from_unit,omitempty"` // of the old values, which were converted
	Better   *string        `json:"better"`
	ByUnit   bool           `json:"by_unit,omitempty"` // only the unit says what is better
	Exact    bool           `json:"exact,omitempty"`
	Old      Summary        `json:"old"`
	New      Summary        `json:"new"`
	Ratio    jsonenc.Number `json:"ratio"`
	Lo       jsonenc.Number `json:"lo"`
	Hi       jsonenc.Number `json:"hi"`
	P        jsonenc.Number `json:"p"`
	Q        jsonenc.Number `json:"q"`
	Verdict  string         `json:"verdict"` // with a question mark if it is suspect
	Needed   *int           `json:"needed"`
	Reason   string         `json:"reason,omitempty"`
}

// MarshalJSON returns the row as an object, on one line. Numbers that are not finite, and what is not
// known, are null.
func (r *Row) MarshalJSON() ([]byte, error) {
	out := rowJSON{
		Trace: r.Series.Trace, Params: r.Series.Identity, Unit: jsonenc.TextOrNull(r.Series.Unit),
		Better: jsonenc.TextOrNull(r.Better.String()), ByUnit: r.ByUnit, Exact: r.Exact, Old: r.Old, New: r.New,
		Ratio: jsonenc.Number(r.Ratio), Lo: jsonenc.Number(r.Lo), Hi: jsonenc.Number(r.Hi),
		P: jsonenc.Number(r.P), Q: jsonenc.Number(r.Q), Verdict: r.VerdictText(), Reason: r.Reason,
	}
	if math.IsInf(r.Hi, 0) {
		out.Lo = jsonenc.Number(math.NaN()) // 0 is not a bound that was found
	}
	if r.From != nil {
		out.FromUnit = r.From.Unit
	}
	if r.Needed > 0 {
		out.Needed = &r.Needed
	}
	return jsonenc.Marshal(out)
}

// MarshalJSON returns the summary as an object. Numbers that are not finite are null.
func (s Summary) MarshalJSON() ([]byte, error) {
	return jsonenc.Marshal(struct {
		N      int            `json:"n"`
		Median jsonenc.Number `json:"median"`
		Lo     jsonenc.Number `json:"lo"`
		Hi     jsonenc.Number `json:"hi"`
	}{s.N, jsonenc.Number(s.Median), jsonenc.Number(s.Lo), jsonenc.Number(s.Hi)})
}

// MarshalJSON returns the mean as an object. Numbers that do not exist are null.
func (g Geomean) MarshalJSON() ([]byte, error) {
	return jsonenc.Marshal(struct {
		By       traceid.Params `json:"by"`
		Unit     *string        `json:"unit"`
		Old      jsonenc.Number `json:"old"`
		New      jsonenc.Number `json:"new"`
		Ratio    jsonenc.Number `json:"ratio"`
		Series   int            `json:"series"`
		SameSets bool           `json:"same_sets"`
	}{
		g.Group, jsonenc.TextOrNull(g.Unit), jsonenc.Number(g.Old), jsonenc.Number(g.New), jsonenc.Number(g.Ratio),
		g.Series, g.SameSets,
	})
}
