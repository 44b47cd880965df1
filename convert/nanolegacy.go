package convert

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/nanolegacy"
	"perfdata/traceid"
)

// A nanolegacyTarget holds all records, because a file groups them by test and configuration.
type nanolegacyTarget struct {
	*Writer
	header  nanolegacy.Header
	given   traceid.Params // by the header, to each measurement, if options are params
	hold    holder
	entries blocks[nanoEntry] // in the order of the records
	tests   map[string]*nanoTest
	results map[hash]*nanoResult
	traces  map[hash]*nanoEntry // the first entry of each place

	order           []*nanoTest    // tests, in the order of the records
	largest         int            // entries of one result
	asParams        bool           // options are params
	options, params traceid.Params // of the record that is written
	lastAttrs       traceid.Params // of the last record
	id              []byte
}

// A nanoTest has the results of a test, in the order of the records.
type nanoTest struct {
	name    string
	results []*nanoResult
}

// A nanoResult has the sub-results of a test and configuration, and the properties that they
// share.
type nanoResult struct {
	test          *nanoTest
	config        string
	params, attrs traceid.Params
	entries       []*nanoEntry
}

// A nanoEntry is a sub-result, or a repetition of it.
type nanoEntry struct {
	result  *nanoResult
	sub     string
	attrs   traceid.Params
	value   float64
	samples []float64  // instead of a value
	number  int32      // of the repetition; 0 if it has none
	again   *nanoEntry // the next repetition
	last    *nanoEntry // of a sub-result: its last repetition
}

func toNanolegacy(w *Writer) (target, error) {
	s := w.survey
	t := &nanolegacyTarget{
		Writer: w, hold: newHolder(w.out),
		tests: make(map[string]*nanoTest), results: make(map[hash]*nanoResult), traces: make(map[hash]*nanoEntry),
	}

	// The header has what all inputs and measurements have in common: params of the inputs' headers
	// become its key, and others options.
	h, _ := s.own.Native.(nanolegacy.Header)
	if !s.keepsHeader() {
		h.Key, h.Options = nil, nil
		for _, p := range valid(s.params.pairs) {
			switch value, ok := s.headers.pairs.Get(p.Key); {
			case !canBeOption(p.Key):
			case ok && value == p.Value && t.names.outside(p):
				h.Key = append(h.Key, p)
			default:
				h.Options = append(h.Options, p)
			}
		}
		t.asParams = len(h.Options) > 0
	}

	t.given = h.Key
	if t.asParams {
		t.given = traceid.Merge(h.Key, h.Options)
	}
	h.GitHash = w.commit
	h.Issue, h.Patchset = s.members.get("issue"), s.members.get("patchset")
	t.header = h
	s.members.drop(w.out, format.Header{Issue: h.Issue, Patchset: h.Patchset, Native: h}, false)
	return t, nil
}

// minMS is the sub-result of samples, and of their least.
const minMS = "min_ms"

// canBeOption reports whether a param of all measurements of a test and configuration can be an
// option that is read as a param.
func canBeOption(key string) bool {
	switch key {
	case "test", "config", "sub_result", paramCommit, paramRepetition, paramDirection, "unit", paramUnits:
		return false
	}
	return !strings.HasPrefix(key, "GL_")
}

func (t *nanolegacyTarget) write(m *measurement) error {
	if why := unfit(m.value); why != "" {
		t.out.count(LostRecords, why)
		return nil
	}
	return t.add(m, m.number, nil)
}

// writeSamples writes samples, with the params and attrs of a measurement.
func (t *nanolegacyTarget) writeSamples(m *measurement, samples []float64) error {
	if err := t.out.charge(8*len(samples) + 24); err != nil {
		return err
	}
	return t.add(m, 1, append(make([]float64, 0, len(samples)), samples...))
}

// add adds an entry for a measurement, or for samples if there are any.
func (t *nanolegacyTarget) add(m *measurement, number int, samples []float64) error {
	params := m.params
	if !m.asIs {
		params = mapPairs(t.out, m.identity, validPair)
	}
	attrs := mapPairs(t.out, m.attrs, validPair)
	name := t.nameOf(params, m.asIs)
	options, missing := t.optionsOf(params, &name)
	if missing != "" {
		t.out.count(LostRecords, "missing param "+strconv.Quote(missing)+", which the header gives to every measurement")
		return nil
	}
	if direction, ok := params.Get(paramDirection); ok && !m.asIs {
		attrs = traceid.Merge(attrs, traceid.Of(paramDirection, direction))
	}

	res := t.result(&name, options, m.asIs)
	if res == nil {
		t.out.count(LostRecords, "other params than a measurement of the same test and config")
		return nil
	}

	t.out.dropLinks(m.rec, t.source.links)
	if !m.asIs {
		t.countNames(&name)
	}
	if len(options) > 0 || t.asParams {
		t.out.count(AddedOptions, "")
		t.asParams = true
	}
	e := t.entries.add()
	t.lastAttrs = t.hold.pairs(attrs, t.lastAttrs)
	*e = nanoEntry{result: res, value: m.value, samples: samples, number: int32(number), attrs: t.lastAttrs}
	t.append(e, &name, m)
	return t.out.charge(t.entries.size())
}

// nameOf returns the name of a measurement, which is whole if it is written as it is.
func (t *nanolegacyTarget) nameOf(params traceid.Params, asIs bool) (name name) {
	if asIs {
		name.test, name.hasTest = params.Get("test")
		name.config, name.hasConfig = params.Get("config")
		name.sub, name.hasSub = params.Get("sub_result")
		return name
	}
	name = t.names.of(params)
	if name.base == "" {
		name.test = "measurement"
	}
	if !name.hasConfig && name.config == "" {
		name.config = "default"
	}
	if !name.hasSub && name.sub == "" {
		name.sub = "value"
	}
	if name.sub == "options" || name.sub == "samples" {
		name.sub += "_"
	}
	return name
}

// countNames counts what the names of a measurement add to it.
func (t *nanolegacyTarget) countNames(name *name) {
	has := [...]bool{name.hasTest, name.hasConfig, name.hasSub}
	for i, key := range [...]string{"test", "config", "sub_result"} {
		if !has[i] {
			t.out.count(addedParam, key)
		}
	}
	if name.joined {
		t.out.count(movedToName, "")
	}
}

// optionsOf returns the params that become options of the result, or else a key that the header has
// and the record lacks. The next call overwrites them.
func (t *nanolegacyTarget) optionsOf(params traceid.Params, name *name) (options traceid.Params, missing string) {
	for _, p := range t.given {
		if _, ok := params.Get(p.Key); !ok {
			return nil, p.Key
		}
	}
	t.options = t.options[:0]
	for _, p := range params {
		value, given := t.given.Get(p.Key)
		isUnit := (p.Key == "unit" || p.Key == paramUnits) && name.hasSub
		if (canBeOption(p.Key) || isUnit) && !(given && value == p.Value) {
			t.options = append(t.options, p)
		}
	}
	return t.options, ""
}

// result returns the result of the name, which it makes if it is the first. It returns nil if the
// result has other options, because all measurements of a result share its options.
func (t *nanolegacyTarget) result(name *name, options traceid.Params, asIs bool) *nanoResult {
	place := t.place(asIs, name.test, name.config)
	if res := t.results[place]; res != nil {
		if !res.params.Equal(options) && res.params.ID() != options.ID() {
			return nil
		}
		return res
	}

	in := t.tests[name.test]
	if in == nil {
		// The format's Writer remembers the tests' names too.
		t.out.charge(48 + entryBytes(24) + textBytes(name.test) + entryBytes(24))
		in = &nanoTest{name: t.hold.text(name.test)}
		t.tests[in.name] = in
		t.order = append(t.order, in)
	}

	t.out.charge(136 + entryBytes(40) + entryBytes(24)) // and the Writer the configurations of a test
	res := &nanoResult{test: in, config: t.hold.text(name.config), params: t.hold.pairs(options, nil)}
	t.results[place] = res
	in.results = append(in.results, res)
	return res
}

// append appends an entry to its result, or to the sub-result that it repeats. A file has each
// canonical trace once.
func (t *nanolegacyTarget) append(e *nanoEntry, name *name, m *measurement) {
	res := e.result
	if len(res.attrs) > 0 {
		res.attrs = shared(res.attrs, e.attrs)
	}

	place := t.place(m.asIs, name.test, name.config, name.sub)
	first := t.traces[place]
	if first != nil {
		if res.test.name != name.test || res.config != name.config || first.sub != name.sub {
			t.out.count(changedName, first.sub)
		}
		e.sub = first.sub
		if e.number == 0 {
			e.number = first.last.number + 1
		}
		first.last.again = e
		first.last = e
	}

	if !m.asIs && t.series.merges(m.identity, traceid.Params{
		{Key: "config", Value: name.config}, {Key: "sub_result", Value: name.sub}, {Key: "test", Value: name.test},
	}) {
		t.out.count(mergedSeries, name.test)
	}
	if first != nil {
		return
	}

	// What the entries of a result have in common is a new list at most.
	t.out.charge(entryBytes(hashBytes+8) + 8 + traceBytes)
	e.sub, e.last = t.hold.text(name.sub), e
	t.traces[place] = e
	if len(res.entries) == 0 {
		res.attrs = e.attrs
	}
	res.entries = append(res.entries, e)
	t.largest = max(t.largest, len(res.entries))
}

// place returns a hash of a place in the file: of canonical texts, unless they are written as they are.
func (t *nanolegacyTarget) place(asIs bool, texts ...string) hash {
	t.id = t.id[:0]
	for _, text := range texts {
		if !asIs {
			text = traceid.CanonicalString(text)
		}
		t.id = append(append(t.id, text...), 0)
	}
	return t.hold.hash(t.id)
}

func (t *nanolegacyTarget) close() error {
	// The format's Writer remembers the sub-results of a result.
	if err := t.out.charge(t.largest * entryBytes(24)); err != nil {
		return err
	}
	w := nanolegacy.NewWriter(t.out, t.header)
	w.OptionsAsParams = t.asParams
	if t.asIs {
		w.Limits.MaxUniqueTraces = 1 // the traces of a file that was read are its own
	}
	for _, test := range t.order {
		for _, res := range test.results {
			if err := t.writeResult(w, res); err != nil {
				return err
			}
		}
	}
	return w.Close()
}

// writeResult writes the sub-results of a test and configuration. Sub-results with repetitions
// become a measurement and samples. Samples of min_ms come first: the others have results of
// their own.
func (t *nanolegacyTarget) writeResult(w *nanolegacy.Writer, res *nanoResult) error {
	for _, e := range res.entries {
		sum := e.summary()
		if !sum.measured {
			continue
		}
		rec := t.record(w, e)
		rec.Value = sum.value
		if err := t.out.refused(&rec, w.Write(&rec)); err != nil {
			return err
		}
		if e.sub == minMS && e.again != nil && !sum.ofFile {
			t.out.count(addedLeast, "")
		}
	}

	for _, minimum := range []bool{true, false} {
		for _, e := range res.entries {
			if (e.sub == minMS) != minimum || e.again == nil && e.samples == nil {
				continue
			}

			rec := t.record(w, e)
			err := w.WriteSamples(&format.Samples{Params: rec.Params, Attrs: rec.Attrs, Values: e.summary().samples})
			if t.out.err != nil {
				return t.out.err
			}
			if err != nil {
				t.out.count(lostSamples, "")
			}
		}
	}
	return nil
}

// A nanoSummary is what a file has of a sub-result and its repetitions.
type nanoSummary struct {
	value    float64 // what the input's file says, or else the least if that is what min_ms means, or else the first
	measured bool    // there is a value: not of samples alone
	samples  []float64
	ofFile   bool // these are the samples of the input's file, without a measurement beside them
}

// summary returns the summary of an entry and its repetitions, in the order of their numbers.
func (e *nanoEntry) summary() nanoSummary {
	if e.again == nil {
		return nanoSummary{e.value, e.samples == nil, e.samples, e.samples != nil}
	}
	var all []*nanoEntry
	var sum nanoSummary
	for r := e; r != nil; r = r.again {
		all = append(all, r)
		sum.ofFile = sum.ofFile || r.samples != nil
	}
	slices.SortStableFunc(all, func(a, b *nanoEntry) int { return cmp.Compare(a.number, b.number) })

	for _, r := range all {
		if sum.samples = append(sum.samples, r.samples...); r.samples != nil {
			continue
		}
		switch {
		case !sum.measured:
			sum.value, sum.measured = r.value, true
		case e.sub == minMS && !sum.ofFile:
			sum.value = min(sum.value, r.value)
		}
		if !sum.ofFile {
			sum.samples = append(sum.samples, r.value)
		}
	}
	return sum
}

// record returns an entry as the format's Writer takes it. The next call overwrites it.
func (t *nanolegacyTarget) record(w *nanolegacy.Writer, e *nanoEntry) format.Record {
	fit := format.Record{Value: e.value}
	t.names.parts = append(t.names.parts[:0], traceid.Param{Key: "config", Value: e.result.config},
		traceid.Param{Key: "sub_result", Value: e.sub}, traceid.Param{Key: "test", Value: e.result.test.name})
	t.options = traceid.AppendMerge(t.options[:0], t.given, e.result.params)
	t.params = traceid.AppendMerge(t.params[:0], t.options, t.names.parts)
	fit.Params = t.params
	for _, p := range e.attrs {
		if _, same := e.result.attrs.Get(p.Key); !same || w.OptionsAsParams && !strings.HasPrefix(p.Key, "GL_") {
			t.out.count(lostAttrs, p.Key)
			continue
		}
		fit.Attrs = append(fit.Attrs, p)
	}
	return fit
}
