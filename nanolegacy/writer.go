package nanolegacy

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/skiadoc"
	"perfdata/internal/traceset"
	"perfdata/traceid"
)

// A Writer writes a file with one test on each line between the first and the last. Its output is
// deterministic, valid (validation finds only warnings), and read back equal by a Reader with the
// same OptionsAsParams.
//
// A Writer checks a record before it writes any part of it. It refuses:
//
//   - NaN and infinities, because JSON can't hold them, measurements out of the range of float32,
//     in which Skia Perf stores them, and links, which the format doesn't have;
//   - a record with a Repetition that no param repetition spells: a file has each trace once, and
//     single values are samples, which WriteSamples writes;
//   - a record without the params test, config and sub_result, or whose sub_result is options or
//     samples, which mean something else in a file;
//   - a record without a param of the header's Key, or with another value of it, and unless
//     OptionsAsParams is set, a record with any other param;
//   - a record of a trace that was written before. It remembers Limits.MaxUniqueTraces traces,
//     each in 11 to 16 bytes of memory;
//   - a record whose attrs differ from the attrs of an earlier record with the same test and
//     config, because they share their options;
//   - a record of an earlier test, or of an earlier configuration of the test;
//   - text that is not UTF-8, and a record that exceeds the Limits.
//
// A refused record leaves the Writer unchanged. A record may omit attrs that the header's Options
// have. The Writer remembers the names of all tests.
//
// A Writer serves one goroutine.
type Writer struct {
	// OptionsAsParams writes for Readers with OptionsAsParams. Params that are not in the header's
	// Key are written as options. Attrs can only be written if their names begin with GL_.
	OptionsAsParams bool

	// Limits are the limits of the file's reader. The limits on params, strings, members, the
	// header, a test and traces also apply to the records that are written.
	Limits format.Limits

	out    buffer.Output
	header Header
	limits format.Limits // with their defaults; as base and trace, set when the header is checked
	base   layout        // of results without options
	trace  layout        // of the last measurement, by the specification's rule
	traces traceset.Set  // written
	texts  skiadoc.Texts // of params and attrs
	params skiadoc.PairsChecker
	attrs  skiadoc.PairsChecker
	begun  bool // the header is in out

	open     openResult
	contents contents
	options  []traceid.Param // of the last record, which its result has; sorted
}

// NewWriter returns a Writer of a file with the header to out. The first call of another method
// reports any error of the header, before anything is written.
func NewWriter(out io.Writer, header Header) *Writer {
	header.Key, header.Options = header.Key.Clone(), header.Options.Clone()
	w := &Writer{out: buffer.NewOutput(out), header: header}
	w.params.Texts, w.attrs.Texts = &w.texts, &w.texts
	return w
}

// overlay returns the params, and those that the header gives to every measurement.
func (w *Writer) overlay(params traceid.Params) (traceid.Params, error) {
	if err := params.CheckSorted(); err != nil {
		return nil, fmt.Errorf("measurement %s: params: %w", params.ID(), err)
	}

	base := w.header.Key
	if w.OptionsAsParams {
		for _, p := range w.header.Options {
			if !hasGL(p.Key) {
				base = traceid.Merge(base, traceid.Params{p})
			}
		}
	}
	return traceid.Merge(base, params), nil
}

// Write writes a record.
func (w *Writer) Write(rec *format.Record) error {
	if err := w.checkHeader(); err != nil {
		return err
	}
	if err := w.writeRecord(rec); err != nil {
		return fmt.Errorf("measurement %s: %w", rec.Params.ID(), err)
	}
	return w.out.FlushIfLarge()
}

func (w *Writer) writeRecord(rec *format.Record) error {
	if err := skiadoc.CheckValue(rec.Value); err != nil {
		return err
	}
	if len(rec.Links) > 0 {
		return fmt.Errorf("the format can't hold links, such as %q", rec.Links[0].Key)
	}
	if n := rec.Repetition; n != 0 {
		if text, _ := rec.Params.Get("repetition"); text != strconv.Itoa(n) {
			return fmt.Errorf("the format can't hold repetition %d: a file has each trace once; write the values of "+
				"all repetitions with WriteSamples", n)
		}
	}
	e := entry{value: rec.Value}
	if err := w.check(&e, rec.Params, rec.Attrs); err != nil {
		return err
	}
	return w.add(&e)
}

// WriteSamples writes the samples that a measurement summarizes. Their params override those that
// the header gives to every measurement. They need test, config and sub_result. A test and config have
// one array of samples of min_ms. The samples of another sub-result have a result of their own, whose
// options name the measurement: see departure N16. Write the measurement too: samples alone are not
// a measurement.
func (w *Writer) WriteSamples(s *format.Samples) error {
	params, err := w.overlay(s.Params)
	if err != nil {
		return err
	}
	if err := w.checkHeader(); err != nil {
		return err
	}
	if err := w.writeSamples(s, params); err != nil {
		return fmt.Errorf("samples %s: %w", params.ID(), err)
	}
	return w.out.FlushIfLarge()
}

func (w *Writer) writeSamples(s *format.Samples, params traceid.Params) error {
	for _, f := range s.Values {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("a sample is %v, which JSON can't hold", f)
		}
	}

	e := entry{samples: s.Values}
	if err := w.check(&e, params, s.Attrs); err != nil {
		return err
	}

	if e.member != samplesSubResult {
		own := traceid.Of(configParam, e.config, subResultParam, e.member)
		e.config += "/samples=" + e.member
		e.options = traceid.Merge(e.options, own)
		e.size = skiadoc.PairsSize(e.options, optionCost, w.texts.WrittenLen)
		if max := w.limits.MaxParams; len(e.options)+len(w.header.Options) > max {
			return fmt.Errorf("more than %d options, including the header's (Limits.MaxParams)", max)
		}
		if max := w.limits.MaxStringBytes; w.texts.WrittenLen(e.config) > max {
			return fmt.Errorf("its configuration is longer than %d bytes (Limits.MaxStringBytes)", max)
		}
	}
	e.member = samplesMember
	return w.add(&e)
}

// add writes an entry that is good in itself. It returns why the entry can't come after the earlier
// ones.
func (w *Writer) add(e *entry) error {
	p, err := w.placeOf(e)
	if err != nil {
		return err
	}
	if e.member != samplesMember {
		t := &w.trace // options are not part of it, even if they are params
		t.params[t.test].Value, t.params[t.config].Value, t.params[t.subResult].Value = e.test, e.config, e.member
		if earlier, _ := w.traces.Add(t.params, 1, w.limits.MaxUniqueTraces); earlier > 0 {
			return errors.New("its trace was written already")
		}
	}

	w.contents.add(e, p)
	w.append(e)
	return nil
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
	if w.open.some {
		w.out.Bytes = append(w.out.Bytes, "}}"...)
	}
	w.out.Bytes = append(w.out.Bytes, "\n}}\n"...)
	return w.out.Close()
}

// checkHeader checks the header once, and then begins the file with it.
func (w *Writer) checkHeader() error {
	if w.out.Err() != nil || w.begun {
		return w.out.Err()
	}
	w.limits = w.Limits.WithDefaults()
	h := &w.header
	text := h.appendJSON(nil)
	if err := skiadoc.CheckHeader(text, h.members(), w.limits); err != nil {
		return err
	}

	base := h.layOut(w.OptionsAsParams)
	w.trace = h.layOut(false)
	if max := w.limits.MaxParams; len(base.params) > max || len(w.trace.params) > max {
		return fmt.Errorf("header: measurements have more than %d params, including test, config and sub_result "+
			"(Limits.MaxParams)", max)
	}
	w.base, w.begun = base, true
	w.out.Bytes = append(append(w.out.Bytes, text...), `,"results":{`...)
	return nil
}
