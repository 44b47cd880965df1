package convert

import (
	"perfdata/format"
	"perfdata/traceid"
)

// A measurement is a record as targets get it: the commit and the number of a repetition are not
// params, unless the record comes from the format of the target.
type measurement struct {
	*format.Record                // as it was given
	params         traceid.Params // without the commit
	base           traceid.Params // also without the number
	attrs          traceid.Params
	value          float64
	commit         string
	number         int // of the repetition, from 1; 0 if it has none

	with format.Record // see withParams
}

// withParams returns the record with other params. The next call overwrites it.
func (m *measurement) withParams(params traceid.Params) *format.Record {
	m.with = format.Record{Params: params, Value: m.value, Links: m.Links, Attrs: m.attrs}
	return &m.with
}

// A fitter makes measurements of records. The next call overwrites the measurement.
type fitter struct {
	m                     measurement
	commitAt, iterationAt hint
	params, base, attrs   []traceid.Param // memory of m
}

// fit returns the measurement of a record of the source. Its number is not set.
func (f *fitter) fit(rec *format.Record, src *source) *measurement {
	m := &f.m
	m.Record = rec
	m.params, m.attrs, m.value = rec.Params, rec.Attrs, rec.Value
	m.number = 0
	if m.commit = src.commit; m.commit == "" {
		m.commit = rec.Commit
	}
	if i, ok := f.commitAt.find(rec.Params, paramCommit); ok {
		switch {
		case !src.own:
			m.commit = rec.Params[i].Value
			f.params = without(f.params, rec.Params, i)
			m.params = f.params
		case m.commit == "":
			m.commit = rec.Params[i].Value
		}
	}
	m.base = m.params
	return m
}

// setNumber makes the param iteration the number of a repetition.
func (f *fitter) setNumber(m *measurement) {
	i, ok := f.iterationAt.find(m.params, paramIteration)
	if !ok {
		return
	}
	if n, ok := iterationNumber(m.params[i].Value); ok {
		m.number = n
		f.base = without(f.base, m.params, i)
		m.base = f.base
	}
}

// dropAttr removes an attribute.
func (f *fitter) dropAttr(m *measurement, key string) {
	if i, ok := m.attrs.Find(key); ok {
		f.attrs = without(f.attrs, m.attrs, i)
		m.attrs = f.attrs
	}
}

// without returns the params without the one at i, in the memory of dst.
func without(dst []traceid.Param, params traceid.Params, i int) traceid.Params {
	return append(append(dst[:0], params[:i]...), params[i+1:]...)
}

// iterationNumber returns the number that an iteration is, if it is one from 1 on.
func iterationNumber(s string) (int, bool) {
	if len(s) == 0 || len(s) > 9 || s[0] == '0' {
		return 0, false
	}
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = 10*n + int(s[i]-'0')
	}
	return n, true
}

// A hint is where a key was found last, or would have been. The keys of consecutive records are
// usually the same.
type hint struct {
	at            int
	before, after string // the keys there
	found, valid  bool
}

// find returns the index of the key, and whether it is there.
func (h *hint) find(p traceid.Params, key string) (int, bool) {
	i := h.at
	if h.valid && i <= len(p) && (i == 0 || p[i-1].Key == h.before) &&
		(i == len(p) && h.after == "" || i < len(p) && p[i].Key == h.after) {
		return i, h.found
	}
	i, ok := p.Find(key)
	*h = hint{at: i, found: ok, valid: true}
	if i > 0 {
		h.before = p[i-1].Key
	}
	if i < len(p) {
		h.after = p[i].Key
		h.valid = h.after != "" // an empty text means the end
	}
	return i, ok
}
