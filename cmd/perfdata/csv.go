package main

import (
	"encoding/csv"
	"io"
	"maps"
	"slices"

	"perfdata/traceid"
)

// The table of "records -o csv" has a row for each record. Its columns are all that any record has, so the files
// are read twice.

// columns are those that one kind of pairs needs: their keys, each with its place among them.
type columns map[string]int

func (c columns) add(pairs traceid.Params) {
	for _, p := range pairs {
		c[p.Key] = 0
	}
}

// number gives the keys their places, in order, and returns the columns' titles.
func (c columns) number(prefix string) []string {
	titles := slices.Sorted(maps.Keys(c))
	for i, key := range titles {
		c[key] = i
		titles[i] = prefix + key
	}
	return titles
}

// appendCells appends a cell for each column.
func (c columns) appendCells(row []string, pairs traceid.Params) []string {
	row = append(row, make([]string, len(c))...)
	cells := row[len(row)-len(c):]
	for _, p := range pairs {
		cells[c[p.Key]] = p.Value
	}
	return row
}

func (t *tool) printCSV(files []string) error {
	params, links, attrs := columns{}, columns{}, columns{}
	stderr := t.stderr
	t.stderr = io.Discard // the second reading reports the same again
	_, err := t.eachInput(files, func(in *input) {
		for rec, err := range t.records(in) {
			if err != nil {
				continue
			}
			params.add(rec.Params)
			links.add(rec.Links)
			attrs.add(rec.Attrs)
		}
	})
	t.stderr = stderr
	if err != nil {
		return err
	}

	out := csv.NewWriter(t.stdout)
	var title []string
	if len(files) > 1 {
		title = append(title, "file")
	}
	title = append(title, "id")
	title = append(title, params.number("")...)
	title = append(title, links.number("link:")...)
	title = append(title, attrs.number("attr:")...)
	out.Write(append(title, "value"))
	var row []string
	_, err = t.eachInput(files, func(in *input) {
		for rec, err := range t.records(in) {
			if err != nil {
				out.Flush()
				t.report(err)
				continue
			}
			row = row[:0]
			if len(files) > 1 {
				row = append(row, in.name)
			}
			row = append(row, rec.TraceID())
			row = params.appendCells(row, rec.Params)
			row = links.appendCells(row, rec.Links)
			row = attrs.appendCells(row, rec.Attrs)
			out.Write(append(row, string(appendValue(nil, rec.Value))))
		}
	})
	out.Flush()
	return err
}
