package perun

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/message"
)

// The arrays of a resource type are read at the same time, a batch of values of each. The scanner
// reads the first batch of each array and skips the rest, and then a cursor for each array reads
// the rest. Holding the values instead would take unbounded memory, 16 bytes for each resource.

// columns are the parallel arrays of a resource type.
type columns struct {
	typeName string
	all      []column
	own      []*column // those that no field of the entry overrides
	large    bool      // the memory of the columns is too large to keep
	attrs    []attr    // of the type's record
}

// maxKept is the largest size in bytes of the columns' values in the input for which the columns'
// memory is kept for the next resource type.
const maxKept = 256 << 10

// path returns the path of the resource type.
func (cs *columns) path() string { return "resources." + message.Shorten(cs.typeName) }

// named returns the column with that key, or nil.
func (cs *columns) named(key string) *column {
	for i := range cs.all {
		if cs.all[i].key == key {
			return &cs.all[i]
		}
	}
	return nil
}

// readColumns reads the object ahead, whose members must be arrays, with the first batch of each.
// The fault is about the first member that is not an array.
func (d *document) readColumns() (fault *format.Error) {
	s, cs := d.scan, &d.columns
	if cs.large {
		cs.all, cs.large = nil, false
	}

	cs.all = cs.all[:0]
	used := int64(0)
	for name, kind := range s.Members() {
		if len(cs.all) >= d.limits.MaxParams {
			s.FailLimit(s.NameError, "MaxParams", int64(d.limits.MaxParams), "arrays of one resource type")
			break
		}
		n := len(cs.all)
		cs.all = slices.Grow(cs.all, 1)[:n+1]
		c := &cs.all[n] // with the memory of an earlier one
		c.key, c.total, c.n, c.more = d.strings.String(name), 0, 0, false
		if kind != jsonscan.Array {
			fault = cmp.Or(fault, s.SkipTypeError("array"))
			continue
		}

		s.EnterArray()
		used = d.fillColumn(c, s, used)
		if c.more && s.Err() == nil {
			c.cursor = s.Cursor(c.cursor, s.LookAhead())
			s.SkipRestFast()
		}
	}
	cs.large = used > maxKept
	return fault
}

// fillColumn reads up to a batch of values from s, which is in the column's array. It takes the number
// of bytes that are used of the limit, and returns the new number.
func (d *document) fillColumn(c *column, s *jsonscan.Scanner, used int64) int64 {
	s.BeginRegion("MaxResultBytes", d.limits.MaxResultBytes, used)
	c.n, c.more = 0, true
	if d.out.records == nil {
		c.readValues(d, s)
	} else {
		c.readNumbers(d, s)
	}
	c.total += c.n
	return s.EndRegion()
}

// yieldColumns yields the resources of the type, whose entry was read. The type's name is at the
// position.
func (d *document) yieldColumns(entry *resource, at jsonscan.Position) {
	cs, fault := &d.columns, ""
	if entry.forRecord && !entry.hasAmount && cs.named("amount") == nil && (len(cs.all) == 0 || cs.all[0].total > 0) {
		fault = noAmountMessage
	} else {
		d.readRows(at)
	}

	// Count the rest of the values of all arrays.
	equal := true
	for i := range cs.all {
		c := &cs.all[i]
		for c.more && d.scan.Err() == nil {
			if c.more = c.cursor.Element(); c.more {
				c.total++
				c.cursor.Skip()
			}
			d.scan.FailAs(c.cursor)
		}
		equal = equal && c.total == cs.all[0].total
	}
	if fault == "" && !equal {
		fault = cs.lengths()
	}
	if fault != "" && d.scan.Err() == nil {
		d.recoverable(d.scan.ErrorAt(at, cs.path(), fault))
	}
}

// readRows yields the resources of the columns, up to the end of the shortest array. A type without
// columns has one resource.
func (d *document) readRows(at jsonscan.Position) {
	cs, yield := &d.columns, d.yieldResources
	if d.out.records != nil {
		yield = d.yieldRecords
	}
	if len(cs.all) == 0 {
		yield(1, at)
	}
	for more := len(cs.all) > 0; more && d.scan.Err() == nil; {
		n := batch
		for i := range cs.all {
			n = min(n, cs.all[i].n)
			more = more && cs.all[i].more
		}
		yield(n, at)

		used := int64(0)
		for i := range cs.all {
			if c := &cs.all[i]; more && d.scan.Err() == nil {
				used = d.fillColumn(c, c.cursor, used)
				c.cursor.Shrink()
				d.scan.FailAs(c.cursor)
			}
		}
		cs.large = cs.large || used > maxKept
	}
}

// lengths returns the message about arrays of different lengths. All were read to their ends.
func (cs *columns) lengths() string {
	const most = 20 // arrays in the message
	var parts []string
	for i := range cs.all[:min(most, len(cs.all))] {
		parts = append(parts, fmt.Sprintf("%s has %d", message.Shorten(cs.all[i].key), cs.all[i].total))
	}
	if len(cs.all) > most {
		parts = append(parts, "...")
	}
	return "the arrays differ in length, and values without a counterpart are left out: " + strings.Join(parts, ", ")
}

// This is the fast path for the values of an array: numbers are found and parsed many at a time: see
// numbers.go. The slow path reads one value of any type, with the scanner. Both append to the same
// batch.
//
// Invariants of a batch, after a call of readNumbers or readValues:
//
//   - it has n values, at most 128, in the order of the array. A value that can't be used has its
//     place too, so that index i is the same row in all columns of the type;
//   - more is false only if the array has ended, and then its bracket was read;
//   - what an earlier call yielded stays valid as far as it is strings: a batch never changes the
//     memory of a string, it only makes new ones.

// A column is one of the arrays. A batch of its values is in memory.
type column struct {
	key string

	cursor *jsonscan.Scanner // of the rest of the array; made when it is first needed
	more   bool              // the array may have values after the ones in memory
	n      int               // values in memory
	total  int               // values read

	// For resources.
	values []Value
	places []jsonscan.Position

	// For records: either amounts or texts.
	amounts amounts
	texts   []string
	spans   []span // scratch
}

// amounts are the amounts of records. NaN takes the place of one with a fault.
type amounts struct {
	numbers []float64
	offsets []int64         // in the input
	faults  []*format.Error // in the order of the amounts that are not finite numbers
}

// batch is the number of values of each array in memory.
const batch = 128

// next reports whether the array has another value, and counts it.
func (c *column) next(s *jsonscan.Scanner) bool {
	if !s.Element() {
		c.more = false
		return false
	}
	c.n++
	return true
}

// readValues reads a batch of values of any type. It reports what readNumbers fails on.
func (c *column) readValues(d *document, s *jsonscan.Scanner) {
	c.values, c.places = c.values[:0], c.places[:0]
	for c.n < batch && c.next(s) {
		c.places = append(c.places, s.Position())
		v := readValue(s, d.strings.String)
		c.values = append(c.values, v)
		if d.out.violation != nil && v.kind >= jsonscan.Array && s.Err() == nil {
			if _, ok := v.flatWithin(d.limits.MaxStringBytes); !ok {
				d.out.violation(d.flatError(s))
			}
		}
	}
}

// readNumbers reads a batch of amounts, or of the texts of other values in flattened fields.
//
// An array has usually only numbers: a run of them, which scanNumbers finds, and one value that the
// scanner reads alternate: the first one, because a run begins after an element, and then each that
// is unusual. Where all values are unusual, each costs one futile search more.
func (c *column) readNumbers(d *document, s *jsonscan.Scanner) {
	const batchBytes = 32 * batch // about the length of a batch of numbers, with white space
	a, isAmount := &c.amounts, c.key == "amount"
	a.numbers, a.offsets, a.faults, c.texts = a.numbers[:0], a.offsets[:0], a.faults[:0], c.texts[:0]
	for {
		taken, text, offset := 0, s.Ahead(batchBytes), s.Offset()
		c.spans, taken = scanNumbers(c.spans, text, batch-c.n)
		if isAmount {
			a.numbers = appendFloats(a.numbers, text, c.spans)
			for i := range c.spans {
				a.offsets = append(a.offsets, offset+int64(c.spans[i].start))
			}
		} else {
			c.texts = appendTexts(c.texts, text, c.spans)
		}
		s.Take(taken, len(c.spans))
		if c.n += len(c.spans); c.n == batch || !c.next(s) {
			return
		}

		// Read a value of any type.
		if isAmount {
			offset = s.Offset()
			f, fault := readAmount(s)
			if fault != nil && s.Err() == nil {
				f, a.faults = math.NaN(), append(a.faults, fault)
			}
			a.numbers, a.offsets = append(a.numbers, f), append(a.offsets, offset)
		} else {
			c.texts = append(c.texts, d.flatText(s, readValue(s, d.strings.String)))
		}
	}
}
