package series

import (
	"fmt"
	"iter"
	"slices"

	"perfdata/format"
	"perfdata/internal/message"
	"perfdata/traceid"
)

// A Collector collects points into series, for programs that judge them. The zero Collector is empty
// and has the defaults. A value takes 16 bytes, and a series about 100 bytes and its params.
type Collector struct {
	// MaxValues is the largest number of values. If it is 0, it is 12,000,000.
	MaxValues int

	byTrace map[string]*Series
	all     []*Series
	last    *Series
	values  [][]value // chunks
	len     int       // of values
	cells   *cells    // what the columns stand for; nil if they are sides
}

const (
	defaultMaxValues = 12_000_000
	valueChunk       = 4096
)

// A value is an element of the list of a series' values.
type value struct {
	value  float64
	column uint32
	next   uint32 // the index of the next value, plus 1
}

// A Series is the values that belong together, and what is known about all of them. It belongs to a
// [Collector].
type Series struct {
	Trace    string         // the trace ID of Identity
	Identity traceid.Params // verbatim, of the first point

	Unit   string           // of the first point
	Better format.Direction // of the first point that says it
	ByUnit bool             // Better is what the unit implies

	// Exact says that a value can be measured exactly: the attr assume, which unit metadata of Go
	// benchmarks sets, is "exact".
	Exact bool

	// Machine is an attr that names a machine, such as host, and Machines says that its value is not
	// the same for all points.
	Machine  traceid.Param
	Machines bool

	of          *Collector
	first, last uint32 // indices of values, plus 1
	len         int
}

// Add adds the value of a point to its series. A column is what the caller tells values of a series
// apart by, such as the commit, from 0. It may be at most 4,294,967,295. The cause of an error is
// [format.ErrLimit].
func (c *Collector) Add(at *Point, column int) error {
	most := c.MaxValues
	if most == 0 {
		most = defaultMaxValues
	}
	if c.len >= most {
		return message.LimitError(fmt.Sprintf("too many values: want at most %d", most))
	}
	return c.add(at, column)
}

// add is Add without a limit.
func (c *Collector) add(at *Point, column int) error {
	s := c.last
	if s == nil || s.Trace != string(at.Trace) {
		if s = c.byTrace[string(at.Trace)]; s == nil {
			s = c.addSeries(at)
		}
		c.last = s
	}
	s.learn(at)

	if c.len/valueChunk == len(c.values) {
		c.values = append(c.values, make([]value, 0, valueChunk))
	}
	chunk := &c.values[c.len/valueChunk]
	*chunk = append(*chunk, value{value: at.Record.Value, column: uint32(column)})
	c.len++
	if s.last == 0 {
		s.first = uint32(c.len)
	} else {
		c.at(s.last).next = uint32(c.len)
	}
	s.last = uint32(c.len)
	s.len++
	return nil
}

// at returns a value by its index plus 1.
func (c *Collector) at(i uint32) *value { return &c.values[(i-1)/valueChunk][(i-1)%valueChunk] }

// addSeries adds the series of a point.
func (c *Collector) addSeries(at *Point) *Series {
	if c.byTrace == nil {
		c.byTrace = make(map[string]*Series)
	}
	s := &Series{Trace: string(at.Trace), Identity: slices.Clone(at.Identity), Unit: at.Record.Unit, of: c}
	c.byTrace[s.Trace] = s
	c.all = append(c.all, s)
	return s
}

// learn notes what a point says about its series.
func (s *Series) learn(at *Point) {
	if s.Better == format.Unknown || s.ByUnit {
		if better, byUnit := at.Better(); better != format.Unknown && (!byUnit || s.Better == format.Unknown) {
			s.Better, s.ByUnit = better, byUnit
		}
	}
	for i := range at.Record.Attrs {
		attr := &at.Record.Attrs[i]
		switch attr.Key {
		case "assume":
			s.Exact = s.Exact || attr.Value == "exact"
		case "host", "hostname", "host_name", "machine", "machine_name", "node":
			switch {
			case s.Machine.Key == "":
				s.Machine = *attr
			case s.Machine.Key == attr.Key && s.Machine.Value != attr.Value:
				s.Machines = true
			}
		}
	}
}

// Series returns the series in the order of their first points. The slice belongs to the caller.
func (c *Collector) Series() []*Series { return slices.Clone(c.all) }

// Len returns the number of series.
func (c *Collector) Len() int { return len(c.all) }

// Of returns the collector of s.
func (s *Series) Of() *Collector { return s.of }

// Len returns the number of values.
func (s *Series) Len() int { return s.len }

// Values iterates over the columns and values of s, in the order in which they were added.
func (s *Series) Values() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for i := s.first; i != 0; {
			v := s.of.at(i)
			if !yield(int(v.column), v.value) {
				return
			}
			i = v.next
		}
	}
}

// AppendSide appends the values of a side to dst, in the order in which they were added. The side of a
// value is its column, or what an [Answer] says.
func (s *Series) AppendSide(dst []float64, side int) []float64 {
	for column, v := range s.Values() {
		if s.of.cells.side(column) == side {
			dst = append(dst, v)
		}
	}
	return dst
}

// Has reports whether s has a value of a side.
func (s *Series) Has(side int) bool {
	for column := range s.Values() {
		if s.of.cells.side(column) == side {
			return true
		}
	}
	return false
}

// quantities are the params that say what a value is of, where it has no unit.
var quantities = [...]string{"key", "sub_result", "metric", "resource"}

// Quantity returns what the values are of: the unit, or without one what tells quantities apart in such
// formats, such as the key of a keyval. It may be empty.
func (s *Series) Quantity() string {
	if s.Unit != "" {
		return s.Unit
	}
	for _, key := range quantities {
		if value, ok := s.Identity.Get(key); ok {
			return value
		}
	}
	return ""
}

// reset forgets all series and their values, and keeps the memory.
func (c *Collector) reset() {
	clear(c.byTrace)
	c.all, c.last, c.len = c.all[:0], nil, 0
	for i := range c.values {
		c.values[i] = c.values[i][:0]
	}
	c.values = c.values[:min(len(c.values), 1)]
}
