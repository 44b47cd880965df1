package nanolegacy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"perfdata/internal/number"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// This file checks entries, and makes the text of a file. A file has each test once, and a test each
// configuration: each test is an object in results, on a line of its own.

// An entry is a member of a result: a sub-result or samples.
type entry struct {
	test, config string
	options      traceid.Params // of the result; the Writer's memory
	size         int            // of the options, as a reader counts it
	member       string
	value        float64
	samples      []float64 // of the member samples
}

// check completes the entry, or returns why no file can have it with the params and attrs.
func (w *Writer) check(e *entry, params, attrs traceid.Params) error {
	if err := w.params.Check(params, &w.limits); err != nil {
		return fmt.Errorf("params: %w", err)
	}
	if err := w.attrs.Check(attrs, &w.limits); err != nil {
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

	// Find which of the params and attrs the options must hold.
	w.options = w.options[:0]
	if err := w.checkParams(params); err != nil {
		return err
	}

	sorted := len(w.options) == 0
	for _, a := range attrs {
		if value, ok := w.base.attrs.Get(a.Key); ok && value == a.Value {
			continue
		}
		if w.OptionsAsParams && !hasGL(a.Key) {
			return fmt.Errorf("attr %q would be read back as a param: its name doesn't begin with GL_", a.Key)
		}
		w.options = append(w.options, a)
	}
	if max := w.limits.MaxParams; len(w.options)+len(w.header.Options) > max {
		return fmt.Errorf("more than %d options, including the header's (Limits.MaxParams)", max)
	}
	if !sorted {
		slices.SortFunc(w.options, func(a, b traceid.Param) int { return strings.Compare(a.Key, b.Key) })
	}
	w.params.Accept(params)
	w.attrs.Accept(attrs)
	e.options, e.size = w.options, skiadoc.PairsSize(w.options, optionCost, w.texts.WrittenLen)
	return nil
}

// checkParams compares the params with the params that every measurement has. It adds the params
// that options can hold to the options of the record.
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
			w.options = append(w.options, p)
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

// An openResult is the result to which text is appended.
type openResult struct {
	some         bool // there is one
	test, config string
}

// append appends the entry. If it does not belong to the open result, append closes that, and
// begins another.
func (w *Writer) append(e *entry) {
	o := &w.open
	switch {
	case !o.some || e.test != o.test:
		if o.some {
			w.out.Bytes = append(w.out.Bytes, "}},"...)
		}
		w.out.Bytes = append(w.appendName(append(w.out.Bytes, '\n'), e.test), '{')
		w.beginResult(e)
	case e.config != o.config:
		w.out.Bytes = append(w.out.Bytes, "},"...)
		w.beginResult(e)
	default:
		w.out.Bytes = append(w.out.Bytes, ',')
	}

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

// beginResult appends the beginning of the entry's result, up to the entry.
func (w *Writer) beginResult(e *entry) {
	w.open = openResult{true, e.test, e.config}
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

// A contents has the names of all tests, and the last result. Its zero value is empty.
type contents struct {
	tests   map[string]struct{}
	test    string // that was begun last
	size    int    // of it, as a reader counts it
	configs map[string]struct{}

	config  string         // that was begun last
	options traceid.Params // of its result
	members map[string]struct{}
}

// A place has the numbers of a file, of a test and of a result, including a new entry.
type place struct {
	tests, configs, members int
	newResult               bool // the entry is the first of its result
	size                    int  // upper bound of the test's size, as a reader counts it
}

// placeOf returns the place of the entry, or why the entry can't be added.
func (w *Writer) placeOf(e *entry) (place, error) {
	p, err := w.contents.place(e)
	if err != nil {
		return p, err
	}
	if len(e.options) > 0 {
		p.members++
	}
	if p.newResult {
		p.size += len(`"":{},"options":,`) + resultCost + w.texts.WrittenLen(e.config) + e.size
	}
	p.size += len(`"":[],`) + itemCost + w.texts.WrittenLen(e.member) + skiadoc.MaxNumber +
		len(e.samples)*(skiadoc.MaxNumber+1+sampleCost)
	switch limits := &w.limits; {
	case max(p.tests, p.configs, p.members) > limits.MaxMembers:
		err = fmt.Errorf("too many tests, configurations of the test, or members of the configuration: "+
			"more than %d (Limits.MaxMembers)", limits.MaxMembers)
	case int64(p.size) > limits.MaxResultBytes:
		err = fmt.Errorf("its test is too large: more than %d bytes (Limits.MaxResultBytes)", limits.MaxResultBytes)
	}
	return p, err
}

// place returns the place of the entry, with the size of the test without it, or why the entry can't be
// added: it can only be added to the last result, or begin another.
func (c *contents) place(e *entry) (place, error) {
	if len(c.tests) == 0 || e.test != c.test {
		if _, written := c.tests[e.test]; written {
			return place{}, errors.New("its test was written already, before others: " +
				"the records of a test must be consecutive")
		}
		return place{tests: len(c.tests) + 1, configs: 1, members: 1, newResult: true}, nil
	}

	p := place{tests: len(c.tests), configs: len(c.configs), members: 1, size: c.size}
	if _, written := c.configs[e.config]; !written {
		p.configs, p.newResult = p.configs+1, true
		return p, nil
	}

	p.members += len(c.members)
	_, again := c.members[e.member]
	switch {
	case e.config != c.config:
		return p, errors.New("its test and config were written already, before others: " +
			"their records must be consecutive")
	case again:
		return p, errors.New("it was written already")
	case !e.options.Equal(c.options):
		return p, errors.New("its options differ from those of an earlier measurement with the same test and config")
	}
	return p, nil
}

// add adds the entry at its place.
func (c *contents) add(e *entry, p place) {
	if c.tests == nil {
		c.tests, c.configs, c.members = make(map[string]struct{}), make(map[string]struct{}), make(map[string]struct{})
	}
	if p.tests > len(c.tests) {
		c.test = strings.Clone(e.test)
		c.tests[c.test] = struct{}{}
		clear(c.configs)
	}
	c.size = p.size
	if p.newResult {
		c.config = e.config
		c.configs[c.config] = struct{}{}
		c.options = append(c.options[:0], e.options...)
		clear(c.members)
	}
	c.members[e.member] = struct{}{}
}
