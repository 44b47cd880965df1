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
	*Writer
	w                *skiav1.Writer
	seen             traceset.Set    // the identities of measurements, with their last numbers
	compares         bool            // the series
	better, numbered []traceid.Param // memory
}

func toSkiaV1(w *Writer) (target, error) {
	s := w.survey
	h := skiav1.Header{GitHash: w.commit, Key: s.headerParams(), Links: valid(s.links.pairs)}
	h.Issue, h.Patchset = s.members.get("issue"), s.members.get("patchset")
	if s.keepsHeader() {
		h.Key, h.Links = s.own.Params, s.own.Links
	}
	s.members.drop(w.out, format.Header{Issue: h.Issue, Patchset: h.Patchset}, true)
	t := &skiav1Target{
		Writer: w, w: skiav1.NewWriter(w.out, h), seen: traceset.Set{Lines: true}, compares: s.risk.mixesDirections(),
	}
	if s.own.Native == nil || w.asIs && s.inputs == 1 {
		// The numbers tell all traces apart, or they come from one file, so the Writer need not
		// look for duplicates. That saves a tenth of the time.
		t.w.Limits.MaxUniqueTraces = 1
	}
	return t, nil
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
	why := unfit(m.value)
	if len(m.identity) == 0 {
		why = "no params"
	}
	if why != "" {
		t.out.count(LostRecords, why)
		return nil
	}

	if direction := directionOf(m.rec.Better); direction != "" && !m.own {
		given := m.identity
		if _, has := m.params.Find(paramDirection); !has {
			m.params = with(&t.better, m.params, paramDirection, direction)
			m.identity = m.params
			t.out.count(addedParam, paramDirection)
		}
		if t.compares && t.series.merges(given, m.identity) {
			t.out.count(mergedSeries, paramDirection)
		}
	}

	for _, p := range m.attrs {
		if p.Key != attrBetter || m.own || m.rec.Better == format.Unknown {
			t.out.count(lostAttrs, p.Key)
		}
	}

	fit := format.Record{Params: m.params, Value: m.value, Links: m.rec.Links}
	if !m.own {
		n, _ := t.seen.Next(m.identity, m.number, t.out.limits.MaxUniqueTraces)
		if n = max(n, m.number); n > 1 || m.number > 0 {
			if _, taken := m.identity.Find(paramRepetition); taken {
				t.out.count(LostRecords, "a repetition, and its param repetition is not a number")
				return nil
			}
			fit.Params = t.number(m, n)
		}
	}
	err := t.w.Write(&fit)
	if err == nil || t.out.err != nil {
		return t.out.err
	}

	// The record is one of a file that was converted to its own format, or its text is not UTF-8.
	for errors.Is(err, format.ErrDuplicate) {
		n, _ := t.seen.Next(m.identity, max(m.number, 1)+1, t.out.limits.MaxUniqueTraces)
		if _, taken := m.identity.Find(paramRepetition); taken || n == 0 {
			break
		}
		fit.Params = t.number(m, n)
		err = t.w.Write(&fit)
	}
	if err != nil && t.out.err == nil {
		fit.Params = mapPairs(t.out, fit.Params, validPair)
		fit.Links = mapPairs(t.out, fit.Links, validPair)
		err = t.w.Write(&fit)
	}
	return t.out.refused(&fit, err)
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

// number returns the params of a measurement with the number of a repetition.
func (t *skiav1Target) number(m *measurement, n int) traceid.Params {
	if n != m.number {
		t.out.count(addedRepetition, paramRepetition)
	}
	return with(&t.numbered, m.identity, paramRepetition, strconv.Itoa(n))
}

func (t *skiav1Target) close() error { return t.w.Close() }
