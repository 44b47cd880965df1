package main

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/traceid"
)

// The table of "records --as csv" has a row for each record. Its columns are the union of the
// records' columns.

// Bounds of a table. Each row has all columns: without bounds, a file whose records have nothing
// in common would make a table of the square of its size.
const (
	maxColumns     = 2000
	maxColumnBytes = 1 << 20 // of their names
)

var errColumns = fmt.Errorf("too many columns: more than %d, or names of more than %d bytes; use --as jsonl",
	maxColumns, maxColumnBytes)

// A csvTable writes records as CSV or TSV. It is a columnar.
type csvTable struct {
	out                  rowWriter
	several              bool // files
	params, links, attrs columns
	bytes                int // of the names of columns
	row                  []string
}

func newCSVTable(out rowWriter, several bool) *csvTable {
	return &csvTable{out: out, several: several, params: columns{}, links: columns{}, attrs: columns{}}
}

// columns are the columns of one kind of pairs: their indexes, by key.
type columns map[string]int

// look adds the columns that a record needs.
func (t *csvTable) look(rec *format.Record) error {
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

// begin writes the titles.
func (t *csvTable) begin() error {
	var titles []string
	if t.several {
		titles = append(titles, "file")
	}
	titles = append(titles, "id")
	titles = append(titles, t.params.number("")...)
	titles = append(titles, t.links.number("link:")...)
	titles = append(titles, t.attrs.number("attr:")...)
	return t.out.Write(append(titles, "value"))
}

func (t *csvTable) write(in *input, rec *format.Record) error {
	row := t.row[:0]
	if t.several {
		row = append(row, in.name)
	}
	row = append(row, rec.TraceID())
	row, err := t.params.appendCells(row, rec.Params)
	if err == nil {
		row, err = t.links.appendCells(row, rec.Links)
	}
	if err == nil {
		row, err = t.attrs.appendCells(row, rec.Attrs)
	}
	if err != nil {
		return in.changed("%w", err)
	}
	t.row = append(row, string(appendValue(nil, rec.Value)))
	return t.out.Write(t.row)
}

func (t *csvTable) flush() { t.out.Flush() }

func (t *csvTable) end() error {
	t.out.Flush()
	return nil
}

// A tsvWriter writes rows of cells separated by tabs. It escapes tabs, line ends and backslashes
// as \t, \n, \r and \\, so that each row is a line and each tab ends a cell.
type tsvWriter struct{ out *bufio.Writer }

var escapeTSV = strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`, `\`, `\\`)

// Write writes a row.
func (w *tsvWriter) Write(row []string) error {
	for i, cell := range row {
		if i > 0 {
			w.out.WriteByte('\t')
		}
		escapeTSV.WriteString(w.out, cell)
	}
	return w.out.WriteByte('\n')
}

// Flush writes what is buffered.
func (w *tsvWriter) Flush() { w.out.Flush() }
