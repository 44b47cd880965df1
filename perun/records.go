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
//     rows, and so are its attrs, except those in recordSink.attrs;
//   - the places in recordSink.attrs stay valid, because the shape is laid out only for the next
//     entry;
//   - row i of a batch has index i in the numbers, offsets and texts of all columns. A row whose
//     amount has a fault has its index too, and is not yielded;
//   - the caller may have changed the record, except its params and attrs, which are read-only. So
//     value and offset are set for each row.

// A recordSink is a sink for resources as records.
type recordSink struct {
	*shapes
	yield func(*format.Record, error) bool
	last  *shape // the entry of the resource type
	attrs []attr // the attrs of its record that are collected
}

// An attr is an attr of records, with values from a column.
type attr struct {
	value *string
	texts []string // of a batch
}

func (k *recordSink) wants() objects       { return resourceObjects }
func (k *recordSink) fault(err error) bool { return k.yield(nil, err) }

func (k *recordSink) object(objects) {
	s := k.scan
	offset := s.Offset()
	s.BeginRegion("MaxResultBytes", k.limits.MaxResultBytes, 0)
	sh := k.read(s, true)
	s.EndRegion()
	switch {
	case s.Err() != nil:
		return
	case sh.fault != nil:
		k.recoverable(k, sh.fault)
		return
	case !sh.hasAmount:
		k.recoverable(k, s.LeftError(noAmountMessage))
		return
	}
	rec := &sh.record
	rec.Params, rec.Attrs, rec.Value, rec.Offset = sh.params, sh.attrs, sh.amount, offset
	if !k.yield(rec, nil) {
		k.stop()
	}
}

func (k *recordSink) entry(c *jsonscan.Scanner) *resource {
	k.last = k.read(c, false)
	return &k.last.resource
}

func (k *recordSink) fill(c *column, s *jsonscan.Scanner) {
	if c.key == "amount" {
		c.readAmounts(s)
	} else {
		c.readTexts(k.grammar, s)
	}
}

// rows yields the rows of a batch, and an error for each row whose amount is not a finite number.
func (k *recordSink) rows(cs *columns, n int, at jsonscan.Position) {
	sh := k.last
	rec := &sh.record
	rec.Params, rec.Attrs = sh.params, sh.attrs
	k.attrs = k.attrs[:0]
	for i := range cs.all {
		if to := sh.extras[i]; to != nil {
			k.attrs = append(k.attrs, attr{to, cs.all[i].texts})
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
	for first := 0; !k.stopped; first++ {
		end := n
		if len(a.faults) > 0 {
			end = min(n, a.faults[0].row)
		}
		if !k.yieldRows(rec, a.numbers[first:end], a.offsets[first:end], first) {
			k.stop()
		}
		if end == n {
			return
		}
		k.recoverable(k, a.faults[0].err)
		a.faults, first = a.faults[1:], end
	}
}

// yieldRows is the loop for most records of the layout of types. The first value is that of the row
// first.
func (k *recordSink) yieldRows(rec *format.Record, values []float64, offsets []int64, first int) bool {
	yield, attrs := k.yield, k.attrs
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
