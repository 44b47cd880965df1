package perun

import (
	"fmt"
	"math"
	"slices"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/perun/internal/numbers"
)

// A recordSink is a sink for resources as records.
type recordSink struct {
	yield func(*format.Record, error) bool
}

func (k *recordSink) wantsModels() bool    { return false }
func (k *recordSink) needsAmount() bool    { return true }
func (k *recordSink) fault(err error) bool { return k.yield(nil, err) }

const (
	noAmountMessage = "missing number: amount is required"
	finiteMessage   = "the amount is not a finite number"
)

func (k *recordSink) object(r *Reader) bool {
	s := r.scan
	offset := s.Offset()
	s.BeginRegion("MaxResultBytes", r.Limits.MaxResultBytes, 0)
	sh := r.readShape(s, &r.inherited, true)
	s.EndRegion()
	switch {
	case s.Err() != nil:
		return true
	case sh.fault != nil:
		return recoverable(k, sh.fault)
	case !sh.hasAmount:
		return recoverable(k, s.LeftError(noAmountMessage))
	}
	r.inherited.set(sh)
	return k.yieldShape(sh, offset)
}

func (k *recordSink) yieldShape(sh *shape, offset int64) bool {
	rec := &sh.record
	rec.Params, rec.Attrs, rec.Value, rec.Offset = sh.params, sh.attrs, sh.amount, offset
	return k.yield(rec, nil)
}

func (k *recordSink) entry(r *Reader, c *jsonscan.Scanner) *shape {
	return r.readShape(c, &r.inherited, false)
}

func (k *recordSink) bare(r *Reader, entry *shape, at jsonscan.Position) bool {
	return k.yieldShape(entry, at.Offset)
}

func (k *recordSink) fill(r *Reader, c *column, s *jsonscan.Scanner) {
	if c.key == "amount" {
		c.amounts.read(c, s)
	} else {
		r.readTexts(c, s)
	}
}

func (k *recordSink) rows(r *Reader, entry *shape, n int) bool {
	rec := &entry.record
	rec.Params, rec.Attrs = entry.params, entry.attrs
	attrs := r.columns.attrs[:0]
	for i := range r.columns.all {
		if slot := entry.extras.slots[i]; slot >= 0 {
			attrs = append(attrs, attr{&entry.attrs[slot].Value, &r.columns.all[i].texts})
		}
	}
	r.columns.attrs = attrs

	// The entry's amount overrides a column.
	var a amounts
	before := 0 // rows of the column before these
	if c := r.columns.named("amount"); c != nil {
		a, before = c.amounts, c.total-c.n
	} else {
		a.offsets = slices.Repeat([]int64{rec.Offset}, n)
	}

	if entry.hasAmount {
		a.numbers, a.faults = slices.Repeat([]float64{entry.amount}, n), nil
	}

	// Rows between faults use the loop without faults.
	for first := 0; ; first++ {
		end := n
		faulty := len(a.faults) > 0 && a.faults[0].row < n
		if faulty {
			end = a.faults[0].row
		}

		if !yieldRows(k.yield, rec, a.numbers[first:end], a.offsets[first:end], attrs, first) {
			return false
		}
		if !faulty {
			return true
		}

		if !recoverable(k, r.amountError(&a.faults[0], before+end)) {
			return false
		}
		a.faults, first = a.faults[1:], end
	}
}

// yieldRows is the loop for most records of LayoutTypes. The first value is that of the row
// first.
func yieldRows(
	yield func(*format.Record, error) bool, rec *format.Record,
	values []float64, offsets []int64, attrs []attr, first int,
) bool {
	for i, value := range values {
		rec.Value, rec.Offset = value, offsets[i]
		for j := range attrs {
			a := &attrs[j]
			if len(a.texts.strings) == 0 {
				*a.value = a.texts.numbers.Text(first + i)
			} else {
				*a.value = a.texts.strings[first+i]
			}
		}
		if !yield(rec, nil) {
			return false
		}
	}
	return true
}

// An attr is an attr of records, with values from a column.
type attr struct {
	value *string
	texts *texts // of a batch
}

// amountError returns the error about an amount.
func (r *Reader) amountError(f *amountFault, row int) *format.Error {
	message := finiteMessage
	if f.given != "" {
		message = "Invalid type. Expected: number, given: " + f.given
	}
	return r.scan.ErrorAt(f.at, fmt.Sprintf("%s.amount.%d", typePath(r.columns.typeName), row), message)
}

// read reads a batch of the column's amounts.
func (a *amounts) read(c *column, s *jsonscan.Scanner) {
	a.numbers, a.offsets, a.faults = a.numbers[:0], a.offsets[:0], a.faults[:0]
	for {
		c.n = len(a.numbers)
		text, offset := s.Ahead(batchBytes), s.Offset()
		spans, n := numbers.Scan(c.spans[:0], text, batch-c.n)
		a.numbers = numbers.AppendFloats(a.numbers, text, spans)
		for i := range spans {
			a.offsets = append(a.offsets, offset+int64(spans[i].Start))
		}
		c.spans = spans
		s.Take(n, len(spans))
		if c.n = len(a.numbers); c.n == batch || !c.next(s) {
			return
		}
		a.readOne(s)
	}
}

// readOne reads a value of any type.
func (a *amounts) readOne(s *jsonscan.Scanner) {
	f := math.NaN()
	offset := s.Offset()
	switch kind := s.Kind(); kind {
	case jsonscan.Number:
		f, _ = s.Number()
		if s.Err() == nil && !isFinite(f) {
			a.faults = append(a.faults, amountFault{row: len(a.numbers), at: s.TokenPosition()})
			f = math.NaN()
		}
	default:
		a.faults = append(a.faults, amountFault{len(a.numbers), s.Position(), kind.String()})
		s.Skip()
	}
	a.numbers = append(a.numbers, f)
	a.offsets = append(a.offsets, offset)
}

// texts are the texts of a column's values in flattened fields. Most columns have only numbers.
type texts struct {
	numbers numbers.Texts
	strings []string // instead, if any value is something else
}

func (t *texts) len() int { return max(t.numbers.Len(), len(t.strings)) }

// separate makes each text a string of its own.
func (t *texts) separate() {
	t.numbers.Join()
	for i := range t.numbers.Len() {
		t.strings = append(t.strings, t.numbers.Text(i))
	}
	t.numbers.Reset()
}

// maxNumber is the length of the longest text that shares a string with others.
const maxNumber = 64

// readTexts reads a batch of the column's values.
func (r *Reader) readTexts(c *column, s *jsonscan.Scanner) {
	t := &c.texts
	t.numbers.Reset()
	t.strings = t.strings[:0]
	for {
		text := s.Ahead(batchBytes)
		spans, n := numbers.Scan(c.spans[:0], text, batch-t.len())
		t.numbers.AppendScanned(text, spans)
		c.spans = spans
		s.Take(n, len(spans))
		if len(t.strings) > 0 && len(spans) > 0 {
			t.separate()
		}
		if c.n = t.len(); c.n == batch || !c.next(s) {
			t.numbers.Join()
			return
		}
		r.readText(t, s)
	}
}

// readText reads a value of any type.
func (r *Reader) readText(t *texts, s *jsonscan.Scanner) {
	kind := s.Kind()
	text := r.flatText(s, readValue(s, r.text))
	if kind == jsonscan.Number && len(text) <= maxNumber && len(t.strings) == 0 {
		t.numbers.Append(text)
		return
	}
	if len(t.strings) == 0 {
		t.separate()
	}
	t.strings = append(t.strings, text)
}
