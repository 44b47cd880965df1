package convert

import (
	"errors"
	"math"
	"strconv"

	"perfdata/format"
	"perfdata/internal/skiadoc"
	"perfdata/internal/traceset"
	"perfdata/skiav1"
	"perfdata/traceid"
)

// A skiav1Target writes each measurement as it comes. A file has each trace once, so repetitions
// are numbered.
type skiav1Target struct {
	out               *sink
	w                 *skiav1.Writer
	seen              traceset.Set // the identities of the measurements
	direction, number setter
}

func toSkiaV1(w *Writer) (target, error) {
	s := w.survey
	h := skiav1.Header{GitHash: w.commit, Key: s.headerParams(), Links: valid(s.links.pairs)}
	h.Issue, _ = get(s.members.list, "issue")
	h.Patchset, _ = get(s.members.list, "patchset")
	if s.keepsHeader() {
		h.Key, h.Links = s.own.Params, s.own.Links
	}
	s.members.drop(w.out, format.Header{Issue: h.Issue, Patchset: h.Patchset}, true)
	return &skiav1Target{
		out: w.out, w: skiav1.NewWriter(w.out, h), seen: traceset.Set{Lines: true},
		direction: setter{key: paramDirection}, number: setter{key: paramRepetition},
	}, nil
}

// Params with a meaning, and the attribute that says the same as paramDirection.
const (
	paramRepetition = "repetition"
	paramDirection  = "improvement_direction" // up or down
	attrBetter      = "better"                // higher or lower
)

// directionOf returns the value of paramDirection.
func directionOf(d format.Direction) string {
	switch d {
	case format.Lower:
		return "down"
	case format.Higher:
		return "up"
	}
	return ""
}

func (t *skiav1Target) write(m *measurement) error {
	if why := unfit(m.value); why != "" {
		t.out.leftOut(m.rec, why)
		return nil
	}
	if direction := directionOf(m.rec.Better); direction != "" && !m.own {
		if _, has := t.direction.at.find(m.params, paramDirection); !has {
			m.params = t.direction.set(m.params, direction)
			m.identity = m.params
			t.out.countPair(addedParam, traceid.Param{Key: paramDirection, Value: direction}, m.rec)
		}
	}
	for _, p := range m.attrs {
		if p.Key != attrBetter || m.own || m.rec.Better == format.Unknown {
			t.out.countPair(lostAttrs, p, m.rec)
		}
	}

	n := t.seen.Next(m.identity, m.number, t.out.limits.MaxUniqueTraces)
	err := t.writeNumbered(m, n, m.rec.Links)
	if err == nil || t.out.err != nil {
		return t.out.err
	}
	params, links := mapPairs(t.out, m.rec, m.params, validPair), mapPairs(t.out, m.rec, m.rec.Links, validPair)
	if !params.Equal(m.params) || !links.Equal(m.rec.Links) {
		m.params, m.identity = params, mapPairs(new(sink), m.rec, m.identity, validPair)
		err = t.writeNumbered(m, n, links)
	}
	return t.out.refused(m.rec, m.rec, err)
}

// unfit returns why Skia Perf cannot store a value, or nothing.
func unfit(f float64) string {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return "JSON cannot hold " + strconv.FormatFloat(f, 'g', -1, 64)
	case !skiadoc.InRange(f):
		return "out of the range of float32"
	}
	return ""
}

// writeNumbered writes a measurement, with its number if it has one. Otherwise it is the n-th of its
// trace, and gets that number unless it is the first. n takes the place of a number that is taken.
func (t *skiav1Target) writeNumbered(m *measurement, n int, links format.Links) error {
	fit := format.Record{Params: m.params, Value: m.value, Links: links}
	if m.number > 0 || n < 2 {
		if m.number > 0 && !m.own {
			fit.Params, _ = t.numbered(m.identity, m.number)
		}
		err := t.w.Write(&fit)
		if n < 2 || !errors.Is(err, format.ErrDuplicate) {
			return err
		}
	}
	params, key := t.numbered(m.identity, n)
	fit.Params = params
	err := t.w.Write(&fit)
	if err == nil && t.out.count(addedRepetition, key) {
		t.out.example(fit.TraceID())
	}
	return err
}

// numbered returns the params with a number, and its key.
func (t *skiav1Target) numbered(params traceid.Params, n int) (traceid.Params, string) {
	key, value := paramRepetition, strconv.Itoa(n)
	if _, taken := t.number.at.find(params, key); !taken {
		return t.number.set(params, value), key
	}
	for taken := true; taken; _, taken = params.Find(key) {
		key += "_"
	}
	return traceid.Merge(params, traceid.Of(key, value)), key
}

func (t *skiav1Target) close() error { return t.w.Close() }
