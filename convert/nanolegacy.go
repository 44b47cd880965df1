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
	writer  *Writer
	out     *sink
	header  nanolegacy.Header
	given   traceid.Params // by the header, to each measurement
	names   naming
	hold    holder
	entries blocks[nanoEntry] // in the order of the records
	tests   map[string]*nanoTest
	results map[nanoPlace]*nanoResult
	traces  map[hash]*nanoEntry // the first entry of each canonical place

	firstTest, lastTest *nanoTest
	largest             int             // entries of one result
	asParams            bool            // options are params
	options             []traceid.Param // of the record that is written
	attrs               traceid.Params  // of the last record
	id                  []byte
}

type nanoPlace struct{ test, config string }

// A nanoTest is a list of results.
type nanoTest struct {
	name        string
	first, last *nanoResult
	next        *nanoTest
}

// A nanoResult is a list of the entries of a test and configuration, and what they have in common.
type nanoResult struct {
	test          *nanoTest
	config        string
	params, attrs traceid.Params
	first, last   *nanoEntry
	n             int
	plain         int // measurements min_ms without a number
	sampled       int // entries that are samples
	next          *nanoResult
}

type nanoEntry struct {
	result  *nanoResult
	sub     string
	attrs   traceid.Params
	value   float64
	samples []float64  // instead of a value
	number  int32      // of a sample among others; 0 if it is not a sample
	minimum bool       // its sub_result is that of samples
	next    *nanoEntry // of the result
}

func toNanolegacy(w *Writer) (target, error) {
	s := w.survey
	t := &nanolegacyTarget{
		writer: w, out: w.out, hold: newHolder(w.out), names: naming{bases: []string{"test", "name", "key", "uid"}},
		tests: make(map[string]*nanoTest), results: make(map[nanoPlace]*nanoResult), traces: make(map[hash]*nanoEntry),
	}

	h, _ := s.own.Native.(nanolegacy.Header)
	if s.keepsHeader() {
		t.given = h.Key
	} else {
		h.Key = nil
		h.Options = slices.DeleteFunc(valid(s.params.pairs), func(p traceid.Param) bool { return !canBeOption(p.Key) })
		t.given, t.asParams = h.Options, len(h.Options) > 0
	}
	t.names.own = h.Key
	h.GitHash = w.commit
	h.Issue, _ = get(s.members.list, "issue")
	h.Patchset, _ = get(s.members.list, "patchset")
	t.header = h
	s.members.drop(w.out, format.Header{Issue: h.Issue, Patchset: h.Patchset, Native: h}, false)
	return t, nil
}

// canBeOption reports whether a param of all measurements of a test and configuration can be an option
// that is read as a param.
func canBeOption(key string) bool {
	switch key {
	case "test", "config", "sub_result", paramCommit, paramRepetition, paramDirection, "unit", paramUnits:
		return false
	}
	return !strings.HasPrefix(key, "GL_")
}

func (t *nanolegacyTarget) write(m *measurement) error {
	if why := unfit(m.value); why != "" {
		t.out.leftOut(m.rec, why)
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
	params := mapPairs(t.out, m.rec, m.identity, validPair)
	attrs := mapPairs(t.out, m.rec, m.attrs, validPair)
	name := t.names.of(params)
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
	minimum := name.hasSub && name.sub == minMS

	options, missing := t.optionsOf(params, &name)
	if missing != "" {
		t.out.leftOut(m.rec, "missing param "+strconv.Quote(shorten(missing))+", which the header gives to every measurement")
		return nil
	}
	if direction, ok := params.Get(paramDirection); ok {
		attrs = traceid.Merge(attrs, traceid.Of(paramDirection, direction))
	}

	res := t.result(&name, options, m)
	if !minimum {
		sub, ok := t.newSub(res, name.sub, m)
		if !ok {
			t.out.leftOut(m.rec, "a repetition, which the format has of min_ms only: skiav1 and benchfmt have all")
			return nil
		}
		name.sub = sub
	}
	t.out.dropLinks(m.rec, t.writer.source.links)
	t.countNames(m, &name, len(options) > 0)

	e := t.entries.add()
	*e = nanoEntry{result: res, sub: t.hold.text(name.sub), value: m.value, samples: samples, minimum: minimum}
	if minimum {
		e.number = int32(number)
	} else {
		t.traces[t.trace(res, name.sub)] = e
	}
	e.attrs = t.hold.pairs(attrs, t.attrs)
	t.attrs = e.attrs
	t.append(e)
	// Each has an entry in traces; what their results have in common is a new list at most.
	return t.out.charge(t.entries.size() + entryBytes(hashBytes+8) + 8)
}

// countNames counts what the names of a measurement add to it.
func (t *nanolegacyTarget) countNames(m *measurement, name *name, hasOptions bool) {
	count := func(has bool, key, value string) {
		if !has {
			t.out.countPair(addedParam, traceid.Param{Key: key, Value: value}, m.rec)
		}
	}
	count(name.hasTest, "test", name.test)
	count(name.hasConfig, "config", name.config)
	count(name.hasSub, "sub_result", name.sub)
	if name.joined && t.out.count(movedToName, "") {
		t.out.example(shorten(m.rec.TraceID()) + ", which became " + shorten(name.config))
	}
	if hasOptions || t.asParams {
		if t.out.count(AddedOptions, "") {
			t.out.example(m.rec.TraceID())
		}
		t.asParams = true
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

// result returns the result of the name, which it makes if it is the first. Results with other options
// get another configuration.
func (t *nanolegacyTarget) result(name *name, options traceid.Params, m *measurement) *nanoResult {
	config := name.config
	for n := 2; ; n++ {
		res := t.results[nanoPlace{name.test, config}]
		if res == nil {
			break
		}
		if res.params.Equal(options) {
			return res
		}
		config = name.config + "_" + strconv.Itoa(n)
	}
	if config != name.config && t.out.count(changedName, config) {
		t.out.example(shorten(m.rec.TraceID()) + ", which became " + shorten(config))
	}

	in := t.tests[name.test]
	if in == nil {
		// The format's Writer remembers the tests' names too.
		t.out.charge(48 + entryBytes(24) + textBytes(name.test) + entryBytes(24))
		in = &nanoTest{name: t.hold.text(name.test)}
		t.tests[in.name] = in
		if t.lastTest == nil {
			t.firstTest = in
		} else {
			t.lastTest.next = in
		}
		t.lastTest = in
	}

	t.out.charge(136 + entryBytes(40) + entryBytes(24)) // and the Writer the configurations of a test
	res := &nanoResult{test: in, config: t.hold.text(config), params: t.hold.pairs(options, nil)}
	t.results[nanoPlace{in.name, res.config}] = res
	if in.last == nil {
		in.first = res
	} else {
		in.last.next = res
	}
	in.last = res
	return res
}

// newSub returns the name of a sub-result. It returns false if the result has it already. A file has
// each canonical trace once.
func (t *nanolegacyTarget) newSub(res *nanoResult, given string, m *measurement) (sub string, ok bool) {
	sub = given
	for n := 2; ; n++ {
		e := t.traces[t.trace(res, sub)]
		if e == nil {
			break
		}
		if e.result == res && e.sub == sub {
			return "", false
		}
		sub = given + "_" + strconv.Itoa(n)
	}
	if sub != given && t.out.count(changedName, sub) {
		t.out.example(shorten(m.rec.TraceID()) + ", which became " + shorten(sub))
	}
	return sub, true
}

// trace returns a hash of the canonical place of a sub-result.
func (t *nanolegacyTarget) trace(res *nanoResult, sub string) hash {
	t.id = append(t.id[:0], traceid.CanonicalString(res.test.name)...)
	t.id = append(append(t.id, ','), traceid.CanonicalString(res.config)...)
	t.id = append(append(t.id, ','), traceid.CanonicalString(sub)...)
	return t.hold.hash(t.id)
}

// append appends an entry to its result.
func (t *nanolegacyTarget) append(e *nanoEntry) {
	res := e.result
	if res.last == nil {
		res.first, res.attrs = e, e.attrs
	} else {
		res.last.next = e
		res.attrs = shared(res.attrs, e.attrs)
	}
	res.last = e
	res.n++
	switch {
	case e.number > 0:
		res.sampled++
	case e.minimum:
		res.plain++
	}
	t.largest = max(t.largest, res.n)
}

func (t *nanolegacyTarget) close() error {
	// The format's Writer remembers the sub-results of a result.
	if err := t.out.charge(t.largest * entryBytes(24)); err != nil {
		return err
	}
	w := nanolegacy.NewWriter(t.out, t.header)
	w.OptionsAsParams = t.asParams
	for test := t.firstTest; test != nil; test = test.next {
		for res := test.first; res != nil; res = res.next {
			if err := t.writeResult(w, res); err != nil {
				return err
			}
		}
	}
	return w.Close()
}

// writeResult writes the entries of a test and configuration. It has one array of samples, of the
// measurement min_ms: the samples of files that have them, and the repetitions of min_ms.
func (t *nanolegacyTarget) writeResult(w *nanolegacy.Writer, res *nanoResult) error {
	var samples []*nanoEntry
	for e := res.first; e != nil; e = e.next {
		switch {
		case e.minimum && (e.number > 0 || res.sampled == 0 && res.plain > 1):
			samples = append(samples, e)
			continue
		case e.samples != nil:
			rec := t.record(w, e)
			if t.out.count(lostSamples, "") {
				t.out.example(rec.TraceID())
			}
			continue
		}
		rec := t.record(w, e)
		if err := t.out.refused(&rec, &rec, w.Write(&rec)); err != nil {
			return err
		}
	}
	if len(samples) == 0 {
		return nil
	}
	return t.writeArray(w, samples)
}

// writeArray writes the samples of a result, and their least if no measurement says it. Samples
// that are an array in their file need none.
func (t *nanolegacyTarget) writeArray(w *nanolegacy.Writer, samples []*nanoEntry) error {
	slices.SortStableFunc(samples, func(a, b *nanoEntry) int { return cmp.Compare(a.number, b.number) })
	var values []float64
	isArray := false
	for _, e := range samples {
		if e.samples != nil {
			values = append(values, e.samples...)
			isArray = true
		} else {
			values = append(values, e.value)
		}
	}

	first := samples[0]
	rec := t.record(w, first)
	if !isArray && (first.number == 0 || first.result.plain == 0) {
		rec.Value = slices.Min(values)
		if err := t.out.refused(&rec, &rec, w.Write(&rec)); err != nil {
			return err
		}
		if t.out.count(addedLeast, "") {
			t.out.example(rec.TraceID())
		}
	}
	err := w.WriteSamples(&format.Samples{Params: rec.Params, Attrs: rec.Attrs, Values: values})
	if err != nil && t.out.err == nil {
		if t.out.count(lostSamples, "") {
			t.out.example(shorten(err.Error()))
		}
		return nil
	}
	return err
}

// record returns an entry as the format's Writer takes it.
func (t *nanolegacyTarget) record(w *nanolegacy.Writer, e *nanoEntry) format.Record {
	fit := format.Record{Value: e.value}
	given := t.given
	if !t.asParams {
		given = t.header.Key
	}
	fit.Params = traceid.Merge(traceid.Merge(given, e.result.params), traceid.Params{
		{Key: "config", Value: e.result.config},
		{Key: "sub_result", Value: e.sub},
		{Key: "test", Value: e.result.test.name},
	})
	for _, p := range e.attrs {
		if _, same := e.result.attrs.Get(p.Key); !same || w.OptionsAsParams && !strings.HasPrefix(p.Key, "GL_") {
			t.out.countPair(lostAttrs, p, &fit)
			continue
		}
		fit.Attrs = append(fit.Attrs, p)
	}
	return fit
}
