package format

import (
	"perfdata/internal/delta"
	"perfdata/traceid"
)

// A Record is one measurement.
//
// A Record that a Reader yields belongs to the Reader, with its slices: do not change them, and
// expect the next step of the iteration to overwrite them. Its strings may be kept. A retained
// string may pin up to about 1 KB that it shares with others. Clone copies everything.
type Record struct {
	// Params identify the measurement. They are verbatim, as spelled in the file.
	Params traceid.Params

	Value float64

	// Unit is the unit of Value, as the file spells it. It is empty if the file names none. In
	// most formats, Params have it as well.
	Unit string

	// Better says whether lower or higher values are better, if the file says so.
	Better Direction

	// Commit is the commit that was measured: the record's own, else that of the header. It is
	// empty if the file names none.
	Commit string

	// Repetition is the number of the repetition, from 1, where the format numbers repetitions. It
	// is 0 where it does not: then records with the same params are repetitions, in their order.
	//
	// Writers write it. A format without another way has it in the param repetition, which package
	// series reads as the number; one that cannot hold it refuses the record.
	Repetition int

	// Links are the file's links overlaid with the measurement's own.
	Links Links

	// Attrs were recorded with the measurement and are not part of its identity.
	Attrs traceid.Params

	// Offset is the offset of the measurement in the decompressed input, in bytes. Writers ignore
	// it.
	Offset int64

	// Source is what the Reader knows about the record, for AppendTraceID. Programs leave it alone.
	Source Source `json:"-"`
}

// A Source is what a Reader knows about a record that it has yielded. It is not part of
// the measurement: Equal always returns true.
type Source = delta.Source

// Links maps names to URLs. Like params, it is sorted by name, and names do not repeat.
type Links = traceid.Params

// TraceID returns the canonical trace ID of the params of r, in the default charset.
func (r *Record) TraceID() string { return string(r.AppendTraceID(nil)) }

// AppendTraceID appends the canonical trace ID of the params of r, in the default charset, to dst,
// and returns the extended slice. For a record that a Reader has just yielded, it makes only the
// part that differs from the previous record, which takes a fraction of the time of
// [traceid.Params.AppendID]. Params that the caller has changed are noticed.
func (r *Record) AppendTraceID(dst []byte) []byte { return r.Source.AppendID(dst, r.Params) }

// Clone returns a copy of r that the Reader won't overwrite.
func (r *Record) Clone() *Record {
	c := *r
	c.Params, c.Links, c.Attrs = r.Params.Clone(), r.Links.Clone(), r.Attrs.Clone()
	c.Source = r.Source.Clone(c.Params)
	return &c
}

// A Direction says which values of a measurement are better.
type Direction int8

const (
	Unknown Direction = iota
	Lower             // as for times
	Higher            // as for rates
)

// String returns "lower", "higher", or nothing if d is Unknown.
func (d Direction) String() string {
	switch d {
	case Lower:
		return "lower"
	case Higher:
		return "higher"
	}
	return ""
}
