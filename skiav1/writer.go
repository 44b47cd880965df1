package skiav1

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"perfdata/format"
	"perfdata/internal/number"
	"perfdata/internal/outbuf"
	"perfdata/internal/same"
	"perfdata/internal/skiadoc"
	"perfdata/internal/traceset"
	"perfdata/traceid"
)

// A Writer writes a file with one result on each line between the first and the last. It joins
// consecutive records that differ in the value of one param to one result with "measurements".
// Its output is deterministic, valid ([Validate] finds only warnings), and read back equal.
//
// A Writer checks a record before it writes any part of it. It refuses:
//
//   - NaN and infinities, because JSON can't hold them, and values out of the range of float32,
//     in which Skia Perf stores them;
//   - a record without params, without a param of the header's Key, or with attrs, which the
//     format can't hold;
//   - a record of a trace that was written before. It remembers Limits.MaxUniqueTraces traces,
//     each in 13 to 20 bytes of memory;
//   - text that is not UTF-8, and a record that exceeds the Limits.
//
// A refused record leaves the Writer unchanged.
//
// A Writer serves one goroutine.
type Writer struct {
	// Drop says what to leave out of records. The format can't hold attrs.
	Drop format.Drop

	// Limits are the limits of the file's reader. The limits on params, strings, the header, a
	// result and traces also apply to the records that are written.
	Limits format.Limits

	out     outbuf.Buffer
	header  Header
	limits  format.Limits // with their defaults; set when the header is checked
	traces  traceset.Set  // written
	begun   bool          // the header is in out
	results int           // begun so far

	texts  skiadoc.Texts        // of params and links
	params skiadoc.PairsChecker // of the last record
	links  skiadoc.PairsChecker // of the same record
	own    []int                // the params that the header does not give: indices in params.Last
	given  []bool               // by index in params.Last: the header has the key

	open openResult
}

// An openResult is what the Writer must finish before it can begin another result.
type openResult struct {
	state  state
	value  float64      // of the record that is held
	linked bool         // the last record has links that differ from the header's
	varies int          // the group's param: an index in params.Last
	size   int          // of the record's or the group's result, as a reader counts it
	links  format.Links // scratch
}

// A state says what is open.
type state int

const (
	idle    state = iota
	held          // the last record is not written yet: the next may differ from it in one param
	grouped       // a group is open: an array in "measurements"
)

// A Single is one of several measurements that differ in one param.
type Single struct {
	Value       string // of that param
	Measurement float64
	Links       format.Links // in addition to the file's
}

// NewWriter returns a Writer of a file with the header to out. The first call of another method
// reports any error of the header, before anything is written.
func NewWriter(out io.Writer, header Header) *Writer {
	header.Key, header.Links = header.Key.Clone(), header.Links.Clone()
	w := &Writer{out: outbuf.New(out), header: header}
	w.params.Texts, w.links.Texts = &w.texts, &w.texts
	return w
}

// WriteMeasurement writes one measurement. Its params are the given ones, which override the
// header's Key.
func (w *Writer) WriteMeasurement(params traceid.Params, value float64) error {
	if err := params.CheckSorted(); err != nil {
		return fmt.Errorf("measurement %s: params: %w", params.ID(), err)
	}
	return w.Write(&format.Record{Params: traceid.Merge(w.header.Key, params), Value: value})
}

// WriteMeasurements writes measurements that differ in the param with the given name. Their other
// params are the key, which overrides the header's Key. If any measurement is refused, none is
// written.
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

// Write writes a record. It may omit links that the header has.
func (w *Writer) Write(rec *format.Record) error {
	if err := w.check(rec); err != nil {
		return err
	}
	earlier, _ := w.traces.AddNext(&w.params.Series, rec.Params, 1, w.limits.MaxUniqueTraces)
	if earlier > 0 {
		return errRepeated(rec)
	}

	w.begin()
	linked := w.isLinked(rec.Links)
	if w.join(rec) {
		w.appendSingle(rec.Params[w.open.varies].Value, rec.Value, rec.Links, linked)
		w.accept(rec, linked)
	} else {
		w.endResult()
		w.accept(rec, linked)
		w.open.state, w.open.value, w.open.size = held, rec.Value, w.mostSize(rec)
	}
	return w.out.FlushIfLarge()
}

// join reports whether the record joins the open group, or makes a group with the held record,
// which join then begins.
func (w *Writer) join(rec *format.Record) bool {
	i, ok := w.params.Only()
	switch w.open.state {
	case idle:
		return false
	case grouped:
		again := !w.params.Rekeyed && len(w.params.Changed) == 0
		ok = again || ok && i == w.open.varies
		i = w.open.varies
	}
	if !ok {
		return false
	}
	w.open.size += w.itemSize(rec.Params[i].Value, rec.Links)
	if w.open.size > w.maxGroup() {
		return false
	}
	if w.open.state == held {
		w.beginGroup(i)
	}
	w.out.Bytes = append(w.out.Bytes, ',')
	return true
}

// accept makes the record the last one.
func (w *Writer) accept(rec *format.Record, linked bool) {
	moved := w.params.Rekeyed
	for _, c := range w.params.Changed {
		moved = moved || w.given[c.Index]
	}
	w.params.Accept(rec.Params)
	w.links.Accept(rec.Links)
	w.open.linked = linked
	if moved {
		w.findOwn()
	}
}

// findOwn finds the params of the last record that the header does not give. It has all keys of the
// header.
func (w *Writer) findOwn() {
	w.own, w.given = w.own[:0], w.given[:0]
	given := w.header.Key
	for i := range w.params.Last {
		p := &w.params.Last[i]
		has := len(given) > 0 && same.Text(given[0].Key, p.Key)
		if !has || !same.Text(given[0].Value, p.Value) {
			w.own = append(w.own, i)
		}
		if w.given = append(w.given, has); has {
			given = given[1:]
		}
	}
}

// Flush writes everything that the Writer holds to out.
func (w *Writer) Flush() error {
	if err := w.checkHeader(); err != nil {
		return err
	}
	w.begin()
	w.endResult()
	return w.out.Flush()
}

// Close completes the file and writes the rest of it to out, which it doesn't close. After it has
// succeeded, further calls do nothing and return nil.
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
	return skiadoc.CheckHeader(h.appendJSON(nil), []string{h.GitHash, h.Issue, h.Patchset},
		h.Key, h.Links, "Links", w.limits)
}

func errRepeated(rec *format.Record) error {
	return fmt.Errorf("measurement %s: %w trace: it was written already; to write repetitions, add a param "+
		"iteration that numbers them", rec.TraceID(), format.ErrDuplicate)
}

// check returns why rec can't be written, or nil.
func (w *Writer) check(rec *format.Record) error {
	if err := w.checkHeader(); err != nil {
		return err
	}
	if err := w.checkRecord(rec); err != nil {
		return fmt.Errorf("measurement %s: %w", rec.TraceID(), err)
	}
	return nil
}

func (w *Writer) checkRecord(rec *format.Record) error {
	if err := skiadoc.CheckValue(rec.Value); err != nil {
		return err
	}
	if len(rec.Params) == 0 {
		return errors.New("no params")
	}
	if len(rec.Attrs) > 0 && !w.Drop.Attrs {
		return fmt.Errorf("the format can't hold attrs, such as %q", rec.Attrs[0].Key)
	}

	if err := w.params.Check(rec.Params, &w.limits); err != nil {
		return fmt.Errorf("params: %w", err)
	}
	if w.params.Rekeyed {
		if err := w.checkKeys(rec.Params); err != nil {
			return err
		}
	}
	if err := w.checkLinks(rec.Links); err != nil {
		return fmt.Errorf("links: %w", err)
	}

	max := w.limits.MaxResultBytes
	if int64(w.mostSize(rec)) > max && int64(writtenSize(rec)) > max {
		return fmt.Errorf("too large: more than %d bytes (Limits.MaxResultBytes)", max)
	}
	return nil
}

// checkKeys returns an error if the params lack a key of the header. Both are sorted.
func (w *Writer) checkKeys(params traceid.Params) error {
	given := w.header.Key
	for i := 0; i < len(params) && len(given) > 0; i++ {
		if same.Text(params[i].Key, given[0].Key) {
			given = given[1:]
		}
	}
	if len(given) > 0 {
		return fmt.Errorf("missing param %q, which the header's Key gives to every measurement", given[0].Key)
	}
	return nil
}

// checkLinks returns why the links can't be written, or nil.
func (w *Writer) checkLinks(links format.Links) error {
	if err := w.links.Check(links, &w.limits); err != nil {
		return err
	}
	if max := w.limits.MaxParams; w.links.Rekeyed && mergedLen(w.header.Links, links, max) > max {
		return fmt.Errorf("more than %d, including the header's (Limits.MaxParams)", max)
	}
	return nil
}

// isLinked reports whether the links, which were checked, differ from the header's.
func (w *Writer) isLinked(links format.Links) bool {
	if !w.links.Rekeyed && len(w.links.Changed) == 0 {
		return w.open.linked
	}
	return slices.ContainsFunc(links, w.isOwn)
}

// maxGroupBytes bounds the size of a result to which records are joined, so that reading the
// result takes little memory.
const maxGroupBytes = 1 << 20

func (w *Writer) maxGroup() int { return int(min(maxGroupBytes, w.limits.MaxResultBytes)) }

// mostSize returns an upper bound of what a result with only the record uses of MaxResultBytes.
// The record was checked last.
func (w *Writer) mostSize(rec *format.Record) int {
	return resultText + groupCost + w.params.MostSize(len(rec.Params), pairCost) + w.itemSize("", rec.Links)
}

// writtenSize returns a lower upper bound of the same, for rec.
func writtenSize(rec *format.Record) int {
	return resultText + groupCost + skiadoc.PairsSize(rec.Params, pairCost, skiadoc.WrittenLen) +
		itemText + itemCost + skiadoc.PairsSize(rec.Links, pairCost, skiadoc.WrittenLen)
}

// itemSize returns an upper bound of what an item of a group uses of MaxResultBytes: one with the
// value and the links, which were checked last.
func (w *Writer) itemSize(value string, links format.Links) int {
	return itemText + itemCost + skiadoc.MostLen(value) + w.links.MostSize(len(links), pairCost)
}

// What a result and an item take in the file, without keys, values and links.
const (
	resultText = len(`{"key":,"measurements":{"":[]}},`)
	itemText   = len(`{"value":"","measurement":,"links":},`) + skiadoc.MaxNumber
)

func (w *Writer) begin() {
	if w.begun {
		return
	}
	w.begun = true
	w.out.Bytes = w.header.appendJSON(w.out.Bytes)
	w.out.Bytes = append(w.out.Bytes, `,"results":[`...)
}

// endResult writes the record that is held, or closes the open group.
func (w *Writer) endResult() {
	switch w.open.state {
	case held:
		w.appendHeld()
	case grouped:
		w.endGroup()
	}
}

// appendHeld appends the record that is held as a result of its own.
func (w *Writer) appendHeld() {
	if w.open.linked {
		// Only items of "measurements" can have links. Any param can be the one that varies.
		w.beginGroup(len(w.params.Last) - 1)
		w.endGroup()
		return
	}
	w.beginResult(-1)
	w.out.Bytes = append(w.out.Bytes, `,"measurement":`...)
	w.out.Bytes = number.AppendShortest(w.out.Bytes, w.open.value)
	w.out.Bytes = append(w.out.Bytes, '}')
	w.open.state = idle
}

// beginGroup begins a result with "measurements" in which the param at index i varies. Its first
// item is the held record.
func (w *Writer) beginGroup(i int) {
	w.open.varies = i
	w.beginResult(i)
	p := &w.params.Last[i]
	w.out.Bytes = append(w.out.Bytes, `,"measurements":{`...)
	w.out.Bytes = append(w.texts.AppendString(w.out.Bytes, p.Key), `:[`...)
	w.appendSingle(p.Value, w.open.value, w.links.Last, w.open.linked)
	w.open.state = grouped
}

func (w *Writer) endGroup() {
	w.out.Bytes = append(w.out.Bytes, "]}}"...)
	w.open.state = idle
}

// beginResult appends a result up to its key. The key has the params of the last record, except the
// one at index without, and except those that the header gives.
func (w *Writer) beginResult(without int) {
	b := w.out.Bytes
	if w.results > 0 {
		b = append(b, ',')
	}
	w.results++

	b = append(b, "\n{\"key\":{"...)
	empty := len(b)
	for _, i := range w.own {
		if i == without {
			continue
		}
		if len(b) > empty {
			b = append(b, ',')
		}
		p := &w.params.Last[i]
		b = append(w.texts.AppendString(b, p.Key), ':')
		b = w.texts.AppendString(b, p.Value)
	}
	w.out.Bytes = append(b, '}')
}

// appendSingle appends a record as an item of the open group. If it is linked, it has links of its
// own.
func (w *Writer) appendSingle(value string, measurement float64, links format.Links, linked bool) {
	b := w.texts.AppendString(append(w.out.Bytes, `{"value":`...), value)
	b = number.AppendShortest(append(b, `,"measurement":`...), measurement)
	if linked {
		b = w.texts.AppendPairs(append(b, `,"links":`...), w.ownLinks(links))
	}
	w.out.Bytes = append(b, '}')
}

// ownLinks returns the links that differ from the header's. They are valid until the next call.
func (w *Writer) ownLinks(links format.Links) format.Links {
	own := w.open.links[:0]
	for _, link := range links {
		if w.isOwn(link) {
			own = append(own, link)
		}
	}
	w.open.links = own
	return own
}

// isOwn reports whether a link differs from the header's links.
func (w *Writer) isOwn(link traceid.Param) bool {
	url, ok := w.header.Links.Get(link.Key)
	return !ok || url != link.Value
}
