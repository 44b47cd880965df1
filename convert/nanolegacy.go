package convert

import (
	"cmp"
	"hash/maphash"
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
	entries blocks[nanoEntry]
	all     blocks[nanoPlace]
	places  map[hash]*nanoPlace
	results []*nanoPlace

	asParams        bool           // options are params
	options, params traceid.Params // of the record that is written
	lastAttrs       traceid.Params // of the last record
	id              []byte
}

// A nanoPlace is a test, or a result, which is a configuration of a test, or a sub-result. They are
// written in the order of their first records.
type nanoPlace struct {
	in      *nanoPlace     // the test of a result, or the result of a sub-result
	name    string         // as the first record spells it
	order   int32          // of the first records
	last    int32          // the number of the repetition of a sub-result that came last
	options traceid.Params // of a result: all its measurements have the same
	entries []*nanoEntry   // of a result
}

// A nanoEntry is a measurement, which may be a repetition, or samples.
type nanoEntry struct {
	sub     *nanoPlace
	attrs   traceid.Params
	value   float64
	samples []float64 // instead of a value
	number  int32     // of the repetition; 0 if it has none
	order   int32     // of the records of its result
}

func toNanolegacy(w *Writer) (target, error) {
	s := w.survey
	t := &nanolegacyTarget{Writer: w, hold: newHolder(w.out), places: make(map[hash]*nanoPlace)}

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

	res, isNew := t.place(m.asIs, name.test, name.config)
	if isNew {
		res.in, _ = t.place(true, name.test)
		res.options = t.hold.pairs(options, nil)
		t.results = append(t.results, res)
	} else if !res.options.Equal(options) && res.options.ID() != options.ID() {
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

	// A file has each canonical trace once.
	sub, isNew := t.place(m.asIs, name.test, name.config, name.sub)
	if isNew {
		sub.in = res
	} else {
		if res.in.name != name.test || res.name != name.config || sub.name != name.sub {
			t.out.count(changedName, sub.name)
		}
		number = cmp.Or(number, int(sub.last)+1)
	}
	sub.last = int32(number)
	if !m.asIs && t.series.merges(m.identity, traceid.Params{
		{Key: "config", Value: name.config}, {Key: "sub_result", Value: name.sub}, {Key: "test", Value: name.test},
	}) {
		t.out.count(mergedSeries, name.test)
	}

	t.lastAttrs = t.hold.pairs(attrs, t.lastAttrs)
	e := t.entries.add()
	*e = nanoEntry{sub, t.lastAttrs, m.value, samples, int32(number), int32(len(res.entries))}
	res.entries = append(res.entries, e)
	return t.out.charge(t.entries.size() + 16)
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

// place returns the place with a path, and whether it is new. Places whose texts have the same
// canonical form are one, unless they are written as they are.
func (t *nanolegacyTarget) place(asIs bool, path ...string) (place *nanoPlace, isNew bool) {
	t.id = t.id[:0]
	for _, text := range path {
		if !asIs {
			text = traceid.CanonicalString(text)
		}
		t.id = append(append(t.id, text...), 0)
	}
	id := hash{maphash.Bytes(t.hold.seeds[0], t.id), maphash.Bytes(t.hold.seeds[1], t.id)}
	if place = t.places[id]; place != nil {
		return place, false
	}

	// The format's Writer remembers the names too.
	t.out.charge(t.all.size() + entryBytes(16+8) + entryBytes(24) + traceBytes)
	place = t.all.add()
	place.name, place.order = t.hold.text(path[len(path)-1]), int32(len(t.places))
	t.places[id] = place
	return place, true
}

func (t *nanolegacyTarget) close() error {
	w := nanolegacy.NewWriter(t.out, t.header)
	w.OptionsAsParams = t.asParams
	if t.asIs {
		w.Limits.MaxUniqueTraces = 1 // the traces of a file that was read are its own
	}
	slices.SortFunc(t.results, func(a, b *nanoPlace) int {
		return cmp.Or(cmp.Compare(a.in.order, b.in.order), cmp.Compare(a.order, b.order))
	})
	for _, res := range t.results {
		slices.SortFunc(res.entries, func(a, b *nanoEntry) int {
			return cmp.Or(
				cmp.Compare(a.sub.order, b.sub.order), cmp.Compare(a.number, b.number), cmp.Compare(a.order, b.order))
		})
		if err := t.writeResult(w, res.entries); err != nil {
			return err
		}
	}
	return w.Close()
}

// writeResult writes the sub-results of a test and configuration. Sub-results with repetitions
// become a measurement and samples. Samples of min_ms come first: the others have results of
// their own.
func (t *nanolegacyTarget) writeResult(w *nanolegacy.Writer, entries []*nanoEntry) error {
	var shared common
	for _, e := range entries {
		shared.add(e.attrs)
	}
	subs := runs(entries, func(e *nanoEntry) *nanoPlace { return e.sub })

	for sub := range subs {
		sum := summaryOf(sub)
		if !sum.measured {
			continue
		}
		rec := t.record(w, sub[0], shared.pairs)
		rec.Value = sum.value
		if err := t.out.refused(&rec, w.Write(&rec)); err != nil {
			return err
		}
		if sub[0].sub.name == minMS && len(sub) > 1 && !sum.ofFile {
			t.out.count(addedLeast, "")
		}
		if sum.ofFile && len(sub) > 2 { // other files may have values that are not among the samples
			kept := slices.Sorted(slices.Values(append(sum.samples, sum.value)))
			for _, e := range sub {
				if _, ok := slices.BinarySearch(kept, e.value); e.samples == nil && !ok {
					t.out.count(LostRecords, "its samples replace it")
				}
			}
		}
	}

	for _, minimum := range []bool{true, false} {
		for sub := range subs {
			first := sub[0]
			if (first.sub.name == minMS) != minimum || len(sub) == 1 && first.samples == nil {
				continue
			}

			rec := t.record(w, first, shared.pairs)
			err := w.WriteSamples(&format.Samples{Params: rec.Params, Attrs: rec.Attrs, Values: summaryOf(sub).samples})
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
	ofFile   bool // of several entries: the samples are those of the input's files
}

// summaryOf returns the summary of the entries of a sub-result.
func summaryOf(sub []*nanoEntry) (sum nanoSummary) {
	if first := sub[0]; len(sub) == 1 {
		return nanoSummary{value: first.value, measured: first.samples == nil, samples: first.samples}
	}
	sum.ofFile = slices.ContainsFunc(sub, func(e *nanoEntry) bool { return e.samples != nil })
	for _, e := range sub {
		if sum.samples = append(sum.samples, e.samples...); e.samples != nil {
			continue
		}
		switch {
		case !sum.measured:
			sum.value, sum.measured = e.value, true
		case e.sub.name == minMS && !sum.ofFile:
			sum.value = min(sum.value, e.value)
		}
		if !sum.ofFile {
			sum.samples = append(sum.samples, e.value)
		}
	}
	return sum
}

// record returns an entry as the format's Writer takes it. All of its result share some attributes.
// The next call overwrites the record.
func (t *nanolegacyTarget) record(w *nanolegacy.Writer, e *nanoEntry, shared traceid.Params) format.Record {
	fit := format.Record{Value: e.value}
	result := e.sub.in
	t.names.parts = append(t.names.parts[:0], traceid.Param{Key: "config", Value: result.name},
		traceid.Param{Key: "sub_result", Value: e.sub.name}, traceid.Param{Key: "test", Value: result.in.name})
	t.options = traceid.AppendMerge(t.options[:0], t.given, result.options)
	t.params = traceid.AppendMerge(t.params[:0], t.options, t.names.parts)
	fit.Params = t.params
	for _, p := range e.attrs {
		if _, same := shared.Get(p.Key); !same || w.OptionsAsParams && !strings.HasPrefix(p.Key, "GL_") {
			t.out.count(lostAttrs, p.Key)
			continue
		}
		fit.Attrs = append(fit.Attrs, p)
	}
	return fit
}
