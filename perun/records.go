package perun

import (
	"slices"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// This makes records of resources: of objects, of which shape.go makes records, and of the rows of
// columns. This is the hot loop for the layout of types: a row costs the texts of its attrs and a
// call of yield.
//
// Invariants, from the entry of a type to its last row:
//
//   - all rows are yielded in one record, that of the entry's shape. Its params are the same for all
//     rows, and so are its attrs, except those in document.rowAttrs;
//   - the places in document.rowAttrs stay valid, because the shape is laid out only for the next
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
		return
	case sh.fault != nil:
		d.recoverable(sh.fault)
		return
	case !sh.hasAmount:
		d.recoverable(s.LeftError(noAmountMessage))
		return
	}
	rec := &sh.record
	rec.Params, rec.Attrs, rec.Value, rec.Offset = sh.params, sh.attrs, sh.amount, offset
	d.stopUnless(d.out.records(rec, nil))
}

// yieldRecords yields n rows of the columns, with the fields of the last entry, and an error for each
// row whose amount is not a finite number. A type without columns has one row, at the position.
func (d *document) yieldRecords(n int, at jsonscan.Position) {
	sh, cs := d.entry, &d.columns
	rec := &sh.record
	rec.Params, rec.Attrs = sh.params, sh.attrs
	d.rowAttrs = d.rowAttrs[:0]
	for i, from := range sh.from {
		if column := from - len(sh.keys); column >= 0 {
			d.rowAttrs = append(d.rowAttrs, attr{&sh.attrs[i].Value, cs.all[column].texts})
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
		a.numbers, a.faults = slices.Repeat([]float64{sh.amount}, n), nil
	}

	// Rows between faults use the loop without faults. The faults are in the order of their rows,
	// and those after the shortest column are not reported: their rows do not exist.
	for first := 0; !d.stopped; first++ {
		end := n
		if len(a.faults) > 0 {
			end = min(n, a.faults[0].row)
		}
		d.stopUnless(d.yieldRows(rec, a.numbers[first:end], a.offsets[first:end], first))
		if end == n {
			return
		}
		d.recoverable(a.faults[0].err)
		a.faults, first = a.faults[1:], end
	}
}

// yieldRows is the loop for most records of the layout of types. The first value is that of the row
// first.
func (d *document) yieldRows(rec *format.Record, values []float64, offsets []int64, first int) bool {
	yield, attrs := d.out.records, d.rowAttrs
	for i, value := range values {
		rec.Value, rec.Offset = value, offsets[i]
		for j := range attrs {
			a := &attrs[j]
			*a.value = a.texts[first+i]
		}
		if !yield(rec, nil) {
			return false
		}
	}
	return true
}
