package judgment

import (
	"cmp"

	"perfdata/format"
)

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
