package perun

import (
	"perfdata/format"
	"perfdata/internal/number"
	"perfdata/internal/same"
	"perfdata/perun/internal/numbers"
	"perfdata/traceid"
)

// This is the fast path for records in LayoutTypes. Most records differ from the one before only in
// their values and in attrs that are collected for each resource. They pass the same checks, and
// belong to the same type, so only these are checked and written. The slow path is the rest of
// Write.

// A repeater has the last record that was written, if the next one can be compared with it.
type repeater struct {
	held       *heldType // nil: no record
	keepParams bool
	params     traceid.Params
	attrs      traceid.Params // those that are collected have any value
	collected  []bool         // of the attrs
}

// remember prepares for records like rec, which was just added to a type.
func (r *repeater) remember(rec *format.Record, w *Writer) {
	r.held = nil
	held := w.types.last
	if held == nil {
		return
	}

	r.collected = r.collected[:0]
	columns := 1 // of the amount
	for i := range rec.Attrs {
		collected := isCollectable(rec.Attrs[i].Key)
		r.collected = append(r.collected, collected)
		if collected {
			columns++
		}
	}
	if columns != len(held.columns) {
		return // a param is collected
	}
	r.params = append(r.params[:0], rec.Params...)
	r.attrs = append(r.attrs[:0], rec.Attrs...)
	r.held, r.keepParams = held, w.KeepParams
}

// write writes rec if it repeats the last record.
func (r *repeater) write(rec *format.Record, w *Writer) bool {
	switch {
	case r.held == nil || w.Layout != LayoutTypes || w.KeepParams != r.keepParams:
		return false
	case !isFinite(rec.Value) || len(rec.Links) > 0 && !w.Drop.Links || w.out.Err() != nil:
		return false
	case len(rec.Params) != len(r.params) || len(rec.Attrs) != len(r.attrs):
		return false
	}

	for i := range r.params {
		if p, q := &rec.Params[i], &r.params[i]; !equal(p.Key, q.Key) || !equal(p.Value, q.Value) {
			return false
		}
	}
	for i := range r.attrs {
		p, q := &rec.Attrs[i], &r.attrs[i]
		switch {
		case !equal(p.Key, q.Key):
			return false
		case r.collected[i]:
			if !numbers.IsDecimal(p.Value) {
				return false // perhaps a string
			}
		case !equal(p.Value, q.Value):
			return false
		}
	}

	columns := r.held.columns
	size := len(columns) // of the commas
	before := len(columns[0])
	columns[0] = number.AppendShortest(append(columns[0], ','), rec.Value)
	size += len(columns[0]) - before - 1
	k := 1
	for i, collected := range r.collected {
		if collected {
			columns[k] = append(append(columns[k], ','), rec.Attrs[i].Value...)
			size += len(rec.Attrs[i].Value)
			k++
		}
	}
	w.types.held += size
	return true
}

// equal reports whether two strings are equal. Usually, they are the same bytes in memory.
func equal(a, b string) bool { return same.String(a, b) || a == b }
