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
			t := &r.columns.all[i].texts
			attrs = append(attrs, attr{value: &entry.attrs[slot].Value, strided: t.strided, texts: t})
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
			if a := &attrs[j]; a.step > 0 {
				at := a.first + (first+i)*a.step
				*a.value = a.text[at : at+a.length]
			} else {
				*a.value = a.texts.at(first + i)
			}
		}
		if !yield(rec, nil) {
			return false
		}
	}
	return true
}

// An attr is an attr of records, with values from the texts of a column.
type attr struct {
	value   *string
	strided // a copy of the texts'
	texts   *texts
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
		n := 0
		c.n = len(a.numbers)
		a.numbers, a.offsets, n = c.array.Floats(a.numbers, a.offsets, s.Ahead(0), s.Offset(), batch-c.n)
		s.Take(n, len(a.numbers)-c.n)
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

// texts has the texts of a column's values. Usually, they share a string.
type texts struct {
	strided // if its step isn't 0

	shared string
	ends   []uint32 // of the texts in shared, after a 0: a text begins at the end before

	own []string // used instead of a shared string that is too long to keep
}

// strided has texts of the same length, at equal distances.
type strided struct {
	text                string
	first, step, length int
}

// at returns the text of a row, unless the texts are strided.
func (t *texts) at(row int) string {
	if t.own != nil {
		return t.own[row]
	}
	return t.shared[t.ends[row]:t.ends[row+1]]
}

// readTexts reads a batch of the column's values.
func (r *Reader) readTexts(c *column, s *jsonscan.Scanner) {
	if t, n := c.array.Strided(s.Ahead(batch*numbers.MaxStrided+numbers.Longest), batch); t.Count > 0 {
		c.texts = texts{strided: strided{string(t.Text), t.First, t.Step, t.Length}}
		s.Take(n, t.Count)
		if c.n = t.Count; c.n < batch {
			c.next(s) // the end
		}
		return
	}

	c.bytes, c.ends = c.bytes[:0], append(c.ends[:0], 0)
	for {
		n := 0
		c.n = len(c.ends) - 1
		c.bytes, c.ends, n = c.array.Texts(c.bytes, c.ends, s.Ahead(0), batch-c.n)
		s.Take(n, len(c.ends)-1-c.n)
		if c.n = len(c.ends) - 1; c.n == batch || !c.next(s) {
			break
		}
		c.bytes = r.appendText(c.bytes, s)
		c.ends = append(c.ends, uint32(len(c.bytes)))
	}

	if len(c.bytes) <= maxShared {
		c.texts = texts{shared: string(c.bytes), ends: c.ends}
		return
	}
	c.texts = texts{own: make([]string, 0, c.n)}
	for i := range c.n {
		c.texts.own = append(c.texts.own, r.text(c.bytes[c.ends[i]:c.ends[i+1]]))
	}
	if cap(c.bytes) > maxKept/4 {
		c.bytes = nil
	}
}

// appendText reads a value and appends its text in flattened fields.
func (r *Reader) appendText(dst []byte, s *jsonscan.Scanner) []byte {
	switch s.Kind() {
	case jsonscan.Number:
		if _, ok := s.Number(); !ok {
			return dst
		}
		text := s.Token()
		if integer, plain := numbers.IsPython(text); integer && plain {
			return append(dst, text...)
		}
		return append(dst, numbers.Python(string(text))...)
	case jsonscan.String:
		text, _ := s.Text()
		return append(dst, text...)
	}
	return append(dst, r.flatText(s, readValue(s, r.text))...)
}
