package skiadoc

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"perfdata/format"
	"perfdata/internal/intern"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
	"perfdata/internal/number"
	"perfdata/internal/traceset"
	"perfdata/traceid"
)

// A Validator finds the errors of a document. The format's own validator sets the fields up to
// Read, and calls Validate.
type Validator struct {
	Format *Format
	Limits format.Limits // with their defaults
	Unit   string        // what an error calls a part of the results

	// Header reads the value of a member of the header, or of an unknown member.
	Header func(m jsondoc.Set, name []byte)
	// Left is called at the end of the document, with the members that it has.
	Left func(seen jsondoc.Set)
	// Read reads the results ahead, and calls flush after every part. If flush returns false, Read
	// returns false at once.
	Read func(flush func() bool) bool

	Scan    *jsonscan.Scanner
	Strings intern.Table

	found       found
	headerBytes int64
	results     resultsMark

	traces traceset.Set
	trace  string                    // the one added last, as errors show it; "" if it is not known
	names  [maxLevels]jsonscan.Names // of the members of the open object on each level
	warned map[string]struct{}       // strings that a warning was given about
}

// found has the errors of the header, or of one part of the results, that were not yielded yet.
type found struct {
	errors []*format.Error
	bytes  int // about how much memory they take
}

// A resultsMark is the place of the results, if the document has any.
type resultsMark struct {
	some     bool
	mark     jsonscan.Bookmark
	from, to int64 // offsets
}

// The levels of objects. Each level has members of its own.
const (
	levelDocument = iota
	levelStrings

	OwnLevel  // the first of a format's own levels; the others follow
	maxLevels = OwnLevel + 4
)

// MaxFound is the largest number of errors that are listed of the header, or of one part of the
// results, if they take less than maxFoundBytes.
const (
	MaxFound      = 10_000
	maxFoundBytes = 4 << 20
)

const maxWarned = 1_000 // strings

// Validate reads the document and yields its errors in the order of the file. Members of the
// header may come before the results or after them.
func (v *Validator) Validate(in io.Reader, name string, yield func(*format.Error) bool) {
	v.Scan = v.Format.NewScanner(in, name, v.Limits)
	defer v.Scan.Close()
	v.warned = make(map[string]struct{})
	v.traces.Lines = true

	header, fatal := v.document()
	for len(header) > 0 && (!v.results.some || header[0].Offset < v.results.from) {
		if !yield(header[0]) {
			return
		}
		header = header[1:]
	}

	if v.results.some {
		if !v.readResults(yield) {
			return
		}
		if err := v.Scan.Err(); err != nil {
			header, fatal = nil, err
		}
	}

	for _, e := range header {
		if !yield(e) {
			return
		}
	}
	if e, ok := errors.AsType[*format.Error](fatal); ok {
		yield(e)
	}
}

// document reads the document except the results. It returns the errors in the order of the file,
// and the error that ended the reading.
func (v *Validator) document() (header []*format.Error, fatal error) {
	var seen jsondoc.Set
	isObject := v.Object(levelDocument, func(name []byte) {
		m := v.Format.Member(name)
		seen |= m
		v.documentMember(m, name)
	})
	if isObject {
		v.Left(seen)
	}
	v.Scan.End()
	return v.take(), v.Scan.Err()
}

// documentMember reads the value of a member of the document, and skips the results.
func (v *Validator) documentMember(m jsondoc.Set, name []byte) {
	s := v.Scan
	switch {
	case m == jsondoc.Unknown:
		v.Header(m, name)
	case m != Results:
		s.BeginRegion("MaxHeaderBytes", v.Limits.MaxHeaderBytes, v.headerBytes)
		v.Header(m, name)
		v.headerBytes = s.EndRegion()
	case s.Kind() == v.Format.Results:
		v.results = resultsMark{some: true, from: s.Offset(), mark: s.LookAhead()}
		s.Skim()
		v.results.to = s.Offset()
	default:
		v.WrongType(v.Format.Results.String())
	}
}

// readResults reads the results and yields their errors. It returns false if the loop stopped.
func (v *Validator) readResults(yield func(*format.Error) bool) bool {
	v.Scan.Return(v.results.mark)
	flush := func() bool {
		for _, e := range v.take() {
			if !yield(e) {
				return false
			}
		}
		return true
	}
	if !v.Read(flush) {
		return false
	}
	v.Scan.EndAgain(v.results.to)
	return true
}

// Object reads an object. It calls member for each member except duplicates, to read the value. It
// returns false if the value is not an object or can't be read to its end.
func (v *Validator) Object(level int, member func(name []byte)) bool {
	s := v.Scan
	if s.Kind() != jsonscan.Object {
		v.WrongType("object")
		return false
	}
	v.names[level].Reset()
	for s.EnterObject(); ; {
		name, _, ok := s.Member()
		if !ok {
			return s.Err() == nil
		}
		if v.First(level, name) {
			member(name)
		}
	}
}

// First reports whether the member whose name was just read is the first with that name. If not,
// it skips the value.
func (v *Validator) First(level int, name []byte) bool {
	s := v.Scan
	if v.names[level].Add(s, name) {
		return true
	}
	if s.Err() == nil {
		if v.Listing() {
			v.Add(s.RepeatedError(name))
		}
		s.Skip()
	}
	return false
}

// StringPairs reads an object of strings and appends them to dst. What is the error's name for too
// many of them. Params are also checked for characters that canonical trace IDs cannot have.
func (v *Validator) StringPairs(dst []traceid.Param, params bool, what string) []traceid.Param {
	s := v.Scan
	v.Object(levelStrings, func(name []byte) {
		if !s.Charge(PairCost) {
			return
		}
		if params {
			v.Warn(name, s.NameError)
		}
		key := v.Strings.String(name)
		text, ok := v.String()
		if !ok {
			return
		}

		if params {
			v.Warn(text, s.TokenError)
		}
		if len(dst) < v.Limits.MaxParams {
			dst = append(dst, traceid.Param{Key: key, Value: v.Strings.String(text)})
		} else {
			s.FailLimit(s.TokenError, "MaxParams", int64(v.Limits.MaxParams), what)
		}
	})
	return dst
}

// String reads a string.
func (v *Validator) String() ([]byte, bool) {
	if v.Scan.Kind() != jsonscan.String {
		v.WrongType("string")
		return nil, false
	}
	return v.Scan.Text()
}

// Measurement reads a number.
func (v *Validator) Measurement() bool {
	s := v.Scan
	if v.NaN() {
		return false
	}
	if s.Kind() != jsonscan.Number {
		v.WrongType("number")
		return false
	}
	f, ok := s.Number()
	if ok && math.Abs(f) >= roundsToInf && v.Listing() && overflowsFloat32(s.Token()) {
		e := s.TokenError(RangeMessage)
		e.Err = format.ErrSyntax // the published schemas allow it
		v.Add(e)
	}
	return ok
}

// RangeMessage is the message about a measurement that is not [InRange].
const RangeMessage = "the number is out of the range of float32, in which Skia Perf stores it"

// roundsToInf is the least number that is rounded to an infinity in float32.
const roundsToInf = 0x1.ffffffp127

// InRange reports whether Skia Perf can store the measurement f in a float32, if it is written
// with as few digits as float64 needs. That includes roundsToInf, whose digits are a little below
// it.
func InRange(f float64) bool { return math.Abs(f) <= roundsToInf }

// overflowsFloat32 reports whether the number overflows a float32. It needs the digits, because a
// float64 was rounded already.
func overflowsFloat32(token []byte) bool {
	_, err := number.ParseFloat(string(token), 32)
	return err != nil
}

// NaN skips a NaN, or a similar word, in place of a number, and adds an error about it. It reports
// whether it was ahead.
func (v *Validator) NaN() bool {
	s := v.Scan
	if !s.SkipNaN() {
		return false
	}
	if v.Listing() {
		v.Add(s.TokenError(NaNMessage(s.Token())))
	}
	return true
}

// Trace adds an error that is made by at, if the trace was measured before. The line is that of
// the present measurement.
func (v *Validator) Trace(params traceid.Params, line int, at func(message string) *format.Error) {
	earlier, known := v.traces.Add(params, line, v.Limits.MaxUniqueTraces)
	if !v.traces.Again() {
		v.trace = ""
	}
	switch {
	case earlier > 0 && v.Listing():
		if v.trace == "" {
			v.trace = jsonscan.ClipBytes(params.AppendID(nil))
		}
		e := at(fmt.Sprintf("trace %s was measured already, on line %d", v.trace, earlier))
		e.Err = format.ErrDuplicate
		v.Add(e)
	case !known:
		v.AddWarning(at(message.Limit("MaxUniqueTraces", int64(v.Limits.MaxUniqueTraces),
			"different traces, so duplicates are not found from here on")))
	}
}

// Warn adds a warning that is made by at, if text changes in a canonical trace ID.
func (v *Validator) Warn(text []byte, at func(message string) *format.Error) {
	s := v.Strings.String(text)
	canonical := (*traceid.Charset)(nil).CanonicalString(s)
	if canonical == s || len(v.warned) > maxWarned {
		return
	}
	shown := jsonscan.Clip(s) // one warning about all that begin like that is enough
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

// WrongType adds an error about the type of the value ahead, and skips the value.
func (v *Validator) WrongType(expected string) {
	switch s := v.Scan; {
	case s.Err() != nil:
	case !v.Listing():
		s.Skip()
	default:
		v.Add(s.SkipTypeError(expected))
	}
}

// AddWarning adds a warning.
func (v *Validator) AddWarning(e *format.Error) {
	e.Severity, e.Err = format.Warning, nil
	v.Add(e)
}

// CheckBranch adds an error if a Reader that wants certain branches refuses the file.
func (v *Validator) CheckBranch(key traceid.Params, wanted []string) {
	if e, ok := CheckBranch(v.Scan, key, wanted).(*format.Error); ok {
		v.Add(e)
	}
}

// Listing reports whether another error would be listed. If not, the caller should not make it:
// that takes longer than reading the faulty value.
func (v *Validator) Listing() bool {
	return len(v.found.errors) <= MaxFound && v.found.bytes <= maxFoundBytes
}

// Add adds an error.
func (v *Validator) Add(e *format.Error) {
	if v.Scan.Err() != nil || !v.Listing() {
		return
	}
	v.found.bytes += errorBytes + len(e.Path) + len(e.Message)
	switch {
	case len(v.found.errors) == MaxFound:
		e.Message = fmt.Sprintf("more than %d errors in the header, or in one %s: the rest are not listed",
			MaxFound, v.Unit)
	case v.found.bytes > maxFoundBytes:
		e.Message = fmt.Sprintf("too many errors with long names in the header, or in one %s: "+
			"the rest are not listed", v.Unit)
	}
	if e.Path == "" {
		e.Path = "(root)"
	}
	v.found.errors = append(v.found.errors, e)
}

// errorBytes is about how much memory an error takes, without its texts.
const errorBytes = 160

// take returns the errors that were found, in the order of the file, and forgets them.
func (v *Validator) take() []*format.Error {
	errors := v.found.errors
	v.found = found{}
	slices.SortStableFunc(errors, func(a, b *format.Error) int { return cmp.Compare(a.Offset, b.Offset) })
	return errors
}
