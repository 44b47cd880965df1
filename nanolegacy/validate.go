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

// Validate reads a file to its end and yields every error and warning, in the order of the file:
//
//   - members with values of the wrong type, including null; options of the file that are not
//     strings; missing results;
//   - a measurement out of the range of float32, in which Skia Perf stores it, a sample or a
//     number in options out of the range of float64, and a trace that the file measures twice, by
//     the specification's rule for options;
//   - duplicate members of an object;
//   - warnings about a missing gitHash, without which Skia Perf can't tell which commit was
//     measured; about unknown members of the document; and about keys and values that change in
//     canonical trace IDs, each once;
//   - last, the error that ends the reading, such as a syntax error.
//
// A file is valid if Validate yields only warnings. Like a [Reader], it looks ahead for the
// header. It remembers up to Limits.MaxUniqueTraces different traces, and finds no duplicates of
// others. The name of the file is for errors.
func Validate(in io.Reader, o format.Options) iter.Seq[*format.Error] {
	return func(yield func(*format.Error) bool) {
		r, err := open(nil, in, o)
		if err != nil {
			yield(err)
			return
		}
		v := &validator{reader: r}
		v.Validator = skiadoc.Validator{
			Format: &docFormat, Limits: o.Limits.WithDefaults(), Unit: "test",
			Header: v.headerMember, Left: v.leftDocument, Read: v.readResults,
		}
		v.Validate(in, o.Name, yield)
	}
}

type validator struct {
	skiadoc.Validator

	reader *Reader // has the options

	key         traceid.Params // the file's
	fileOptions int            // how many the file has
	trace       layout         // of the last measurement
	text        []byte         // of the last option
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
		v.AddWarning(v.Scan.NameError("unknown member: readers ignore it"))
		v.Scan.Skip()
	case memberKey:
		v.key = traceid.FromPairs(v.stringPairs(true)...)
		v.CheckBranch(v.key, v.reader.Branches)
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

// options reads the options of a result, whose values may have any type. Numbers in them must be
// in the range of float64.
func (v *validator) options() {
	s, room := v.Scan, v.Limits.MaxParams-v.fileOptions
	v.Object(levelOptions, func([]byte) {
		if s.Kind() != jsonscan.Null {
			if room--; room < 0 {
				s.Fail(optionsLimit(s, v.Limits))
			}
			s.Charge(optionCost)
		}
		v.text, _ = s.AppendValue(v.text[:0], func() {
			if v.Listing() {
				v.Add(s.TokenError(outOfRange))
			}
		})
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
			v.Add(s.TokenError(outOfRange))
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
