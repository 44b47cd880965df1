package columns

import (
	"errors"
	"time"

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
	Place  Place  // of the commit
	File   string // empty if it is not known
	Offset int64  // negative if it is not known

	otherCharset bool   // the IDs are not in the default charset
	id           []byte // memory of ID
	made         struct {
		text string
		time time.Time
	}
}

// A Place has the known facts about the commit of a row. The zero Place is the place of an
// unknown commit.
type Place struct {
	Listed int       // position in the list of commits, from 1; 0 if no list has the commit
	Time   time.Time // of the commit, to the second; zero if it is not known
}

// keyCommitTime is the param or attr in which files say when their commit was made, as package
// series has it.
const keyCommitTime = "commit-time"

// Fill sets all fields except File from a record and its point. A record says nothing of lists of
// commits. N of a record that was read from a table is the one there, unless NotIdentity of the Placer
// says otherwise. The cause of the error is [format.ErrLimit], if the Placer cannot number more
// repetitions. Then N is 0, and the rest is set.
func (r *Row) Fill(p *series.Placer, rec *format.Record) error {
	r.setFields(rec, p.Charset)
	r.N, r.Place.Listed = 0, 0
	at, err := p.Place(rec)
	if errors.Is(err, series.ErrNoIdentity) {
		r.setID(p.Charset, rec)
		r.Trace, r.Place.Time = nil, r.commitTime(rec)
		return nil
	}

	r.Trace, r.Commit, r.ID = at.Trace, at.Commit, at.Trace
	if len(at.Identity) != len(rec.Params) {
		r.setID(p.Charset, rec)
	}
	if given := rec.Source.Place(rec.Params); given != nil && given.IsKnown && p.NotIdentity == nil {
		r.N = given.N
	} else if err == nil {
		r.N = at.N
	}
	r.Place.Time = r.commitTime(rec)
	return err
}

// commitTime returns the time that a record gives its commit, or zero if it does not.
func (r *Row) commitTime(rec *format.Record) time.Time {
	if r.Commit == "" {
		return time.Time{}
	}
	text, ok := rec.Params.Get(keyCommitTime)
	if !ok {
		if text, ok = rec.Attrs.Get(keyCommitTime); !ok {
			if given := rec.Source.Place(rec.Params); given != nil {
				return given.Time
			}
			return time.Time{}
		}
	}
	if text != r.made.text {
		t, _ := time.Parse(time.RFC3339, text) // zero after an error
		r.made.text, r.made.time = text, t.UTC().Truncate(time.Second)
	}
	return r.made.time
}

// FillPlaced sets all fields except File and Place from a record whose place is known: the trace
// ID of its series, in the charset, and the number of its repetition. The row keeps the memory of
// the trace.
func (r *Row) FillPlaced(rec *format.Record, charset *traceid.Charset, trace []byte, n int) {
	r.setFields(rec, charset)
	r.Trace, r.N = trace, n
	r.setID(charset, rec)
}

// setFields sets the fields that are as in the record.
func (r *Row) setFields(rec *format.Record, charset *traceid.Charset) {
	r.Commit, r.Value, r.Unit, r.Better = rec.Commit, rec.Value, rec.Unit, rec.Better
	r.Params, r.Attrs, r.Links, r.Offset = rec.Params, rec.Attrs, rec.Links, rec.Offset
	r.otherCharset = charset != nil
}

// setID sets ID to the ID of all params.
func (r *Row) setID(charset *traceid.Charset, rec *format.Record) {
	if charset != nil {
		r.id = charset.AppendID(r.id[:0], rec.Params)
	} else {
		r.id = rec.AppendTraceID(r.id[:0])
	}
	r.ID = r.id
}
