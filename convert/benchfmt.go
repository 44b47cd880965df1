package convert

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/internal/goname"
	"perfdata/traceid"
)

type benchfmtTarget struct {
	out      *sink
	w        *benchfmt.Writer
	metadata map[string]bool // keys of attributes that become unit metadata
	attrs    []traceid.Param
	units    memory // those that have metadata
}

func toBenchfmt(out *sink, s *Survey) target {
	s.dropHeader(out)
	t := &benchfmtTarget{out: out, metadata: map[string]bool{"better": true, "assume": true}, units: newMemory(out)}
	var h benchfmt.Header
	if s.bench != nil {
		h = *s.bench
		for _, u := range h.Units {
			t.metadata[u.Key] = true
		}
	} else {
		h.Config = s.params.except(func(p traceid.Param) bool { return ofName(p.Key) || !goname.CanBeConfig(p) })
	}
	t.w = benchfmt.NewWriter(out, h)
	return t
}

func (t *benchfmtTarget) write(rec *format.Record) error {
	size := 100
	for _, p := range rec.Params {
		size += len(p.Key) + len(p.Value) + 2
	}
	if size > goname.MaxLine {
		t.out.leftOut(rec, "its line would be longer than 1 MiB")
		return nil
	}

	t.out.dropLinks(rec)
	fit := format.Record{Params: rec.Params, Value: rec.Value, Attrs: t.keepAttrs(rec)}
	if err := t.remember(&fit); err != nil {
		return err
	}

	switch err := t.writeFit(rec, &fit); {
	case t.out.err != nil:
		return t.out.err
	case err != nil:
		t.out.refused(rec, err)
	default:
		if _, ok := fit.Attrs.Get("iterations"); !ok {
			t.out.count(AddedIterations, func() string { return "1 of " + rec.TraceID() })
		}
	}
	return nil
}

// keepAttrs returns the attributes that the format can hold: iterations and unit metadata.
func (t *benchfmtTarget) keepAttrs(rec *format.Record) traceid.Params {
	t.attrs = t.attrs[:0]
	for _, p := range rec.Attrs {
		keep := t.metadata[p.Key]
		if p.Key == "iterations" {
			_, err := strconv.Atoi(p.Value)
			keep = err == nil
		}
		if keep {
			t.attrs = append(t.attrs, p)
		} else {
			t.out.count(LostAttrs, pairOf(p.Key, p.Value, rec))
		}
	}
	return t.attrs
}

// writeFit writes what is left of a record. Only the format's Writer knows what fits after the records before, so this
// gives up what it refuses step by step: first characters of params, then unit metadata.
func (t *benchfmtTarget) writeFit(rec, fit *format.Record) error {
	err := t.w.Write(fit)
	if err == nil || t.out.err != nil {
		return err
	}
	fit.Params = mapPairs(t.out, rec, rec.Params, fitBench)
	err = t.w.Write(fit)
	if err == nil || t.out.err != nil {
		return err
	}

	attrs := fit.Attrs
	fit.Attrs = nil
	if n, ok := attrs.Get("iterations"); ok {
		fit.Attrs = traceid.Params{{Key: "iterations", Value: n}}
	}

	if len(fit.Attrs) == len(attrs) {
		return err
	}
	if err := t.w.Write(fit); err != nil {
		return err
	}
	for _, p := range attrs {
		if p.Key != "iterations" {
			t.out.count(LostAttrs, pairOf(p.Key, p.Value, rec))
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
	unit, ok := fit.Params.Get("unit")
	if !ok {
		if unit, ok = fit.Params.Get("units"); ok {
			n += pairBytes // that its param is called so
		}
	}
	if !ok || n == 0 {
		return nil
	}
	return t.units.add(unit, entryBytes(40)+n)
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

// replace returns s with _ for each character that is bad or no UTF-8, and for an s that is empty.
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
