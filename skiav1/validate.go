package skiav1

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"perfdata/format"
	"perfdata/internal/intern"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
	"perfdata/internal/traceset"
	"perfdata/traceid"
)

// ErrSchema is the cause of what [Validate] yields for a violation of the published schema.
var ErrSchema = errors.New("schema violation")

// Validate reads a file to its end and yields all that is wrong with it, in the order of the file:
//
//   - each violation of the published schema, in the words of the reference's validation, with [ErrSchema] as the
//     cause;
//   - what the schema leaves open: a version other than 1, a result with both or neither of measurement and
//     measurements, a measurement out of the range of float32, in which Skia Perf stores it, or without params, and a
//     trace that the file measures twice;
//   - a member that an object repeats;
//   - as warnings: keys and values that are changed to make canonical trace ids, each once;
//   - last, what ends the reading, such as a syntax error.
//
// A file for which it yields nothing but warnings is valid. Like a [Reader], it needs to look ahead for the header.
// Its memory depends besides on the number of different traces, up to Limits.MaxUniqueTraces, from which on it
// doesn't look for repeated ones. The name is for errors.
func Validate(in io.Reader, name string, limits format.Limits) iter.Seq[*format.Error] {
	return func(yield func(*format.Error) bool) {
		limits = limits.WithDefaults()
		v := &validator{
			s:         jsonscan.New(in, name, limits),
			limits:    limits,
			resultsAt: -1,
			warned:    make(map[string]struct{}),
		}
		defer v.s.Close()
		v.run(yield)
	}
}

type validator struct {
	s       *jsonscan.Scanner
	limits  format.Limits
	strings intern.Table

	found []*format.Error // of the header, or of one result; not yielded yet

	key         traceid.Params // the file's
	headerBytes int64
	results     jsonscan.Bookmark // of the array
	resultsAt   int64             // its offset; -1: there is none
	resultsEnd  int64

	pairs   []traceid.Param // of the result's key
	singles []validSingle   // of the result
	traces  traceset.Set

	names  [levels]jsonscan.Names // of the members of the object that is read on each level
	warned map[string]struct{}    // strings that a warning was given about
}

// The levels on which objects stand.
const (
	levelDocument = iota
	levelResult
	levelMeasurements
	levelSingle
	levelStrings // key and links, wherever they are
	levels
)

const (
	maxFound  = 10_000 // in the header, or in one result
	maxWarned = 1_000
)

// run yields the faults of the header where its members stand: some before the results, some after.
func (v *validator) run(yield func(*format.Error) bool) {
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
		if err := v.s.Err(); err != nil {
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

// document reads all but the results. It returns the faults in order, and what ended the reading, if it wasn't the end.
func (v *validator) document() (header []*format.Error, fatal error) {
	s := v.s
	var seen members
	isObject := v.object(levelDocument, func(name []byte) {
		m := memberOf(name)
		seen |= m
		switch {
		case m == memberUnknown:
			v.additional(name)
		case m == memberResults && s.Kind() == jsonscan.Array:
			v.resultsAt = s.Offset()
			v.results = s.LookAhead()
			s.Skim()
			v.resultsEnd = s.Offset()
		case m == memberResults:
			v.wrongType("array")
		default:
			s.BeginRegion("MaxHeaderBytes", v.limits.MaxHeaderBytes, v.headerBytes)
			v.headerMember(m)
			v.headerBytes = s.EndRegion()
		}
	})
	if isObject {
		v.require(seen&memberVersion != 0, "version")
		v.require(seen&memberGitHash != 0, "git_hash")
		v.require(seen&memberResults != 0, "results")
	}
	s.End()
	return v.take(), s.Err()
}

func (v *validator) headerMember(m members) {
	switch m {
	case memberVersion:
		v.version()
	case memberKey:
		v.key = traceid.FromPairs(v.stringPairs(nil, true)...)
	case memberLinks:
		v.stringPairs(nil, false)
	default:
		v.string()
	}
}

func (v *validator) version() {
	s := v.s
	if s.Kind() != jsonscan.Number {
		v.wrongType("integer")
		return
	}
	f, ok := s.Number()
	switch {
	case !ok || f == 1:
	case f == math.Trunc(f):
		e := s.TokenError(fmt.Sprintf("%v %v, expected 1", ErrVersion, f))
		e.Err = ErrVersion
		v.add(e)
	default:
		v.addSchema(s.TokenError("Invalid type. Expected: integer, given: number"))
	}
}

// readResults reads the results and yields what is found. It returns false if the iteration is to stop.
func (v *validator) readResults(yield func(*format.Error) bool) bool {
	s := v.s
	s.Return(v.results)
	for s.EnterArray(); s.Element(); {
		s.BeginRegion("MaxResultBytes", v.limits.MaxResultBytes, 0)
		v.result()
		s.EndRegion()
		for _, e := range v.take() {
			if !yield(e) {
				return false
			}
		}
	}
	s.EndAgain(v.resultsEnd)
	return true
}

// A validSingle is a measurement that has a number.
type validSingle struct {
	grouped  bool
	param    traceid.Param // that its group gives it, if it is grouped
	position jsonscan.Position
	path     string
}

func (v *validator) result() {
	s := v.s
	single := validSingle{position: s.Position(), path: s.Path()}
	v.pairs, v.singles = v.pairs[:0], v.singles[:0]
	var seen members
	hasNumber := false
	isObject := v.object(levelResult, func(name []byte) {
		switch string(name) {
		case "key":
			seen |= memberKey
			v.pairs = v.stringPairs(v.pairs, true)
		case "measurement":
			seen |= memberMeasurement
			hasNumber = v.number()
		case "measurements":
			if v.measurements() {
				seen |= memberMeasurements
			}
		default:
			v.additional(name)
		}
	})
	if !isObject {
		return
	}
	v.require(seen&memberKey != 0, "key")
	switch seen & (memberMeasurement | memberMeasurements) {
	case 0:
		v.add(s.LeftError("neither measurement nor measurements is there"))
	case memberMeasurement | memberMeasurements:
		v.add(s.LeftError("measurement and measurements are both there, and only measurements counts"))
	case memberMeasurement:
		if hasNumber {
			v.singles = append(v.singles, single)
		}
	}
	v.checkTraces()
}

// measurements returns whether there is anything but an empty object.
func (v *validator) measurements() (some bool) {
	s := v.s
	isObject := v.object(levelMeasurements, func(name []byte) {
		some = true
		v.warn(name, s.NameError)
		group := v.strings.String(name)
		if s.Kind() != jsonscan.Array {
			v.wrongType("array")
			return
		}
		for s.EnterArray(); s.Element(); {
			v.single(group)
		}
	})
	return some || !isObject
}

func (v *validator) single(group string) {
	s := v.s
	single := validSingle{param: traceid.Param{Key: group}, grouped: true, position: s.Position(), path: s.Path()}
	var seen members
	hasNumber := false
	isObject := v.object(levelSingle, func(name []byte) {
		switch string(name) {
		case "value":
			seen |= memberValue
			if text, ok := v.string(); ok {
				v.warn(text, s.TokenError)
				single.param.Value = v.strings.String(text)
			}
		case "measurement":
			seen |= memberMeasurement
			hasNumber = v.number()
		case "links":
			v.stringPairs(nil, false)
		default:
			v.additional(name)
		}
	})
	if !isObject {
		return
	}
	v.require(seen&memberValue != 0, "value")
	v.require(seen&memberMeasurement != 0, "measurement")
	if hasNumber {
		v.singles = append(v.singles, single)
	}
}

// checkTraces looks at the traces of the result's measurements.
func (v *validator) checkTraces() {
	base := traceid.Merge(v.key, traceid.FromPairs(v.pairs...))
	for _, m := range v.singles {
		params := base
		if m.grouped {
			params = traceid.Merge(base, traceid.Params{m.param})
		}
		if len(params) == 0 {
			v.add(v.s.ErrorAt(m.position, m.path, "the measurement has no params"))
			continue
		}
		switch line, known := v.traces.Add(params, m.position.Line, v.limits.MaxUniqueTraces); {
		case line > 0:
			v.add(v.s.ErrorAt(m.position, m.path, fmt.Sprintf("trace %s was measured already, on line %d", jsonscan.Clip(params.ID()), line)))
		case !known:
			e := v.s.ErrorAt(m.position, m.path, message.Limit("MaxUniqueTraces", int64(v.limits.MaxUniqueTraces),
				"different traces, so that from here on none is looked for that is measured twice"))
			e.Warning = true
			v.add(e)
		}
	}
}

// object reads an object and calls member for each of its members, to read the value, but for those that
// repeat. It returns false if the value is none, or can't be read to its end.
func (v *validator) object(level int, member func(name []byte)) bool {
	s := v.s
	if s.Kind() != jsonscan.Object {
		v.wrongType("object")
		return false
	}
	names := &v.names[level]
	names.Reset()
	for s.EnterObject(); ; {
		name, _, ok := s.Member()
		switch {
		case !ok:
			return s.Err() == nil
		case names.Add(s, name):
			member(name)
		case s.Err() == nil:
			v.add(s.NameError(jsonscan.RepeatedMessage(name)))
			s.Skip()
		}
	}
}

// stringPairs reads an object of strings and appends them to dst. Those of params are looked at for what makes a
// canonical id.
func (v *validator) stringPairs(dst []traceid.Param, params bool) []traceid.Param {
	s := v.s
	v.object(levelStrings, func(name []byte) {
		if params {
			v.warn(name, s.NameError)
		}
		key := v.strings.String(name)
		text, ok := v.string()
		if !ok {
			return
		}
		if params {
			v.warn(text, s.TokenError)
		}
		if len(dst) < v.limits.MaxParams {
			dst = append(dst, traceid.Param{Key: key, Value: v.strings.String(text)})
		} else {
			s.Fail(s.TokenError(message.Limit("MaxParams", int64(v.limits.MaxParams), "params or links")))
		}
	})
	return dst
}

func (v *validator) string() ([]byte, bool) {
	if v.s.Kind() != jsonscan.String {
		v.wrongType("string")
		return nil, false
	}
	return v.s.Text()
}

// number reads a measurement.
func (v *validator) number() bool {
	s := v.s
	if s.Kind() != jsonscan.Number {
		v.wrongType("number")
		return false
	}
	f, ok := s.Number()
	if ok && math.IsInf(float64(float32(f)), 0) {
		v.add(s.TokenError("the number is out of the range of float32, in which Skia Perf stores it"))
	}
	return ok
}

// add adds a fault.
func (v *validator) add(e *format.Error) {
	if v.s.Err() != nil || len(v.found) > maxFound {
		return
	}
	if len(v.found) == maxFound {
		e.Message = fmt.Sprintf("more than %d faults in the header, or in one result: the rest of them is not listed", maxFound)
	}
	if e.Path == "" {
		e.Path = "(root)"
	}
	v.found = append(v.found, e)
}

// addSchema adds a violation of the schema.
func (v *validator) addSchema(e *format.Error) {
	e.Err = ErrSchema
	v.add(e)
}

// require adds a violation unless the object that was left just now has the member.
func (v *validator) require(has bool, member string) {
	if !has && v.s.Err() == nil {
		v.addSchema(v.s.LeftError(member + " is required"))
	}
}

// additional adds a violation about the member whose name was read just now, and passes over it.
func (v *validator) additional(name []byte) {
	e := v.s.NameError(fmt.Sprintf("Additional property %s is not allowed", jsonscan.Clip(string(name))))
	e.Path = v.s.OpenError("").Path
	v.addSchema(e)
	v.s.Skip()
}

// wrongType adds a violation about the value ahead, and passes over it.
func (v *validator) wrongType(expected string) {
	if v.s.Err() == nil {
		v.addSchema(v.s.SkipTypeError(expected))
	}
}

// warn adds a warning, made by at, if text doesn't stay what it is in a canonical trace id.
func (v *validator) warn(text []byte, at func(message string) *format.Error) {
	s := v.strings.String(text)
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
	e := at(message)
	e.Warning = true
	v.add(e)
}

// take returns what was found, in the order of the file, and forgets it.
func (v *validator) take() []*format.Error {
	found := v.found
	v.found = nil
	slices.SortStableFunc(found, func(a, b *format.Error) int { return cmp.Compare(a.Offset, b.Offset) })
	return found
}
