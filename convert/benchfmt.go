package convert

import (
	"cmp"
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
	*Writer
	w        *benchfmt.Writer
	compares bool            // the series
	metadata map[string]bool // keys of attributes that become unit metadata
	kept     []traceid.Param // memory of attributes

	units   map[string]*benchUnit
	refused bool            // the Writer refused params, so others are checked before it sees them
	given   []traceid.Param // memory
	split   []traceid.Param // memory
	room    []traceid.Param // memory
}

// A benchUnit has the properties of a unit.
type benchUnit struct {
	key       string          // of the param that has it; empty without one
	charged   bool            // with metadata
	conflicts map[string]bool // the directions that its metadata contradicts
}

func toBenchfmt(w *Writer) (target, error) {
	s := w.survey
	s.members.drop(w.out, format.Header{}, false)
	t := &benchfmtTarget{
		Writer: w, units: make(map[string]*benchUnit), metadata: map[string]bool{attrBetter: true, "assume": true},
	}

	// Two series may have the same lines. Characters that are replaced are also replaced in trace IDs.
	r := &s.risk
	t.compares = r.mixesDirections() || r.several || r.hasUnit && r.hasUnits || r.splits

	h, own := s.own.Native.(benchfmt.Header)
	for _, u := range h.Units {
		t.metadata[u.Key] = true
	}
	if !own {
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
	t.out.dropLinks(m.rec, t.source.links)
	given, attrs := m.params, m.attrs
	if m.commit != "" {
		given = with(&t.given, given, paramCommit, m.commit)
	}
	if !m.own {
		given = t.splitName(given)
	}

	better := ""
	if !m.own && m.rec.Better != format.Unknown {
		better = m.rec.Better.String()
		if i, ok := given.Find(paramDirection); ok && given[i].Value == directionOf(m.rec.Better) {
			given = t.without(given, i)
		}
	}
	fit := format.Record{Params: given, Value: m.value, Attrs: t.keepAttrs(attrs, better)}
	unit := t.unitOf(m, &fit)
	if t.out.err != nil {
		return t.out.err
	}

	err := t.writeFit(&fit, unit)
	if err == nil {
		t.series.count(m, fit.Params, t.compares, "")
		if _, ok := fit.Attrs.Get("iterations"); !ok {
			t.out.count(addedIterations, "")
		}
	}
	return t.out.refused(&fit, err)
}

// splitName returns the params of a name that has slashes or white space, as runners' names have, the
// way they are read back from the name of a Go benchmark: "Sort/8/n=1" is the name Sort, sub1=8 and n=1,
// and white space becomes _. Otherwise the name would be a line of configuration, and benchstat would
// make a table of each.
func (t *benchfmtTarget) splitName(given traceid.Params) traceid.Params {
	at, ok := given.Find(goname.Base)
	if !ok {
		return given
	}
	name := given[at].Value
	if !splits(name) {
		return given
	}
	name = cmp.Or(strings.TrimPrefix(name, "Benchmark"), name) // as histories of Go benchmarks have it

	t.out.count(changedCharacters, goname.Base)
	base, rest, parts := strings.Cut(replace(name, unicode.IsSpace), "/")
	t.split = append(t.split[:0], given...)
	if t.split[at].Value = base; !parts {
		return t.split
	}
	sub := 0
	for part := range strings.SplitSeq(rest, "/") {
		key, value, ok := goname.SplitPart(part)
		if !ok {
			sub++
			key, value = goname.SubKey(sub), part
		}
		if slices.ContainsFunc(t.split, func(p traceid.Param) bool { return p.Key == key }) {
			// The measurement has another param of the key.
			t.split = append(t.split[:0], given...)
			t.split[at].Value = replace(name, func(r rune) bool { return r == '/' || unicode.IsSpace(r) })
			return t.split
		}
		t.split = append(t.split, traceid.Param{Key: key, Value: replace(value, func(rune) bool { return false })})
	}
	slices.SortFunc(t.split, func(a, b traceid.Param) int { return strings.Compare(a.Key, b.Key) })
	return t.split
}

// splits reports whether a name is changed.
func splits(name string) bool {
	return strings.HasPrefix(name, "Benchmark") && name != "Benchmark" || strings.IndexByte(name, '/') >= 0 ||
		strings.IndexFunc(name, unicode.IsSpace) >= 0
}

// unitOf returns the properties of the unit of a measurement. All measurements of a unit have it in
// the same param as the first.
func (t *benchfmtTarget) unitOf(m *measurement, fit *format.Record) *benchUnit {
	key, text, at := "", "", 0
	for _, k := range [...]string{goname.Unit, paramUnits} {
		if i, ok := fit.Params.Find(k); ok {
			key, text, at = k, fit.Params[i].Value, i
			break
		}
	}

	u := t.units[text]
	if u == nil {
		t.out.charge(entryBytes(24) + textBytes(text) + 40)
		u = &benchUnit{key: key}
		t.units[strings.Clone(text)] = u
	}
	if u.key != key && u.key != "" && key != "" && !m.own {
		t.out.count(changedKey, fit.Params[at].Key)
		fit.Params = traceid.Merge(t.without(fit.Params, at), traceid.Params{{Key: u.key, Value: text}})
	}
	isMetadata := func(p traceid.Param) bool { return p.Key != "iterations" }
	if !u.charged && (key != goname.Unit || slices.ContainsFunc(fit.Attrs, isMetadata)) {
		u.charged = true // the format's Writer remembers its metadata
		t.out.charge(entryBytes(56) + textBytes(text) + 2*pairBytes)
		for _, p := range fit.Attrs {
			t.out.charge(pairBytes + textBytes(p.Value))
		}
	}
	return u
}

// without returns the params without the i-th, in memory of the target.
func (t *benchfmtTarget) without(p traceid.Params, i int) traceid.Params {
	t.room = append(append(t.room[:0], p[:i]...), p[i+1:]...)
	return t.room
}

// keepAttrs returns the attributes that the format can hold: iterations and unit metadata, among them
// the direction, if it is not empty.
func (t *benchfmtTarget) keepAttrs(attrs traceid.Params, better string) traceid.Params {
	t.kept = t.kept[:0]
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
			t.kept = append(t.kept, p)
		} else {
			t.out.count(lostAttrs, p.Key)
		}
	}
	if better != "" {
		t.kept = traceid.Merge(t.kept, traceid.Params{{Key: attrBetter, Value: better}})
	}
	return t.kept
}

// writeFit writes a record. Only the format's Writer knows what fits after the earlier records. So
// writeFit gives up what the Writer refuses step by step: first characters of params, then unit
// metadata. A record without metadata, or with metadata that is given up, gets what its unit has.
func (t *benchfmtTarget) writeFit(fit *format.Record, unit *benchUnit) error {
	attrs, iterations := fit.Attrs, traceid.Params(nil)
	better, other := "", false
	for i, p := range attrs {
		switch p.Key {
		case "iterations":
			iterations = attrs[i : i+1]
		case attrBetter:
			better = p.Value
		default:
			other = true
		}
	}

	drop := unit.conflicts[better] && !other
	write := func() error {
		if fit.Attrs = attrs; drop {
			fit.Attrs = iterations
		}
		t.w.DropAttrs = drop
		return t.w.Write(fit)
	}

	if t.refused {
		fit.Params = mapPairs(t.out, fit.Params, fitBench)
	}
	err := write()
	if err != nil && t.out.err == nil && !t.refused {
		t.refused = true
		fit.Params = mapPairs(t.out, fit.Params, fitBench)
		err = write()
	}

	if err != nil && t.out.err == nil && !drop {
		drop = true
		if err = write(); err == nil && !other {
			if unit.conflicts == nil {
				unit.conflicts = make(map[string]bool)
			}
			unit.conflicts[better] = true
		}
	}
	if err != nil || !drop {
		return err
	}

	if len(attrs) == len(iterations) {
		t.out.count(addedMetadata, "")
	}
	for _, p := range attrs {
		if p.Key != "iterations" {
			t.out.count(lostAttrs, p.Key)
		}
	}
	return nil
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
