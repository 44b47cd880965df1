package skiav1

import (
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/jsonenc"
	"perfdata/internal/outbuf"
	"perfdata/internal/skiadoc"
	"perfdata/internal/traceset"
	"perfdata/traceid"
)

// A Writer writes a file, of which every line but the first and the last is a result. Consecutive records that
// differ in the value of one param become one result with "measurements". It is deterministic, and what it writes
// is read back equal, and is valid: [Validate] finds nothing but warnings.
//
// Before anything of a record is written, it is checked. Refused are:
//
//   - NaN and infinities, because JSON can't hold them, and values out of the range of float32, in which Skia Perf stores
//     them;
//   - a record without params, without a param of the header's Key, or with attrs, which the format can't hold;
//   - a record of a trace that was written before, as far as Limits.MaxUniqueTraces traces are remembered, in some 20 to 30
//     bytes of memory each;
//   - what is not UTF-8, and what exceeds the Limits.
//
// A refused record leaves the Writer as it was.
//
// A Writer serves one goroutine.
type Writer struct {
	// Drop says what to leave out of records. The format can't hold attrs.
	Drop format.Drop

	// Limits are the limits of the file's reader. The limits of params, strings, the header, a single result and traces
	// bound what the Writer takes.
	Limits format.Limits

	out     outbuf.Buffer
	header  Header
	limits  format.Limits // with their defaults; set when the header is checked
	traces  traceset.Set  // written
	begun   bool          // the header is in out
	results int           // begun

	state  state
	last   format.Record // state held: to be written. state grouped: the group's base
	varies int           // state grouped: the index in Params of the group's param
	size   int           // state grouped: of the group's result, as a reader counts it
}

// A state is what the Writer has to finish before it can begin another result.
type state int

const (
	idle    state = iota
	held          // the last record isn't written yet: the next may differ from it in one param
	grouped       // an array in "measurements" is open
)

// A Single is one of several measurements that differ in one param.
type Single struct {
	Value       string // of that param
	Measurement float64
	Links       format.Links // in addition to the file's
}

// NewWriter returns a Writer of a file with that header to out. A fault of the header is reported by the first call of
// another method, before anything is written.
func NewWriter(out io.Writer, header Header) *Writer {
	header.Key, header.Links = header.Key.Clone(), header.Links.Clone()
	return &Writer{out: outbuf.New(out), header: header}
}

// WriteMeasurement writes one measurement. Its params are those given, overlaid on the header's Key.
func (w *Writer) WriteMeasurement(params traceid.Params, value float64) error {
	if err := params.CheckSorted(); err != nil {
		return fmt.Errorf("measurement %s: params: %w", params.ID(), err)
	}
	return w.Write(&format.Record{Params: traceid.Merge(w.header.Key, params), Value: value})
}

// WriteMeasurements writes measurements that differ in the param of the given name. Their other params are key, overlaid
// on the header's Key. If one of them is refused, none is written.
func (w *Writer) WriteMeasurements(key traceid.Params, name string, singles ...Single) error {
	recs := make([]format.Record, len(singles))
	var batch traceset.Set
	base := traceid.Merge(w.header.Key, key)
	for i, m := range singles {
		params := traceid.Merge(base, traceid.Params{{Key: name, Value: m.Value}})
		recs[i] = format.Record{Params: params, Value: m.Measurement, Links: m.Links}
		if err := w.check(&recs[i]); err != nil {
			return err
		}
		if earlier, _ := batch.Add(params, 1, w.limits.MaxUniqueTraces); earlier > 0 || w.traces.Has(params) {
			return errRepeated(&recs[i])
		}
	}
	for i := range recs {
		if err := w.Write(&recs[i]); err != nil {
			return err
		}
	}
	return nil
}

// Write writes a record. Links that the header has too need not be in it.
func (w *Writer) Write(rec *format.Record) error {
	if err := w.check(rec); err != nil {
		return err
	}
	if earlier, _ := w.traces.Add(rec.Params, 1, w.limits.MaxUniqueTraces); earlier > 0 {
		return errRepeated(rec)
	}

	w.begin()
	switch w.state {
	case grouped:
		if w.fits(rec) {
			w.size += itemSize(rec.Params[w.varies].Value, rec.Links, skiadoc.MostLen)
			if w.size <= w.maxGroup() {
				w.out.Bytes = append(w.out.Bytes, ',')
				w.appendSingle(rec)
				return w.out.FlushIfLarge()
			}
		}
		w.endGroup()
	case held:
		i, ok := differsInOne(w.last.Params, rec.Params)
		if ok {
			w.size = resultSize(&w.last, skiadoc.MostLen) + itemSize(rec.Params[i].Value, rec.Links, skiadoc.MostLen)
		}
		if ok && w.size <= w.maxGroup() {
			w.beginGroup(i)
			w.out.Bytes = append(w.out.Bytes, ',')
			w.appendSingle(rec)
			return w.out.FlushIfLarge()
		}
		w.appendHeld()
	}
	w.hold(rec)
	return w.out.FlushIfLarge()
}

// Flush writes all that was given to the Writer to out.
func (w *Writer) Flush() error {
	if err := w.checkHeader(); err != nil {
		return err
	}
	w.begin()
	w.endResult()
	return w.out.Flush()
}

// Close completes the file and writes all of it to out, which it doesn't close. It may be called again and then
// returns nil, if it returned nil before.
func (w *Writer) Close() error {
	if w.out.Closed() {
		return nil
	}
	if err := w.Flush(); err != nil {
		return err
	}
	w.out.Bytes = append(w.out.Bytes, "\n]}\n"...)
	return w.out.Close()
}

func (w *Writer) checkHeader() error {
	if w.out.Err() != nil || w.begun {
		return w.out.Err()
	}
	w.limits = w.Limits.WithDefaults()
	h := &w.header
	if h.GitHash == "" {
		return errors.New("header: GitHash is empty, and the format requires git_hash")
	}
	for _, s := range []string{h.GitHash, h.Issue, h.Patchset} {
		if !utf8.ValidString(s) {
			return fmt.Errorf("header: %q is not UTF-8", s)
		}
	}
	if err := skiadoc.CheckPairs(h.Key, w.limits); err != nil {
		return fmt.Errorf("header: Key: %w", err)
	}
	if err := skiadoc.CheckPairs(h.Links, w.limits); err != nil {
		return fmt.Errorf("header: Links: %w", err)
	}
	if err := skiadoc.CheckHeader(h.appendJSON(nil), len(h.Key)+len(h.Links), w.limits, h.GitHash, h.Issue, h.Patchset); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	return nil
}

func errRepeated(rec *format.Record) error {
	return fmt.Errorf("measurement %s: %w trace: it was written already", rec.TraceID(), format.ErrDuplicate)
}

// check returns why rec can't be written.
func (w *Writer) check(rec *format.Record) error {
	if err := w.checkHeader(); err != nil {
		return err
	}
	fault := ""
	switch {
	case math.IsNaN(rec.Value) || math.IsInf(rec.Value, 0):
		fault = fmt.Sprintf("the value is %v, which JSON can't hold", rec.Value)
	case !skiadoc.InRange(rec.Value):
		fault = fmt.Sprintf("the value is %v, out of the range of float32, in which Skia Perf stores it", rec.Value)
	case len(rec.Params) == 0:
		fault = "no params"
	case len(rec.Attrs) > 0 && !w.Drop.Attrs:
		fault = fmt.Sprintf("the format can't hold attrs, such as %q", rec.Attrs[0].Key)
	}

	if fault == "" {
		for _, p := range w.header.Key {
			if _, ok := rec.Params.Get(p.Key); !ok {
				fault = fmt.Sprintf("missing param %q, which the header's Key gives to every measurement", p.Key)
				break
			}
		}
	}
	if fault != "" {
		return fmt.Errorf("measurement %s: %s", rec.TraceID(), fault)
	}

	if err := skiadoc.CheckPairs(rec.Params, w.limits); err != nil {
		return fmt.Errorf("measurement %s: params: %w", rec.TraceID(), err)
	}
	if err := skiadoc.CheckPairs(rec.Links, w.limits); err != nil {
		return fmt.Errorf("measurement %s: links: %w", rec.TraceID(), err)
	}

	if max := w.limits.MaxParams; mergedLen(w.header.Links, rec.Links, max) > max {
		return fmt.Errorf("measurement %s: links: with the header's, there are more than %d (Limits.MaxParams)", rec.TraceID(), max)
	}
	max := w.limits.MaxResultBytes
	if int64(resultSize(rec, skiadoc.MostLen)) > max && int64(resultSize(rec, skiadoc.WrittenLen)) > max {
		return fmt.Errorf("measurement %s: it is too large: more than %d bytes (Limits.MaxResultBytes)", rec.TraceID(), max)
	}
	return nil
}

// maxGroupBytes is how large a result gets to which records are joined, so that reading it takes little memory.
const maxGroupBytes = 1 << 20

func (w *Writer) maxGroup() int { return int(min(maxGroupBytes, w.limits.MaxResultBytes)) }

// resultSize returns what a result with nothing but the record takes of MaxResultBytes, or more.
func resultSize(rec *format.Record, textLen func(string) int) int {
	return len(`{"key":,"measurements":{"":[]}},`) + groupCost + skiadoc.PairsSize(rec.Params, pairCost, textLen) + itemSize("", rec.Links, textLen)
}

// itemSize returns what an item of a group takes of MaxResultBytes, or more.
func itemSize(value string, links format.Links, textLen func(string) int) int {
	return len(`{"value":"","measurement":,"links":},`) + maxNumber + itemCost + textLen(value) + skiadoc.PairsSize(links, pairCost, textLen)
}

const maxNumber = 25 // bytes of a number that is written

// differsInOne returns the index of the only param in whose value a and b differ.
func differsInOne(a, b traceid.Params) (index int, ok bool) {
	if len(a) != len(b) {
		return 0, false
	}
	for i := range a {
		switch {
		case a[i] == b[i]:
		case a[i].Key != b[i].Key || ok:
			return 0, false
		default:
			index, ok = i, true
		}
	}
	return index, ok
}

// fits reports whether rec belongs to the open group.
func (w *Writer) fits(rec *format.Record) bool {
	base := w.last.Params
	if len(rec.Params) != len(base) || rec.Params[w.varies].Key != base[w.varies].Key {
		return false
	}
	for i := range base {
		if i != w.varies && rec.Params[i] != base[i] {
			return false
		}
	}
	return true
}

func (w *Writer) begin() {
	if w.begun {
		return
	}
	w.begun = true
	w.out.Bytes = w.header.appendJSON(w.out.Bytes)
	w.out.Bytes = append(w.out.Bytes, `,"results":[`...)
}

func (w *Writer) hold(rec *format.Record) {
	w.last.Params = append(w.last.Params[:0], rec.Params...)
	w.last.Links = append(w.last.Links[:0], rec.Links...)
	w.last.Value = rec.Value
	w.state = held
}

// endResult writes what is held and closes what is open.
func (w *Writer) endResult() {
	switch w.state {
	case held:
		w.appendHeld()
	case grouped:
		w.endGroup()
	}
}

// appendHeld appends the record that is held as a result of its own.
func (w *Writer) appendHeld() {
	if w.hasOwnLinks(&w.last) {
		// Only items of "measurements" can have links. Any param will do as the one that varies.
		w.beginGroup(len(w.last.Params) - 1)
		w.endGroup()
		return
	}
	w.beginResult(-1)
	w.out.Bytes = append(w.out.Bytes, `,"measurement":`...)
	w.out.Bytes = jsonenc.AppendFloat(w.out.Bytes, w.last.Value)
	w.out.Bytes = append(w.out.Bytes, '}')
	w.state = idle
}

// beginGroup begins a result with "measurements" in which the param at index i varies, with the held record as its
// first.
func (w *Writer) beginGroup(i int) {
	w.varies = i
	w.beginResult(i)
	w.out.Bytes = append(w.out.Bytes, `,"measurements":{`...)
	w.out.Bytes = jsonenc.AppendString(w.out.Bytes, w.last.Params[i].Key)
	w.out.Bytes = append(w.out.Bytes, ":["...)
	w.appendSingle(&w.last)
	w.state = grouped
}

func (w *Writer) endGroup() {
	w.out.Bytes = append(w.out.Bytes, "]}}"...)
	w.state = idle
}

// beginResult appends a result up to its key, which has the held record's params except the one at index without.
func (w *Writer) beginResult(without int) {
	if w.results > 0 {
		w.out.Bytes = append(w.out.Bytes, ',')
	}
	w.results++
	w.out.Bytes = append(w.out.Bytes, "\n{\"key\":"...)
	w.out.Bytes = jsonenc.AppendParams(w.out.Bytes, func(yield func(string, string) bool) {
		for i, p := range w.last.Params {
			if value, ok := w.header.Key.Get(p.Key); i == without || ok && value == p.Value {
				continue
			}
			if !yield(p.Key, p.Value) {
				return
			}
		}
	})
}

// appendSingle appends rec as an item of the open group.
func (w *Writer) appendSingle(rec *format.Record) {
	w.out.Bytes = append(w.out.Bytes, `{"value":`...)
	w.out.Bytes = jsonenc.AppendString(w.out.Bytes, rec.Params[w.varies].Value)
	w.out.Bytes = append(w.out.Bytes, `,"measurement":`...)
	w.out.Bytes = jsonenc.AppendFloat(w.out.Bytes, rec.Value)
	if w.hasOwnLinks(rec) {
		w.out.Bytes = append(w.out.Bytes, `,"links":`...)
		w.out.Bytes = jsonenc.AppendParams(w.out.Bytes, func(yield func(string, string) bool) {
			for _, link := range rec.Links {
				if w.isOwn(link) && !yield(link.Key, link.Value) {
					return
				}
			}
		})
	}
	w.out.Bytes = append(w.out.Bytes, '}')
}

func (w *Writer) hasOwnLinks(rec *format.Record) bool {
	for _, link := range rec.Links {
		if w.isOwn(link) {
			return true
		}
	}
	return false
}

// isOwn reports whether a measurement's link isn't one that the header has.
func (w *Writer) isOwn(link traceid.Param) bool {
	url, ok := w.header.Links.Get(link.Key)
	return !ok || url != link.Value
}
