package skiav1

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/delta"
	"perfdata/internal/skiadoc"
	"perfdata/internal/traceset"
)

// A Writer writes a file with one result on each line between the first and the last. It joins
// consecutive records that differ in the value of one param to one result with "measurements".
// Its output is deterministic, valid (validation finds only warnings), and read back equal.
//
// A file has each trace once, so repetitions need numbers: set the record's Repetition, from 1.
// The Writer writes it as the param repetition, which package series reads as the number, and
// leaves out a param iteration that spells it. The param units says the unit, the param
// improvement_direction (up or down) the direction, and the header's GitHash the commit: the fields
// Unit, Better and Commit of a record are not written.
//
// A Writer checks a record before it writes any part of it. It refuses:
//
//   - NaN and infinities, because JSON can't hold them, and values out of the range of float32,
//     in which Skia Perf stores them;
//   - a record without params, without a param of the header's Key, or with attrs, which the
//     format can't hold;
//   - a record of a trace, or of a repetition of it, that was written before. It remembers
//     Limits.MaxUniqueTraces traces, each in 11 to 16 bytes of memory;
//   - text that is not UTF-8, and a record that exceeds the Limits.
//
// A refused record leaves the Writer unchanged.
//
// A Writer serves one goroutine.
type Writer struct {
	// Limits are the limits of the file's reader. The limits on params, strings, the header, a
	// result and traces also apply to the records that are written.
	Limits format.Limits

	out     buffer.Output
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

	repetitions traceset.Numberer
}

// NewWriter returns a Writer of a file with the header to out. The first call of another method
// reports any error of the header, before anything is written.
func NewWriter(out io.Writer, header Header) *Writer {
	header.Key, header.Links = header.Key.Clone(), header.Links.Clone()
	w := &Writer{out: buffer.NewOutput(out), header: header}
	w.params.Texts, w.links.Texts = &w.texts, &w.texts
	return w
}

// Write writes a record. Its params include the header's Key. It may omit links that the header has.
func (w *Writer) Write(rec *format.Record) error {
	if rec.Repetition != 0 {
		numbered, err := w.repetitions.WithParam(rec)
		if err != nil {
			return fmt.Errorf("measurement %s: %w", rec.TraceID(), err)
		}
		rec = numbered
	}
	if err := w.checkHeader(); err != nil {
		return err
	}
	trace, err := w.check(rec)
	if err != nil {
		return fmt.Errorf("measurement %s: %w", rec.TraceID(), err)
	}
	if earlier, _ := w.traces.AddHash(trace, 1, w.limits.MaxUniqueTraces); earlier > 0 {
		why := "it was written already; to write repetitions, set the record's Repetition, or add a param repetition " +
			"that numbers them from 1"
		if rec.Repetition > 0 {
			why = fmt.Sprintf("repetition %d was written already", rec.Repetition)
		}
		return fmt.Errorf("measurement %s: %w trace: %s", rec.TraceID(), format.ErrDuplicate, why)
	}

	linked := w.open.linked
	if !w.links.Same() {
		linked = slices.ContainsFunc(rec.Links, w.isOwn)
	}
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

// Close completes the file and writes the rest of it to out, which it doesn't close. After it has
// succeeded, further calls do nothing and return nil.
func (w *Writer) Close() error {
	if w.out.Closed() {
		return nil
	}
	if err := w.checkHeader(); err != nil {
		return err
	}
	w.endResult()
	w.out.Bytes = append(w.out.Bytes, "\n]}\n"...)
	return w.out.Close()
}

// checkHeader checks the header once, and then begins the file with it.
func (w *Writer) checkHeader() error {
	if w.out.Err() != nil || w.begun {
		return w.out.Err()
	}
	w.limits = w.Limits.WithDefaults()
	h := &w.header
	if h.GitHash == "" {
		return errors.New("header: GitHash is empty, and the format requires git_hash")
	}
	text := h.appendJSON(nil)
	if err := skiadoc.CheckHeader(text, h.members(), w.limits); err != nil {
		return err
	}
	w.begun, w.out.Bytes = true, append(append(w.out.Bytes, text...), `,"results":[`...)
	return nil
}

// check returns why rec can't be written, or the hash of its trace.
func (w *Writer) check(rec *format.Record) (trace uint64, err error) {
	switch {
	case !skiadoc.InRange(rec.Value):
		return 0, skiadoc.CheckValue(rec.Value)
	case len(rec.Params) == 0:
		return 0, errors.New("no params")
	case len(rec.Attrs) > 0:
		return 0, fmt.Errorf("the format can't hold attrs, such as %q", rec.Attrs[0].Key)
	}

	if trace, err = w.params.CheckTrace(rec.Params, &w.limits); err != nil {
		return 0, fmt.Errorf("params: %w", err)
	}
	if w.params.Rekeyed {
		given := w.header.Key // sorted, as the params are
		for i := 0; i < len(rec.Params) && len(given) > 0; i++ {
			if delta.SameText(rec.Params[i].Key, given[0].Key) {
				given = given[1:]
			}
		}
		if len(given) > 0 {
			return 0, fmt.Errorf("missing param %q, which the header's Key gives to every measurement", given[0].Key)
		}
	}

	if err := w.links.Check(rec.Links, &w.limits); err != nil {
		return 0, fmt.Errorf("links: %w", err)
	}
	if max := w.limits.MaxParams; w.links.Rekeyed && mergedLen(w.header.Links, rec.Links, max) > max {
		return 0, fmt.Errorf("links: more than %d, including the header's (Limits.MaxParams)", max)
	}

	max := w.limits.MaxResultBytes
	if int64(w.mostSize(rec)) > max && int64(writtenSize(rec)) > max {
		return 0, fmt.Errorf("too large: more than %d bytes (Limits.MaxResultBytes)", max)
	}
	return trace, nil
}

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
