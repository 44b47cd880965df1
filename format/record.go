package format

import "perfdata/traceid"

// A Record is one measurement.
//
// A Record that a Reader yields belongs to the Reader, with its slices: they are for reading
// only, and the next step of the iteration overwrites them. Its strings are ordinary ones and may
// be kept, each at the price of about a kilobyte of memory at most, which it may share with
// others. Clone keeps everything.
type Record struct {
	// Params identify what was measured. They are verbatim, as the file spells them.
	Params traceid.Params

	// Value is what was measured, in the unit that the params name, if they name one.
	Value float64

	// Links are the file's links overlaid with the measurement's own.
	Links Links

	// Attrs were recorded with the measurement and are not part of its identity.
	Attrs traceid.Params

	// Offset is the place of the measurement in the (decompressed) input, in bytes from its
	// beginning. Writers ignore it.
	Offset int64
}

// Links maps names to URLs. It is held as params are: sorted by name, no name twice.
type Links = traceid.Params

// TraceID returns the canonical trace id of r: that of its params, in the default charset.
func (r *Record) TraceID() string { return r.Params.ID() }

// Clone returns a copy of r that the Reader won't overwrite.
func (r *Record) Clone() *Record {
	c := *r
	c.Params, c.Links, c.Attrs = r.Params.Clone(), r.Links.Clone(), r.Attrs.Clone()
	return &c
}
