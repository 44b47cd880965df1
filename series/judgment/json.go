package judgment

import (
	"math"

	"perfdata/internal/jsonenc"
	"perfdata/traceid"
)

// The names of the members are those of the output of perfdata compare and check, and part of what
// programs rely on.

// MarshalJSON returns the judgment as an object, on one line. Numbers that are not finite, and what is not
// known, are null.
func (j *Judgment) MarshalJSON() ([]byte, error) {
	lo, hi := j.Lo, j.Hi
	if math.IsInf(hi, 0) {
		lo = math.NaN() // 0 is not a bound that was found
	}
	out := struct {
		Trace    string         `json:"trace"`
		Params   traceid.Params `json:"params"`
		Unit     *string        `json:"unit"`
		FromUnit string         `json:"from_unit,omitempty"` // of the old values, which were converted
		Side     string         `json:"side,omitempty"`
		Better   *string        `json:"better"`
		ByUnit   bool           `json:"by_unit,omitempty"` // only the unit says what is better
		Exact    bool           `json:"exact,omitempty"`
		Old      Summary        `json:"old"`
		New      Summary        `json:"new"`
		Ratio    jsonenc.Number `json:"ratio"`
		Estimate jsonenc.Number `json:"hodges_lehmann"`
		Lo       jsonenc.Number `json:"lo"`
		Hi       jsonenc.Number `json:"hi"`
		P        jsonenc.Number `json:"p"`
		Q        jsonenc.Number `json:"q"`
		Verdict  string         `json:"verdict"` // with a question mark if it is suspect
		Since    *string        `json:"since"`
		Needed   *int           `json:"needed"`
		Of       string         `json:"needed_of,omitempty"`
		Reason   *string        `json:"reason"`
		Accepted *string        `json:"accepted,omitempty"`
	}{
		Trace: j.Series.Trace, Params: j.Series.Identity, Unit: jsonenc.TextOrNull(j.Series.Unit), Side: j.Side,
		Better: jsonenc.TextOrNull(j.Better.String()), ByUnit: j.ByUnit, Exact: j.Exact, Old: j.Old, New: j.New,
		Ratio: jsonenc.Number(j.Ratio), Estimate: jsonenc.Number(j.Estimate),
		Lo: jsonenc.Number(lo), Hi: jsonenc.Number(hi), P: jsonenc.Number(j.P), Q: jsonenc.Number(j.Q),
		Verdict: j.VerdictText(), Since: jsonenc.TextOrNull(j.Since), Of: j.NeededOf(),
		Reason: jsonenc.TextOrNull(j.Reason), Accepted: jsonenc.TextOrNull(j.Accepted),
	}
	if j.From != nil {
		out.FromUnit = j.From.Unit
	}
	if j.Needed > 0 {
		out.Needed = &j.Needed
	}
	return jsonenc.Marshal(out)
}

// NeededOf says what Needed counts, such as "more runs". It is empty if Needed is 0.
func (j *Judgment) NeededOf() string {
	switch {
	case j.Needed == 0:
		return ""
	case j.NeededRuns:
		return "more runs"
	case j.NeededEach:
		return "values on each side"
	}
	return "more values"
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
		Side     string         `json:"side,omitempty"`
		Old      jsonenc.Number `json:"old"`
		New      jsonenc.Number `json:"new"`
		Ratio    jsonenc.Number `json:"ratio"`
		Series   int            `json:"series"`
		SameSets bool           `json:"same_sets"`
	}{
		g.Group, jsonenc.TextOrNull(g.Unit), g.Side, jsonenc.Number(g.Old), jsonenc.Number(g.New),
		jsonenc.Number(g.Ratio), g.Series, g.SameSets,
	})
}
