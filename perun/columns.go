package perun

import (
	"fmt"
	"strings"

	"perfdata/format"
	"perfdata/internal/jsonscan"
)

// The arrays of a resource type are read at the same time, a batch of values of each. The scanner
// reads the first batch of each array and skips the rest, and then a cursor for each array reads
// the rest. Holding the values instead would take unbounded memory, 16 bytes for each resource.

// A rowSink is a sink for resources, including resources in parallel arrays.
type rowSink interface {
	sink

	// entry reads the entry of the resource type map ahead of c.
	entry(c *jsonscan.Scanner) *resource

	// fill reads values of a column, at most a batch, from s, which is in the column's array.
	fill(c *column, s *jsonscan.Scanner)

	// rows yields the next n resources of the columns, with the fields of the last entry. A type
	// without columns has one resource, whose position is that of the type's name.
	rows(cs *columns, n int, at jsonscan.Position)
}

// columns are the parallel arrays of a resource type.
type columns struct {
	*grammar
	typeName string
	all      []column
	large    bool // the memory of the columns is too large to keep
}

// maxKept is the largest size in bytes of the columns' values in the input for which the columns'
// memory is kept for the next resource type.
const maxKept = 256 << 10

// path returns the path of the resource type.
func (cs *columns) path() string { return "resources." + jsonscan.Clip(cs.typeName) }

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

// read reads the object ahead, whose members must be arrays, with the first batch of each.
// The fault is about the first member that is not an array.
func (cs *columns) read(out rowSink) (fault *format.Error) {
	s := cs.scan
	if cs.large {
		cs.all, cs.large = nil, false
	}

	cs.all = cs.all[:0]
	used := int64(0)
	for name, kind := range s.Members(&cs.names) {
		if len(cs.all) >= cs.limits.MaxParams {
			s.FailLimit(s.NameError, "MaxParams", int64(cs.limits.MaxParams), "arrays of one resource type")
			break
		}
		c := cs.add(cs.strings.String(name))
		if kind != jsonscan.Array {
			if e := s.SkipTypeError("array"); fault == nil {
				fault = e
			}
			continue
		}

		s.EnterArray()
		used = cs.fill(out, c, s, used)
		if c.more && s.Err() == nil {
			c.cursor = s.Cursor(c.cursor, s.LookAhead())
			s.SkimRest()
		}
	}
	cs.large = used > maxKept
	return fault
}

// fill reads up to a batch of values from s, which is in the column's array. It takes the number
// of bytes that are used of the limit, and returns the new number.
func (cs *columns) fill(out rowSink, c *column, s *jsonscan.Scanner, used int64) int64 {
	s.BeginRegion("MaxResultBytes", cs.limits.MaxResultBytes, used)
	c.n, c.more = 0, true
	out.fill(c, s)
	c.total += c.n
	return s.EndRegion()
}

// yield yields the resources of the type, whose entry was read. The type's name is at the position.
func (cs *columns) yield(out rowSink, entry *resource, at jsonscan.Position) {
	fault := ""
	if entry.forRecord && !entry.hasAmount && cs.named("amount") == nil && (len(cs.all) == 0 || cs.all[0].total > 0) {
		fault = noAmountMessage
	} else {
		cs.readRows(out, at)
	}
	cs.countRest()
	if fault == "" {
		fault = cs.lengths()
	}
	if fault != "" && cs.scan.Err() == nil {
		cs.recoverable(out, cs.scan.ErrorAt(at, cs.path(), fault))
	}
}

// readRows yields the resources of the columns through the sink, up to the end of the shortest
// array. A type without columns has one resource.
func (cs *columns) readRows(out rowSink, at jsonscan.Position) {
	if len(cs.all) == 0 {
		out.rows(cs, 1, at)
	}
	for more := len(cs.all) > 0; more && cs.scan.Err() == nil; {
		n := batch
		for i := range cs.all {
			n = min(n, cs.all[i].n)
			more = more && cs.all[i].more
		}
		out.rows(cs, n, at)

		used := int64(0)
		for i := range cs.all {
			if c := &cs.all[i]; more && cs.scan.Err() == nil {
				used = cs.fill(out, c, c.cursor, used)
				c.cursor.Shrink()
				cs.checkCursor(c)
			}
		}
		cs.large = cs.large || used > maxKept
	}
}

// checkCursor makes an error of the column's cursor the scanner's.
func (cs *columns) checkCursor(c *column) {
	if e, failed := c.cursor.Err().(*format.Error); failed {
		cs.scan.Fail(e)
	}
}

// countRest counts the rest of the values of all arrays.
func (cs *columns) countRest() {
	for i := range cs.all {
		for c := &cs.all[i]; c.more && cs.scan.Err() == nil; {
			if c.more = c.cursor.Element(); c.more {
				c.total++
				c.cursor.Skip()
			}
			cs.checkCursor(c)
		}
	}
}

// lengths returns the message about arrays of different lengths. All were read to their
// ends, or nothing if they have the same length.
func (cs *columns) lengths() string {
	equal := true
	for i := range cs.all {
		equal = equal && cs.all[i].total == cs.all[0].total
	}
	if equal {
		return ""
	}

	const most = 20 // arrays in the message
	var parts []string
	for i := range cs.all[:min(most, len(cs.all))] {
		parts = append(parts, fmt.Sprintf("%s has %d", jsonscan.Clip(cs.all[i].key), cs.all[i].total))
	}
	if len(cs.all) > most {
		parts = append(parts, "...")
	}
	return "the arrays differ in length, and values without a counterpart are left out: " + strings.Join(parts, ", ")
}
