package convert

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"perfdata/format"
	"perfdata/internal/skiadoc"
	"perfdata/nanolegacy"
	"perfdata/traceid"
)

// A nanolegacyTarget holds all records, because a file groups them by test and configuration, and
// because all records of a group decide which params can be options.
type nanolegacyTarget struct {
	out     *sink
	s       *Survey
	commit  string
	key     traceid.Params // of the header
	hold    holder
	entries blocks[nanoEntry] // in the order of the records
	tests   map[string]*nanoTest
	results map[nanoPlace]*nanoResult
	traces  map[hash]int32 // canonical places of sub-results, and how often each was wanted

	firstTest, lastTest *nanoTest
	largest             int             // entries of one result
	own                 []traceid.Param // of the record that is written
	attrs               traceid.Params  // of the record before
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
	plain         int // measurements min_ms, which may repeat each other
	sampled       int // entries that are samples
	next          *nanoResult
}

type nanoEntry struct {
	result                     *nanoResult
	sub                        string
	params, attrs              traceid.Params // without the header's key and the place
	value                      float64
	samples                    []float64  // instead of a value
	number                     int32      // of a sample among others; 0 if it is not a sample
	next                       *nanoEntry // of the result
	hasTest, hasConfig, hasSub bool       // the record has the param
}

func toNanolegacy(w *Writer, s *Survey) target {
	s.members.drop(w.out, named("issue", "patchset", "source", "patch_storage"))
	key := s.params.except(func(p traceid.Param) bool { return isNanoPlace(p.Key) })
	if s.own.kept() {
		key = s.own.params
	}
	return &nanolegacyTarget{
		out: w.out, s: s, commit: w.commit, key: key, hold: newHolder(w.out),
		tests: make(map[string]*nanoTest), results: make(map[nanoPlace]*nanoResult), traces: make(map[hash]int32),
	}
}

func (t *nanolegacyTarget) write(m *measurement) error {
	if math.IsNaN(m.value) || math.IsInf(m.value, 0) {
		t.out.leftOut(m.Record, cannotHold(m.value))
		return nil
	}
	if !skiadoc.InRange(m.value) {
		t.out.leftOut(m.Record, outOfFloat32)
		return nil
	}
	params, number := m.params, 0
	if m.number > 0 && isOfSamples(m.params) && !t.s.params.has(paramIteration) {
		params, number = m.base, m.number
	}
	return t.add(m.withParams(params), number, nil)
}

// add adds an entry for a record, or for samples if there are any.
func (t *nanolegacyTarget) add(rec *format.Record, number int, samples []float64) error {
	fit := format.Record{Params: rec.Params, Attrs: rec.Attrs}
	if !validPairs(fit.Params) || !validPairs(fit.Attrs) {
		fit.Params, fit.Attrs = validText(t.out, rec, fit.Params), validText(t.out, rec, fit.Attrs)
	}
	own, missing := t.ownParams(fit.Params)
	if missing != "" {
		t.out.leftOut(rec, "missing param "+strconv.Quote(shorten(missing))+", which the header gives to every measurement")
		return nil
	}
	t.out.dropLinks(rec)

	e := t.entries.add()
	e.value = rec.Value
	e.samples, e.number = samples, int32(number)
	t.place(e, &fit)
	e.params = t.hold.pairs(own, nil)
	e.attrs = t.hold.pairs(fit.Attrs, t.attrs)
	t.attrs = e.attrs
	res := e.result
	if res.n == 1 {
		res.params, res.attrs = e.params, e.attrs
	} else {
		res.params, res.attrs = shared(res.params, e.params), shared(res.attrs, e.attrs)
	}
	// Each has an entry in traces; what their results have in common is a new list at most.
	return t.out.charge(t.entries.size() + entryBytes(hashBytes+4) + 8)
}

// ownParams returns the params without the header's key and the place, or else a key that the
// header has and the record lacks. They are overwritten by the next call.
func (t *nanolegacyTarget) ownParams(params traceid.Params) (own traceid.Params, missing string) {
	t.own = t.own[:0]
	common := t.key
	for _, p := range params {
		if len(common) > 0 && common[0].Key == p.Key {
			same := common[0].Value == p.Value
			common = common[1:]
			if same {
				continue
			}
		}
		if len(common) > 0 && common[0].Key < p.Key {
			break
		}
		if !isNanoPlace(p.Key) {
			t.own = append(t.own, p)
		}
	}
	if len(common) > 0 {
		return nil, common[0].Key
	}
	return t.own, ""
}

// place finds the test, the configuration and the sub-result of a record, and makes those that it
// lacks.
func (t *nanolegacyTarget) place(e *nanoEntry, rec *format.Record) {
	var test, config, sub string
	used := ""

	find := func(param string, to *string, from ...string) bool {
		value, ok := rec.Params.Get(param)
		if ok {
			*to = value
			return true
		}
		for _, key := range from {
			if value, ok := rec.Params.Get(key); ok {
				*to = value
				used = key
				break
			}
		}
		return false
	}

	e.hasTest = find("test", &test, "name", "key")
	nameParam := used
	e.hasSub = find("sub_result", &sub, "unit", "units")
	e.hasConfig = find("config", &config)

	if !e.hasConfig {
		var parts []string
		for _, p := range rec.Params {
			switch p.Key {
			case "test", "sub_result", "unit", "units", nameParam:
				continue
			}
			if !t.s.params.has(p.Key) {
				parts = append(parts, strings.ReplaceAll(traceid.CanonicalString(p.Value), ".", "_"))
			}
		}
		config = cmp.Or(cutName(strings.Join(parts, "_")), "default")
	}

	// What the record lacks.
	if !e.hasTest {
		test = cmp.Or(test, "measurement")
	}
	if !e.hasSub {
		sub = cmp.Or(sub, "value")
	}

	for _, param := range []struct {
		has         bool
		name, value string
	}{{e.hasTest, "test", test}, {e.hasConfig, "config", config}, {e.hasSub, "sub_result", sub}} {
		if !param.has {
			t.out.countParam(param.name, param.value, rec)
		}
	}

	e.sub = t.hold.text(sub)
	e.result = t.result(test, config)
	t.append(e)
}

// result returns the result of that place, which it makes if it is the first.
func (t *nanolegacyTarget) result(test, config string) *nanoResult {
	if res := t.results[nanoPlace{test, config}]; res != nil {
		return res
	}
	in := t.tests[test]
	if in == nil {
		// The format's Writer remembers the tests' names too.
		t.out.charge(48 + entryBytes(24) + textBytes(test) + entryBytes(24))
		in = &nanoTest{name: t.hold.text(test)}
		t.tests[in.name] = in
		if t.lastTest == nil {
			t.firstTest = in
		} else {
			t.lastTest.next = in
		}
		t.lastTest = in
	}

	t.out.charge(112 + entryBytes(40) + entryBytes(24)) // and the Writer the configurations of a test
	res := &nanoResult{test: in, config: t.hold.text(config)}
	t.results[nanoPlace{in.name, res.config}] = res
	if in.last == nil {
		in.first = res
	} else {
		in.last.next = res
	}
	in.last = res
	return res
}

// append appends an entry to its result.
func (t *nanolegacyTarget) append(e *nanoEntry) {
	res := e.result
	if res.last == nil {
		res.first = e
	} else {
		res.last.next = e
	}
	res.last = e
	res.n++
	switch {
	case e.number > 0:
		res.sampled++
	case e.canBeSample():
		res.plain++
	}
	t.largest = max(t.largest, res.n)
}

// recordID returns the trace id of the record that became an entry, whose sub-result was called
// sub.
func (t *nanolegacyTarget) recordID(e *nanoEntry, sub string) string {
	var place traceid.Params
	if e.hasConfig {
		place = append(place, traceid.Param{Key: "config", Value: e.result.config})
	}
	if e.hasSub {
		place = append(place, traceid.Param{Key: "sub_result", Value: sub})
	}
	if e.hasTest {
		place = append(place, traceid.Param{Key: "test", Value: e.result.test.name})
	}
	return traceid.Merge(traceid.Merge(t.key, e.params), place).ID()
}

func (t *nanolegacyTarget) close() error {
	// The format's Writer remembers the sub-results of a result.
	if err := t.out.charge(t.largest * entryBytes(24)); err != nil {
		return err
	}
	inner := t.innerParams()
	asParams := false

	for e := range t.entries.all() {
		t.nameSubResult(e, inner)
		if len(inner) > 0 {
			e.params = slices.DeleteFunc(e.params, func(p traceid.Param) bool { return inner[p.Key] })
		}
		if len(e.params) > 0 {
			asParams = true
			t.out.count(AddedOptions, "", func() string { return traceid.Merge(t.key, e.params).ID() })
		}
		if t.out.err != nil {
			return t.out.err
		}
	}

	h := nanolegacy.Header{GitHash: t.commit, Key: t.key}
	h.Issue, h.Patchset = t.s.members.get("issue"), t.s.members.get("patchset")
	h.Source, h.PatchStorage = t.s.members.get("source"), t.s.members.get("patch_storage")
	if !asParams {
		if h.Options = t.s.attrs.valid(); t.s.own.kept() {
			h.Options = t.s.own.options
		}
	}
	w := nanolegacy.NewWriter(t.out, h)
	w.OptionsAsParams = asParams

	for test := t.firstTest; test != nil; test = test.next {
		for res := test.first; res != nil; res = res.next {
			if err := t.writeResult(w, res); err != nil {
				return err
			}
		}
	}
	return w.Close()
}

func isNanoPlace(key string) bool { return key == "test" || key == "config" || key == "sub_result" }

// innerParams returns the params that cannot be options: those that are not the same in all of a
// result, and those that would not be read as params. From then on the params of the entries may
// be changed.
func (t *nanolegacyTarget) innerParams() map[string]bool {
	inner := make(map[string]bool)
	for e := range t.entries.all() {
		for _, p := range e.params {
			if inner[p.Key] || t.s.params.has(p.Key) {
				continue
			}
			if _, same := e.result.params.Get(p.Key); !same || strings.HasPrefix(p.Key, "GL_") {
				inner[p.Key] = true
				t.out.charge(entryBytes(17))
			}
		}
	}
	return inner
}

// nameSubResult makes the sub-result's name say what the inner params do, and be the only one.
func (t *nanolegacyTarget) nameSubResult(e *nanoEntry, inner map[string]bool) {
	given := e.sub
	unit := ""
	if !e.hasSub {
		for _, key := range []string{"unit", "units"} {
			_, common := t.key.Get(key)
			if _, ok := e.params.Get(key); ok || common {
				unit = key // the name says it already
				break
			}
		}
	}

	moved := false
	for _, p := range e.params {
		if !inner[p.Key] {
			continue
		}
		moved = true
		if p.Key != unit {
			e.sub += "_" + strings.ReplaceAll(traceid.CanonicalString(p.Value), ".", "_")
		}
	}

	if moved {
		e.sub = cutName(e.sub)
		t.out.count(MovedToSubResult, "", func() string {
			return shorten(t.recordID(e, given)) + ", which became " + e.sub
		})
	}

	if e.sub == "options" || e.sub == "samples" {
		e.sub += "_"
	}
	if !e.isSample() {
		t.makeUnique(e, given)
	}
	if e.sub != given {
		e.sub = t.hold.text(e.sub)
	}
}

// makeUnique gives an entry another sub-result, if its place has one of that name: a file has
// each trace once, options aside.
func (t *nanolegacyTarget) makeUnique(e *nanoEntry, given string) {
	base := e.sub
	place := t.trace(e)
	t.traces[place]++
	if t.traces[place] == 1 {
		return
	}
	for {
		e.sub = base + "_" + strconv.Itoa(int(t.traces[place]))
		if other := t.trace(e); t.traces[other] == 0 {
			t.traces[other] = 1
			t.out.count(ChangedSubResult, e.sub, func() string {
				return shorten(t.recordID(e, given)) + ", which became " + e.sub
			})
			return
		}
		t.traces[place]++
	}
}

// trace returns a hash of the canonical place of an entry.
func (t *nanolegacyTarget) trace(e *nanoEntry) hash {
	t.id = append(t.id[:0], traceid.CanonicalString(e.result.test.name)...)
	t.id = append(append(t.id, ','), traceid.CanonicalString(e.result.config)...)
	t.id = append(append(t.id, ','), traceid.CanonicalString(e.sub)...)
	return t.hold.hash(t.id)
}

func (t *nanolegacyTarget) writeEntry(w *nanolegacy.Writer, e *nanoEntry) error {
	fit := t.record(w, e)
	err := w.Write(&fit)
	if err != nil && t.out.err == nil {
		t.out.refused(&fit, err)
		return nil
	}
	return err
}

// record returns an entry as the format's Writer takes it.
func (t *nanolegacyTarget) record(w *nanolegacy.Writer, e *nanoEntry) format.Record {
	fit := format.Record{Value: e.value}
	fit.Params = traceid.Merge(traceid.Merge(t.key, e.params), traceid.Params{
		{Key: "config", Value: e.result.config},
		{Key: "sub_result", Value: e.sub},
		{Key: "test", Value: e.result.test.name},
	})
	for _, p := range e.attrs {
		if _, same := e.result.attrs.Get(p.Key); !same || w.OptionsAsParams && !strings.HasPrefix(p.Key, "GL_") {
			t.out.count(LostAttrs, p.Key, pairOf(p.Key, p.Value, &fit))
			continue
		}
		fit.Attrs = append(fit.Attrs, p)
	}
	return fit
}
