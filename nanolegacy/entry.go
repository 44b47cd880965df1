package nanolegacy

import (
	"fmt"
	"slices"
	"strings"

	"perfdata/internal/skiadoc"
	"perfdata/traceid"
)

// An entry is a member of a result: a sub-result or samples.
type entry struct {
	test, config string
	options      traceid.Params // of the result; the Writer's memory
	size         int            // of the options, as a reader counts it
	member       string
	value        float64
	samples      []float64 // of the member samples
	trace        uint64    // hash of the params, unless OptionsAsParams is set
}

// A verdict is what the checks of the last record's params and attrs found. It is still true of a
// record that has the same keys, and other values only in test, config and sub_result, as most
// have. Without it, writing takes 55% more instructions.
type verdict struct {
	valid                   bool            // the last record passed
	test, config, subResult int             // indices in the params
	own                     []traceid.Param // the options that its result has; sorted
	size                    int             // of these options, as a reader counts it
	params                  int             // how many of own are params
}

// check completes the entry, or returns why no file can have it with the params and attrs.
func (w *Writer) check(e *entry, params, attrs traceid.Params) (err error) {
	v := &w.verdict
	valid := v.valid
	v.valid = false // until this check has succeeded
	if w.OptionsAsParams {
		err = w.params.Check(params, &w.limits)
	} else {
		e.trace, err = w.params.CheckTrace(params, &w.limits)
	}
	if err != nil {
		return fmt.Errorf("params: %w", err)
	}
	if err := w.attrs.Check(attrs, &w.limits); err != nil {
		return fmt.Errorf("attrs: %w", err)
	}

	sameParams := valid && w.onlyNamesChanged()
	if !sameParams {
		if err := v.find(params); err != nil {
			return err
		}
	}
	e.test, e.config, e.member = params[v.test].Value, params[v.config].Value, params[v.subResult].Value
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
	v.valid = true
	e.options, e.size = v.own, v.size
	return nil
}

// onlyNamesChanged reports whether only the test, config or sub_result of the params differ from
// the last ones.
func (w *Writer) onlyNamesChanged() bool {
	for _, change := range w.params.Changed {
		v, i := &w.verdict, change.Index
		isName := i == v.subResult || i == v.test && w.base.test >= 0 || i == v.config && w.base.config >= 0
		if !isName {
			return false
		}
	}
	return !w.params.Rekeyed
}

// find finds the names in the params.
func (v *verdict) find(params traceid.Params) error {
	for _, p := range []struct {
		key   string
		index *int
	}{{testParam, &v.test}, {configParam, &v.config}, {subResultParam, &v.subResult}} {
		var ok bool
		if *p.index, ok = params.Find(p.key); !ok {
			return fmt.Errorf("missing param %q, which the format needs", p.key)
		}
	}
	return nil
}

// checkOptions checks the params, unless the verdict on them still holds, and the attrs. It finds
// which of them the options must hold.
func (w *Writer) checkOptions(params, attrs traceid.Params, sameParams bool) error {
	v := &w.verdict
	v.own = v.own[:0]
	if !sameParams || v.params > 0 {
		if err := w.checkParams(params); err != nil {
			return err
		}
		v.params = len(v.own)
	}
	if err := w.checkAttrs(attrs); err != nil {
		return err
	}
	if max := w.limits.MaxParams; len(v.own)+len(w.header.Options) > max {
		return fmt.Errorf("more than %d options, including the header's (Limits.MaxParams)", max)
	}
	if v.params > 0 {
		slices.SortFunc(v.own, func(a, b traceid.Param) int { return strings.Compare(a.Key, b.Key) })
	}
	v.size = skiadoc.PairsSize(v.own, optionCost, w.texts.WrittenLen)
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
			w.verdict.own = append(w.verdict.own, p)
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
			w.verdict.own = append(w.verdict.own, a)
		} else {
			return fmt.Errorf("attr %q would be read back as a param: its name doesn't begin with GL_", a.Key)
		}
	}
	return nil
}
