// Package columns is the table of measurements that the tool and the store's query write: its
// columns, their order, and how a row is filled. It also writes the table as JSON lines, CSV and TSV.
//
// A column without a value is null in JSON and Parquet, and an empty cell in CSV and TSV. Params,
// attrs and links are never null: they may be empty. In CSV and TSV, they are JSON objects.
package columns

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfdata/format"
	"perfdata/series"
	"perfdata/traceid"
)

// A Type is the type of a column's values.
type Type int

const (
	Text    Type = iota
	Integer      // of 64 bits
	Number       // a float64
	Map          // of texts
	Time         // to the second, in UTC; as text, RFC 3339
)

// A Column is a column of the table.
type Column struct {
	Name     string
	Type     Type
	Optional bool   // not all rows have a value
	Key      string // of the param, if the column was added for one
}

// The indexes of the columns that every table has.
const (
	ID = iota
	Trace
	Commit
	N
	Value
	Unit
	Better
	Params
	Attrs
	Links
	Position
	CommitTime
	File
	Offset
	Fixed // the number of these
)

// All returns the columns that every table has, and one for each of the keys of params. The name of
// a column is the name of its param, with "param:" before it if another column has that name.
func All(keys []string) ([]Column, error) {
	all := []Column{
		ID:         {Name: "id"},
		Trace:      {Name: "trace", Optional: true},
		Commit:     {Name: "commit", Optional: true},
		N:          {Name: "n", Type: Integer, Optional: true},
		Value:      {Name: "value", Type: Number},
		Unit:       {Name: "unit", Optional: true},
		Better:     {Name: "better", Optional: true},
		Params:     {Name: "params", Type: Map},
		Attrs:      {Name: "attrs", Type: Map},
		Links:      {Name: "links", Type: Map},
		Position:   {Name: "position", Type: Integer, Optional: true},
		CommitTime: {Name: "commit_time", Type: Time, Optional: true},
		File:       {Name: "file", Optional: true},
		Offset:     {Name: "offset", Type: Integer, Optional: true},
	}
	if len(keys) > maxAdded {
		return nil, fmt.Errorf("%d columns for params: want at most %d", len(keys), maxAdded)
	}

	for _, key := range keys {
		name := key
		if key == "" || has(all[:Fixed], key) {
			name = "param:" + key
		}
		if has(all, name) {
			return nil, fmt.Errorf("two columns %q", name)
		}
		all = append(all, Column{Name: name, Optional: true, Key: key})
	}
	return all, nil
}

// has reports whether one of the columns has the name.
func has(columns []Column, name string) bool {
	return slices.ContainsFunc(columns, func(c Column) bool { return c.Name == name })
}

// maxAdded bounds the columns that are added: each row has all of them.
const maxAdded = 1000

// Describe returns lines about the columns, for the help of commands.
func Describe() string {
	return strings.TrimLeft(`
  id       the trace ID of all params
  trace    the ID of the series: of the params without commit, commit-time, date
           and the number of the repetition
  commit   the commit that was measured
  n        the number of the repetition, from 1
  value    the value
  unit     its unit, as the file spells it
  better   lower or higher, if the file says which values are better
  params, attrs, links
  position of the commit in the list of commits that a database was given, from 0
  commit_time
           when the commit was made, as the list says, or else the files
  file     the file that has the measurement
  offset   where in the (decompressed) file it is, in bytes
`, "\n")
}

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
