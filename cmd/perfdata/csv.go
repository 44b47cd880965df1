package main

import (
	"encoding/csv"
	"fmt"
	"maps"
	"slices"

	"perfdata/format"
	"perfdata/traceid"
)

// The table of "records --as csv" has a row for each record. Its columns are the union of the
// records' columns, so the files are read twice.

// Bounds of a table. Each row has all columns: without bounds, a file whose records have nothing
// in common would make a table of the square of its size.
const (
	maxColumns     = 2000
	maxColumnBytes = 1 << 20 // of their names
)

var errColumns = fmt.Errorf("too many columns for CSV: more than %d, or names of more than %d bytes; use --as jsonl",
	maxColumns, maxColumnBytes)

// A table is the columns of the output.
type table struct {
	params, links, attrs columns
	bytes                int // of their names
}

// columns are the columns of one kind of pairs: their indexes, by key.
type columns map[string]int

// add adds the columns that a record needs.
func (t *table) add(rec *format.Record) error {
	for _, kind := range []struct {
		columns columns
		pairs   traceid.Params
	}{{t.params, rec.Params}, {t.links, rec.Links}, {t.attrs, rec.Attrs}} {
		for _, p := range kind.pairs {
			if _, ok := kind.columns[p.Key]; ok {
				continue
			}
			kind.columns[p.Key] = 0
			t.bytes += len(p.Key)
		}
	}
	if len(t.params)+len(t.links)+len(t.attrs) > maxColumns || t.bytes > maxColumnBytes {
		return errColumns
	}
	return nil
}

// number sets the indexes, in the order of the keys, and returns the titles.
func (c columns) number(prefix string) []string {
	titles := slices.Sorted(maps.Keys(c))
	for i, key := range titles {
		c[key] = i
		titles[i] = prefix + key
	}
	return titles
}

// appendCells appends a cell for each column.
func (c columns) appendCells(row []string, pairs traceid.Params) ([]string, error) {
	first := len(row)
	row = append(row, make([]string, len(c))...)
	for _, p := range pairs {
		column, ok := c[p.Key]
		if !ok {
			return nil, fmt.Errorf("new key %q", p.Key)
		}
		row[first+column] = p.Value
	}
	return row, nil
}

// appendRow appends the cells of a record.
func (t *table) appendRow(row []string, rec *format.Record) ([]string, error) {
	row = append(row, rec.TraceID())
	row, err := t.params.appendCells(row, rec.Params)
	if err == nil {
		row, err = t.links.appendCells(row, rec.Links)
	}
	if err == nil {
		row, err = t.attrs.appendCells(row, rec.Attrs)
	}
	return append(row, string(appendValue(nil, rec.Value))), err
}

func (t *tool) printCSV(files []string) error {
	table := table{params: columns{}, links: columns{}, attrs: columns{}}
	first := make(map[int]tally)
	var failure error
	_, err := t.eachInput(files, func(in *input) {
		if failure != nil {
			return
		}
		// The second reading reports errors.
		first[in.index], failure = in.readRecords(t.selected(table.add), func(error) {})
		if failure != nil {
			failure = fmt.Errorf("%s: %w", in.name, failure)
		}
	})
	if err := firstError(err, failure); err != nil {
		return err
	}

	out := csv.NewWriter(t.data)
	var title []string
	if len(files) > 1 {
		title = append(title, "file")
	}
	title = append(title, "id")
	title = append(title, table.params.number("")...)
	title = append(title, table.links.number("link:")...)
	title = append(title, table.attrs.number("attr:")...)
	out.Write(append(title, "value"))
	defer out.Flush()

	for i, name := range files {
		first, ok := first[i]
		if !ok {
			continue // it could not be opened
		}
		err := t.withInput(i, name, func(in *input) error {
			return t.printRows(in, out, &table, len(files) > 1, first)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// printRows prints the rows of an input, given the tally of its first reading.
func (t *tool) printRows(in *input, out *csv.Writer, table *table, several bool, first tally) error {
	var row []string
	report := func(err error) {
		out.Flush()
		t.report(err)
	}

	now, err := in.readRecordsAgain(first, t.selected(func(rec *format.Record) (err error) {
		row = row[:0]
		if several {
			row = append(row, in.name)
		}
		if row, err = table.appendRow(row, rec); err != nil {
			return in.changed("%w", err)
		}
		return out.Write(row)
	}), report)
	if err == nil && now.failure != nil {
		report(now.failure)
	}
	return err
}
