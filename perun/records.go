package perun

import (
	"fmt"
	"math"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// A recordSink takes resources as records.
type recordSink struct {
	yield func(*format.Record, error) bool
}

func (k *recordSink) wantsModels() bool    { return false }
func (k *recordSink) needsAmount() bool    { return true }
func (k *recordSink) fault(err error) bool { return k.yield(nil, err) }

const (
	noAmountMessage = "there is no number: amount is required"
	finiteMessage   = "the amount is no finite number"
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

// rows is the loop that most records of the layout of types go through.
func (k *recordSink) rows(r *Reader, entry *shape, n int) bool {
	rec := &entry.record
	rec.Params, rec.Attrs, rec.Value = entry.params, entry.attrs, entry.amount

	attrs := r.columns.attrs[:0]
	var numbers []float64 // unless the amount is the entry's
	var offsets []int64   // unless there is no column of amounts
	var faults []amountFault
	total := 0 // rows before these
	for i := range r.columns.all {
		c := &r.columns.all[i]
		if c.key == "amount" {
			offsets = c.amounts.offsets
			if !entry.hasAmount {
				numbers, faults, total = c.amounts.numbers, c.amounts.faults, c.total-c.n
			}
		}
		if slot := entry.slots[i]; slot >= 0 {
			attrs = append(attrs, attr{value: &entry.attrs[slot].Value, texts: c.texts, at: c.texts.first})
		}
	}
	r.columns.attrs = attrs

	for row := range n {
		if row < len(offsets) {
			rec.Offset = offsets[row]
		}
		if row < len(numbers) {
			if rec.Value = numbers[row]; rec.Value != rec.Value {
				if !recoverable(k, r.amountError(&faults[0], total+row)) {
					return false
				}
				faults = faults[1:]
				continue
			}
		}
		for i := range attrs {
			attrs[i].set(row)
		}
		if !k.yield(rec, nil) {
			return false
		}
	}
	return true
}

// An attr is an attr of records whose values are those of a column.
type attr struct {
	value *string
	texts texts
	at    int
}

func (a *attr) set(row int) { *a.value = a.texts.at(row) }

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
		a.numbers, a.offsets = s.Floats(a.numbers, a.offsets, batch-c.n)
		if c.n = len(a.numbers); c.n == batch || !c.next(s) {
			return
		}
		a.readOne(s)
	}
}

// readOne reads any value.
func (a *amounts) readOne(s *jsonscan.Scanner) {
	f := math.NaN()
	offset := s.Offset()
	switch kind := s.Kind(); kind {
	case jsonscan.Number:
		f, _ = s.Number()
		if s.Err() == nil && !isFinite(f) {
			a.faults = append(a.faults, amountFault{at: s.TokenPosition()})
			f = math.NaN()
		}
	default:
		a.faults = append(a.faults, amountFault{s.Position(), kind.String()})
		s.Skip()
	}
	a.numbers = append(a.numbers, f)
	a.offsets = append(a.offsets, offset)
}

// texts are the texts of a column's values. Usually, they share a string.
type texts struct {
	shared string
	ends   []uint32 // of the texts in shared, each of which begins where the one before ends; the first end is 0

	first, step, length int // instead, if step isn't 0: of the texts in shared, in bytes

	own []string // instead of shared, if that would be too long to be kept for one of them
}

func (t *texts) at(i int) string {
	switch {
	case t.step > 0:
		i = t.first + i*t.step
		return t.shared[i : i+t.length]
	case t.own != nil:
		return t.own[i]
	}
	return t.shared[t.ends[i]:t.ends[i+1]]
}

// readTexts reads a batch of the column's values.
func (r *Reader) readTexts(c *column, s *jsonscan.Scanner) {
	if even, ok := s.EvenNumbers(batch); ok {
		c.texts = texts{shared: string(even.Text), first: even.First, step: even.Step, length: even.Length}
		if c.n = even.Count; c.n < batch {
			c.next(s) // the end
		}
		return
	}

	c.bytes, c.ends = c.bytes[:0], append(c.ends[:0], 0)
	for {
		c.bytes, c.ends = s.NumberTexts(c.bytes, c.ends, batch-c.n)
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

// appendText reads a value and appends the text that it has in flattened fields.
func (r *Reader) appendText(dst []byte, s *jsonscan.Scanner) []byte {
	switch s.Kind() {
	case jsonscan.Number:
		if _, ok := s.Number(); !ok {
			return dst
		}
		text := s.Token()
		if integer, plain := looksPython(text); integer && plain {
			return append(dst, text...)
		}
		return append(dst, pythonNumber(string(text))...)
	case jsonscan.String:
		text, _ := s.Text()
		return append(dst, text...)
	}
	return append(dst, r.flatText(s, readValue(s, r.text))...)
}
