package nanolegacy

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/jsonenc"
	"perfdata/internal/outbuf"
	"perfdata/internal/skiadoc"
	"perfdata/internal/traceset"
	"perfdata/traceid"
)

// A Writer writes a file, of which every line but the first and the last is a test. It is deterministic, and what
// it writes is read back equal, by a Reader with the same OptionsAsParams, and is valid: [Validate] finds nothing but
// warnings.
//
// Before anything of a record is written, it is checked. Refused are:
//
//   - NaN and infinities, because JSON can't hold them, measurements out of the range of float32, in which Skia Perf stores
//     them, and links, which the format doesn't have;
//   - a record without the params test, config and sub_result, or whose sub_result is options or samples, which
//     mean something else in a file;
//   - a record without a param of the header's Key, or with another value of it, and one with any other param, unless
//     OptionsAsParams;
//   - a record whose trace was written before, as far as Limits.MaxUniqueTraces traces are remembered, in some 20 to 30 bytes of memory each;
//   - a record whose attrs are others than those of a record with the same test and config, because these share their
//     options;
//   - a record of a test, or of a configuration of it, that was written before, with others since, unless Gather;
//   - what is not UTF-8, and what exceeds the Limits.
//
// A refused record leaves the Writer as it was. Attrs that the header's Options have too need not be in a record.
// The Writer remembers the tests' names.
//
// A Writer serves one goroutine.
type Writer struct {
	// OptionsAsParams writes for Readers with OptionsAsParams: other params than those of the header's Key are
	// written as options, and of the attrs only those can be written whose names begin with GL_.
	OptionsAsParams bool

	// Gather takes records in any order. It keeps all of them in memory until Close, which writes those of a test
	// together, in the order in which the tests, and the configurations of a test, came first.
	Gather bool

	// Drop says what to leave out of records. The format can't hold links, and with OptionsAsParams, most attrs.
	Drop format.Drop

	// Limits are the limits of the file's reader. The limits of params, strings, members, the header, a single test and
	// traces bound what the Writer takes.
	Limits format.Limits

	out    outbuf.Buffer
	header Header
	limits format.Limits // with their defaults; set when the header is checked
	base   layout        // of results without options; made when the header is checked
	trace  layout        // of the measurement that is looked at, by the specification's rule; likewise
	traces traceset.Set  // written
	begun  bool          // the header is in out

	tests    map[string]struct{} // written, and the open one
	configs  map[string]struct{} // of the open test
	members  map[string]struct{} // of the open result
	test     string              // the open one
	config   string              // the open one
	options  traceid.Params      // of the open result
	inTest   bool                // one is open, and so is a result of it
	size     int                 // of the open test, as a reader counts it
	gathered gathered            // with Gather
	own      []traceid.Param     // of the record that is checked: its options
}

// NewWriter returns a Writer of a file with that header to out. A fault of the header is reported by the first call
// of another method, before anything is written.
func NewWriter(out io.Writer, header Header) *Writer {
	header.Key, header.Options = header.Key.Clone(), header.Options.Clone()
	return &Writer{
		out: outbuf.New(out), header: header,
		tests: make(map[string]struct{}), configs: make(map[string]struct{}), members: make(map[string]struct{}),
	}
}

// WriteMeasurement writes one measurement. Its params are those given, overlaid on those that the header gives to every
// measurement. They need test, config and sub_result.
func (w *Writer) WriteMeasurement(params traceid.Params, value float64) error {
	params, err := w.overlay(params)
	if err != nil {
		return err
	}
	return w.Write(&format.Record{Params: params, Value: value})
}

// overlay returns the params overlaid on those that the header gives to every measurement.
func (w *Writer) overlay(params traceid.Params) (traceid.Params, error) {
	if err := params.CheckSorted(); err != nil {
		return nil, fmt.Errorf("measurement %s: params: %w", params.ID(), err)
	}
	base := w.header.Key
	if w.OptionsAsParams {
		for _, p := range w.header.Options {
			if !hasGL(p.Key) {
				base = traceid.Merge(base, traceid.Params{p})
			}
		}
	}
	return traceid.Merge(base, params), nil
}

// Write writes a record.
func (w *Writer) Write(rec *format.Record) error {
	e := entry{value: rec.Value}
	var err error
	if math.IsNaN(rec.Value) || math.IsInf(rec.Value, 0) {
		err = fmt.Errorf("the value is %v, which JSON can't hold", rec.Value)
	} else if !skiadoc.InRange(rec.Value) {
		err = fmt.Errorf("the value is %v, out of the range of float32, in which Skia Perf stores it", rec.Value)
	} else if len(rec.Links) > 0 && !w.Drop.Links {
		err = fmt.Errorf("the format can't hold links, such as %q", rec.Links[0].Key)
	} else {
		err = w.check(&e, rec.Params, rec.Attrs)
	}
	return w.write(&e, rec.Params, "measurement", err)
}

// WriteSamples writes the samples of which a measurement is the summary. Its params, overlaid on those that the header
// gives to every measurement, need test, config and the sub_result min_ms. A test and config have one array of samples.
// The measurement itself has to be written, too: the samples alone are not a measurement.
func (w *Writer) WriteSamples(s *Samples) error {
	params, err := w.overlay(s.Params)
	if err != nil {
		return err
	}
	e := entry{samples: s.Values}
	err = w.check(&e, params, s.Attrs)
	for _, f := range s.Values {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			err = fmt.Errorf("a sample is %v, which JSON can't hold", f)
		}
	}
	if err == nil && e.member != samplesSubResult {
		err = fmt.Errorf("sub_result is %q, and the format has samples of %s only", e.member, samplesSubResult)
	}
	e.member = samplesMember
	return w.write(&e, params, "samples", err)
}

// write writes an entry, unless it has a fault.
func (w *Writer) write(e *entry, params traceid.Params, what string, fault error) error {
	if err := w.checkHeader(); err != nil {
		return err
	}
	if fault == nil {
		fault = w.checkOrder(e)
	}
	p := place{}
	if fault == nil {
		p = w.placeOf(e)
		fault = p.check(w.limits)
	}
	if fault == nil && e.member != samplesMember {
		fault = w.addTrace(e)
	}
	if fault != nil {
		return fmt.Errorf("%s %s: %w", what, params.ID(), fault)
	}
	if w.Gather {
		w.gathered.add(e, p.size)
		return nil
	}
	w.append(e)
	w.size = p.size
	return w.out.FlushIfLarge()
}

// Flush writes all that was given to the Writer to out. With Gather, it writes nothing.
func (w *Writer) Flush() error {
	if err := w.checkHeader(); err != nil || w.Gather {
		return err
	}
	w.begin()
	return w.out.Flush()
}

// Close completes the file and writes all of it to out, which it doesn't close. It may be called again and then
// returns nil, if it returned nil before.
func (w *Writer) Close() error {
	if w.out.Closed() {
		return nil
	}
	if err := w.checkHeader(); err != nil {
		return err
	}
	w.begin()
	for e := range w.gathered.all() {
		w.append(e)
		if err := w.out.FlushIfLarge(); err != nil {
			return err
		}
	}
	if w.inTest {
		w.out.Bytes = append(w.out.Bytes, "}}"...)
	}
	w.out.Bytes = append(w.out.Bytes, "\n}}\n"...)
	return w.out.Close()
}

func (w *Writer) checkHeader() error {
	if w.out.Err() != nil || w.begun || w.base.params != nil {
		return w.out.Err()
	}
	w.limits = w.Limits.WithDefaults()
	h := &w.header
	for _, s := range []string{h.GitHash, h.Issue, h.Patchset, h.Source, h.PatchStorage} {
		if !utf8.ValidString(s) {
			return fmt.Errorf("header: %q is not UTF-8", s)
		}
	}

	if err := skiadoc.CheckPairs(h.Key, w.limits); err != nil {
		return fmt.Errorf("header: Key: %w", err)
	}
	if err := skiadoc.CheckPairs(h.Options, w.limits); err != nil {
		return fmt.Errorf("header: Options: %w", err)
	}
	err := skiadoc.CheckHeader(h.appendJSON(nil), len(h.Key)+len(h.Options), w.limits, h.GitHash, h.Issue, h.Patchset, h.Source, h.PatchStorage)
	if err != nil {
		return fmt.Errorf("header: %w", err)
	}

	base := h.layOut(w.OptionsAsParams)
	w.trace = h.layOutTrace()
	if max := w.limits.MaxParams; len(base.params) > max || len(w.trace.params) > max {
		return fmt.Errorf("header: with test, config and sub_result, it gives measurements more than %d params (Limits.MaxParams)", max)
	}
	w.base = base
	return nil
}

// addTrace returns an error if the measurement's trace was written already, and else remembers it.
func (w *Writer) addTrace(e *entry) error {
	t := &w.trace
	t.params[t.test].Value, t.params[t.config].Value, t.params[t.subResult].Value = e.test, e.config, e.member
	if earlier, _ := w.traces.Add(t.params, 1, w.limits.MaxUniqueTraces); earlier > 0 {
		return errors.New("its trace was written already")
	}
	return nil
}

// A place is what the file, a test, and a result of it have with an entry.
type place struct {
	tests, configs, members int // how many
	size                    int // of the test, as a reader counts it, or more
}

// placeOf returns the place of the entry, with it.
func (w *Writer) placeOf(e *entry) place {
	p := place{tests: len(w.tests) + 1, configs: 1, members: 1}
	newResult := true
	if w.Gather {
		p.tests = len(w.gathered.tests) + 1
		if t := w.gathered.index[e.test]; t != nil {
			p.tests--
			p.size, p.configs = t.size, len(t.results)+1
			if res := t.index[e.config]; res != nil {
				p.configs--
				p.members, newResult = len(res.entries)+1, false
			}
		}
	} else if w.inTest && e.test == w.test {
		p.tests--
		p.size, p.configs = w.size, len(w.configs)+1
		if e.config == w.config {
			p.configs--
			p.members, newResult = len(w.members)+1, false
		}
	}

	if len(e.options) > 0 {
		p.members++
	}
	if newResult {
		p.size += len(`"":{},"options":,`) + resultCost + skiadoc.WrittenLen(e.config) + skiadoc.PairsSize(e.options, optionCost, skiadoc.WrittenLen)
	}
	p.size += len(`"":[],`) + itemCost + skiadoc.WrittenLen(e.member) + maxNumber + len(e.samples)*(maxNumber+1+sampleCost)
	return p
}

const maxNumber = 25 // bytes of a number that is written

// check returns why there can't be a place like this.
func (p *place) check(limits format.Limits) error {
	switch {
	case max(p.tests, p.configs, p.members) > limits.MaxMembers:
		return fmt.Errorf("with it, there are more than %d tests, configurations of one, or members of one of these (Limits.MaxMembers)", limits.MaxMembers)
	case int64(p.size) > limits.MaxResultBytes:
		return fmt.Errorf("with it, its test is too large: more than %d bytes (Limits.MaxResultBytes)", limits.MaxResultBytes)
	}
	return nil
}

// An entry is a member of a result: a sub-result or samples.
type entry struct {
	test, config string
	options      traceid.Params // of the result; the Writer's own
	member       string
	value        float64
	samples      []float64 // if the member is that
}

// check returns why what has the params and attrs can't be written, or completes the entry.
func (w *Writer) check(e *entry, params, attrs traceid.Params) error {
	if err := w.checkHeader(); err != nil {
		return nil // write will say so
	}
	if err := skiadoc.CheckPairs(params, w.limits); err != nil {
		return fmt.Errorf("params: %w", err)
	}
	if err := skiadoc.CheckPairs(attrs, w.limits); err != nil {
		return fmt.Errorf("attrs: %w", err)
	}

	for _, p := range []struct {
		key   string
		value *string
	}{{testParam, &e.test}, {configParam, &e.config}, {subResultParam, &e.member}} {
		var ok bool
		if *p.value, ok = params.Get(p.key); !ok {
			return fmt.Errorf("missing param %q, which the format needs", p.key)
		}
	}
	if e.member == optionsMember || e.member == samplesMember {
		return fmt.Errorf("sub_result is %q, which means something else in the format", e.member)
	}

	w.own = w.own[:0]
	if err := w.checkParams(e, params); err != nil {
		return err
	}
	if err := w.checkAttrs(attrs); err != nil {
		return err
	}
	if max := w.limits.MaxParams; len(w.own)+len(w.header.Options) > max {
		return fmt.Errorf("its options and the header's are more than %d (Limits.MaxParams)", max)
	}
	slices.SortFunc(w.own, func(a, b traceid.Param) int { return strings.Compare(a.Key, b.Key) })
	e.options = w.own
	return nil
}

// checkParams checks the params against those that every measurement has, and adds to w.own those that an option
// can hold.
func (w *Writer) checkParams(e *entry, params traceid.Params) error {
	base := w.base.params
	for _, p := range params {
		if len(base) > 0 && base[0].Key < p.Key {
			return fmt.Errorf("missing param %q, which the header gives to every measurement", base[0].Key)
		}
		given, ok := "", false
		if len(base) > 0 && base[0].Key == p.Key {
			given, ok = base[0].Value, true
			base = base[1:]
		}

		switch {
		case p.Key == subResultParam:
			continue
		case p.Key == testParam && w.base.test >= 0:
			continue
		case p.Key == configParam && w.base.config >= 0:
			continue
		case ok && given == p.Value:
			continue
		case w.OptionsAsParams && !hasGL(p.Key):
			w.own = append(w.own, p)
		case ok:
			return fmt.Errorf("param %q is %q, but the header gives every measurement %q", p.Key, p.Value, given)
		default:
			return fmt.Errorf("the format has no place for param %q", p.Key)
		}
	}
	if len(base) > 0 {
		return fmt.Errorf("missing param %q, which the header gives to every measurement", base[0].Key)
	}
	return nil
}

// checkAttrs adds to w.own the attrs that an option has to hold.
func (w *Writer) checkAttrs(attrs traceid.Params) error {
	for _, a := range attrs {
		if value, ok := w.base.attrs.Get(a.Key); ok && value == a.Value {
			continue
		}
		if !w.OptionsAsParams || hasGL(a.Key) {
			w.own = append(w.own, a)
		} else if !w.Drop.Attrs {
			return fmt.Errorf("attr %q would be read back as a param: its name doesn't begin with GL_", a.Key)
		}
	}
	return nil
}

// checkOrder returns why the entry can't be written after those that were.
func (w *Writer) checkOrder(e *entry) error {
	if w.Gather {
		return w.gathered.check(e)
	}
	if !w.inTest || e.test != w.test {
		if _, ok := w.tests[e.test]; ok {
			return errors.New("its test was written already, and others after it; only Gather takes them in any order")
		}
		return nil
	}
	if e.config != w.config {
		if _, ok := w.configs[e.config]; ok {
			return errors.New("its test and config were written already, and others after them; only Gather takes them in any order")
		}
		return nil
	}
	_, again := w.members[e.member]
	return checkSameResult(again, e.options, w.options)
}

// checkSameResult returns why an entry can't be written to a result that has the options.
func checkSameResult(again bool, options, has traceid.Params) error {
	if again {
		return errors.New("it was written already")
	}
	if !options.Equal(has) {
		return errors.New("its options differ from those of an earlier measurement with the same test and config")
	}
	return nil
}

func (w *Writer) begin() {
	if w.begun {
		return
	}
	w.begun = true
	w.out.Bytes = w.header.appendJSON(w.out.Bytes)
	w.out.Bytes = append(w.out.Bytes, `,"results":{`...)
}

// append appends the entry, and what has to be closed and opened before it.
func (w *Writer) append(e *entry) {
	w.begin()
	switch {
	case !w.inTest || e.test != w.test:
		if w.inTest {
			w.out.Bytes = append(w.out.Bytes, "}},"...)
		}
		w.inTest = true
		w.test = strings.Clone(e.test)
		w.tests[w.test] = struct{}{}
		clear(w.configs)
		w.out.Bytes = appendName(append(w.out.Bytes, '\n'), e.test)
		w.out.Bytes = append(w.out.Bytes, '{')
		w.beginResult(e)
	case e.config != w.config:
		w.out.Bytes = append(w.out.Bytes, "},"...)
		w.beginResult(e)
	default:
		w.out.Bytes = append(w.out.Bytes, ',')
	}

	w.members[e.member] = struct{}{}
	w.out.Bytes = appendName(w.out.Bytes, e.member)
	if e.member != samplesMember {
		w.out.Bytes = jsonenc.AppendFloat(w.out.Bytes, e.value)
		return
	}

	w.out.Bytes = append(w.out.Bytes, '[')
	for i, f := range e.samples {
		if i > 0 {
			w.out.Bytes = append(w.out.Bytes, ',')
		}
		w.out.Bytes = jsonenc.AppendFloat(w.out.Bytes, f)
	}
	w.out.Bytes = append(w.out.Bytes, ']')
}

// beginResult appends the beginning of the entry's result, up to the entry.
func (w *Writer) beginResult(e *entry) {
	w.config = e.config
	w.configs[w.config] = struct{}{}
	clear(w.members)
	w.options = append(w.options[:0], e.options...)
	w.out.Bytes = append(appendName(w.out.Bytes, e.config), '{')
	if len(e.options) > 0 {
		w.out.Bytes = appendName(w.out.Bytes, optionsMember)
		w.out.Bytes = jsonenc.AppendParams(w.out.Bytes, e.options.All())
		w.out.Bytes = append(w.out.Bytes, ',')
	}
}
