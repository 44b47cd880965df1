package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"perfdata/cmd/perfdata/internal/rowsort"
	"perfdata/internal/buffer"
	"perfdata/internal/columns"
)

// Bounds of a row group, which is held in memory, and of the rows that are sorted in memory.
const (
	maxGroupRows  = 128_000
	maxGroupBytes = 32 << 20 // roughly
	sortMemory    = 32 << 20 // roughly
	longestBound  = 4 << 10  // bytes of the texts of a column that has bounds
	bytesOfValue  = 4        // in memory, roughly: an index in a dictionary
	bytesOfText   = 64
)

// A parquetTable writes a table as a Parquet file. Its rows are sorted by trace and commit: a
// reader finds the rows of a trace by the statistics of the row groups, and equal texts are
// together, which compresses them.
//
// The layout was chosen with 1.2 million values of 150,000 traces of 11 params, and DuckDB 1.4.4.
// Bytes a value, and CPU time to read the values of one trace:
//
//	in the order of the files                                 40.8   69 ms
//	sorted                                                    18.0    5
//	also data pages of version 1, where levels are compressed,
//	and the bytes of values apart from each other             13.0    6
//	also pages of 2 MiB, and the better level of zstd         11.9    6
//
// Texts without a dictionary take twice the bytes and the time. DuckDB 1.4 cannot read integers whose
// bytes are apart. Maps take it 30 times the time of a column, in every layout. All of a command with
// 1.2 million values takes 16 s of CPU time, and 12.5 s in the order of the files.
type parquetTable struct {
	*tool
	folder  string // of the temporary file
	columns []columns.Column
	sorter  *rowsort.Sorter

	out *parquet.GenericWriter[any]
	row parquet.Row

	// Of the row group.
	rows  int
	bytes int             // roughly
	cells []cell          // of the previous row, by column
	texts map[string]bool // in dictionaries
}

// A cell is the values of a column in a row.
type cell struct {
	text   string // that the values are made from
	values []parquet.Value
}

// A namedNode is a column of a group.
type namedNode struct {
	parquet.Node
	name string
}

func (n namedNode) Name() string { return n.name }

// Value returns the field of a row. No row is a Go value here.
func (n namedNode) Value(reflect.Value) reflect.Value { return reflect.Value{} }

// An orderedGroup is a group whose columns are in the given order. In a parquet.Group, they are
// sorted by name.
type orderedGroup struct {
	parquet.Group
	fields []parquet.Field
}

func (g orderedGroup) Fields() []parquet.Field { return g.fields }

// newParquetTable begins a table. Rows are sorted in a temporary file beside the output file, if
// there is one, and otherwise where other temporary files are.
func (t *tool) newParquetTable(all []columns.Column) *parquetTable {
	folder := os.TempDir()
	if file := t.signals.incomplete; file != "" { // only the writing of files changes it, so no lock is needed
		folder = filepath.Dir(file)
	}
	return &parquetTable{
		tool: t, folder: folder, columns: all, sorter: rowsort.New(t.sortMemory, buffer.NewFile(folder), all),
		cells: make([]cell, len(all)), texts: make(map[string]bool),
	}
}

// writeFile writes the rows of the sorter.
func (p *parquetTable) writeFile() error {
	p.open()
	for row, err := range p.sorter.Rows() {
		if err != nil {
			return err
		}
		if err := p.writeRow(row); err != nil {
			return err
		}
	}
	if n := p.sorter.Spilled(); n > 0 {
		p.note("sorting the rows took a temporary file of %.1f MB in %s", float64(n)/1e6, p.folder)
	}
	return p.out.Close()
}

// open begins the file. Its layout is the one that was chosen above. It is called after the last
// row was added, because some options depend on the longest text of a column.
func (p *parquetTable) open() {
	text := parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	types := map[columns.Type]parquet.Node{
		columns.Text: text, columns.Integer: parquet.Int(64),
		columns.Number: parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.ByteStreamSplit),
		columns.Map:    parquet.Map(text, text),
		columns.Time:   parquet.Timestamp(parquet.Millisecond),
	}

	group := orderedGroup{Group: parquet.Group{}}
	for _, c := range p.columns {
		node := types[c.Type]
		if c.Optional {
			node = parquet.Optional(node)
		}
		group.Group[c.Name] = node
		group.fields = append(group.fields, namedNode{node, c.Name})
	}
	schema := parquet.NewSchema("measurements", group)

	trace, commit := p.columns[columns.Trace].Name, p.columns[columns.Commit].Name
	// The Bloom filter has 10 bits for each trace of a row group: a reader that looks for another
	// trace skips the group, except in about one of a hundred cases.
	options := []parquet.WriterOption{
		schema,
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedBetterCompression}),
		parquet.DataPageVersion(1),
		parquet.PageBufferSize(2 << 20),
		parquet.DataPageStatistics(false), // in the header of each page: the statistics in the footer suffice
		parquet.MaxRowsPerRowGroup(maxGroupRows),
		parquet.BloomFilters(parquet.SplitBlockFilter(10, trace)),
		parquet.SortingWriterConfig(parquet.SortingColumns(
			parquet.NullsFirst(parquet.Ascending(trace)), parquet.NullsFirst(parquet.Ascending(commit)))),
	}
	for _, path := range schema.Columns() { // a map has two: its keys and its values
		i := slices.IndexFunc(p.columns, func(c columns.Column) bool { return c.Name == path[0] })
		// The footer, which is held in memory, has the least and the greatest value of a column in each
		// row group. The bounds of maps are useless, and long values take memory.
		kind := p.columns[i].Type
		if kind == columns.Map || kind == columns.Text && p.sorter.Longest(i) > longestBound {
			options = append(options, parquet.SkipPageBounds(path...))
		}
	}
	p.out = parquet.NewGenericWriter[any](p.stdout, options...)
}

// writeRow writes a row, and the row group if it is large.
func (p *parquetTable) writeRow(row rowsort.Row) error {
	p.row = p.row[:0]
	leaf := 0 // a map has two
	for i, column := range p.columns {
		// In most columns, the values of a cell are the same as in the previous row.
		c := &p.cells[i]
		if c.values == nil || c.text != string(row[i]) {
			hasDictionary := column.Type == columns.Text || column.Type == columns.Map
			if c.text = string(row[i]); hasDictionary && !p.texts[c.text] {
				p.texts[c.text] = true
				p.bytes += bytesOfText + 2*len(c.text) // in the set of texts, too
			}
			c.values = appendValues(c.values[:0], column, leaf, c.text)
		}
		p.row = append(p.row, c.values...)
		if leaf++; column.Type == columns.Map {
			leaf++
		}
	}
	if _, err := p.out.WriteRows([]parquet.Row{p.row}); err != nil {
		return err
	}

	p.rows++
	p.bytes += bytesOfValue * len(p.row)
	if p.rows < maxGroupRows && p.bytes < maxGroupBytes {
		return nil
	}
	// The next row group has dictionaries of its own, so its texts take memory anew.
	p.rows, p.bytes = 0, 0
	clear(p.cells)
	clear(p.texts)
	return p.out.Flush()
}

// appendValues appends the values of a column, which are made from a cell. Those of a map are its
// keys and then its values. A level says whether a pair is the first of its map, and whether there
// is a pair. A cell can be parsed, because an Encoder has written it.
func appendValues(dst []parquet.Value, column columns.Column, leaf int, cell string) []parquet.Value {
	text := func(s string) parquet.Value { return parquet.ByteArrayValue([]byte(s)) }
	var v parquet.Value
	switch {
	case column.Type == columns.Map:
		pairs := columns.Pairs(cell)
		for which := range 2 {
			if len(pairs) == 0 {
				dst = append(dst, parquet.NullValue().Level(0, 0, leaf+which))
			}
			for i := which; i < len(pairs); i += 2 {
				dst = append(dst, text(pairs[i]).Level(min(i/2, 1), 1, leaf+which))
			}
		}
		return dst
	case cell == columns.NoCell:
		return append(dst, parquet.NullValue().Level(0, 0, leaf))
	case column.Type == columns.Text:
		v = text(columns.Unquote(cell))
	case column.Type == columns.Number:
		f, _ := strconv.ParseFloat(cell, 64)
		v = parquet.DoubleValue(f)
	case column.Type == columns.Integer:
		n, _ := strconv.ParseInt(cell, 10, 64)
		v = parquet.Int64Value(n)
	default:
		t, _ := time.Parse(time.RFC3339, cell)
		v = parquet.Int64Value(t.UnixMilli())
	}

	definition := 0
	if column.Optional {
		definition = 1
	}
	return append(dst, v.Level(0, definition, leaf))
}
