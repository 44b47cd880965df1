// Package columns is the table of measurements that the tool and the store's query write: its
// columns, their order, and how a row is filled. It also writes the table as JSON lines, CSV and TSV.
//
// A column without a value is null in JSON and Parquet, and an empty cell in CSV and TSV. Params,
// attrs and links are never null: they may be empty. In CSV and TSV, they are JSON objects.
package columns

import (
	"fmt"
	"slices"
	"strings"
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
