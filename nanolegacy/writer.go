package nanolegacy

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/number"
	"perfdata/internal/outbuf"
	"perfdata/internal/skiadoc"
	"perfdata/internal/traceset"
	"perfdata/traceid"
)

// A Writer writes a file with one test on each line between the first and the last. Its output is
// deterministic, valid ([Validate] finds only warnings), and read back equal by a Reader with the
// same OptionsAsParams.
//
// A Writer checks a record before it writes any part of it. It refuses:
//
//   - NaN and infinities, because JSON can't hold them, measurements out of the range of float32,
//     in which Skia Perf stores them, and links, which the format doesn't have;
//   - a record without the params test, config and sub_result, or whose sub_result is options or
//     samples, which mean something else in a file;
//   - a record without a param of the header's Key, or with another value of it, and unless
//     OptionsAsParams is set, a record with any other param;
//   - a record of a trace that was written before. It remembers Limits.MaxUniqueTraces traces,
//     each in 13 to 20 bytes of memory;
//   - a record whose attrs differ from the attrs of an earlier record with the same test and
//     config, because they share their options;
//   - unless Gather is set, a record of an earlier test, or of an earlier configuration of the
//     test;
//   - text that is not UTF-8, and a record that exceeds the Limits.
//
// A refused record leaves the Writer unchanged. A record may omit attrs that the header's Options
// have. The Writer remembers the names of all tests.
//
// A Writer serves one goroutine.
type Writer struct {
	// OptionsAsParams writes for Readers with OptionsAsParams. Params that are not in the header's
	// Key are written as options. Attrs can only be written if their names begin with GL_.
	OptionsAsParams bool

	// Gather accepts records in any order. It keeps them in memory until Close, which writes the
	// records of a test together. The tests, and the configurations of a test, are written in the
	// order in which they came first.
	Gather bool

	// Drop says what to leave out of records. The format can't hold links and, with
	// OptionsAsParams, most attrs.
	Drop format.Drop

	// Limits are the limits of the file's reader. The limits on params, strings, members, the
	// header, a test and traces also apply to the records that are written.
	Limits format.Limits

	out    outbuf.Buffer
	header Header
	limits format.Limits // with their defaults; set when the header is checked
	base   layout        // of results without options; made when the header is checked
	trace  layout        // of the last measurement, by the specification's rule; likewise
	traces traceset.Set  // written
	texts  skiadoc.Texts // of params and attrs
	params skiadoc.PairsChecker
	attrs  skiadoc.PairsChecker
	begun  bool // the header is in out

	open     openTest
	gathered gathered // with Gather
	checked  checked
}

// A checked is what a Writer has found out about the params and attrs of a record. It is still true
// of the next record if that has the same keys, and other values only in test, config and
// sub_result, as most have. Without it, writing takes 40% more instructions.
type checked struct {
	valid                   bool
	test, config, subResult int             // indices in the params
	own                     []traceid.Param // the options that its result has; sorted
	size                    int             // of these options, as a reader counts it
	params                  int             // how many of own are params
}

// An openTest is the test, and its result, to which entries can be added, and the names that can't
// be written again.
type openTest struct {
	some    bool // a test and a result of it are open
	test    string
	size    int // as a reader counts it
	config  string
	options traceid.Params // of the result

	tests   map[string]struct{} // written, including the open one
	configs map[string]struct{} // of the open test
	members map[string]struct{} // of the open result
}

// NewWriter returns a Writer of a file with the header to out. The first call of another method
// reports any error of the header, before anything is written.
func NewWriter(out io.Writer, header Header) *Writer {
	header.Key, header.Options = header.Key.Clone(), header.Options.Clone()
	w := &Writer{out: outbuf.New(out), header: header, open: openTest{
		tests: make(map[string]struct{}), configs: make(map[string]struct{}), members: make(map[string]struct{}),
	}}
	w.params.Texts, w.attrs.Texts = &w.texts, &w.texts
	return w
}

// WriteMeasurement writes one measurement. Its params are the given ones, which override those
// that the header gives to every measurement. They need test, config and sub_result.
func (w *Writer) WriteMeasurement(params traceid.Params, value float64) error {
	params, err := w.overlay(params)
	if err != nil {
		return err
	}
	return w.Write(&format.Record{Params: params, Value: value})
}

// overlay returns the params, and those that the header gives to every measurement.
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
	err := skiadoc.CheckValue(rec.Value)
	if err == nil && len(rec.Links) > 0 && !w.Drop.Links {
		err = fmt.Errorf("the format can't hold links, such as %q", rec.Links[0].Key)
	}
	if err == nil {
		err = w.check(&e, rec.Params, rec.Attrs)
	}
	return w.write(&e, rec.Params, "measurement", err)
}

// WriteSamples writes the samples that a measurement summarizes. Their params override those that
// the header gives to every measurement. They need test, config and the sub_result min_ms. A test
// and config have one array of samples. Write the measurement too: samples alone are not a
// measurement.
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

	p := w.placeOf(e)
	if fault == nil {
		fault = w.checkOrder(e)
	}
	if fault == nil {
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
	w.open.size = p.size
	return w.out.FlushIfLarge()
}

// Flush writes everything that the Writer holds to out. With Gather, it writes nothing.
func (w *Writer) Flush() error {
	if err := w.checkHeader(); err != nil || w.Gather {
		return err
	}
	w.begin()
	return w.out.Flush()
}

// Close completes the file and writes the rest of it to out, which it doesn't close. After it has
// succeeded, further calls do nothing and return nil.
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
	if w.open.some {
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
	err := skiadoc.CheckHeader(h.appendJSON(nil),
		[]string{h.GitHash, h.Issue, h.Patchset, h.Source, h.PatchStorage},
		h.Key, h.Options, "Options", w.limits)
	if err != nil {
		return err
	}

	base := h.layOut(w.OptionsAsParams)
	w.trace = h.layOutTrace()
	if max := w.limits.MaxParams; len(base.params) > max || len(w.trace.params) > max {
		return fmt.Errorf("header: measurements have more than %d params, including test, config and sub_result "+
			"(Limits.MaxParams)", max)
	}
	w.base = base
	return nil
}

// addTrace remembers the measurement's trace. It returns an error if it was written already.
func (w *Writer) addTrace(e *entry) error {
	t := &w.trace
	t.params[t.test].Value, t.params[t.config].Value, t.params[t.subResult].Value = e.test, e.config, e.member
	if earlier, _ := w.traces.Add(t.params, 1, w.limits.MaxUniqueTraces); earlier > 0 {
		return errors.New("its trace was written already")
	}
	return nil
}

// A place has the numbers of a file, of a test and of a result, including a new entry.
type place struct {
	tests, configs, members int
	newResult               bool // the entry is the first of its result
	size                    int  // upper bound of the test's size, as a reader counts it
}

// placeOf returns the place of the entry.
func (w *Writer) placeOf(e *entry) place {
	p := w.open.place(e)
	if w.Gather {
		p = w.gathered.place(e)
	}
	if len(e.options) > 0 {
		p.members++
	}

	if p.newResult {
		p.size += len(`"":{},"options":,`) + resultCost + w.texts.WrittenLen(e.config) + e.size
	}
	p.size += len(`"":[],`) + itemCost + w.texts.WrittenLen(e.member) + skiadoc.MaxNumber +
		len(e.samples)*(skiadoc.MaxNumber+1+sampleCost)
	return p
}

// place returns the place of the entry, without its size.
func (o *openTest) place(e *entry) place {
	p := place{tests: len(o.tests), configs: len(o.configs), members: len(o.members), size: o.size}
	switch {
	case !o.some || e.test != o.test:
		return place{tests: p.tests + 1, configs: 1, members: 1, newResult: true}
	case e.config != o.config:
		p.configs++
		p.members, p.newResult = 0, true
	}
	p.members++
	return p
}

// check returns why there can't be a place like this, or nil.
func (p *place) check(limits format.Limits) error {
	switch {
	case max(p.tests, p.configs, p.members) > limits.MaxMembers:
		return fmt.Errorf("too many tests, configurations of the test, or members of the configuration: "+
			"more than %d (Limits.MaxMembers)", limits.MaxMembers)
	case int64(p.size) > limits.MaxResultBytes:
		return fmt.Errorf("its test is too large: more than %d bytes (Limits.MaxResultBytes)", limits.MaxResultBytes)
	}
	return nil
}

// An entry is a member of a result: a sub-result or samples.
type entry struct {
	test, config string
	options      traceid.Params // of the result; the Writer's memory
	size         int            // of the options, as a reader counts it
	member       string
	value        float64
	samples      []float64 // of samplesMember
}

// check completes the entry, or returns why it can't be written with the params and attrs.
func (w *Writer) check(e *entry, params, attrs traceid.Params) error {
	if err := w.checkHeader(); err != nil {
		return nil // write returns the error
	}
	c := &w.checked
	valid := c.valid
	c.valid = false // until this check has succeeded
	if err := w.params.Check(params, &w.limits); err != nil {
		return fmt.Errorf("params: %w", err)
	}
	if err := w.attrs.Check(attrs, &w.limits); err != nil {
		return fmt.Errorf("attrs: %w", err)
	}

	sameParams := valid && w.onlyNamesChanged()
	if !sameParams {
		if err := c.find(params); err != nil {
			return err
		}
	}
	e.test, e.config, e.member = params[c.test].Value, params[c.config].Value, params[c.subResult].Value
	if e.member == optionsMember || e.member == samplesMember {
		return fmt.Errorf("sub_result is %q, which means something else in the format", e.member)
	}

	if !sameParams || w.attrs.Rekeyed || len(w.attrs.Changed) > 0 {
		if err := w.checkOptions(params, attrs, sameParams); err != nil {
			return err
		}
	}
	w.params.Accept(params)
	w.attrs.Accept(attrs)
	c.valid = true
	e.options, e.size = c.own, c.size
	return nil
}

// onlyNamesChanged reports whether only the test, config or sub_result of the params differ from
// the last ones.
func (w *Writer) onlyNamesChanged() bool {
	for _, change := range w.params.Changed {
		c, i := &w.checked, change.Index
		isName := i == c.subResult || i == c.test && w.base.test >= 0 || i == c.config && w.base.config >= 0
		if !isName {
			return false
		}
	}
	return !w.params.Rekeyed
}

// find finds the names in the params.
func (c *checked) find(params traceid.Params) error {
	for _, p := range []struct {
		key   string
		index *int
	}{{testParam, &c.test}, {configParam, &c.config}, {subResultParam, &c.subResult}} {
		var ok bool
		if *p.index, ok = params.Find(p.key); !ok {
			return fmt.Errorf("missing param %q, which the format needs", p.key)
		}
	}
	return nil
}

// checkOptions checks the params, unless they were found to be good, and the attrs. It finds which
// of them the options must hold.
func (w *Writer) checkOptions(params, attrs traceid.Params, sameParams bool) error {
	c := &w.checked
	c.own = c.own[:0]
	if !sameParams || c.params > 0 {
		if err := w.checkParams(params); err != nil {
			return err
		}
		c.params = len(c.own)
	}
	if err := w.checkAttrs(attrs); err != nil {
		return err
	}
	if max := w.limits.MaxParams; len(c.own)+len(w.header.Options) > max {
		return fmt.Errorf("more than %d options, including the header's (Limits.MaxParams)", max)
	}
	if c.params > 0 {
		slices.SortFunc(c.own, func(a, b traceid.Param) int { return strings.Compare(a.Key, b.Key) })
	}
	c.size = skiadoc.PairsSize(c.own, optionCost, w.texts.WrittenLen)
	return nil
}

// checkParams compares the params with those that every measurement has. It adds the params that
// options can hold to the options of the record.
func (w *Writer) checkParams(params traceid.Params) error {
	base := w.base.params
	for _, p := range params {
		if len(base) > 0 && base[0].Key < p.Key {
			break
		}
		given, ok := "", false
		if len(base) > 0 && base[0].Key == p.Key {
			given, ok = base[0].Value, true
			base = base[1:]
		}

		switch {
		case p.Key == subResultParam:
		case p.Key == testParam && w.base.test >= 0:
		case p.Key == configParam && w.base.config >= 0:
		case ok && given == p.Value:

		case w.OptionsAsParams && !hasGL(p.Key):
			w.checked.own = append(w.checked.own, p)
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

// checkAttrs adds the attrs that options must hold to the options of the record.
func (w *Writer) checkAttrs(attrs traceid.Params) error {
	for _, a := range attrs {
		if value, ok := w.base.attrs.Get(a.Key); ok && value == a.Value {
			continue
		}
		if !w.OptionsAsParams || hasGL(a.Key) {
			w.checked.own = append(w.checked.own, a)
		} else if !w.Drop.Attrs {
			return fmt.Errorf("attr %q would be read back as a param: its name doesn't begin with GL_", a.Key)
		}
	}
	return nil
}

// checkOrder returns why the entry can't be written after the earlier ones, or nil.
func (w *Writer) checkOrder(e *entry) error {
	if w.Gather {
		return w.gathered.check(e)
	}
	o := &w.open
	if !o.some || e.test != o.test {
		if _, ok := o.tests[e.test]; ok {
			return errors.New("its test was written already, before others: use Gather for records in any order")
		}
		return nil
	}
	if e.config != o.config {
		if _, ok := o.configs[e.config]; ok {
			return errors.New("its test and config were written already, before others: " +
				"use Gather for records in any order")
		}
		return nil
	}
	_, again := o.members[e.member]
	return checkSameResult(again, e.options, o.options)
}

// checkSameResult returns why an entry can't be added to a result that has the options, or nil. If
// again is set, the result has the entry already.
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

// append appends the entry. If it does not belong to the open result, append closes that, and
// begins another.
func (w *Writer) append(e *entry) {
	w.begin()
	o := &w.open
	switch {
	case !o.some || e.test != o.test:
		if o.some {
			w.out.Bytes = append(w.out.Bytes, "}},"...)
		}
		w.beginTest(e)
		w.beginResult(e)
	case e.config != o.config:
		w.out.Bytes = append(w.out.Bytes, "},"...)
		w.beginResult(e)
	default:
		w.out.Bytes = append(w.out.Bytes, ',')
	}

	o.members[e.member] = struct{}{}
	w.out.Bytes = w.appendName(w.out.Bytes, e.member)
	if e.member != samplesMember {
		w.out.Bytes = number.AppendShortest(w.out.Bytes, e.value)
		return
	}

	w.out.Bytes = append(w.out.Bytes, '[')
	for i, f := range e.samples {
		if i > 0 {
			w.out.Bytes = append(w.out.Bytes, ',')
		}
		w.out.Bytes = number.AppendShortest(w.out.Bytes, f)
	}
	w.out.Bytes = append(w.out.Bytes, ']')
}

// beginTest appends the beginning of the entry's test, up to its first result.
func (w *Writer) beginTest(e *entry) {
	o := &w.open
	o.some = true
	o.test = strings.Clone(e.test)
	o.tests[o.test] = struct{}{}
	clear(o.configs)
	w.out.Bytes = w.appendName(append(w.out.Bytes, '\n'), e.test)
	w.out.Bytes = append(w.out.Bytes, '{')
}

// beginResult appends the beginning of the entry's result, up to the entry.
func (w *Writer) beginResult(e *entry) {
	o := &w.open
	o.config = e.config
	o.configs[o.config] = struct{}{}
	clear(o.members)
	o.options = append(o.options[:0], e.options...)
	w.out.Bytes = append(w.appendName(w.out.Bytes, e.config), '{')
	if len(e.options) > 0 {
		w.out.Bytes = w.appendName(w.out.Bytes, optionsMember)
		w.out.Bytes = w.texts.AppendPairs(w.out.Bytes, e.options)
		w.out.Bytes = append(w.out.Bytes, ',')
	}
}

// appendName appends a member's name and the colon after it.
func (w *Writer) appendName(dst []byte, name string) []byte {
	return append(w.texts.AppendString(dst, name), ':')
}
