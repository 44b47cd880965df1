package skiadoc

import (
	"fmt"
	"math"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
	"perfdata/internal/number"
	"perfdata/internal/traceset"
	"perfdata/traceid"
)

// A Validation takes what a Grammar reports when it validates, and looks for duplicate traces.
type Validation struct {
	jsondoc.Validation

	maxTraces int
	traces    traceset.Set
	trace     string              // the one added last, as errors show it; "" if it is not known
	warned    map[string]struct{} // strings that a warning was given about
}

// NewValidation returns a Validation. The unit is what an error calls a part of the results.
func NewValidation(unit string, limits format.Limits) *Validation {
	return &Validation{
		Validation: jsondoc.Validation{Unit: unit},
		maxTraces:  limits.WithDefaults().MaxUniqueTraces,
		traces:     traceset.Set{Lines: true},
		warned:     make(map[string]struct{}),
	}
}

// Report adds an error that is made by at. The published schemas allow the fault, so its cause is
// the format's grammar.
func (v *Validation) Report(at func(message string) *format.Error, message string) {
	if v.Listing() {
		e := at(message)
		e.Err = format.ErrSyntax
		v.Add(e)
	}
}

// checkRange reports a number that was just read, and that Skia Perf can't store. Its digits decide, because
// a float64 was rounded already.
func (v *Validation) checkRange(s *jsonscan.Scanner, f float64) {
	if math.Abs(f) < roundsToInf || !v.Listing() {
		return
	}
	if _, err := number.ParseFloat(string(s.Token()), 32); err != nil {
		v.Report(s.TokenError, "the number is out of the range of float32, in which Skia Perf stores it")
	}
}

// roundsToInf is the least number that is rounded to an infinity in float32.
const roundsToInf = 0x1.ffffffp127

// InRange reports whether Skia Perf can store the measurement f in a float32, if it is written
// with as few digits as float64 needs. That includes roundsToInf, whose digits are a little below
// it.
func InRange(f float64) bool { return math.Abs(f) <= roundsToInf }

// Trace adds an error that is made by at, if the trace was measured before. The line is that of
// the present measurement.
func (v *Validation) Trace(params traceid.Params, line int, at func(message string) *format.Error) {
	earlier, known := v.traces.Add(params, line, v.maxTraces)
	if !v.traces.Again() {
		v.trace = ""
	}
	switch {
	case earlier > 0 && v.Listing():
		if v.trace == "" {
			v.trace = message.Shorten(string(params.AppendID(nil)))
		}
		e := at(fmt.Sprintf("trace %s was measured already, on line %d", v.trace, earlier))
		e.Err = format.ErrDuplicate
		v.Add(e)
	case !known:
		v.AddWarning(at(message.Limit("MaxUniqueTraces", int64(v.maxTraces),
			"different traces, so duplicates are not found from here on")))
	}
}

const maxWarned = 1_000 // strings

// warn adds a warning that is made by at, if s changes in a canonical trace ID.
func (v *Validation) warn(s string, at func(message string) *format.Error) {
	canonical := traceid.CanonicalString(s)
	if canonical == s || len(v.warned) > maxWarned {
		return
	}
	shown := message.Shorten(s) // one warning about all that begin like that is enough
	if _, ok := v.warned[shown]; ok {
		return
	}
	v.warned[shown] = struct{}{}

	message := fmt.Sprintf("%s becomes %s in trace ids", message.Quote(s), message.Quote(canonical))
	if len(v.warned) > maxWarned {
		message = fmt.Sprintf("more than %d different keys and values change in trace ids: "+
			"the rest are not listed", maxWarned)
	}
	v.AddWarning(at(message))
}
