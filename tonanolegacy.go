package perfdata

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/skiadoc"
	"perfdata/nanolegacy"
	"perfdata/traceid"
)

// A nanolegacyTarget keeps all records, because those of a test stand together in a file, and share what isn't their place:
// only all of them tell which params can be options.
type nanolegacyTarget struct {
	out     *sink
	s       *Survey
	entries []*nanoEntry
	results map[nanoPlace]*nanoResult
	traces  map[[3]string]int // canonical places of sub-results, and how often each was wanted
}

type nanoPlace struct{ test, config string }

// A nanoResult is what the entries of a test and configuration have in common.
type nanoResult struct {
	test   int // which one it is, and the result
	number int
	params common
	attrs  common
}

type nanoEntry struct {
	nanoPlace
	sub    string
	result *nanoResult
	rec    *format.Record
}

func toNanolegacy(out *sink, s *Survey) target {
	s.dropHeader(out, "git_hash", "issue", "patchset", "source", "patch_storage")
	return &nanolegacyTarget{out: out, s: s, results: make(map[nanoPlace]*nanoResult), traces: make(map[[3]string]int)}
}

func (t *nanolegacyTarget) write(rec *format.Record) error {
	if math.IsNaN(rec.Value) || math.IsInf(rec.Value, 0) {
		t.out.leftOut(rec, "JSON can't hold "+strconv.FormatFloat(rec.Value, 'g', -1, 64))
		return nil
	}
	if !skiadoc.InRange(rec.Value) {
		t.out.leftOut(rec, outOfFloat32)
		return nil
	}
	t.out.dropLinks(rec)
	kept := rec.Clone()
	kept.Links = nil
	if !validPairs(kept.Params) || !validPairs(kept.Attrs) {
		kept.Params, kept.Attrs = validText(t.out, rec, kept.Params), validText(t.out, rec, kept.Attrs)
	}
	t.entries = append(t.entries, t.place(kept))
	return nil
}

func validPairs(pairs traceid.Params) bool {
	return !slices.ContainsFunc(pairs, func(p traceid.Param) bool { return !utf8.ValidString(p.Key) || !utf8.ValidString(p.Value) })
}

// place finds the test, the configuration and the sub-result of a record, and makes those that it lacks.
func (t *nanolegacyTarget) place(rec *format.Record) *nanoEntry {
	e := &nanoEntry{rec: rec}
	used := ""
	find := func(param string, to *string, from ...string) bool {
		value, ok := rec.Params.Get(param)
		if ok {
			*to = value
			return false
		}
		for _, key := range from {
			if value, ok := rec.Params.Get(key); ok {
				*to = value
				used = key
				break
			}
		}
		return true
	}
	addedTest := find("test", &e.test, "name", "key")
	nameParam := used
	addedSub := find("sub_result", &e.sub, "unit", "units")
	addedConfig := find("config", &e.config)
	if addedConfig {
		var parts []string
		for _, p := range rec.Params {
			switch p.Key {
			case "test", "sub_result", "unit", "units", nameParam:
				continue
			}
			if !t.s.params.has(p.Key) {
				parts = append(parts, strings.ReplaceAll(canonical(p.Value), ".", "_"))
			}
		}
		e.config = cmp.Or(strings.Join(parts, "_"), "default")
	}
	if addedTest {
		e.test = cmp.Or(e.test, "measurement")
	}
	if addedSub {
		e.sub = cmp.Or(e.sub, "value")
	}
	for _, added := range []struct {
		is          bool
		name, value string
	}{{addedTest, "test", e.test}, {addedConfig, "config", e.config}, {addedSub, "sub_result", e.sub}} {
		if added.is {
			t.out.added("params that the format requires: "+added.name, pairOf(added.name, added.value, rec))
		}
	}
	return e
}

func (t *nanolegacyTarget) close() error {
	t.group()
	inner := t.innerParams()
	asParams := false
	h := nanolegacy.Header{
		GitHash: cmp.Or(t.s.gitHash(), t.s.GitHash), Issue: t.s.header.issue, Patchset: t.s.header.patchset,
		Source: t.s.header.source, PatchStorage: t.s.header.patchStorage,
	}
	isKey := func(p traceid.Param) bool { return isNanoPlace(p.Key) }
	h.Key = t.s.params.except(isKey)
	for _, e := range t.entries {
		t.nameSubResult(e, inner)
		e.rec.Params = slices.DeleteFunc(e.rec.Params, func(p traceid.Param) bool { return isNanoPlace(p.Key) || inner[p.Key] })
		if len(e.rec.Params) > len(h.Key) {
			asParams = true
			t.out.added(AddedOptions, e.rec.TraceID)
		}
	}
	if h.GitHash == "" {
		h.GitHash = unknownGitHash
		t.out.added(AddedGitHash, func() string { return unknownGitHash })
	}
	slices.SortStableFunc(t.entries, func(a, b *nanoEntry) int {
		return cmp.Or(a.result.test-b.result.test, a.result.number-b.result.number)
	})
	if !asParams {
		h.Options = t.s.attrs.except(func(traceid.Param) bool { return false })
	}
	w := nanolegacy.NewWriter(t.out, h)
	w.OptionsAsParams = asParams
	for _, e := range t.entries {
		if err := t.writeEntry(w, e); err != nil {
			return err
		}
	}
	t.entries = nil
	return w.Close()
}

func isNanoPlace(key string) bool { return key == "test" || key == "config" || key == "sub_result" }

// group finds the entries that share a result.
func (t *nanolegacyTarget) group() {
	tests := make(map[string]int)
	for _, e := range t.entries {
		if _, ok := tests[e.test]; !ok {
			tests[e.test] = len(tests)
		}
		first := false
		e.result = t.results[e.nanoPlace]
		if e.result == nil {
			first = true
			e.result = &nanoResult{test: tests[e.test], number: len(t.results)}
			t.results[e.nanoPlace] = e.result
		}
		e.result.params.add(e.rec.Params, first)
		e.result.attrs.add(e.rec.Attrs, first)
	}
}

// innerParams returns the params that can't be options: those that are not the same in all of a result, and those that would
// not be read as params.
func (t *nanolegacyTarget) innerParams() map[string]bool {
	inner := make(map[string]bool)
	for _, e := range t.entries {
		for _, p := range e.rec.Params {
			if isNanoPlace(p.Key) || inner[p.Key] || t.s.params.has(p.Key) {
				continue
			}
			if !e.result.params.has(p.Key) || strings.HasPrefix(p.Key, "GL_") {
				inner[p.Key] = true
			}
		}
	}
	return inner
}

// nameSubResult makes the sub-result's name say what the inner params do, and be the only one.
func (t *nanolegacyTarget) nameSubResult(e *nanoEntry, inner map[string]bool) {
	_, given := e.rec.Params.Get("sub_result")
	unit := ""
	if !given {
		for _, key := range []string{"unit", "units"} {
			if _, ok := e.rec.Params.Get(key); ok {
				unit = key // the name says it already
				break
			}
		}
	}
	moved := false
	for _, p := range e.rec.Params {
		if !inner[p.Key] {
			continue
		}
		moved = true
		if p.Key != unit {
			e.sub += "_" + strings.ReplaceAll(canonical(p.Value), ".", "_")
		}
	}
	if moved {
		t.out.lost("params that became a part of sub_result", func() string { return e.rec.TraceID() + ", which became " + e.sub })
	}
	if e.sub == "options" || e.sub == "samples" {
		e.sub += "_"
	}
	// A file has each trace once, options aside.
	base := e.sub
	place := [3]string{canonical(e.test), canonical(e.config), canonical(base)}
	t.traces[place]++
	if t.traces[place] == 1 {
		return
	}
	for {
		e.sub = base + "_" + strconv.Itoa(t.traces[place])
		other := [3]string{place[0], place[1], canonical(e.sub)}
		if t.traces[other] == 0 {
			t.traces[other] = 1
			t.out.lost("repeated measurements with another sub_result", func() string { return e.rec.TraceID() + ", which became " + e.sub })
			return
		}
		t.traces[place]++
	}
}

func (t *nanolegacyTarget) writeEntry(w *nanolegacy.Writer, e *nanoEntry) error {
	fit := format.Record{Value: e.rec.Value}
	fit.Params = traceid.Merge(e.rec.Params, traceid.Params{
		{Key: "config", Value: e.config}, {Key: "sub_result", Value: e.sub}, {Key: "test", Value: e.test},
	})
	for _, p := range e.rec.Attrs {
		if !e.result.attrs.has(p.Key) || w.OptionsAsParams && !strings.HasPrefix(p.Key, "GL_") {
			t.out.lost(lostAttrs, pairOf(p.Key, p.Value, &fit))
			continue
		}
		fit.Attrs = append(fit.Attrs, p)
	}
	err := w.Write(&fit)
	if err != nil && t.out.err == nil {
		t.out.leftOut(&fit, err.Error())
		return nil
	}
	return err
}
