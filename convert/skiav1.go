package convert

import (
	"errors"
	"math"
	"strconv"

	"perfdata/format"
	"perfdata/internal/skiadoc"
	"perfdata/skiav1"
	"perfdata/traceid"
)

// A skiav1Target writes each measurement as it comes. A file has each trace once, so repetitions
// are numbered.
type skiav1Target struct {
	out     *sink
	w       *skiav1.Writer
	repeats *repetitions
	hold    holder
	numbers map[hash]int   // the last number of a trace that is repeated
	params  traceid.Params // of the measurement that is written
	id      []byte
}

func toSkiaV1(w *Writer, s *Survey) target {
	s.members.drop(w.out, named("issue", "patchset", "links"))
	h := skiav1.Header{
		GitHash:  w.commit,
		Issue:    s.members.get("issue"),
		Patchset: s.members.get("patchset"),
		Key:      s.headerParams(),
		Links:    s.links.valid(),
	}
	if s.own.kept() {
		h.Key, h.Links = s.own.params, s.own.links
	}
	return &skiav1Target{
		out: w.out, w: skiav1.NewWriter(w.out, h), repeats: &w.repeats, hold: newHolder(w.out), numbers: make(map[hash]int),
	}
}

func (t *skiav1Target) write(m *measurement) error {
	rec := m.Record
	switch {
	case math.IsNaN(m.value) || math.IsInf(m.value, 0):
		t.out.leftOut(rec, cannotHold(m.value))
		return nil
	case !skiadoc.InRange(m.value):
		t.out.leftOut(rec, outOfFloat32)
		return nil
	case len(m.params) == 0:
		t.out.leftOut(rec, "no params")
		return nil
	}
	t.out.dropAttrs(rec, m.attrs)

	links := rec.Links
	if !validPairs(m.params) || !validPairs(links) {
		t.makeValid(m)
		links = validText(t.out, rec, links)
	}
	err := t.writeUnique(m, links)
	if err != nil && t.out.err == nil {
		t.out.refused(rec, err)
		return nil
	}
	return err
}

// makeValid replaces bytes of the params that are not UTF-8.
func (t *skiav1Target) makeValid(m *measurement) {
	hasNumber := len(m.base) < len(m.params)
	m.params = validText(t.out, m.Record, m.params)
	m.base = m.params
	if i, ok := m.params.Find(paramIteration); ok && hasNumber {
		m.base = without(nil, m.params, i)
	}
}

func (t *skiav1Target) close() error { return t.w.Close() }

// writeUnique writes a measurement of a trace that was not written before: a repetition gets a
// number.
func (t *skiav1Target) writeUnique(m *measurement, links format.Links) error {
	fit := format.Record{Params: m.params, Value: m.value, Links: links}
	isSample := m.number > 0 && len(m.base) == len(m.params)
	first := 1
	if !isSample && (m.number > 0 || !t.repeats.isRepeated(m.params)) {
		err := t.w.Write(&fit)
		if !errors.Is(err, format.ErrDuplicate) {
			return err
		}
		if m.number == 0 {
			first = 2
		}
	}
	if isSample {
		first = m.number
	}

	key := paramIteration
	for {
		if _, ok := m.base.Get(key); !ok {
			break
		}
		key += "_"
	}
	t.id = m.base.AppendID(t.id[:0])
	trace := t.hold.hash(t.id)
	last, known := t.numbers[trace]
	if !known {
		if err := t.out.charge(entryBytes(hashBytes + 8)); err != nil {
			return err
		}
	}

	// The next number that no repetition has.
	for n := max(first, last+1); ; n++ {
		number := traceid.Params{{Key: key, Value: strconv.Itoa(n)}}
		t.params = traceid.AppendMerge(t.params[:0], m.base, number)
		fit.Params = t.params
		err := t.w.Write(&fit)
		if errors.Is(err, format.ErrDuplicate) {
			continue
		}
		t.numbers[trace] = n
		if err == nil {
			t.out.count(AddedRepetition, key, t.params.ID)
		}
		return err
	}
}
