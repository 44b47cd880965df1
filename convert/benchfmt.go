package convert

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/internal/goname"
	"perfdata/traceid"
)

// A benchfmtTarget writes each measurement as it comes.
type benchfmtTarget struct {
	writer   *Writer
	out      *sink
	w        *benchfmt.Writer
	metadata map[string]bool // keys of attributes that become unit metadata
	params   traceid.Params  // of the measurement that is written
	attrs    []traceid.Param
	units    memory // with metadata

	commitAt, unitAt, unitsAt hint
}

func toBenchfmt(w *Writer, s *Survey) target {
	s.members.drop(w.out, named())
	t := &benchfmtTarget{
		writer: w, out: w.out, units: newMemory(w.out),
		metadata: map[string]bool{"better": true, "assume": true},
	}

	h := benchfmt.Header{}
	if s.own.bench != nil {
		h = *s.own.bench
		for _, u := range h.Units {
			t.metadata[u.Key] = true
		}
	} else {
		h.Config = slices.DeleteFunc(s.headerParams(), func(p traceid.Param) bool {
			repetition := p.Key == paramIteration && !w.repeats.irregular
			return repetition || ofName(p.Key) || !goname.CanBeConfig(p)
		})
	}

	// The commit is configuration that may change with each record.
	if commit, err := s.commit(nameBenchfmt, false); err == nil && commit != "" {
		p := traceid.Param{Key: paramCommit, Value: commit}
		if goname.CanBeConfig(p) {
			h.Config = traceid.Merge(h.Config, traceid.Params{p})
		}
	}
	w.countGaps()
	t.w = benchfmt.NewWriter(w.out, h)
	return t
}

func (t *benchfmtTarget) write(m *measurement) error {
	rec := m.Record
	size := 100
	for i := range m.base {
		size += len(m.base[i].Key) + len(m.base[i].Value) + 2
	}
	if size+len(m.commit) > goname.MaxLine {
		t.out.leftOut(rec, "its line would be longer than 1 MiB")
		return nil
	}

	t.out.dropLinks(rec)
	given := m.base
	if m.commit != "" {
		given = t.withCommit(given, m.commit)
	}
	fit := format.Record{Params: given, Value: m.value, Attrs: t.keepAttrs(rec, m.attrs)}
	if err := t.remember(&fit); err != nil {
		return err
	}

	switch err := t.writeFit(rec, given, &fit); {
	case t.out.err != nil:
		return t.out.err
	case err != nil:
		t.out.refused(rec, err)
	default:
		if _, ok := fit.Attrs.Get("iterations"); !ok {
			t.out.count(AddedIterations, "", func() string { return "1 of " + rec.TraceID() })
		}
	}
	return nil
}

// withCommit returns the params with the commit.
func (t *benchfmtTarget) withCommit(params traceid.Params, commit string) traceid.Params {
	i, has := t.commitAt.find(params, paramCommit)
	t.params = append(t.params[:0], params[:i]...)
	t.params = append(t.params, traceid.Param{Key: paramCommit, Value: commit})
	if has { // in a Go benchmark
		i++
	}
	t.params = append(t.params, params[i:]...)
	return t.params
}

// keepAttrs returns the attributes that the format can hold: iterations and unit metadata.
func (t *benchfmtTarget) keepAttrs(rec *format.Record, attrs traceid.Params) traceid.Params {
	t.attrs = t.attrs[:0]
	for _, p := range attrs {
		keep := t.metadata[p.Key]
		if p.Key == "iterations" {
			_, err := strconv.Atoi(p.Value)
			keep = err == nil
		}
		if keep {
			t.attrs = append(t.attrs, p)
		} else {
			t.out.count(LostAttrs, p.Key, pairOf(p.Key, p.Value, rec))
		}
	}
	return t.attrs
}

// writeFit writes the rest of a record with the given params. Only the format's Writer knows
// what fits after the records before. So writeFit gives up what the Writer refuses step by step:
// first characters of params, then unit metadata. A record without metadata, or with metadata that
// is given up, gets what its unit has.
func (t *benchfmtTarget) writeFit(rec *format.Record, given traceid.Params, fit *format.Record) error {
	err := t.w.Write(fit)
	if err == nil || t.out.err != nil {
		return err
	}
	fit.Params = mapPairs(t.out, rec, given, fitBench)
	err = t.w.Write(fit)
	if err == nil || t.out.err != nil {
		return err
	}

	attrs := fit.Attrs
	fit.Attrs = nil
	if n, ok := attrs.Get("iterations"); ok {
		fit.Attrs = traceid.Params{{Key: "iterations", Value: n}}
	}

	t.w.Drop.Attrs = true
	if err := t.w.Write(fit); err != nil {
		t.w.Drop.Attrs = false
		return err
	}
	t.w.Drop.Attrs = false
	if len(fit.Attrs) == len(attrs) {
		t.out.count(AddedMetadata, "", func() string { return "that of the unit of " + rec.TraceID() })
	}
	for _, p := range attrs {
		if p.Key != "iterations" {
			t.out.count(LostAttrs, p.Key, pairOf(p.Key, p.Value, rec))
		}
	}
	return nil
}

// remember charges what the format's Writer remembers: the metadata of a unit.
func (t *benchfmtTarget) remember(fit *format.Record) error {
	n := 0
	for _, p := range fit.Attrs {
		if p.Key != "iterations" {
			n += pairBytes + textBytes(p.Value)
		}
	}
	at, ok := t.unitAt.find(fit.Params, "unit")
	if !ok {
		if at, ok = t.unitsAt.find(fit.Params, "units"); ok {
			n += pairBytes // that its param is called so
		}
	}
	if !ok || n == 0 {
		return nil
	}
	return t.units.add(fit.Params[at].Value, entryBytes(40)+n)
}

func (t *benchfmtTarget) close() error { return t.w.Close() }

// ofName reports whether a key has a meaning in a benchmark's name, or is the unit.
func ofName(key string) bool { return key == "units" || key != "" && goname.Reserved(key) }

// fitBench returns a param that a benchmark's name or a configuration line can hold.
func fitBench(p traceid.Param) traceid.Param {
	switch {
	case p.Key == "unit" || p.Key == "units":
		return traceid.Param{Key: p.Key, Value: replace(p.Value, unicode.IsSpace)}
	case goname.CanBePair(p) || goname.CanBeConfig(p):
		return p
	}
	bad := func(r rune) bool { return r == '/' || unicode.IsSpace(r) }
	q := traceid.Param{Key: replace(p.Key, func(r rune) bool { return bad(r) || r == '=' }), Value: p.Value}
	if p.Value != "" || ofName(p.Key) {
		q.Value = replace(p.Value, bad)
	}
	return q
}

// replace returns s with _ for each character that is bad or not UTF-8, and for an empty s.
func replace(s string, bad func(rune) bool) string {
	if s == "" {
		return "_"
	}
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || bad(r) {
			return '_'
		}
		return r
	}, s)
}
