package format

import "perfdata/traceid"

// A Record is one measurement.
//
// A Record that a Reader yields belongs to the Reader, with its slices: do not change them, and
// expect the next step of the iteration to overwrite them. Its strings may be kept. A retained
// string may pin up to about 1 KB that it shares with others. Clone copies everything.
type Record struct {
	// Params identify the measurement. They are verbatim, as spelled in the file.
	Params traceid.Params

	// Value is the measured value, in the unit that the params name, if they name one.
	Value float64

	// Links are the file's links overlaid with the measurement's own.
	Links Links

	// Attrs were recorded with the measurement and are not part of its identity.
	Attrs traceid.Params

	// Offset is the offset of the measurement in the decompressed input, in bytes. Writers ignore
	// it.
	Offset int64
}

// Links maps names to URLs. Like params, it is sorted by name, and names do not repeat.
type Links = traceid.Params

// TraceID returns the canonical trace ID of the params of r, in the default charset.
func (r *Record) TraceID() string { return r.Params.ID() }

// Clone returns a copy of r that the Reader won't overwrite.
func (r *Record) Clone() *Record {
	c := *r
	c.Params, c.Links, c.Attrs = r.Params.Clone(), r.Links.Clone(), r.Attrs.Clone()
	return &c
}
