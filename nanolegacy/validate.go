package nanolegacy

import (
	"io"
	"iter"
	"math"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// Validate reads a file to its end and yields all that is wrong with it, in the order of the file:
//
//   - a member of the format with a value of a wrong type, including null; file-wide options that are not strings;
//     results that aren't there;
//   - a measurement out of the range of float32, in which Skia Perf stores it, a sample out of that of float64, and
//     a trace that the file measures twice, by the specification's rule for options;
//   - a member that an object repeats;
//   - as warnings: a gitHash that isn't there, without which Skia Perf can't tell when was measured; members of the
//     document that the format doesn't have; keys and values that are changed to make canonical trace ids, each
//     once;
//   - last, what ends the reading, such as a syntax error.
//
// A file for which it yields nothing but warnings is valid. Like a [Reader], it needs to look ahead for the header.
// Its memory also depends on the number of different traces. After Limits.MaxUniqueTraces of them, it no longer looks for
// repeated ones. The name is for errors.
func Validate(in io.Reader, name string, limits format.Limits) iter.Seq[*format.Error] {
	return func(yield func(*format.Error) bool) {
		v := &validator{}
		v.Validator = skiadoc.Validator{
			Format: &docFormat, Limits: limits.WithDefaults(), Unit: "test",
			Header: v.headerMember, Left: v.leftDocument, Read: v.readResults,
		}
		v.Validate(in, name, yield)
	}
}

type validator struct {
	skiadoc.Validator

	key         traceid.Params // the file's
	fileOptions int            // how many there are
	trace       layout         // of the measurement that is looked at
}

// The levels of objects in results.
const (
	levelResults = skiadoc.OwnLevel + iota
	levelTest
	levelResult
	levelOptions
)

func (v *validator) headerMember(m jsondoc.Set, name []byte) {
	switch m {
	case jsondoc.Unknown:
		v.AddWarning(v.Scan.NameError("the format has no such member, and readers ignore it"))
		v.Scan.Skip()
	case memberKey:
		v.key = traceid.FromPairs(v.stringPairs(true)...)
	case memberOptions:
		v.fileOptions = len(v.stringPairs(false))
	default:
		v.String()
	}
}

func (v *validator) leftDocument(seen jsondoc.Set) {
	if seen&memberGitHash == 0 {
		v.AddWarning(v.Scan.LeftError("gitHash is missing: Skia Perf can't tell which commit was measured"))
	}
	if seen&skiadoc.Results == 0 {
		v.Add(v.Scan.LeftError("results is required"))
	}
}

// stringPairs reads an object of strings.
func (v *validator) stringPairs(params bool) []traceid.Param {
	return v.StringPairs(nil, params, "params or options")
}

func (v *validator) readResults(flush func() bool) bool {
	s := v.Scan
	h := Header{Key: v.key}
	v.trace = h.layOutTrace()
	if len(v.trace.params) > v.Limits.MaxParams {
		s.Fail(paramsLimit(s, v.Limits))
	}
	for s.EnterObject(); ; {
		name, _, ok := s.Member()
		if !ok {
			return true
		}
		if v.First(levelResults, name) {
			s.BeginRegion("MaxResultBytes", v.Limits.MaxResultBytes, 0)
			v.test(name)
			s.EndRegion()
		}
		if !flush() {
			return false
		}
	}
}

func (v *validator) test(name []byte) {
	v.Warn(name, v.Scan.NameError)
	v.trace.params[v.trace.test].Value = v.Strings.String(name)
	v.Object(levelTest, func(name []byte) {
		if !v.Scan.Charge(resultCost) {
			return
		}
		v.Warn(name, v.Scan.NameError)
		v.trace.params[v.trace.config].Value = v.Strings.String(name)
		v.Object(levelResult, v.resultMember)
	})
}

func (v *validator) resultMember(name []byte) {
	switch string(name) {
	case optionsMember:
		v.options()
	case samplesMember:
		v.samples()
	default:
		v.subResult(name)
	}
}

// options reads the options of a result, which may be anything.
func (v *validator) options() {
	s, room := v.Scan, v.Limits.MaxParams-v.fileOptions
	v.Object(levelOptions, func([]byte) {
		if s.Kind() != jsonscan.Null {
			if room--; room < 0 {
				s.Fail(optionsLimit(s, v.Limits))
			}
			s.Charge(optionCost)
		}
		s.Skip()
	})
}

func (v *validator) samples() {
	s := v.Scan
	if s.Kind() != jsonscan.Array {
		v.WrongType("array")
		return
	}
	for s.EnterArray(); s.Element(); {
		if v.NaN() {
			continue
		}
		if s.Kind() != jsonscan.Number {
			v.WrongType("number")
		} else if f, _ := s.Number(); math.IsInf(f, 0) && v.Listing() {
			v.Add(s.TokenError("the number is out of float64's range"))
		}
		s.Charge(sampleCost)
	}
}

func (v *validator) subResult(name []byte) {
	s := v.Scan
	v.Warn(name, s.NameError)
	v.trace.params[v.trace.subResult].Value = v.Strings.String(name)
	line := s.Position().Line
	if s.Charge(itemCost) && v.Measurement() {
		v.Trace(v.trace.params, line, s.TokenError)
	}
}
