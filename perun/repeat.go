package perun

import (
	"perfdata/format"
	"perfdata/internal/delta"
	"perfdata/internal/number"
)

// This is the fast path for records in the layout of types. Most records differ from the previous
// one only in their values and in attrs that are collected for each resource. They pass the same
// checks, and belong to the same type, so only these are checked and written. The slow path is the
// rest of Write. With it alone, writing profiles takes 6.7 times as many instructions, and
// converting them to the same format 2.4 times.

// A repeater has the last record that was written, if the next one can be compared with it.
type repeater struct {
	types         *typeWriter
	held          *heldType // nil: no record
	keepParams    bool
	params, attrs delta.Tracker
	collected     []bool // of the attrs
}

// remember prepares for records like rec, which was just added to a type.
func (r *repeater) remember(rec *format.Record, keepParams bool) {
	r.held, r.keepParams, r.collected = nil, keepParams, r.collected[:0]
	columns := 1 // of the amount
	for _, p := range rec.Attrs {
		collected := isCollectable(p.Key)
		r.collected = append(r.collected, collected)
		if collected && !isDecimal(p.Value) { // it was written as a string
			return
		}
		if collected {
			columns++
		}
	}
	held := r.types.last
	if held == nil || columns != len(held.columns) {
		return // a param is collected
	}
	r.params.Next(rec.Params)
	r.attrs.Next(rec.Attrs)
	r.held = held
}

// write writes rec if it repeats the last record.
func (r *repeater) write(rec *format.Record, keepParams bool) bool {
	if r.held == nil || r.held != r.types.last || keepParams != r.keepParams ||
		!isFinite(rec.Value) || len(rec.Links) > 0 || r.types.out.Err() != nil {
		return false
	}
	r.attrs.Compare(rec.Attrs)
	if r.attrs.Rekeyed || !r.params.Repeats(rec.Params) {
		return false
	}

	for _, c := range r.attrs.Changed {
		if !r.collected[c.Index] || !isDecimal(rec.Attrs[c.Index].Value) {
			return false
		}
	}
	r.attrs.Accept(rec.Attrs)

	// Write the collected values.
	columns := r.held.columns
	size := len(columns) // of the commas
	c := &columns[0]
	before := len(c.values) + 1
	c.values = number.AppendShortest(append(c.room(0), ','), rec.Value)
	size += len(c.values) - before

	k := 1
	for i, collected := range r.collected {
		if collected {
			text := rec.Attrs[i].Value
			c := &columns[k]
			c.values = append(append(c.room(len(text)), ','), text...)
			size += len(text)
			k++
		}
	}
	r.types.held += size
	return true
}
