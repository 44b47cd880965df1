package columns

import (
	"errors"

	"perfdata/format"
	"perfdata/series"
	"perfdata/traceid"
)

// A Row is a row of the table. It has a field for each column.
type Row struct {
	ID     []byte
	Trace  []byte // empty if no param is part of the identity
	Commit string // empty if there is none
	N      int    // 0 if it is not known
	Value  float64
	Unit   string // empty if there is none
	Better format.Direction
	Params traceid.Params
	Attrs  traceid.Params
	Links  format.Links
	File   string // empty if it is not known
	Offset int64  // negative if it is not known

	otherCharset bool   // the IDs are not in the default charset
	id           []byte // memory of ID
}

// Fill sets all fields except File from a record and its point. The cause
// of the error is [format.ErrLimit], if the Placer cannot number more repetitions. Then N is 0, and
// the rest is set.
func (r *Row) Fill(p *series.Placer, rec *format.Record) error {
	r.Commit, r.N, r.Value, r.Unit, r.Better = rec.Commit, 0, rec.Value, rec.Unit, rec.Better
	r.Params, r.Attrs, r.Links, r.Offset = rec.Params, rec.Attrs, rec.Links, rec.Offset

	r.otherCharset = p.Charset != nil
	at, err := p.Place(rec)
	if errors.Is(err, series.ErrNoIdentity) {
		r.setID(p.Charset, rec)
		r.Trace = nil
		return nil
	}
	r.Trace, r.Commit, r.ID = at.Trace, at.Commit, at.Trace
	if len(at.Identity) != len(rec.Params) {
		r.setID(p.Charset, rec)
	}
	if err == nil {
		r.N = at.N
	}
	return err
}

// FillPlaced sets all fields except File from a record whose place is known: the trace ID of its
// series, in the charset, and the number of its repetition. The row keeps the memory of the trace.
func (r *Row) FillPlaced(rec *format.Record, charset *traceid.Charset, trace []byte, n int) {
	r.Commit, r.N, r.Value, r.Unit, r.Better = rec.Commit, n, rec.Value, rec.Unit, rec.Better
	r.Params, r.Attrs, r.Links, r.Offset = rec.Params, rec.Attrs, rec.Links, rec.Offset
	r.Trace, r.otherCharset = trace, charset != nil
	r.setID(charset, rec)
}

// setID sets ID to that of all params.
func (r *Row) setID(charset *traceid.Charset, rec *format.Record) {
	if charset != nil {
		r.id = charset.AppendID(r.id[:0], rec.Params)
	} else {
		r.id = rec.AppendTraceID(r.id[:0])
	}
	r.ID = r.id
}
