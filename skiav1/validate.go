package skiav1

import (
	"fmt"
	"io"
	"iter"
	"strconv"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/jsonscan"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// Validate reads a file to its end and yields every error and warning, in the order of the file:
//
//   - each violation of the published schema, in the words of the reference's validation, with
//     [format.ErrSchema] as the cause;
//   - errors that the schema allows: a version other than 1, a result with both or neither of
//     measurement and measurements, a measurement without params, or out of the range of float32,
//     in which Skia Perf stores it, and a trace that the file measures twice;
//   - duplicate members of an object;
//   - warnings about keys and values that change in canonical trace IDs, each once;
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
			Format: &docFormat, Limits: o.Limits.WithDefaults(), Unit: "result",
			Header: v.headerMember, Left: v.leftDocument, Read: v.readResults,
		}
		v.Validate(in, o.Name, yield)
	}
}

type validator struct {
	skiadoc.Validator

	reader *Reader // has the options

	key   traceid.Params // the file's
	links traceid.Params // the file's

	// Of the result that is read:
	pairs   []traceid.Param // of its key
	groups  []validGroup
	singles []validSingle // of all groups, or the result's own
	params  traceid.Params
}

// The levels of objects in results.
const (
	levelResult = skiadoc.OwnLevel + iota
	levelMeasurements
	levelSingle
)

// The members of results and of measurements in arrays.
const (
	hasKey = 1 << iota
	hasMeasurement
	hasMeasurements
	hasValue
)

func (v *validator) headerMember(m jsondoc.Set, name []byte) {
	switch m {
	case jsondoc.Unknown:
		v.additional(name)
	case memberVersion:
		v.version()
	case memberKey:
		v.key = traceid.FromPairs(v.stringPairs(nil, true)...)
		v.CheckBranch(v.key, v.reader.Branches)
	case memberLinks:
		v.links = traceid.FromPairs(v.stringPairs(nil, false)...)
	default:
		v.String()
	}
}

func (v *validator) leftDocument(seen jsondoc.Set) {
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
	case !ok:
	case f == 1 && s.IsInteger():
		if string(s.Token()) != "1" {
			v.AddWarning(s.TokenError("version is not written as 1: the ingester of Skia Perf refuses the file"))
		}
	case s.IsInteger():
		e := s.TokenError(versionMessage(s.Token()))
		e.Err = format.ErrVersion
		v.Add(e)
	default:
		v.Add(s.TokenError("Invalid type. Expected: integer, given: number"))
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

// A validGroup is a name in "measurements" with at least one number.
type validGroup struct {
	name    string
	path    string
	singles int // how many have a number
}

// A validSingle is a measurement that has a number.
type validSingle struct {
	value    string // of the param that its group names
	index    int    // in its group
	position jsonscan.Position
}

// maxKept is the largest number of elements whose memory is kept for the next result.
const maxKept = 10_000

func (v *validator) result() {
	s := v.Scan
	single := validSingle{position: s.Position()}
	if cap(v.singles) > maxKept || cap(v.groups) > maxKept {
		v.singles, v.groups = nil, nil
	}
	v.pairs, v.groups, v.singles = v.pairs[:0], v.groups[:0], v.singles[:0]

	seen, hasNumber := 0, false
	isObject := v.Object(levelResult, func(name []byte) {
		switch string(name) {
		case "key":
			seen |= hasKey
			v.pairs = v.stringPairs(v.pairs, true)

		case "measurement":
			seen |= hasMeasurement
			hasNumber = v.measurement()

		case "measurements":
			if v.measurements() {
				seen |= hasMeasurements
			}

		default:
			v.additional(name)
		}
	})
	if !isObject {
		return
	}

	v.require(seen&hasKey != 0, "key")
	switch seen & (hasMeasurement | hasMeasurements) {
	case 0:
		if v.readsAsZero("measurement or measurements") {
			v.singles = append(v.singles, single)
		} else {
			v.fault(s.LeftError, "missing measurement or measurements")
		}
	case hasMeasurement | hasMeasurements:
		v.fault(s.LeftError, "both measurement and measurements are present: measurement is ignored")
	case hasMeasurement:
		if hasNumber {
			v.singles = append(v.singles, single)
		}
	}
	v.checkTraces()
}

// measurement reads the value of "measurement", and reports whether it is a number for the Reader.
func (v *validator) measurement() bool {
	if s := v.Scan; s.Kind() == jsonscan.Null && v.reader.MissingAsZero {
		v.AddWarning(s.Error("null is read as 0"))
		s.Null()
		return true
	}
	return v.Measurement()
}

// readsAsZero reports whether the Reader takes 0 for the member that the object that was just left
// lacks, and then warns about it.
func (v *validator) readsAsZero(member string) bool {
	if v.reader.MissingAsZero && v.Scan.Err() == nil && v.Listing() {
		v.AddWarning(v.Scan.LeftError("missing " + member + " is read as 0"))
	}
	return v.reader.MissingAsZero
}

// fault adds an error that is made by at. The published schema allows it, so its cause is the
// format's grammar.
func (v *validator) fault(at func(message string) *format.Error, message string) {
	if v.Listing() {
		e := at(message)
		e.Err = format.ErrSyntax
		v.Add(e)
	}
}

// measurements reads the value of "measurements". It returns false if that is an empty object.
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
		g := validGroup{name: group, path: s.Path()}
		if !s.Charge(groupCost + len(g.path)) {
			return
		}
		before := len(v.singles)
		index := 0
		for s.EnterArray(); s.Element(); index++ {
			v.single(index)
		}
		if g.singles = len(v.singles) - before; g.singles > 0 {
			v.groups = append(v.groups, g)
		}
	})
	return some || !isObject
}

func (v *validator) single(index int) {
	s := v.Scan
	single := validSingle{index: index, position: s.Position()}

	seen, hasNumber := 0, false
	isObject := v.Object(levelSingle, func(name []byte) {
		switch string(name) {
		case "value":
			seen |= hasValue
			if text, ok := v.String(); ok {
				v.Warn(text, s.TokenError)
				single.value = v.Strings.String(text)
			}

		case "measurement":
			seen |= hasMeasurement
			hasNumber = v.measurement()

		case "links":
			v.singleLinks()
		default:
			v.additional(name)
		}
	})
	if !isObject {
		return
	}

	v.require(seen&hasValue != 0, "value")
	if seen&hasMeasurement == 0 {
		if hasNumber = v.readsAsZero("measurement"); !hasNumber {
			v.require(false, "measurement")
		}
	}
	if hasNumber && s.Charge(itemCost) {
		v.singles = append(v.singles, single)
	}
}

// singleLinks reads the links of a single measurement.
func (v *validator) singleLinks() {
	s, max := v.Scan, v.Limits.MaxParams
	links := v.stringPairs(nil, false)
	if mergedLen(v.links, links, max) > max {
		s.FailLimit(s.LeftError, "MaxParams", int64(max), "links")
	}
}

// checkTraces checks the traces of the result's measurements.
func (v *validator) checkTraces() {
	base := traceid.Merge(v.key, traceid.FromPairs(v.pairs...))
	v.checkParams(base)

	if len(v.groups) == 0 {
		for i := range v.singles { // at most one
			m := &v.singles[i]
			at := func(message string) *format.Error {
				return v.Scan.ErrorAt(m.position, v.Scan.LeftError("").Path, message)
			}
			if len(base) == 0 {
				v.fault(at, noParams)
			} else {
				v.Trace(base, m.position.Line, at)
			}
		}
		return
	}

	singles := v.singles
	for i := range v.groups {
		g := &v.groups[i]
		over := traceid.Params{{Key: g.name}}
		v.params = traceid.AppendMerge(v.params[:0], base, over)
		v.checkParams(v.params)

		k, _ := v.params.Find(g.name)
		for j := range singles[:g.singles] {
			m := &singles[j]
			v.params[k].Value = m.value
			v.Trace(v.params, m.position.Line, func(message string) *format.Error {
				return v.Scan.ErrorAt(m.position, g.path+"."+strconv.Itoa(m.index), message)
			})
		}
		singles = singles[g.singles:]
	}
}

// checkParams fails if a measurement of the result that was just left has too many params.
func (v *validator) checkParams(params traceid.Params) {
	if max := v.Limits.MaxParams; len(params) > max {
		v.Scan.FailLimit(v.Scan.LeftError, "MaxParams", int64(max), "params")
	}
}

// stringPairs reads an object of strings and appends them to dst.
func (v *validator) stringPairs(dst []traceid.Param, params bool) []traceid.Param {
	return v.StringPairs(dst, params, pairsName)
}

// require adds a violation unless the object that was just left has the member.
func (v *validator) require(has bool, member string) {
	if !has && v.Scan.Err() == nil && v.Listing() {
		v.Add(v.Scan.LeftError(member + " is required"))
	}
}

// additional adds a violation about the member whose name was just read, and skips its value.
func (v *validator) additional(name []byte) {
	if v.Listing() {
		e := v.Scan.NameError(fmt.Sprintf("Additional property %s is not allowed", jsonscan.Clip(string(name))))
		e.Path = v.Scan.OpenError("").Path
		v.Add(e)
	}
	v.Scan.Skip()
}
