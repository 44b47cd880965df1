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

// A benchfmtTarget writes each measurement as it comes.
type benchfmtTarget struct {
	writer   *Writer
	out      *sink
	w        *benchfmt.Writer
	metadata map[string]bool // keys of attributes that become unit metadata
	attrs    []traceid.Param // memory
	units    memory          // with metadata

	commit, direction setter
	unitAt, unitsAt   hint
}

func toBenchfmt(w *Writer) (target, error) {
	s := w.survey
	s.members.drop(w.out, format.Header{}, false)
	t := &benchfmtTarget{
		writer: w, out: w.out, units: newMemory(w.out),
		metadata: map[string]bool{attrBetter: true, "assume": true},
		commit:   setter{key: paramCommit}, direction: setter{key: paramDirection},
	}

	h, own := s.own.Native.(benchfmt.Header)
	for _, u := range h.Units {
		t.metadata[u.Key] = true
	}
	if !own && s.inputs > 0 {
		for _, p := range s.header.Params {
			if !isOfName(p.Key) && p.Key != paramRepetition && p.Key != paramDirection && goname.CanBeConfig(p) {
				h.Config = append(h.Config, p)
			}
		}
	}

	// The commit is configuration that may change with each record.
	commit := traceid.Param{Key: paramCommit, Value: s.first.commit}
	if _, ok := h.Config.Get(paramCommit); !ok && goname.CanBeConfig(commit) {
		h.Config = traceid.Merge(h.Config, traceid.Params{commit})
	}
	t.w = benchfmt.NewWriter(w.out, h)
	return t, nil
}

func (t *benchfmtTarget) write(m *measurement) error {
	t.out.dropLinks(m.rec, t.writer.source.links)
	given, attrs := m.params, m.attrs
	if m.commit != "" {
		given = t.commit.set(given, m.commit)
	}
	better := ""
	if !m.own && m.rec.Better != format.Unknown {
		better = m.rec.Better.String()
		if i, ok := t.direction.at.find(given, paramDirection); ok && given[i].Value == directionOf(m.rec.Better) {
			_, given = t.direction.take(given)
		}
	}
	fit := format.Record{Params: given, Value: m.value, Attrs: t.keepAttrs(m.rec, attrs, better)}
	if err := t.remember(&fit); err != nil {
		return err
	}

	err := t.writeFit(m.rec, given, &fit)
	if err == nil {
		if _, ok := fit.Attrs.Get("iterations"); !ok && t.out.count(addedIterations, "") {
			t.out.example("1 of " + m.rec.TraceID())
		}
	}
	return t.out.refused(m.rec, &fit, err)
}

// keepAttrs returns the attributes that the format can hold: iterations and unit metadata, among them
// the direction, if it is not empty.
func (t *benchfmtTarget) keepAttrs(rec *format.Record, attrs traceid.Params, better string) traceid.Params {
	t.attrs = t.attrs[:0]
	for _, p := range attrs {
		keep := t.metadata[p.Key]
		switch p.Key {
		case "iterations":
			_, err := strconv.Atoi(p.Value)
			keep = err == nil
		case attrBetter:
			better = ""
		}
		if keep {
			t.attrs = append(t.attrs, p)
		} else {
			t.out.countPair(lostAttrs, p, rec)
		}
	}
	if better != "" {
		t.attrs = traceid.Merge(t.attrs, traceid.Params{{Key: attrBetter, Value: better}})
	}
	return t.attrs
}

// writeFit writes the rest of a record with the given params. Only the format's Writer knows
// what fits after the earlier records. So writeFit gives up what the Writer refuses step by step:
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

	t.w.DropAttrs = true
	err = t.w.Write(fit)
	t.w.DropAttrs = false
	if err != nil {
		return err
	}
	if len(fit.Attrs) == len(attrs) && t.out.count(addedMetadata, "") {
		t.out.example("that of the unit of " + rec.TraceID())
	}
	for _, p := range attrs {
		if p.Key != "iterations" {
			t.out.countPair(lostAttrs, p, rec)
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
	at, ok := t.unitAt.find(fit.Params, goname.Unit)
	if !ok {
		if at, ok = t.unitsAt.find(fit.Params, paramUnits); ok {
			n += pairBytes // that its param is called so
		}
	}
	if !ok || n == 0 {
		return nil
	}
	return t.units.add(fit.Params[at].Value, entryBytes(40)+n)
}

func (t *benchfmtTarget) close() error { return t.w.Close() }

const paramUnits = "units" // another name for the unit's param, which Skia Perf's specification uses

// isOfName reports whether a key has a meaning in a benchmark's name, or is the unit.
func isOfName(key string) bool { return key == paramUnits || key != "" && goname.Reserved(key) }

// fitBench returns a param that a benchmark's name or a configuration line can hold.
func fitBench(p traceid.Param) traceid.Param {
	switch {
	case p.Key == goname.Unit || p.Key == paramUnits:
		return traceid.Param{Key: p.Key, Value: replace(p.Value, unicode.IsSpace)}
	case goname.CanBePair(p) || goname.CanBeConfig(p):
		return p
	}
	bad := func(r rune) bool { return r == '/' || unicode.IsSpace(r) }
	q := traceid.Param{Key: replace(p.Key, func(r rune) bool { return bad(r) || r == '=' }), Value: p.Value}
	if p.Value != "" || isOfName(p.Key) {
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
