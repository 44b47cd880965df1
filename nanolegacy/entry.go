package nanolegacy

import (
	"fmt"
	"slices"
	"strings"

	"perfdata/internal/number"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// This file checks entries, and makes the text of a file: each test is an object in results, on a line of its own.

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
