package nanolegacy

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

// Validate reads a file to its end and yields all that is wrong with it, in the order of the file:
//
//   - a member of the format with a value of a wrong type, null included; file-wide options that are no strings;
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

	found []*format.Error // of the header, or of one test; not yielded yet

	key         traceid.Params // the file's
	fileOptions int            // how many there are
	headerBytes int64
	results     jsonscan.Bookmark // of the object
	resultsAt   int64             // its offset; -1: there is none
	resultsEnd  int64

	trace  layout // of the measurement that is looked at
	traces traceset.Set

	names  [levels]jsonscan.Names // of the members of the object that is read on each level
	warned map[string]struct{}    // strings that a warning was given about
}

// The levels on which objects stand.
const (
	levelDocument = iota
	levelStrings  // key, and options of the file
	levelResults
	levelTest
	levelResult
	levelOptions
	levels
)

const (
	maxFound  = 10_000 // in the header, or in one test
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

// document reads all but the results. It returns the faults in order, and what ended the reading, if it wasn't the
// end.
func (v *validator) document() (header []*format.Error, fatal error) {
	s := v.s
	var seen members
	isObject := v.object(levelDocument, func(name []byte) {
		m := memberOf(name)
		seen |= m
		switch {
		case m == memberUnknown:
			e := s.NameError("the format has no such member, and readers ignore it")
			e.Warning = true
			v.add(e)
			s.Skip()
		case m == memberResults && s.Kind() == jsonscan.Object:
			v.resultsAt = s.Offset()
			v.results = s.LookAhead()
			s.Skim()
			v.resultsEnd = s.Offset()
		case m == memberResults:
			v.wrongType("object")
		default:
			s.BeginRegion("MaxHeaderBytes", v.limits.MaxHeaderBytes, v.headerBytes)
			v.headerMember(m)
			v.headerBytes = s.EndRegion()
		}
	})
	if isObject && seen&memberGitHash == 0 {
		e := s.LeftError("gitHash is missing: Skia Perf can't tell which commit was measured")
		e.Warning = true
		v.add(e)
	}
	if isObject && seen&memberResults == 0 {
		v.add(s.LeftError("results is required"))
	}
	s.End()
	return v.take(), s.Err()
}

func (v *validator) headerMember(m members) {
	switch m {
	case memberKey:
		v.key = traceid.FromPairs(v.stringPairs(true)...)
	case memberOptions:
		v.fileOptions = len(v.stringPairs(false))
	default:
		v.string()
	}
}

// readResults reads the results and yields what is found. It returns false if the iteration is to stop.
func (v *validator) readResults(yield func(*format.Error) bool) bool {
	s := v.s
	v.trace.params = traceid.Merge(v.key, traceid.Params{{Key: configParam}, {Key: subResultParam}, {Key: testParam}})
	v.trace.locate(&layout{}, nil)
	s.Return(v.results)
	if len(v.trace.params) > v.limits.MaxParams {
		s.Fail(paramsLimit(s, v.limits))
	}
	for s.EnterObject(); ; {
		name, _, ok := s.Member()
		if !ok {
			break
		}
		if v.first(levelResults, name) {
			s.BeginRegion("MaxResultBytes", v.limits.MaxResultBytes, 0)
			v.test(name)
			s.EndRegion()
		}
		for _, e := range v.take() {
			if !yield(e) {
				return false
			}
		}
	}
	s.EndAgain(v.resultsEnd)
	return true
}

func (v *validator) test(name []byte) {
	v.warn(name, v.s.NameError)
	v.trace.params[v.trace.test].Value = v.strings.String(name)
	v.object(levelTest, func(name []byte) {
		v.warn(name, v.s.NameError)
		v.trace.params[v.trace.config].Value = v.strings.String(name)
		v.object(levelResult, v.resultMember)
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
	s, room := v.s, v.limits.MaxParams-v.fileOptions
	v.object(levelOptions, func([]byte) {
		if s.Kind() != jsonscan.Null {
			if room--; room < 0 {
				s.Fail(optionsLimit(s, v.limits))
			}
		}
		s.Skip()
	})
}

func (v *validator) samples() {
	s := v.s
	if s.Kind() != jsonscan.Array {
		v.wrongType("array")
		return
	}
	for s.EnterArray(); s.Element(); {
		if s.Kind() != jsonscan.Number {
			v.wrongType("number")
		} else if f, _ := s.Number(); math.IsInf(f, 0) {
			v.add(s.TokenError("the number is out of float64's range"))
		}
	}
}

func (v *validator) subResult(name []byte) {
	s := v.s
	v.warn(name, s.NameError)
	v.trace.params[v.trace.subResult].Value = v.strings.String(name)
	if s.Kind() != jsonscan.Number {
		v.wrongType("number")
		return
	}
	line := s.Position().Line
	f, ok := s.Number()
	if !ok {
		return
	}
	if math.IsInf(float64(float32(f)), 0) {
		v.add(s.TokenError("the number is out of the range of float32, in which Skia Perf stores it"))
	}
	params := v.trace.params
	switch earlier, known := v.traces.Add(params, line, v.limits.MaxUniqueTraces); {
	case earlier > 0:
		v.add(s.TokenError(fmt.Sprintf("trace %s was measured already, on line %d", jsonscan.Clip(params.ID()), earlier)))
	case !known:
		e := s.TokenError(message.Limit("MaxUniqueTraces", int64(v.limits.MaxUniqueTraces),
			"different traces, so that from here on none is looked for that is measured twice"))
		e.Warning = true
		v.add(e)
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
	v.names[level].Reset()
	for s.EnterObject(); ; {
		name, _, ok := s.Member()
		if !ok {
			return s.Err() == nil
		}
		if v.first(level, name) {
			member(name)
		}
	}
}

// first reports whether the member whose name was read just now is the first one of that name. If it isn't, it
// passes over the value.
func (v *validator) first(level int, name []byte) bool {
	s := v.s
	if v.names[level].Add(s, name) {
		return true
	}
	if s.Err() == nil {
		v.add(s.NameError(jsonscan.RepeatedMessage(name)))
		s.Skip()
	}
	return false
}

// stringPairs reads an object of strings. Those of params are looked at for what makes a canonical id.
func (v *validator) stringPairs(params bool) (pairs []traceid.Param) {
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
		if len(pairs) < v.limits.MaxParams {
			pairs = append(pairs, traceid.Param{Key: key, Value: v.strings.String(text)})
		} else {
			s.Fail(s.TokenError(message.Limit("MaxParams", int64(v.limits.MaxParams), "params or options")))
		}
	})
	return pairs
}

func (v *validator) string() ([]byte, bool) {
	if v.s.Kind() != jsonscan.String {
		v.wrongType("string")
		return nil, false
	}
	return v.s.Text()
}

// add adds a fault.
func (v *validator) add(e *format.Error) {
	if v.s.Err() != nil || len(v.found) > maxFound {
		return
	}
	if len(v.found) == maxFound {
		e.Message = fmt.Sprintf("more than %d faults in the header, or in one test: the rest of them is not listed", maxFound)
	}
	if e.Path == "" {
		e.Path = "(root)"
	}
	v.found = append(v.found, e)
}

// wrongType adds a fault of the value ahead, and passes over it.
func (v *validator) wrongType(expected string) {
	if v.s.Err() == nil {
		v.add(v.s.SkipTypeError(expected))
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
