package skiav1

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/skiadoc"
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
		v := &validator{}
		v.Validator = skiadoc.Validator{
			Format: docFormat, Limits: limits.WithDefaults(), TypeCause: ErrSchema, Unit: "result",
			Header: v.headerMember, Left: v.leftDocument, Read: v.readResults,
		}
		v.Validate(in, name, yield)
	}
}

type validator struct {
	skiadoc.Validator

	key     traceid.Params  // the file's
	pairs   []traceid.Param // of the result's key
	singles []validSingle   // of the result
}

// The levels on which objects stand in results.
const (
	levelResult = skiadoc.OwnLevel + iota
	levelMeasurements
	levelSingle
)

func (v *validator) headerMember(m members, name []byte) {
	switch m {
	case skiadoc.Unknown:
		v.additional(name)
	case memberVersion:
		v.version()
	case memberKey:
		v.key = traceid.FromPairs(v.stringPairs(nil, true)...)
	case memberLinks:
		v.stringPairs(nil, false)
	default:
		v.String()
	}
}

func (v *validator) leftDocument(seen members) {
	v.require(seen&memberVersion != 0, "version")
	v.require(seen&memberGitHash != 0, "git_hash")
	v.require(seen&skiadoc.Results != 0, "results")
}

func (v *validator) version() {
	s := v.Scan
	if s.Kind() != jsonscan.Number {
		v.WrongType("integer")
		return
	}
	f, ok := s.Number()
	switch {
	case !ok || f == 1 && s.IsInteger():
	case s.IsInteger():
		e := s.TokenError(versionMessage(s.Token()))
		e.Err = ErrVersion
		v.Add(e)
	default:
		v.addSchema(s.TokenError("Invalid type. Expected: integer, given: number"))
	}
}

func (v *validator) readResults(flush func() bool) bool {
	s := v.Scan
	for s.EnterArray(); s.Element(); {
		s.BeginRegion("MaxResultBytes", v.Limits.MaxResultBytes, 0)
		v.result()
		s.EndRegion()
		if !flush() {
			return false
		}
	}
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
	s := v.Scan
	single := validSingle{position: s.Position(), path: s.Path()}
	v.pairs, v.singles = v.pairs[:0], v.singles[:0]
	var seen members
	hasNumber := false
	isObject := v.Object(levelResult, func(name []byte) {
		switch string(name) {
		case "key":
			seen |= memberKey
			v.pairs = v.stringPairs(v.pairs, true)
		case "measurement":
			seen |= memberMeasurement
			hasNumber = v.Measurement()
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
		v.Add(s.LeftError("neither measurement nor measurements is there"))
	case memberMeasurement | memberMeasurements:
		v.Add(s.LeftError("measurement and measurements are both there, and only measurements counts"))
	case memberMeasurement:
		if hasNumber {
			v.singles = append(v.singles, single)
		}
	}
	v.checkTraces()
}

// measurements returns whether there is anything but an empty object.
func (v *validator) measurements() (some bool) {
	s := v.Scan
	isObject := v.Object(levelMeasurements, func(name []byte) {
		some = true
		v.Warn(name, s.NameError)
		group := v.Strings.String(name)
		if s.Kind() != jsonscan.Array {
			v.WrongType("array")
			return
		}
		for s.EnterArray(); s.Element(); {
			v.single(group)
		}
	})
	return some || !isObject
}

func (v *validator) single(group string) {
	s := v.Scan
	single := validSingle{param: traceid.Param{Key: group}, grouped: true, position: s.Position(), path: s.Path()}
	var seen members
	hasNumber := false
	isObject := v.Object(levelSingle, func(name []byte) {
		switch string(name) {
		case "value":
			seen |= memberValue
			if text, ok := v.String(); ok {
				v.Warn(text, s.TokenError)
				single.param.Value = v.Strings.String(text)
			}
		case "measurement":
			seen |= memberMeasurement
			hasNumber = v.Measurement()
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
			v.Add(v.Scan.ErrorAt(m.position, m.path, "the measurement has no params"))
			continue
		}
		v.Trace(params, m.position.Line, func(message string) *format.Error { return v.Scan.ErrorAt(m.position, m.path, message) })
	}
}

// stringPairs reads an object of strings and appends them to dst.
func (v *validator) stringPairs(dst []traceid.Param, params bool) []traceid.Param {
	return v.StringPairs(dst, params, "params or links")
}

// addSchema adds a violation of the schema.
func (v *validator) addSchema(e *format.Error) {
	e.Err = ErrSchema
	v.Add(e)
}

// require adds a violation unless the object that was left just now has the member.
func (v *validator) require(has bool, member string) {
	if !has && v.Scan.Err() == nil {
		v.addSchema(v.Scan.LeftError(member + " is required"))
	}
}

// additional adds a violation about the member whose name was read just now, and passes over it.
func (v *validator) additional(name []byte) {
	e := v.Scan.NameError(fmt.Sprintf("Additional property %s is not allowed", jsonscan.Clip(string(name))))
	e.Path = v.Scan.OpenError("").Path
	v.addSchema(e)
	v.Scan.Skip()
}
