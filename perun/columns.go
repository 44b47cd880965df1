package perun

import (
	"fmt"
	"math"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/perun/internal/numbers"
)

// The arrays of a resource type are read at the same time, a batch of values of each. The scanner
// reads the first batch of each array and skips the rest, and then a cursor for each array reads
// the rest. Holding the values instead would take unbounded memory, 16 bytes for each resource.

// columns are the parallel arrays of a resource type.
type columns struct {
	typeName string
	all      []column
	large    bool   // the memory of the columns is too large to keep
	attrs    []attr // of the records that are made of the columns
}

// A column is one of the arrays. A batch of its values is in memory.
type column struct {
	key  string
	slot int // index in the attrs of the record, or the fields of the resource; negative: none

	cursor *jsonscan.Scanner // of the rest of the array; made when it is first needed
	more   bool              // the array may have values after the ones in memory
	n      int               // values in memory
	total  int               // values read

	// Of resources.
	values []Value
	places []jsonscan.Position

	// Of records: either amounts or texts.
	amounts amounts
	texts   texts
	spans   []numbers.Span // scratch
}

// amounts are the amounts of records.
type amounts struct {
	numbers []float64
	offsets []int64 // in the input
	faults  []amountFault
}

// An amountFault is an amount that is not a finite number.
type amountFault struct {
	row   int // in the batch
	at    jsonscan.Position
	given string // its kind, unless it is a number
}

// batch is the number of values of each array in memory. Values that one batch has of an array
// share a string.
const batch = 128

// batchBytes is about the length of a batch of numbers, with white space.
const batchBytes = 32 * batch

// maxKept is the largest size in bytes of the columns' values in the input for which the columns'
// memory is kept for the next resource type.
const maxKept = 256 << 10

// readColumns reads the object ahead, whose members must be arrays, with the first batch of each.
// The fault is about the first member that is not an array. It returns false after an error of the
// scanner.
func (r *Reader) readColumns(out rowSink) (fault *format.Error, ok bool) {
	s, columns := r.scan, &r.columns
	if columns.large {
		columns.all, columns.large = nil, false
	}

	columns.all = columns.all[:0]
	var names jsonscan.Names
	used := int64(0)
	for s.EnterObject(); ; {
		name, kind, ok := s.Member()
		if !ok {
			break
		}

		if !columns.addName(s, &names, name) {
			break
		}
		if len(columns.all) >= r.Limits.MaxParams {
			s.FailLimit(s.NameError, "MaxParams", int64(r.Limits.MaxParams), "arrays of one resource type")
			break
		}

		c := columns.add(r.text(name))
		if kind != jsonscan.Array {
			if e := s.SkipTypeError("array"); fault == nil {
				fault = e
			}
			continue
		}

		s.EnterArray()
		used = r.fill(out, c, s, used)
		if c.more && s.Err() == nil {
			c.cursor = s.Cursor(c.cursor, s.LookAhead())
			s.SkimRest()
		}
	}
	columns.large = used > maxKept
	return fault, s.Err() == nil
}

// addName fails s if a column has the name. If there are many columns, it uses the set names.
func (cs *columns) addName(s *jsonscan.Scanner, names *jsonscan.Names, name []byte) bool {
	n := len(cs.all)
	if n < fewFields {
		if cs.named(string(name)) != nil {
			return s.FailRepeated(name)
		}
		return s.AllowsMember(n)
	}
	if n == fewFields {
		for i := range cs.all {
			names.Add(s, []byte(cs.all[i].key))
		}
	}
	return names.Add(s, name) || s.FailRepeated(name)
}

// add adds a column, with the memory of an earlier one.
func (cs *columns) add(key string) *column {
	n := len(cs.all)
	if n < cap(cs.all) {
		cs.all = cs.all[:n+1]
	} else {
		cs.all = append(cs.all, column{})
	}
	c := &cs.all[n]
	c.key, c.total, c.n, c.more = key, 0, 0, false
	return c
}

// named returns the column with that key, or nil.
func (cs *columns) named(key string) *column {
	for i := range cs.all {
		if cs.all[i].key == key {
			return &cs.all[i]
		}
	}
	return nil
}

// fill reads up to a batch of values from s, which is in the column's array. It takes the number
// of bytes that are used of the limit, and returns the new number.
func (r *Reader) fill(out rowSink, c *column, s *jsonscan.Scanner, used int64) int64 {
	s.BeginRegion("MaxResultBytes", r.Limits.MaxResultBytes, used)
	c.n, c.more = 0, true
	out.fill(r, c, s)
	c.total += c.n
	return s.EndRegion()
}

// next reports whether the array has another value, and counts it.
func (c *column) next(s *jsonscan.Scanner) bool {
	if !s.Element() {
		c.more = false
		return false
	}
	c.n++
	return true
}

// readRows yields the resources of the columns through the sink, up to the end of the shortest
// array.
func (r *Reader) readRows(out rowSink, entry *shape) bool {
	columns := &r.columns
	for {
		n := math.MaxInt
		more := true
		for i := range columns.all {
			n = min(n, columns.all[i].n)
			more = more && columns.all[i].more
		}
		if !out.rows(r, entry, n) {
			return false
		}
		if !more {
			return true
		}

		used := int64(0)
		for i := range columns.all {
			c := &columns.all[i]
			used = r.fill(out, c, c.cursor, used)
			c.cursor.Shrink()
			if e, failed := c.cursor.Err().(*format.Error); failed {
				r.scan.Fail(e)
				return true
			}
		}
		columns.large = columns.large || used > maxKept
	}
}

// equallyLong reports whether all arrays were read to their ends and have the same length.
func (cs *columns) equallyLong() bool {
	for i := range cs.all {
		if c := &cs.all[i]; c.more || c.total != cs.all[0].total {
			return false
		}
	}
	return true
}

// lengths returns the message about arrays of different lengths.
func (cs *columns) lengths() string {
	const most = 20 // arrays in the message
	var b strings.Builder
	b.WriteString("the arrays differ in length, and values without a counterpart are left out: ")
	for i := range cs.all {
		if i == most {
			b.WriteString(", ...")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s has %d", jsonscan.Clip(cs.all[i].key), cs.all[i].total)
	}
	return b.String()
}

// countRest counts the rest of the values of all arrays. It returns false after an error.
func (r *Reader) countRest() bool {
	for i := range r.columns.all {
		c := &r.columns.all[i]
		if !c.more {
			continue
		}
		for c.cursor.Element() {
			c.total++
			c.cursor.Skip()
		}
		c.more = false
		if e, failed := c.cursor.Err().(*format.Error); failed {
			r.scan.Fail(e)
			return false
		}
	}
	return true
}
