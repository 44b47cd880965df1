package perun

import (
	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/perun/internal/numbers"
)

// This is the fast path for the values of an array: numbers are read many at a time, by package
// numbers. The slow path reads one value of any type, with the scanner. Both append to the same
// batch.
//
// Invariants of a batch, after a call of readAmounts, readTexts or readValues:
//
//   - it has n values, at most 128, in the order of the array. A value that can't be used has its
//     place too, so that index i is the same row in all columns of the type;
//   - more is false only if the array has ended, and then its bracket was read;
//   - what an earlier call yielded stays valid as far as it is strings: a batch never changes the
//     memory of a string, it only makes new ones.

// An array has usually only numbers: reading one alternates between a run of them, which scanNumbers
// finds, and one value that the scanner reads: the first one, because a run begins after an element,
// and then each that is unusual. Where all values are unusual, each costs one futile search more.

// A column is one of the arrays. A batch of its values is in memory.
type column struct {
	key string

	cursor *jsonscan.Scanner // of the rest of the array; made when it is first needed
	more   bool              // the array may have values after the ones in memory
	n      int               // values in memory
	total  int               // values read

	// For resources.
	slot   int // index in the fields of the resource; negative: none
	values []Value
	places []jsonscan.Position

	// For records: either amounts or texts.
	amounts amounts
	texts   numbers.Texts
	spans   []numbers.Span // scratch
}

// batch is the number of values of each array in memory. The texts of the values of one array in a
// batch share a string.
const batch = 128

// batchBytes is about the length of a batch of numbers, with white space.
const batchBytes = 32 * batch

// next reports whether the array has another value, and counts it.
func (c *column) next(s *jsonscan.Scanner) bool {
	if !s.Element() {
		c.more = false
		return false
	}
	c.n++
	return true
}

// scanNumbers reads numbers of the array, as many as the batch has room for after n values. The
// text holds them, and begins at the offset. After them, a value that is not a usual number follows,
// or the end of the array, or the batch is full. The caller takes the bytes.
func (c *column) scanNumbers(s *jsonscan.Scanner, n int) (text []byte, offset int64, taken int) {
	text, offset = s.Ahead(batchBytes), s.Offset()
	c.spans, taken = numbers.Scan(c.spans, text, batch-n)
	return text, offset, taken
}

// readValues reads a batch of values of any type. It reports what readTexts fails on.
func (c *column) readValues(g *grammar, s *jsonscan.Scanner) {
	c.values, c.places = c.values[:0], c.places[:0]
	for c.n < batch && c.next(s) {
		c.places = append(c.places, s.Position())
		v := readValue(s, g.strings.String)
		c.values = append(c.values, v)
		if g.violation != nil && v.kind >= kindList && s.Err() == nil {
			if _, ok := v.flatWithin(g.limits.MaxStringBytes); !ok {
				g.violation(g.flatError(s))
			}
		}
	}
}

// amounts are the amounts of records.
type amounts struct {
	numbers []float64
	offsets []int64 // in the input
	faults  []amountFault
}

// An amountFault is the error about an amount that is not a finite number.
type amountFault struct {
	row int // in the batch
	err *format.Error
}

// readAmounts reads a batch of amounts.
func (c *column) readAmounts(s *jsonscan.Scanner) {
	a := &c.amounts
	a.numbers, a.offsets, a.faults = a.numbers[:0], a.offsets[:0], a.faults[:0]
	for {
		text, offset, taken := c.scanNumbers(s, len(a.numbers))
		a.numbers = numbers.AppendFloats(a.numbers, text, c.spans)
		for i := range c.spans {
			a.offsets = append(a.offsets, offset+int64(c.spans[i].Start))
		}
		s.Take(taken, len(c.spans))
		if c.n = len(a.numbers); c.n == batch || !c.next(s) {
			return
		}

		// Read a value of any type.
		offset = s.Offset()
		f, fault := readAmount(s)
		if fault != nil && s.Err() == nil {
			a.faults = append(a.faults, amountFault{len(a.numbers), fault})
		}
		a.numbers, a.offsets = append(a.numbers, f), append(a.offsets, offset)
	}
}

// readTexts reads a batch of the values' texts in flattened fields.
func (c *column) readTexts(g *grammar, s *jsonscan.Scanner) {
	t := &c.texts
	for t.Reset(); ; {
		text, _, taken := c.scanNumbers(s, t.Len())
		t.AppendScanned(text, c.spans)
		s.Take(taken, len(c.spans))
		if c.n = t.Len(); c.n == batch || !c.next(s) {
			t.Join()
			return
		}
		t.Append(g.flatText(s, readValue(s, g.strings.String)))
	}
}
