package convert

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/traceid"
)

type benchfmtTarget struct {
	out      *sink
	w        *benchfmt.Writer
	metadata map[string]bool // keys of attributes that become unit metadata
	attrs    []traceid.Param
	units    memory // those that have metadata
}

// maxBenchLine is the length of the longest line that Readers take.
const maxBenchLine = 1 << 20

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
		h.Config = s.params.except(func(p traceid.Param) bool { return ofName(p.Key) || !canBeConfig(p.Key, p.Value) })
	}
	t.w = benchfmt.NewWriter(out, h)
	return t
}

func (t *benchfmtTarget) write(rec *format.Record) error {
	size := 100
	for _, p := range rec.Params {
		size += len(p.Key) + len(p.Value) + 2
	}
	if size > maxBenchLine {
		t.out.leftOut(rec, "its line would be longer than 1 MiB")
		return nil
	}
	t.out.dropLinks(rec)
	fit := format.Record{Params: rec.Params, Value: rec.Value}
	t.attrs = t.attrs[:0]
	iterations := false
	for _, p := range rec.Attrs {
		if p.Key == "iterations" {
			if _, err := strconv.Atoi(p.Value); err == nil {
				t.attrs = append(t.attrs, p)
				iterations = true
				continue
			}
		} else if t.metadata[p.Key] {
			t.attrs = append(t.attrs, p)
			continue
		}
		t.out.count(LostAttrs, pairOf(p.Key, p.Value, rec))
	}
	fit.Attrs = t.attrs
	if err := t.remember(&fit); err != nil {
		return err
	}
	// What the Writer refuses is made to fit step by step.
	err := t.w.Write(&fit)
	if err != nil && t.out.err == nil {
		fit.Params = mapPairs(t.out, rec, rec.Params, fitBench)
		err = t.w.Write(&fit)
	}
	if err != nil && t.out.err == nil {
		var kept traceid.Params
		for _, p := range fit.Attrs {
			if p.Key == "iterations" {
				kept = append(kept, p)
			}
		}
		if attrs := fit.Attrs; len(kept) < len(attrs) {
			fit.Attrs = kept
			if err = t.w.Write(&fit); err == nil {
				for _, p := range attrs {
					if p.Key != "iterations" {
						t.out.count(LostAttrs, pairOf(p.Key, p.Value, rec))
					}
				}
			}
		}
	}
	switch {
	case err == nil && !iterations:
		t.out.count(AddedIterations, func() string { return "1 of " + rec.TraceID() })
	case err != nil && t.out.err == nil:
		t.out.refused(rec, err)
		return nil
	}
	return err
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
func ofName(key string) bool {
	switch key {
	case "name", "gomaxprocs", "unit", "units":
		return true
	}
	digits, ok := strings.CutPrefix(key, "sub")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// fitBench returns a param that a benchmark's name or a configuration line can hold.
func fitBench(p traceid.Param) traceid.Param {
	switch {
	case p.Key == "unit" || p.Key == "units":
		return traceid.Param{Key: p.Key, Value: replace(p.Value, unicode.IsSpace)}
	case canBePart(p) || canBeConfig(p.Key, p.Value):
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

// canBePart reports whether a param can be /key=value in a benchmark's name.
func canBePart(p traceid.Param) bool {
	bad := func(r rune) bool { return r == '/' || unicode.IsSpace(r) }
	return !ofName(p.Key) && p.Key != "" && utf8.ValidString(p.Key+p.Value) && !strings.ContainsFunc(p.Key+p.Value, bad) && !strings.Contains(p.Key, "=")
}

// canBeConfig reports whether a configuration line can hold a param.
func canBeConfig(key, value string) bool {
	first, _ := utf8.DecodeRuneInString(key)
	return utf8.ValidString(key+value) && unicode.IsLower(first) &&
		!strings.ContainsFunc(key, func(r rune) bool { return r == ':' || unicode.IsSpace(r) || unicode.IsUpper(r) }) &&
		value != "" && !strings.Contains(value, "\n") && value[0] != ' ' && value[0] != '\t'
}
