package nanolegacy

import (
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/delta"
	"perfdata/internal/skiadoc"
	"perfdata/traceid"
	"perfdata/unit"
)

// samplesSubResult is the sub-result that samples belong to, by the ingest rule.
const samplesSubResult = "min_ms"

// A recorder makes the records and samples of tests.
type recorder struct {
	files           int // number of headers that were read
	optionsAsParams bool

	base   layout // of results without options
	shared layout // of a result of a test with many results
	sorted []traceid.Param

	record format.Record
	sample format.Samples
}

// yieldRecords yields the records and errors of the test with the name. It returns
// false if the iteration is to stop.
func (c *recorder) yieldRecords(name string, t *test, ls *layouts, yield func(*format.Record, error) bool) bool {
	if t.fault != nil {
		return yield(nil, t.fault)
	}

	items, options := t.items, t.options
	rec := &c.record

	for i := range t.results {
		res := &t.results[i]
		if res.items > 0 {
			l := c.layoutOf(name, res, options[:res.options], ls, i)
			subResult := &l.params[l.subResult].Value
			rec.Params, rec.Attrs, rec.Source = l.params, l.attrs, l.ids.Source(l.params)
			l.meaning.Set(rec, l.params)
			hasUnit := l.meaning.HasUnit()

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
				if !hasUnit {
					rec.Unit = it.unit
				}
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
func (c *recorder) yieldSamples(name string, t *test, ls *layouts, yield func(*format.Samples, error) bool) bool {
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
			l := c.layoutOf(name, res, options[:res.options], ls, i)
			x := &c.sample
			x.Params, x.Attrs, x.Offset = l.params, l.attrs, res.samplesAt
			if config, subResult, ok := ownerOf(options[:res.options]); ok {
				l.params[l.subResult].Value = subResult
				if l.config >= 0 {
					l.params[l.config].Value = config
				}
				isOwner := func(p traceid.Param) bool { return p.Key == configParam || p.Key == subResultParam }
				c.sorted = slices.DeleteFunc(append(c.sorted[:0], l.attrs...), isOwner)
				x.Attrs = c.sorted
			} else {
				l.params[l.subResult].Value = samplesSubResult
			}

			x.Values = samples[:res.samples:res.samples]
			if !yield(x, nil) {
				return false
			}
		}

		items, options, samples = items[res.items:], options[res.options:], samples[res.samples:]
	}
	return true
}

// ownerOf returns the measurement that samples belong to, if the options of their result name it. See
// departure N16.
func ownerOf(options []option) (config, subResult string, ok bool) {
	found := 0
	for i := range options {
		switch o := &options[i]; o.Key {
		case configParam:
			config, found = o.Value, found|1
		case subResultParam:
			subResult, found = o.Value, found|2
		}
	}
	return config, subResult, found == 3
}

// A layout has the params and attrs that the records of a result have in common.
type layout struct {
	params  traceid.Params
	attrs   traceid.Params
	ids     *delta.Layout   // of params
	meaning skiadoc.Meaning // of params

	// Indices in params. The indices of test and config are -1 if an option has taken their place.
	test, config, subResult int
}

// Layouts are the layouts of a test's results. A test that is remembered keeps them: making them
// for each test would take 90% more instructions.
type layouts struct {
	results []layout  // none if the test is not remembered
	options []*string // for each of the test's options, where its value is
}

// layOut makes the layout of the file's results that have no options.
func (h *Header) layOut(optionsAsParams bool) layout {
	l := layout{ids: new(delta.Layout)}
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

// locate finds the params that a result's place in the file gives it, unless a param of under or
// over replaces them.
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
	l.meaning = skiadoc.MeaningOf(l.params)
}

// maxLaidOut is how many results of a test have layouts of their own. For more, that would take
// too much memory.
const maxLaidOut = 16

// layOut makes the layouts of a test that is remembered.
func (c *recorder) layOut(t *test, ls *layouts) {
	ls.results = slices.Grow(ls.results[:0], len(t.results))[:len(t.results)]
	ls.options = ls.options[:0]

	options := t.options
	for i := range t.results {
		n, l := t.results[i].options, &ls.results[i]
		if n > 0 {
			c.make(l, options[:n])
		}
		for j := range options[:n] {
			pairs := l.attrs
			if options[j].isParam {
				pairs = l.params
			}
			slot, _ := pairs.Find(options[j].Key)
			ls.options = append(ls.options, &pairs[slot].Value)
		}
		options = options[n:]
	}
}

// layoutOf returns the layout of the i-th result of the test with the name, with all params set
// except sub_result.
func (c *recorder) layoutOf(name string, res *result, options []option, ls *layouts, i int) *layout {
	l := &c.base
	switch {
	case len(options) == 0:
	case len(ls.results) > 0:
		l = &ls.results[i]
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
		if l.ids == nil || l.ids == base.ids {
			l.ids = new(delta.Layout)
		}
		l.attrs = append(l.attrs[:0], c.sortOptions(options, false)...)
	} else {
		l.params, l.ids, l.meaning = base.params, base.ids, base.meaning
		l.test, l.config, l.subResult = base.test, base.config, base.subResult
		l.attrs = traceid.AppendMerge(l.attrs[:0], base.attrs, c.sortOptions(options, false))
	}
}

// sortOptions returns the options that are params, or those that are not, sorted by name. The next
// call overwrites them.
func (c *recorder) sortOptions(options []option, params bool) traceid.Params {
	c.sorted = slices.Grow(c.sorted[:0], len(options))
	for i := range options {
		if options[i].isParam == params {
			c.sorted = append(c.sorted, options[i].Param)
		}
	}
	slices.SortFunc(c.sorted, func(a, b traceid.Param) int { return strings.Compare(a.Key, b.Key) })
	return c.sorted
}

// unitOf returns the unit of a sub-result, or "". Sub-results of nanobench, such as min_ms, and of the
// specification, such as wall_time_ms, end in milliseconds.
func unitOf(subResult string) string {
	const maxUnitLen = 64
	switch {
	case strings.HasSuffix(subResult, "_ms"):
		return "ms"
	case subResult == "min", len(subResult) > maxUnitLen: // a statistic is more likely than minutes
		return ""
	}
	if _, ok := unit.Parse(subResult); ok {
		return subResult
	}
	return ""
}
