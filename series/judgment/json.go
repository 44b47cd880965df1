package judgment

import (
	"math"

	"perfdata/internal/chars"
	"perfdata/traceid"
)

// The names of the members are part of the output of perfdata compare and check, on which programs
// rely.

// MarshalJSON returns the judgment as an object, on one line. Numbers that are not finite, and
// unknown values, are null.
func (j *Judgment) MarshalJSON() ([]byte, error) {
	lo, hi := j.Estimate.Interval()
	out := struct {
		Trace    string           `json:"trace"`
		Params   traceid.Params   `json:"params"`
		Unit     *string          `json:"unit"`
		FromUnit string           `json:"from_unit,omitempty"` // of the old values, which were converted
		Side     string           `json:"side,omitempty"`
		Better   *string          `json:"better"`
		ByUnit   bool             `json:"by_unit,omitempty"` // only the unit says what is better
		Exact    bool             `json:"exact,omitempty"`
		Old      Summary          `json:"old"`
		New      Summary          `json:"new"`
		Ratio    chars.JSONNumber `json:"ratio"`
		Estimate chars.JSONNumber `json:"hodges_lehmann"`
		Lo       chars.JSONNumber `json:"lo"`
		Hi       chars.JSONNumber `json:"hi"`
		P        chars.JSONNumber `json:"p"`
		Q        chars.JSONNumber `json:"q"`
		Verdict  string           `json:"verdict"` // with a question mark if it is suspect
		Since    *string          `json:"since"`
		Needed   *int             `json:"needed"`
		Of       string           `json:"needed_of,omitempty"`
		Reason   *string          `json:"reason"`
		Accepted *string          `json:"accepted,omitempty"`
	}{
		Trace: j.Series.Trace, Params: j.Series.Identity, Unit: chars.TextOrNull(j.Series.Unit), Side: j.Side,
		Better: chars.TextOrNull(j.Better.String()), ByUnit: j.Series.ByUnit, Exact: j.Exact, Old: j.Old, New: j.New,
		Ratio: chars.JSONNumber(j.Ratio), Estimate: chars.JSONNumber(j.Estimate.Ratio),
		Lo: chars.JSONNumber(lo), Hi: chars.JSONNumber(hi), P: chars.JSONNumber(j.P), Q: chars.JSONNumber(j.Q),
		Verdict: j.VerdictText(), Since: chars.TextOrNull(j.Since), Of: j.NeededOf(),
		Reason: chars.TextOrNull(j.Reason), Accepted: chars.TextOrNull(j.Accepted),
	}

	if j.From != nil {
		out.FromUnit = j.From.Unit
	}
	if j.Needed > 0 {
		out.Needed = &j.Needed
	}
	return chars.JSON(out), nil
}

// Interval returns the interval of the ratio: NaN where no bound was found.
func (e Estimate) Interval() (lo, hi float64) {
	if math.IsInf(e.Hi, 0) {
		return math.NaN(), math.NaN() // 0 is not a bound, either
	}
	return e.Lo, e.Hi
}

// NeededOf says what Needed counts, such as "more runs". It is empty if Needed is 0.
func (j *Judgment) NeededOf() string {
	switch {
	case j.Needed == 0:
		return ""
	case j.NeededRuns:
		return "more runs"
	}
	return "values on each side"
}

// MarshalJSON returns the summary as an object. Numbers that are not finite are null.
func (s Summary) MarshalJSON() ([]byte, error) {
	return chars.JSON(struct {
		N      int              `json:"n"`
		Median chars.JSONNumber `json:"median"`
		Lo     chars.JSONNumber `json:"lo"`
		Hi     chars.JSONNumber `json:"hi"`
		Since  string           `json:"since,omitempty"`
	}{s.N, chars.JSONNumber(s.Median), chars.JSONNumber(s.Lo), chars.JSONNumber(s.Hi), s.Since}), nil
}

// MarshalJSON returns the mean as an object. Numbers that do not exist are null.
func (g Geomean) MarshalJSON() ([]byte, error) {
	return chars.JSON(struct {
		By       traceid.Params   `json:"by"`
		Unit     *string          `json:"unit"`
		Side     string           `json:"side,omitempty"`
		Old      chars.JSONNumber `json:"old"`
		New      chars.JSONNumber `json:"new"`
		Ratio    chars.JSONNumber `json:"ratio"`
		Series   int              `json:"series"`
		SameSets bool             `json:"same_sets"`
	}{
		g.Group, chars.TextOrNull(g.Unit), g.Side, chars.JSONNumber(g.Old), chars.JSONNumber(g.New),
		chars.JSONNumber(g.Ratio), g.Series, g.SameSets,
	}), nil
}
