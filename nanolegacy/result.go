package nanolegacy

import (
	"fmt"
	"math"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// A test is read as a whole, with all its configurations, before anything of it is yielded: only then is it known
// what the options of its results are, which may come last, and that it has no member twice. All memory is used
// again for a later test.
//
// What is here reads any test; match.go reads those that resemble the one before, and records.go makes the records.

// A test is what was read of one.
type test struct {
	fault   *format.Error // for which the test is left out
	results []result      // a configuration each
	items   []item        // of all results
	options []option      // of all results
	samples []float64     // of all results

	problems int // of items

	template jsonscan.Template
	targets  []target // of the template's holes, in the order of the file
	charged  int      // for what the template was made of; see the costs below
	plain    bool     // a template is wanted, and until now there is nothing that it can't take
	kept     bool     // there is a template
}

// A result is what a test has under the name of a configuration. Its items, options and samples come in the test's
// after those of the results before.
type result struct {
	config  string
	items   int
	options int
	samples int

	sampled   bool  // it has samples, perhaps none
	samplesAt int64 // offset of their array

	laidOut bool    // own is made
	own     *layout // nil if it never was
}

// An item is a sub-result, or what is wrong with a part of the result.
type item struct {
	name    string
	number  float64
	offset  int64         // of the number
	problem *format.Error // for which something is left out
}

// An option is a member of a result's options.
type option struct {
	traceid.Param
	result  int  // its index
	isParam bool // by the ingest rule, or else an attr
	slot    int  // its index in the params or attrs of the result's layout
}

// What is counted against MaxResultBytes, besides the text, of what is held: about the bytes that it takes. The validator
// counts the same, so that what it accepts is read.
const (
	resultCost = 96
	itemCost   = 64
	optionCost = 80
	sampleCost = 8
)

// readAnyTest reads the test ahead, whatever it is like.
func (r *Reader) readAnyTest(kind jsonscan.Kind) {
	s, t := r.doc.Scan, r.test
	t.fault, t.problems = nil, 0
	t.results, t.items, t.options, t.samples = t.results[:0], t.items[:0], t.options[:0], t.samples[:0]
	t.targets = t.targets[:0]
	switch kind {
	case jsonscan.Object:
	case jsonscan.Null:
		s.Null()
		return
	default:
		t.faulty(s.SkipTypeError("object"))
		return
	}
	r.configs.Reset()
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			return
		}
		if !r.configs.Add(s, name) {
			r.doc.Scan.FailRepeated(name)
			return
		}
		if kind == jsonscan.Null {
			s.Null()
			continue
		}
		if t.fault != nil {
			s.Skip() // nothing of the test is yielded
			continue
		}
		if !s.Charge(resultCost) {
			return
		}
		n := len(t.results)
		t.results = extend(t.results)
		res := &t.results[n]
		*res = result{config: r.strings.String(name), own: res.own}
		items, options, samples := len(t.items), len(t.options), len(t.samples)
		if kind == jsonscan.Object {
			r.readResult(res)
		} else {
			r.problem(s.SkipTypeError("object"))
		}
		res.items, res.options, res.samples = len(t.items)-items, len(t.options)-options, len(t.samples)-samples
		if t.fault == nil && r.OptionsAsParams {
			r.checkParams(t.options[options:])
		}
	}
}

// checkParams fails if the options make too many params of the result that was left just now.
func (r *Reader) checkParams(options []option) {
	max := r.Limits.MaxParams
	n := len(r.base.params)
	if n+len(options) <= max {
		return
	}
	for i := range options {
		if _, ok := r.base.params.Find(options[i].Key); options[i].isParam && !ok {
			n++
		}
	}
	if s := r.doc.Scan; n > max {
		s.FailLimit(s.LeftError, "MaxParams", int64(max), "params of one measurement")
	}
}

// readResult reads the value of a configuration, an object.
func (r *Reader) readResult(res *result) {
	s, t := r.doc.Scan, r.test
	r.subResults.Reset()
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			return
		}
		if !r.subResults.Add(s, name) {
			r.doc.Scan.FailRepeated(name)
			return
		}
		switch {
		case t.fault != nil:
			s.Skip() // nothing of the test is yielded
		case string(name) == optionsMember:
			r.readOptions(kind)
		case string(name) == samplesMember:
			r.readSamples(res, kind)
		default:
			if !s.Charge(itemCost) {
				return
			}
			r.readSubResult(name, kind)
		}
	}
}

// readSubResult reads the value of a sub-result.
func (r *Reader) readSubResult(name []byte, kind jsonscan.Kind) {
	s, t := r.doc.Scan, r.test
	switch {
	case r.sampling && kind == jsonscan.Number && !s.SkipNaN():
		s.Number()
		t.addTarget(target{what: nothing})
	case r.sampling:
		t.plain = false
		s.Skip()
	default:
		it := item{name: r.strings.String(name), offset: s.Offset()}
		var ok bool
		if it.number, ok = r.readNumber(kind); ok {
			t.addTarget(target{what: subResult, index: len(t.items)})
			t.addItem(it)
		}
	}
}

// readNumber reads a sub-result or sample, or what stands in its place, which is a problem. It returns whether it is a number.
func (r *Reader) readNumber(kind jsonscan.Kind) (f float64, ok bool) {
	s := r.doc.Scan
	switch {
	case s.SkipNaN():
		r.problem(s.TokenError(skiadoc.NaNMessage(s.Token())))
		return 0, false
	case kind != jsonscan.Number:
		r.problem(s.SkipTypeError("number"))
		return 0, false
	}
	f, ok = s.Number()
	if math.IsInf(f, 0) {
		r.problem(s.TokenError("the number is out of float64's range"))
		return 0, false
	}
	return f, ok
}

// What a result has besides its sub-results.
const (
	optionsMember = "options"
	samplesMember = "samples"
)

// addItem adds an item, unless nothing of the test is to be yielded.
func (t *test) addItem(it item) {
	if t.fault == nil {
		t.items = append(t.items, it)
	}
}

// faulty has the test left out because of e.
func (t *test) faulty(e *format.Error) {
	e.Recoverable = true
	if t.fault == nil {
		t.fault = e
		t.items, t.options, t.samples = t.items[:0], t.options[:0], t.samples[:0]
	}
	t.plain = false
}

// maxProblems is how much of a test is left out piece by piece. A test with more problems is left out as a whole, so
// that it can't take much more memory than its text.
const maxProblems = 1000

// problem has a part of the test left out because of e.
func (r *Reader) problem(e *format.Error) {
	t := r.test
	t.plain = false
	if r.doc.Scan.Err() != nil || t.fault != nil {
		return
	}
	e.Recoverable = true
	if t.problems++; t.problems > maxProblems {
		e.Message = fmt.Sprintf("more than %d parts of the test are faulty: all of it is left out", maxProblems)
		t.faulty(e)
		return
	}
	t.addItem(item{problem: e})
}

// readOptions reads the options of a result.
func (r *Reader) readOptions(kind jsonscan.Kind) {
	s, t := r.doc.Scan, r.test
	switch kind {
	case jsonscan.Object:
	case jsonscan.Null:
		s.Null()
		return
	default:
		r.problem(s.SkipTypeError("object"))
		return
	}
	r.optionNames.Reset()
	room := r.Limits.MaxParams - len(r.doc.Header.Options)
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			return
		}
		if !r.optionNames.Add(s, name) {
			r.doc.Scan.FailRepeated(name)
			return
		}
		if kind == jsonscan.Null {
			s.Null()
			continue
		}
		if room--; room < 0 {
			s.Fail(optionsLimit(s, r.Limits))
			return
		}
		if !s.Charge(optionCost) {
			return
		}
		o := option{result: len(t.results) - 1}
		o.Key = r.strings.String(name)
		o.isParam = r.OptionsAsParams && kind == jsonscan.String && !hasGL(o.Key)
		if o.Value, ok = r.readOption(kind); !ok {
			return
		}
		if t.fault == nil {
			t.options = append(t.options, o)
		}
	}
}

// hasGL reports whether an option has a name that is no param by the ingest rule.
func hasGL(name string) bool { return len(name) >= 3 && name[:3] == "GL_" }

// readOption reads the value of an option: a string, or the text of what it is.
func (r *Reader) readOption(kind jsonscan.Kind) (string, bool) {
	s, t := r.doc.Scan, r.test
	switch kind {
	case jsonscan.String:
		t.addTarget(target{what: optionText, index: len(t.options)})
		text, ok := s.Text()
		return r.strings.String(text), ok
	case jsonscan.Number:
		t.addTarget(target{what: optionText, index: len(t.options)})
	case jsonscan.Bool:
	default:
		t.plain = false
	}
	var ok bool
	r.text, ok = s.AppendValue(r.text[:0])
	return r.strings.String(r.text), ok
}

// readSamples reads the samples of a result.
func (r *Reader) readSamples(res *result, kind jsonscan.Kind) {
	s, t := r.doc.Scan, r.test
	switch {
	case kind == jsonscan.Null:
		s.Null()
		return
	case kind != jsonscan.Array:
		t.plain = false
		if r.sampling {
			r.problem(s.SkipTypeError("array"))
		} else {
			s.Skip()
		}
		return
	}
	res.sampled, res.samplesAt = true, s.Offset()
	first := len(t.targets)
	for s.EnterArray(); s.Element(); {
		kind := s.Kind()
		switch {
		case t.fault != nil:
			s.Skip() // nothing of the test is yielded
		case r.sampling:
			f, ok := r.readNumber(kind)
			if !ok {
				continue
			}
			if !s.Charge(sampleCost) {
				return
			}
			t.addTarget(target{what: sample, index: len(t.samples), result: len(t.results) - 1})
			t.samples = append(t.samples, f)
		case kind == jsonscan.Number && !s.SkipNaN():
			s.Number()
			t.addTarget(target{what: nothing})
		default:
			t.plain = false
			s.Skip()
		}
	}
	switch {
	case !r.sampling:
	case len(t.targets) == first:
		t.plain = false // there is no hole that could tell where the array is
	default:
		t.targets[first].lead = 1 // match.go knows how much it is
	}
}

// extend makes the slice one longer. The new element still has what it had when the slice was longer before.
func extend[E any](s []E) []E {
	if len(s) < cap(s) {
		return s[:len(s)+1]
	}
	var zero E
	return append(s, zero)
}
