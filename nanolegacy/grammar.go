package nanolegacy

import (
	"fmt"
	"slices"

	"perfdata/format"
	"perfdata/internal/forms"
	"perfdata/internal/jsonscan"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// This file is the grammar of tests. A test is read as a whole, with all its configurations,
// before its measurements are yielded, because the options of a result may come last, and an
// error may be anywhere.
//
// Fast path: if a test repeats the text of an earlier one, except for the fields that are bound
// here, update takes these fields. The name of the test is not part of that text. The slow path
// is read. An indented test with two configurations takes 3,900 instructions by the fast path,
// and 14,000 by the slow one (callgrind).

// A test is a member of the file's results.
type test struct {
	fault   *format.Error // for which the test is left out
	results []result      // one for each configuration
	items   []item        // of all results
	options []option      // of all results
	samples []float64     // of all results

	problems int // number of items that are problems
}

// A result is a test's member for a configuration. Its items, options and samples follow the ones
// of earlier results in the test's slices.
type result struct {
	config  string
	items   int
	options int
	samples int

	sampled   bool  // it has an array of samples, perhaps empty, and samples are wanted
	samplesAt int64 // offset of the array
}

// An item is a sub-result, or an error about a part of the result.
type item struct {
	name    string
	unit    string // the name, or the unit that it ends in; "" if it is none
	number  float64
	offset  int64         // of the number
	problem *format.Error // for which something is left out
}

// An option is a member of a result's options.
type option struct {
	traceid.Param
	isParam bool // by the ingest rule; otherwise it is an attr
}

// The fields that may differ between a test and a later one that is read by comparing text.
const (
	subResult = iota
	optionText
	sample
	firstSample // of a result
	ignored     // a number that is only checked
)

// The costs are charged to MaxResultBytes, in addition to the text: about the bytes of memory
// that each element takes.
const (
	resultCost = 96
	itemCost   = 64
	optionCost = 80
	sampleCost = 8
)

// The members of a result that are not sub-results.
const (
	optionsMember = "options"
	samplesMember = "samples"
)

// A grammar reads tests. In validation, it reports to the Validation, and leaves nothing out: there
// are not faults or problems.
type grammar struct {
	skiadoc.Grammar
	optionsAsParams bool
	selection       selection

	// The file's params, and the number of its options, which results inherit. MaxParams includes
	// them.
	params  traceid.Params
	options int

	text []byte // of an option that is not a string

	trace *layout // in validation, of the measurement that is read; the test is set
}

// A selection says what is read of tests. The rest is only checked.
type selection uint8

const (
	selectSubResults selection = 1 << iota
	selectSamples
)

// read reads the test ahead into t.
func (g *grammar) read(s *jsonscan.Scanner, t *test, kind jsonscan.Kind) {
	*t = test{results: t.results[:0], items: t.items[:0], options: t.options[:0], samples: t.samples[:0]}
	if g.Absent(s, kind) {
		return
	}
	if kind != jsonscan.Object {
		t.faulty(g.WrongType(s, "object"))
		return
	}

	for name, kind := range s.Members() {
		if g.Absent(s, kind) {
			continue
		}
		if t.fault != nil {
			s.SkipForgiving() // nothing of the test is yielded
			continue
		}
		if !s.Charge(resultCost) {
			return
		}

		n := len(t.results)
		t.results = append(t.results, result{config: g.Strings.String(name)})
		g.WarnName(s, t.results[n].config)
		items, options, samples := len(t.items), len(t.options), len(t.samples)
		if kind == jsonscan.Object {
			g.readResult(s, t)
		} else {
			t.problem(s, g.WrongType(s, "object"))
		}
		res := &t.results[n]
		res.items, res.options, res.samples = len(t.items)-items, len(t.options)-options, len(t.samples)-samples
		if t.fault == nil && g.optionsAsParams {
			g.checkParams(s, t.options[options:])
		}
	}
}

// update takes the fields of a test that matches the one that t was read from.
func (g *grammar) update(t *test, match *forms.Match) {
	for i := range match.Changes() {
		switch tag := match.Tag(i); tag.Field {
		case subResult:
			it := &t.items[tag.Index]
			it.number, it.offset = match.Number(i), match.Start(i)
		case optionText:
			g.SetText(&t.options[tag.Index].Value, match.Text(i))
		case firstSample:
			n, of := tag.Index, 0 // of the samples of a result
			for ; n >= t.results[of].samples; of++ {
				n -= t.results[of].samples
			}
			t.results[of].samplesAt, t.samples[tag.Index] = match.Start(i), match.Number(i)
		case sample:
			t.samples[tag.Index] = match.Number(i)
		}
	}
}

// isSound reports whether the test can be updated: all of it was read, and all offsets are known.
func (t *test) isSound() bool {
	return t.fault == nil && t.problems == 0 &&
		!slices.ContainsFunc(t.results, func(res result) bool { return res.sampled && res.samples == 0 })
}

// checkParams fails if the options make too many params of the result that was just left.
func (g *grammar) checkParams(s *jsonscan.Scanner, options []option) {
	max := g.Limits.MaxParams
	n := len(g.params)
	if n+len(options) <= max {
		return
	}
	for i := range options {
		if _, ok := g.params.Find(options[i].Key); options[i].isParam && !ok {
			n++
		}
	}
	if n > max {
		s.FailLimit(s.LeftError, "MaxParams", int64(max), "params of one measurement")
	}
}

// readResult reads the value of a configuration, an object, into the last result of the test.
func (g *grammar) readResult(s *jsonscan.Scanner, t *test) {
	for name, kind := range s.Members() {
		switch {
		case t.fault != nil:
			s.SkipForgiving() // nothing of the test is yielded
		case string(name) == optionsMember:
			g.readOptions(s, t, kind)
		case string(name) == samplesMember:
			g.readSamples(s, t, kind)
		case !s.Charge(itemCost):
			return
		case g.selection&selectSubResults == 0:
			g.ignore(s, kind)

		default:
			it := item{name: g.Strings.String(name), offset: s.Offset()}
			it.unit = unitOf(it.name)
			g.WarnName(s, it.name)
			tag := forms.Tag{Field: subResult, Index: len(t.items)}
			var ok bool
			if it.number, ok = g.readNumber(s, t, kind, skiadoc.Measured, tag, it.offset); ok {
				t.items = append(t.items, it)
				if v, l := g.Validation, g.trace; v != nil {
					l.params[l.config].Value, l.params[l.subResult].Value = t.results[len(t.results)-1].config, it.name
					v.Trace(l.params, s.TokenPosition().Line, s.TokenError)
				}
			}
		}
	}
}

// ignore skips a value. It binds a number, which may differ in a later test.
func (g *grammar) ignore(s *jsonscan.Scanner, kind jsonscan.Kind) {
	if s.SkipNaN() {
		return
	}
	if kind != jsonscan.Number {
		s.Skip()
		return
	}
	if _, ok := s.Number(); ok {
		s.Bind(forms.Tag{Field: ignored}, 0)
	}
}

// readNumber reads a sub-result or sample and binds it. Anything else in its place is a problem.
// It returns whether it is a number.
func (g *grammar) readNumber(
	s *jsonscan.Scanner, t *test, kind jsonscan.Kind, is skiadoc.NumberKind, tag forms.Tag, from int64,
) (f float64, ok bool) {
	skipped, fault := g.SkipNaN(s)
	if !skipped {
		f, ok, fault = g.ReadNumber(s, kind, is)
	}
	if ok {
		s.Bind(tag, from)
	} else {
		t.problem(s, fault)
	}
	return f, ok
}

// faulty makes e, if it is not nil, the reason why the test is left out.
func (t *test) faulty(e *format.Error) {
	if e != nil && t.fault == nil {
		e.Severity = format.Recoverable
		t.fault = e
		t.items, t.options, t.samples = t.items[:0], t.options[:0], t.samples[:0]
	}
}

// maxProblems is the largest number of parts of a test that are left out one by one. A test with
// more problems is left out as a whole, so it can't take much more memory than its text.
const maxProblems = 1000

// problem makes e, if it is not nil, the reason why a part of the test is left out.
func (t *test) problem(s *jsonscan.Scanner, e *format.Error) {
	if e == nil || s.Err() != nil || t.fault != nil {
		return
	}
	e.Severity = format.Recoverable
	if t.problems++; t.problems > maxProblems {
		e.Message = fmt.Sprintf("more than %d parts of the test are faulty: all of it is left out", maxProblems)
		t.faulty(e)
		return
	}
	t.items = append(t.items, item{problem: e})
}

// readOptions reads the options of a result. The value of one is a string, or the text of any other value, in
// which each number out of range is a problem.
func (g *grammar) readOptions(s *jsonscan.Scanner, t *test, kind jsonscan.Kind) {
	if g.Absent(s, kind) {
		return
	}
	if kind != jsonscan.Object {
		t.problem(s, g.WrongType(s, "object"))
		return
	}

	room := g.Limits.MaxParams - g.options
	for name, kind := range s.Members() {
		if kind == jsonscan.Null {
			s.Null()
			continue
		}
		if room--; room < 0 {
			max := int64(g.Limits.MaxParams)
			s.FailLimit(s.NameError, "MaxParams", max, "options of one measurement, the file's included")
			return
		}
		if !s.Charge(optionCost) {
			return
		}

		var o option
		o.Key = g.Strings.String(name)
		o.isParam = g.optionsAsParams && kind == jsonscan.String && !hasGL(o.Key)
		problems := t.problems
		var text []byte
		var ok bool
		if kind == jsonscan.String {
			text, ok = s.Text()
		} else {
			g.text, ok = s.AppendValue(g.text[:0], func() { t.problem(s, g.OutOfRange(s)) })
			text = g.text
		}
		if !ok {
			return
		}

		if kind == jsonscan.String || kind == jsonscan.Number {
			s.Bind(forms.Tag{Field: optionText, Index: len(t.options)}, 0)
		}
		o.Value = g.Strings.String(text)
		if t.fault == nil && t.problems == problems {
			t.options = append(t.options, o)
		}
	}
}

// hasGL reports whether an option has a name that does not become a param by the ingest rule.
func hasGL(name string) bool { return len(name) >= 3 && name[:3] == "GL_" }

// readSamples reads the samples of the test's last result.
func (g *grammar) readSamples(s *jsonscan.Scanner, t *test, kind jsonscan.Kind) {
	wanted := g.selection&selectSamples != 0
	switch {
	case g.Absent(s, kind):
		return
	case kind != jsonscan.Array && wanted:
		t.problem(s, g.WrongType(s, "array"))
		return
	case kind != jsonscan.Array:
		s.Skip()
		return
	}

	res := &t.results[len(t.results)-1]
	res.sampled, res.samplesAt = wanted, s.Offset()
	field := firstSample
	for s.EnterArray(); s.Element(); {
		kind := s.Kind()
		switch {
		case t.fault != nil:
			s.SkipForgiving() // nothing of the test is yielded

		case wanted:
			tag := forms.Tag{Field: field, Index: len(t.samples)}
			f, ok := g.readNumber(s, t, kind, skiadoc.Sampled, tag, res.samplesAt)
			if !ok {
				continue
			}
			if !s.Charge(sampleCost) {
				return
			}
			t.samples = append(t.samples, f)
			field = sample

		default:
			g.ignore(s, kind)
		}
	}
}
