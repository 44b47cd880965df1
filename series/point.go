package series

import (
	"perfdata/format"
	"perfdata/traceid"
	"perfdata/unit"
)

// A Point is a record and its place: the series that it belongs to, its commit, and its repetition.
// It belongs to a [Placer], with its slices, and the next call of Place overwrites it. Its strings
// may be kept.
type Point struct {
	// Record is the record that Place was given.
	Record *format.Record

	// Identity is the params that tell the series from others, verbatim.
	Identity traceid.Params

	// Trace is the trace ID of Identity. It names the series.
	Trace []byte

	// Commit is the commit that was measured. It is empty if the record has none.
	Commit string

	// N is the number of the repetition, from 1. No other point of a Placer, until Reset, has the
	// same Trace, Commit and N.
	N int

	// Run is the run that measured the record: the name of a file, or the one that the caller of an
	// [Answer] gives. A Placer leaves it empty.
	Run string

	moved, attrs traceid.Params
}

// Attrs returns the attrs of the record, and the params that NotIdentity of the Placer lists, which
// take precedence over attrs of the same key.
func (p *Point) Attrs() traceid.Params {
	if len(p.moved) == 0 {
		return p.Record.Attrs
	}
	p.attrs = traceid.AppendMerge(p.attrs[:0], p.Record.Attrs, p.moved)
	return p.attrs
}

// Better returns whether lower or higher values are better: what the record says, or else what its
// unit implies, as package unit has it. Then byUnit is true.
func (p *Point) Better() (d format.Direction, byUnit bool) {
	if p.Record.Better != format.Unknown {
		return p.Record.Better, false
	}
	u, _ := unit.Parse(p.Record.Unit)
	return u.Better, u.Better != format.Unknown
}
