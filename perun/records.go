package perun

import (
	"slices"

	"perfdata/internal/jsonscan"
)

// This makes records of resources: of objects, of which shape.go makes records, and of the rows of
// columns. This is the hot loop for the layout of types: a row costs the texts of its attrs and a
// call of yield.
//
// Invariants, from the entry of a type to its last row:
//
//   - all rows are yielded in one record, that of the entry's shape. Its params are the same for all
//     rows, and so are its attrs, except those in columns.attrs;
//   - the places in columns.attrs stay valid, because the shape is laid out only for the next
//     entry;
//   - row i of a batch has index i in the numbers, offsets and texts of all columns. A row whose
//     amount has a fault has its index too, and is not yielded;
//   - the caller may have changed the record, except its params and attrs, which are read-only. So
//     value and offset are set for each row.

// An attr is an attr of records, with values from a column.
type attr struct {
	value *string
	texts []string // of a batch
}

// readRecord reads the resource ahead and yields its record.
func (d *document) readRecord() {
	s := d.scan
	offset := s.Offset()
	s.BeginRegion("MaxResultBytes", d.limits.MaxResultBytes, 0)
	sh := d.readShape(s, true)
	s.EndRegion()
	switch {
	case s.Err() != nil:
	case sh.fault != nil:
		d.recoverable(sh.fault)
	case !sh.hasAmount:
		d.recoverable(s.LeftError(noAmountMessage))
	default:
		rec := &sh.record
		rec.Params, rec.Attrs, rec.Value, rec.Offset = sh.params, sh.attrs, sh.amount, offset
		d.stopUnless(d.out.records(rec, nil))
	}
}

// yieldRecords yields n rows of the columns, with the fields of the last entry, and an error for each
// row whose amount is not a finite number. A type without columns has one row, at the position.
func (d *document) yieldRecords(n int, at jsonscan.Position) {
	sh, cs := d.entry, &d.columns
	rec := &sh.record
	rec.Params, rec.Attrs = sh.params, sh.attrs
	cs.attrs = cs.attrs[:0]
	for i, from := range sh.from {
		if column := from - len(sh.keys); column >= 0 {
			cs.attrs = append(cs.attrs, attr{&sh.attrs[i].Value, cs.all[column].texts})
		}
	}

	// The entry's amount overrides a column. Without a column, all rows are where the type's
	// name is.
	var a amounts
	if c := cs.named("amount"); c != nil {
		a = c.amounts
	} else {
		a.offsets = slices.Repeat([]int64{at.Offset}, n)
	}
	if sh.hasAmount {
		a.numbers = slices.Repeat([]float64{sh.amount}, n)
	}

	// This is the loop for most records of the layout of types.
	yield, attrs := d.out.records, cs.attrs
	for i, value := range a.numbers[:n] {
		if value != value { // NaN: it has a fault
			d.recoverable(a.faults[0])
			if a.faults = a.faults[1:]; d.stopped {
				return
			}
			continue
		}

		rec.Value, rec.Offset = value, a.offsets[i]
		for j := range attrs {
			*attrs[j].value = attrs[j].texts[i]
		}
		if !yield(rec, nil) {
			d.stopUnless(false)
			return
		}
	}
}
