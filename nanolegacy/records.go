package nanolegacy

import (
	"iter"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/traceid"
)

// Samples are the single measurements behind one, in the order in which they were taken. Those that a Reader yields
// belong to it, with their slices: they are for reading only, and the next step of the iteration overwrites them.
type Samples struct {
	Params traceid.Params // of the measurement; its sub_result is min_ms
	Values []float64
	Attrs  traceid.Params // recorded with the measurement, and not part of its identity
	Offset int64          // of the array in the (decompressed) input, in bytes from its beginning; ignored by Writers
}

// samplesSubResult is the sub-result that samples belong to, by the ingest rule.
const samplesSubResult = "min_ms"

// Clone returns a copy of s that the Reader won't overwrite.
func (s *Samples) Clone() *Samples {
	c := *s
	c.Params, c.Values, c.Attrs = s.Params.Clone(), slices.Clone(s.Values), s.Attrs.Clone()
	return &c
}

// Samples iterates over the samples of all results that have an array of them, in the order of the file. It can be
// called once, and instead of Records: who wants both reads the file with two Readers. Of the sub-results it
// reports no fault but what is no JSON. Its end, also by break, releases all that the Reader holds.
func (r *Reader) Samples() iter.Seq2[*Samples, error] {
	return func(yield func(*Samples, error) bool) {
		r.sampling = true
		r.walk(func() bool { return r.yieldSamples(yield) }, func(err error) bool { return yield(nil, err) })
	}
}

// yieldRecords yields the test's records and errors. It returns false if the iteration is to stop.
func (r *Reader) yieldRecords(yield func(*format.Record, error) bool) bool {
	t := r.test
	if t.fault != nil {
		return yield(nil, t.fault)
	}
	items, options := t.items, t.options
	rec := &r.record
	for i := range t.results {
		res := &t.results[i]
		if res.items > 0 {
			l := r.layoutOf(res, options[:res.options])
			name := &l.params[l.subResult].Value
			rec.Params, rec.Attrs = l.params, l.attrs
			for j := range items[:res.items] {
				it := &items[j]
				if it.problem != nil {
					if !yield(nil, it.problem) {
						return false
					}
					continue
				}
				*name = it.name
				rec.Value, rec.Offset = it.number, it.offset
				if !yield(rec, nil) {
					return false
				}
			}
		}
		items, options = items[res.items:], options[res.options:]
	}
	return true
}

// yieldSamples yields the test's samples and errors. It returns false if the iteration is to stop.
func (r *Reader) yieldSamples(yield func(*Samples, error) bool) bool {
	t := r.test
	if t.fault != nil {
		return yield(nil, t.fault)
	}
	items, options, samples := t.items, t.options, t.samples
	for i := range t.results {
		res := &t.results[i]
		for j := range items[:res.items] {
			if !yield(nil, items[j].problem) {
				return false
			}
		}
		if res.sampled {
			l := r.layoutOf(res, options[:res.options])
			l.params[l.subResult].Value = samplesSubResult
			x := &r.sample
			x.Params, x.Attrs, x.Offset = l.params, l.attrs, res.samplesAt
			x.Values = samples[:res.samples:res.samples]
			if !yield(x, nil) {
				return false
			}
		}
		items, options, samples = items[res.items:], options[res.options:], samples[res.samples:]
	}
	return true
}

// A layout has the params and attrs that the records of a result have in common.
type layout struct {
	params traceid.Params
	attrs  traceid.Params

	// Indices in params. Those of test and config are -1 if an option has taken their place.
	test, config, subResult int
}

// layOut makes the layout of the file's results that have no options.
func (h *Header) layOut(optionsAsParams bool) layout {
	var l layout
	l.params = traceid.Merge(h.Key, traceid.Params{{Key: configParam}, {Key: testParam}})
	l.attrs = h.Options
	var over traceid.Params
	if optionsAsParams {
		over, l.attrs = h.Options, nil
	}
	l.params = traceid.Merge(l.params, over)
	l.params = traceid.Merge(l.params, traceid.Params{{Key: subResultParam}})
	l.locate(&layout{}, over)
	return l
}

// layOutTrace makes the layout of the params by which the specification tells traces apart.
func (h *Header) layOutTrace() layout {
	l := layout{params: traceid.Merge(h.Key, traceid.Params{{Key: configParam}, {Key: subResultParam}, {Key: testParam}})}
	l.locate(&layout{}, nil)
	return l
}

// locate finds where the params are that a result's place gives it, unless they are among those of under or over.
func (l *layout) locate(under *layout, over traceid.Params) {
	find := func(key string, below int) int {
		if _, taken := over.Find(key); taken || below < 0 {
			return -1
		}
		i, _ := l.params.Find(key)
		return i
	}
	l.test, l.config = find(testParam, under.test), find(configParam, under.config)
	l.subResult, _ = l.params.Find(subResultParam)
}

// maxLaidOut is how many results of a test keep their layouts for the next test. For more, that would take too much
// memory.
const maxLaidOut = 16

// layoutOf returns the layout of a result of the test, with all params set but sub_result.
func (r *Reader) layoutOf(res *result, options []option) *layout {
	l := &r.base
	if len(options) > 0 {
		if len(r.test.results) > maxLaidOut {
			l = &r.shared
			r.layOut(l, options)
		} else {
			if res.own == nil {
				res.own = new(layout)
			}
			if l = res.own; !res.laidOut {
				r.layOut(l, options)
				res.laidOut = true
			}
		}
	}
	if l.test >= 0 {
		l.params[l.test].Value = r.testName
	}
	if l.config >= 0 {
		l.params[l.config].Value = res.config
	}
	return l
}

// layOut makes the layout of a result with options, and notes with these where they stand, if the test is to be
// used again.
func (r *Reader) layOut(l *layout, options []option) {
	base := &r.base
	if r.OptionsAsParams {
		l.params = traceid.AppendMerge(l.params[:0], base.params, r.sortOptions(options, true))
		l.locate(base, r.sorted)
		l.attrs = append(l.attrs[:0], r.sortOptions(options, false)...)
	} else {
		l.params, l.test, l.config, l.subResult = base.params, base.test, base.config, base.subResult
		l.attrs = traceid.AppendMerge(l.attrs[:0], base.attrs, r.sortOptions(options, false))
	}
	if !r.test.kept {
		return // none will change
	}
	for i := range options {
		o := &options[i]
		if o.isParam {
			o.slot, _ = l.params.Find(o.Key)
		} else {
			o.slot, _ = l.attrs.Find(o.Key)
		}
	}
}

// sortOptions returns, until it is called again, the options that are params, or those that aren't.
func (r *Reader) sortOptions(options []option, params bool) traceid.Params {
	r.sorted = r.sorted[:0]
	for i := range options {
		if options[i].isParam == params {
			r.sorted = append(r.sorted, options[i].Param)
		}
	}
	slices.SortFunc(r.sorted, func(a, b traceid.Param) int { return strings.Compare(a.Key, b.Key) })
	return r.sorted
}

// setOption gives an option of the test another value.
func (t *test) setOption(index int, value string) {
	o := &t.options[index]
	o.Value = value
	res := &t.results[o.result]
	if !res.laidOut {
		return
	}
	if o.isParam {
		res.own.params[o.slot].Value = value
	} else {
		res.own.attrs[o.slot].Value = value
	}
}
