package nanolegacy

import (
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

// A recorder makes the records and samples of tests.
type recorder struct {
	optionsAsParams bool

	base   layout // of results without options
	shared layout // of a result of a test with many results
	sorted []traceid.Param

	record format.Record
	sample Samples
}

// yieldRecords yields the records and errors of the test with the name. The layouts are those of its results. It returns
// false if the iteration is to stop.
func (c *recorder) yieldRecords(name string, t *test, layouts []layout, yield func(*format.Record, error) bool) bool {
	if t.fault != nil {
		return yield(nil, t.fault)
	}
	items, options := t.items, t.options
	rec := &c.record
	for i := range t.results {
		res := &t.results[i]
		if res.items > 0 {
			l := c.layoutOf(name, res, options[:res.options], layouts, i)
			subResult := &l.params[l.subResult].Value
			rec.Params, rec.Attrs = l.params, l.attrs
			for j := range items[:res.items] {
				it := &items[j]
				if it.problem != nil {
					if !yield(nil, it.problem) {
						return false
					}
					continue
				}
				*subResult = it.name
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

// yieldSamples is yieldRecords for samples.
func (c *recorder) yieldSamples(name string, t *test, layouts []layout, yield func(*Samples, error) bool) bool {
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
			l := c.layoutOf(name, res, options[:res.options], layouts, i)
			l.params[l.subResult].Value = samplesSubResult
			x := &c.sample
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

// A layout has the params and attrs that the records of a result have in common. A test that may be repeated keeps the
// layouts of its results: making them for each test would take 90% more instructions.
type layout struct {
	params traceid.Params
	attrs  traceid.Params

	// Indices in params. Those of test and config are -1 if an option has taken their place.
	test, config, subResult int

	slots []int // for each of the result's options, its index in params or attrs
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

// maxLaidOut is how many results of a test have layouts of their own. For more, that would take too much memory.
const maxLaidOut = 16

// layOut makes the layouts of the test's results, except of those without options. It returns none if the test has too many
// results.
func (c *recorder) layOut(t *test, layouts []layout) []layout {
	if len(t.results) > maxLaidOut || t.fault != nil {
		return layouts[:0]
	}
	layouts = slices.Grow(layouts[:0], len(t.results))[:len(t.results)]
	options := t.options
	for i := range t.results {
		n := t.results[i].options
		if n > 0 {
			c.make(&layouts[i], options[:n])
		}
		options = options[n:]
	}
	return layouts
}

// update gives the layouts the values of a test that matches the one that they were made for.
func (t *test) update(layouts []layout) {
	options := t.options
	for i := range layouts {
		l, n := &layouts[i], t.results[i].options
		for j := range options[:n] {
			pairs := l.attrs
			if options[j].isParam {
				pairs = l.params
			}
			pairs[l.slots[j]].Value = options[j].Value
		}
		options = options[n:]
	}
}

// layoutOf returns the layout of the i-th result of the test with the name, with all params set except sub_result.
func (c *recorder) layoutOf(name string, res *result, options []option, layouts []layout, i int) *layout {
	l := &c.base
	switch {
	case len(options) == 0:
	case len(layouts) > 0:
		l = &layouts[i]
	default:
		l = &c.shared
		c.make(l, options)
	}
	if l.test >= 0 {
		l.params[l.test].Value = name
	}
	if l.config >= 0 {
		l.params[l.config].Value = res.config
	}
	return l
}

// make makes the layout of a result with options.
func (c *recorder) make(l *layout, options []option) {
	base := &c.base
	if c.optionsAsParams {
		l.params = traceid.AppendMerge(l.params[:0], base.params, c.sortOptions(options, true))
		l.locate(base, c.sorted)
		l.attrs = append(l.attrs[:0], c.sortOptions(options, false)...)
	} else {
		l.params, l.test, l.config, l.subResult = base.params, base.test, base.config, base.subResult
		l.attrs = traceid.AppendMerge(l.attrs[:0], base.attrs, c.sortOptions(options, false))
	}

	l.slots = l.slots[:0]
	for i := range options {
		pairs := l.attrs
		if options[i].isParam {
			pairs = l.params
		}
		slot, _ := pairs.Find(options[i].Key)
		l.slots = append(l.slots, slot)
	}
}

// sortOptions returns, until it is called again, the options that are params, or those that are not.
func (c *recorder) sortOptions(options []option, params bool) traceid.Params {
	c.sorted = c.sorted[:0]
	for i := range options {
		if options[i].isParam == params {
			c.sorted = append(c.sorted, options[i].Param)
		}
	}
	slices.SortFunc(c.sorted, func(a, b traceid.Param) int { return strings.Compare(a.Key, b.Key) })
	return c.sorted
}
