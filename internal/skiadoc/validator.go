package skiadoc

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"perfdata/format"
	"perfdata/internal/intern"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
	"perfdata/internal/traceset"
	"perfdata/traceid"
)

// A Validator finds all that is wrong with a document. The format's own validator sets the fields
// up to Read, and calls Validate.
type Validator struct {
	Format *Format
	Limits format.Limits // with their defaults
	Unit   string        // a part of the results, as an error calls it

	// Header reads the value of a member of the header, or of an unknown one.
	Header func(m jsondoc.Set, name []byte)
	// Left is called when the document, an object, was read, with the members that it has.
	Left func(seen jsondoc.Set)
	// Read reads the results, which are ahead, and calls flush after every part. If flush returns
	// false, so does Read, at once.
	Read func(flush func() bool) bool

	Scan    *jsonscan.Scanner
	Strings intern.Table

	found      []*format.Error // of the header, or of one part of the results; not yielded yet
	foundBytes int             // about how much memory they take

	headerBytes int64
	results     jsonscan.Bookmark
	resultsAt   int64 // their offset; -1: there are none
	resultsEnd  int64

	traces traceset.Set
	names  [maxLevels]jsonscan.Names // of the members of the object that is read on each level
	warned map[string]struct{}       // strings that a warning was given about
}

// The levels of objects. Each level has members of its own.
const (
	levelDocument = iota
	levelStrings

	OwnLevel  // the first one of a format's own; the others follow
	maxLevels = OwnLevel + 4
)

// MaxFound is how many faults are listed of the header, or of one part of the results, if they
// take less than maxFoundBytes.
const (
	MaxFound      = 10_000
	maxFoundBytes = 4 << 20
)

const maxWarned = 1_000 // strings

// Validate reads the document and yields its faults in the order of the file. Members of the
// header may come before the results or after them.
func (v *Validator) Validate(in io.Reader, name string, yield func(*format.Error) bool) {
	v.Scan = v.Format.NewScanner(in, name, v.Limits)
	defer v.Scan.Close()
	v.resultsAt = -1
	v.warned = make(map[string]struct{})
	header, fatal := v.document()
	for len(header) > 0 && (v.resultsAt < 0 || header[0].Offset < v.resultsAt) {
		if !yield(header[0]) {
			return
		}
		header = header[1:]
	}
	if v.resultsAt >= 0 {
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

// document reads all but the results. It returns the faults in order, and what ended the reading,
// if it wasn't the end.
func (v *Validator) document() (header []*format.Error, fatal error) {
	s := v.Scan
	var seen jsondoc.Set
	isObject := v.Object(levelDocument, func(name []byte) {
		m := v.Format.Member(name)
		seen |= m
		switch {
		case m == jsondoc.Unknown:
			v.Header(m, name)
		case m != Results:
			s.BeginRegion("MaxHeaderBytes", v.Limits.MaxHeaderBytes, v.headerBytes)
			v.Header(m, name)
			v.headerBytes = s.EndRegion()
		case s.Kind() == v.Format.Results:
			v.resultsAt = s.Offset()
			v.results = s.LookAhead()
			s.Skim()
			v.resultsEnd = s.Offset()
		default:
			v.WrongType(v.Format.Results.String())
		}
	})
	if isObject {
		v.Left(seen)
	}
	s.End()
	return v.take(), s.Err()
}

// readResults reads the results and yields what is found. It returns false if the iteration is to
// stop.
func (v *Validator) readResults(yield func(*format.Error) bool) bool {
	v.Scan.Return(v.results)
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
	v.Scan.EndAgain(v.resultsEnd)
	return true
}

// Object reads an object and calls member for each of its members, except duplicates, to read the
// value. It returns false if the value is not an object or can't be read to its end.
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

// First reports whether the member whose name was read just now is the first one of that name. If
// it isn't, it passes over the value.
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

// StringPairs reads an object of strings and appends them to dst. The error about too many of
// them calls them what. Params are also checked for characters that canonical IDs cannot have.
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
		e.Err = strconv.ErrRange
		v.Add(e)
	}
	return ok
}

// RangeMessage is about a measurement that isn't InRange.
const RangeMessage = "the number is out of the range of float32, in which Skia Perf stores it"

// roundsToInf is halfway between the greatest float32 and the next one, if there were one. It is
// rounded to an infinity.
const roundsToInf = 0x1.ffffffp127

// InRange reports whether Skia Perf can store the measurement f in a float32, if it is written
// with as few digits as float64 needs: the digits of roundsToInf are a little below it.
func InRange(f float64) bool { return math.Abs(f) <= roundsToInf }

// overflowsFloat32 looks at the digits: a float64 was rounded once already.
func overflowsFloat32(number []byte) bool {
	_, err := strconv.ParseFloat(string(number), 32)
	return err != nil
}

// NaN passes over a NaN, or its like, in place of a number, and adds it as a fault. It returns
// whether there was one.
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

// Trace adds a fault, made by at, if the trace was measured before. This time it is on the given
// line.
func (v *Validator) Trace(params traceid.Params, line int, at func(message string) *format.Error) {
	switch earlier, known := v.traces.Add(params, line, v.Limits.MaxUniqueTraces); {
	case earlier > 0 && v.Listing():
		e := at(fmt.Sprintf("trace %s was measured already, on line %d", jsonscan.ClipBytes(params.AppendID(nil)), earlier))
		e.Err = format.ErrDuplicate
		v.Add(e)
	case !known:
		v.AddWarning(at(message.Limit("MaxUniqueTraces", int64(v.Limits.MaxUniqueTraces),
			"different traces, so that from here on none is looked for that is measured twice")))
	}
}

// Warn adds a warning, made by at, if text doesn't stay what it is in a canonical trace id.
func (v *Validator) Warn(text []byte, at func(message string) *format.Error) {
	s := v.Strings.String(text)
	canonical := (*traceid.Charset)(nil).CanonicalString(s)
	if canonical == s || len(v.warned) > maxWarned {
		return
	}
	shown := jsonscan.Clip(s) // what is longer doesn't need to be told apart
	if _, ok := v.warned[shown]; ok {
		return
	}
	v.warned[shown] = struct{}{}
	message := fmt.Sprintf("%s becomes %s in trace ids", message.Quote(s), message.Quote(canonical))
	if len(v.warned) > maxWarned {
		message = fmt.Sprintf("more than %d different keys and values change in trace ids: the rest of them is not listed", maxWarned)
	}
	v.AddWarning(at(message))
}

// WrongType adds a fault of the value ahead, and passes over it.
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
	e.Warning, e.Err = true, nil
	v.Add(e)
}

// Listing reports whether another fault would be listed. If not, it needn't be made, which takes
// longer than reading what is faulty.
func (v *Validator) Listing() bool { return len(v.found) <= MaxFound && v.foundBytes <= maxFoundBytes }

// Add adds a fault.
func (v *Validator) Add(e *format.Error) {
	if v.Scan.Err() != nil || !v.Listing() {
		return
	}
	v.foundBytes += errorBytes + len(e.Path) + len(e.Message)
	switch {
	case len(v.found) == MaxFound:
		e.Message = fmt.Sprintf("more than %d faults in the header, or in one %s: the rest of them is not listed", MaxFound, v.Unit)
	case v.foundBytes > maxFoundBytes:
		e.Message = fmt.Sprintf("too many faults with long names in the header, or in one %s: the rest of them is not listed", v.Unit)
	}
	if e.Path == "" {
		e.Path = "(root)"
	}
	v.found = append(v.found, e)
}

// errorBytes is about how much memory an error takes, without its texts.
const errorBytes = 160

// take returns what was found, in the order of the file, and forgets it.
func (v *Validator) take() []*format.Error {
	found := v.found
	v.found, v.foundBytes = nil, 0
	slices.SortStableFunc(found, func(a, b *format.Error) int { return cmp.Compare(a.Offset, b.Offset) })
	return found
}
