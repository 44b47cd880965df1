package keyval

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"

	"perfdata/format"
	"perfdata/internal/buffer"
	"perfdata/internal/delta"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// A Writer writes a file: iterations with WriteIteration, or records with Write. It is
// deterministic. Its output is read back equal, and passes Validate. The Writer checks each record
// or iteration before it writes any part of it; a refused one leaves the Writer as it was. The
// format has infinities and NaN, so they are written.
//
// A Writer begins with the first iteration of a file. To append to a file, use [AppendIteration].
//
// A Writer serves one goroutine.
type Writer struct {
	out     buffer.Output
	header  Header
	checked bool // the header is valid

	iteration int             // the open iteration, or else the last one
	open      bool            // an iteration's blank line has to be written
	attrs     delta.Tracker   // of the open iteration
	keys      map[string]bool // of the open iteration
	size      int             // of the open iteration's lines
}

// NewWriter returns a Writer to out of measurements that all have the header's params. The format
// has no place for these params: to get them back, set the Params of a Reader. The first call of
// another method reports an invalid header, and writes nothing.
func NewWriter(out io.Writer, header Header) *Writer {
	header.Params = header.Params.Clone()
	return &Writer{out: buffer.NewOutput(out), header: header}
}

// WriteIteration writes an iteration: first Attr, then Perf, each sorted by key as the
// specification says, and then a blank line. Both may be empty. The other fields are ignored. A
// key consists of letters, digits and . - _, and does not repeat. An attribute has no line end,
// and no white space at its end.
func (w *Writer) WriteIteration(it *Iteration) error {
	if err := w.check(); err != nil {
		return err
	}
	buf := w.out.Bytes
	if w.open {
		buf = append(buf, '\n')
	}
	buf, err := appendIteration(buf, it)
	if err != nil {
		return err
	}
	w.out.Bytes, w.open = buf, false
	w.iteration++
	return w.out.FlushIfLarge()
}

// Write writes a record. Its params are key, the header's params with the same values, and
// optionally iteration. The format can't hold others.
//
// Consecutive records of one iteration have the same attrs, different keys, and the same number in
// iteration. The number must not fall. Up to about a million iterations may be left out between
// two records; each becomes a blank line. A record without iteration belongs to the iteration with
// the number of its Repetition. Without either, it belongs to the iteration of the previous record
// if it has the same attrs and a new key, and else to the next iteration.
func (w *Writer) Write(rec *format.Record) error {
	if err := w.check(); err != nil {
		return err
	}
	key, iteration, err := w.checkRecord(rec)
	if err != nil {
		return fmt.Errorf("measurement %s: %w", rec.TraceID(), err)
	}
	if !w.open || iteration != w.iteration {
		w.endIteration()
		for w.iteration+1 < iteration {
			w.out.Bytes = append(w.out.Bytes, '\n')
			w.iteration++
		}

		w.iteration++
		w.open = true
		w.attrs.Next(rec.Attrs)
		const maxCleared = 1000 // keys up to which clearing a map takes less time than filling a new one
		if len(w.keys) > maxCleared || w.keys == nil {
			w.keys = make(map[string]bool)
		}
		clear(w.keys)
		w.size = 0
		for _, p := range rec.Attrs {
			w.size += attrSize(p.Key, p.Value)
			w.out.Bytes = appendAttr(w.out.Bytes, p.Key, p.Value)
		}
	}

	w.keys[key] = true
	start := len(w.out.Bytes)
	w.out.Bytes = appendPerf(w.out.Bytes, key, rec.Value)
	w.size += len(w.out.Bytes) - start - len("\n")
	return w.out.FlushIfLarge()
}

// Flush writes everything that the Writer holds to out. The next record may still belong to the
// same iteration.
func (w *Writer) Flush() error {
	if err := w.check(); err != nil {
		return err
	}
	return w.out.Flush()
}

// Close ends the last iteration and writes everything that the Writer holds to out. It does not
// close out. A second call returns nil if the first one did.
func (w *Writer) Close() error {
	if w.out.Closed() {
		return nil
	}
	if err := w.check(); err != nil {
		return err
	}
	w.endIteration()
	return w.out.Close()
}

// check returns why nothing can be written.
func (w *Writer) check() error {
	if w.out.Err() != nil || w.checked {
		return w.out.Err()
	}
	if err := w.header.Params.CheckSorted(); err != nil {
		return fmt.Errorf("header: Params: %w", err)
	}
	for _, own := range []string{paramKey, paramIteration} {
		if _, ok := w.header.Params.Get(own); ok {
			return fmt.Errorf("header: Params: param %q is the records' own", own)
		}
	}
	w.checked = true
	return nil
}

// checkRecord returns the record's key and iteration, or why it can't be written.
func (w *Writer) checkRecord(rec *format.Record) (key string, iteration int, err error) {
	if err := rec.Params.CheckSorted(); err != nil {
		return "", 0, fmt.Errorf("params: %w", err)
	}
	sameAttrs := w.attrs.Repeats(rec.Attrs)
	if !sameAttrs {
		if err := rec.Attrs.CheckSorted(); err != nil {
			return "", 0, fmt.Errorf("attrs: %w", err)
		}
	}

	if len(rec.Links) > 0 {
		return "", 0, fmt.Errorf("the format can't hold links, such as %s", message.Quote(rec.Links[0].Key))
	}
	if key, iteration, err = w.ownParams(rec.Params); err != nil {
		return "", 0, err
	}

	if iteration != rec.Repetition && rec.Repetition != 0 {
		if iteration != 0 {
			return "", 0, fmt.Errorf("repetition is %d, but param \"iteration\" is %d: both would be the iteration",
				rec.Repetition, iteration)
		}
		if iteration = rec.Repetition; iteration < 0 {
			return "", 0, fmt.Errorf("repetition is %d: want a number from 1", iteration)
		}
	}
	if err := checkPerf(key); err != nil {
		return "", 0, err
	}

	// The record joins the open iteration if it can.
	mayJoin := iteration == 0 || iteration == w.iteration
	if w.open && mayJoin && sameAttrs && !w.keys[key] {
		return key, w.iteration, checkSize(len(rec.Attrs), len(w.keys)+1, w.size+perfSize(key))
	}

	// Otherwise it begins an iteration.
	iteration = cmp.Or(iteration, w.iteration+1)
	if err := w.checkNext(iteration, key); err != nil {
		return "", 0, err
	}

	size := perfSize(key)
	for _, p := range rec.Attrs {
		if err := checkAttr(p.Key, p.Value); err != nil {
			return "", 0, err
		}
		size += attrSize(p.Key, p.Value)
	}
	return key, iteration, checkSize(len(rec.Attrs), 1, size)
}

// ownParams returns the key and the iteration of a record with the params, or 0 if they have no
// iteration, or why the params can't be written.
func (w *Writer) ownParams(params traceid.Params) (key string, iteration int, err error) {
	hasKey := false
	for _, p := range params {
		switch value, ok := w.header.Params.Get(p.Key); {
		case p.Key == paramKey:
			key, hasKey = p.Value, true
		case p.Key == paramIteration:
			iteration, err = strconv.Atoi(p.Value)
			if err != nil || iteration < 1 || strconv.Itoa(iteration) != p.Value {
				return "", 0, fmt.Errorf(
					"param \"iteration\" is %s, expected a number from 1 on", message.Quote(p.Value))
			}

		case !ok:
			return "", 0, fmt.Errorf("the format can't hold param %s: it has key and iteration only", message.Quote(p.Key))
		case value != p.Value:
			return "", 0, fmt.Errorf("param %s is %s, but the header's is %s",
				message.Quote(p.Key), message.Quote(p.Value), message.Quote(value))
		}
	}

	if !hasKey {
		return "", 0, errors.New("missing param \"key\"")
	}
	for _, p := range w.header.Params {
		if _, ok := params.Get(p.Key); !ok {
			return "", 0, fmt.Errorf("missing param %s, which the header's Params give to every measurement",
				message.Quote(p.Key))
		}
	}
	return key, iteration, nil
}

// checkNext returns why an iteration that begins with key can't come next.
func (w *Writer) checkNext(iteration int, key string) error {
	const maxGap = 1 << 20 // iterations that may be left out between two records
	switch {
	case iteration < w.iteration || iteration == w.iteration && !w.open:
		return fmt.Errorf("iteration %d comes after iteration %d", iteration, w.iteration)
	case iteration == w.iteration && w.keys[key]:
		return fmt.Errorf("iteration %d has key %s already", iteration, message.Quote(key))
	case iteration == w.iteration:
		return fmt.Errorf("the attrs differ from the previous record's, which is also in iteration %d", iteration)
	case iteration-w.iteration > maxGap:
		return fmt.Errorf("iteration %d comes after iteration %d: more than %d are left out",
			iteration, w.iteration, maxGap)
	}
	return nil
}

func (w *Writer) endIteration() {
	if w.open {
		w.out.Bytes = append(w.out.Bytes, '\n')
		w.open = false
	}
}
