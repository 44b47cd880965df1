package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"perfdata/format"
	"perfdata/traceid"
)

// The table of "records --as parquet" has a row for each record. Its columns are
//
//	file, offset          where the record is
//	id                    the trace ID
//	params, links, attrs  maps of strings
//	value
//
// and one for each param that all records have, under its own name, or with "param:" before the
// name of another column.

// Bounds of a row group, which is held in memory.
const (
	maxGroupRows  = 100_000
	maxGroupBytes = 16 << 20 // roughly
)

// A parquetTable writes records as a Parquet file. It is a columnar.
type parquetTable struct {
	dst    io.Writer
	out    *parquet.GenericWriter[any]
	keys   []string // of the params that all records have
	looked bool     // at a record

	columns parquetColumns
	row     parquet.Row
	cells   [][]parquet.Value // of the row, by column

	rows, bytes int // of the row group
}

// parquetColumns are the indexes of the columns, or of the keys and values of a map.
type parquetColumns struct {
	file, offset, id, value int
	params, links, attrs    [2]int
	shared                  []int // of the params that all records have
}

// look keeps the keys that all records have.
func (p *parquetTable) look(rec *format.Record) error {
	if !p.looked {
		p.looked = true
		for _, param := range rec.Params {
			p.keys = append(p.keys, param.Key)
		}
		return nil
	}
	p.keys = slices.DeleteFunc(p.keys, func(key string) bool {
		_, ok := rec.Params.Get(key)
		return !ok
	})
	return nil
}

// begin makes the schema.
func (p *parquetTable) begin() error {
	if len(p.keys) > maxColumns {
		return errColumns
	}
	text := parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	texts := parquet.Map(text, text)
	group := parquet.Group{
		"file": text, "offset": parquet.Int(64), "id": text, "value": parquet.Leaf(parquet.DoubleType),
		"params": texts, "links": texts, "attrs": texts,
	}

	names := make([]string, len(p.keys))
	for i, key := range p.keys {
		names[i] = columnName(key)
		if group[names[i]] != nil {
			return fmt.Errorf("two params would have the column %q; use --as jsonl", names[i])
		}
		group[names[i]] = text
	}

	schema := parquet.NewSchema("measurements", group)
	index := func(path ...string) int {
		leaf, _ := schema.Lookup(path...)
		return leaf.ColumnIndex
	}
	indexes := func(name string) [2]int {
		return [2]int{index(name, "key_value", "key"), index(name, "key_value", "value")}
	}

	p.cells = make([][]parquet.Value, len(schema.Columns()))
	p.columns = parquetColumns{
		file: index("file"), offset: index("offset"), id: index("id"), value: index("value"),
		params: indexes("params"), links: indexes("links"), attrs: indexes("attrs"),
	}
	for _, name := range names {
		p.columns.shared = append(p.columns.shared, index(name))
	}

	// Without these options, the header of each page, and the footer, which is held in memory,
	// would have the least and the greatest text. Texts may be long.
	options := []parquet.WriterOption{schema, parquet.Compression(&parquet.Zstd), parquet.DataPageStatistics(false)}
	for _, path := range schema.Columns() {
		if leaf, _ := schema.Lookup(path...); leaf.Node.Type().Kind() == parquet.ByteArray {
			options = append(options, parquet.SkipPageBounds(path...))
		}
	}
	p.out = parquet.NewGenericWriter[any](p.dst, options...)
	return nil
}

// columnName returns the name of the column of a param.
func columnName(key string) string {
	switch key {
	case "", "file", "offset", "id", "value", "params", "links", "attrs":
		return "param:" + key
	}
	return key
}

// write writes a record, and the row group if it is large.
func (p *parquetTable) write(in *input, rec *format.Record) error {
	for i := range p.cells {
		p.cells[i] = p.cells[i][:0]
	}
	p.set(p.columns.file, p.text(strings.ToValidUTF8(in.name, "\ufffd")))
	p.set(p.columns.offset, parquet.Int64Value(rec.Offset))
	p.set(p.columns.id, p.text(rec.TraceID()))
	p.set(p.columns.value, parquet.DoubleValue(rec.Value))
	p.setMap(p.columns.params, rec.Params)
	p.setMap(p.columns.links, rec.Links)
	p.setMap(p.columns.attrs, rec.Attrs)

	for i, key := range p.keys {
		value, ok := rec.Params.Get(key)
		if !ok {
			return in.changed("missing key %q", key)
		}
		p.set(p.columns.shared[i], p.text(value))
	}

	p.row = p.row[:0]
	for _, cell := range p.cells {
		p.row = append(p.row, cell...)
	}
	if _, err := p.out.WriteRows([]parquet.Row{p.row}); err != nil {
		return err
	}
	if p.rows++; p.rows < maxGroupRows && p.bytes < maxGroupBytes {
		return nil
	}
	p.rows, p.bytes = 0, 0
	return p.out.Flush()
}

func (p *parquetTable) text(s string) parquet.Value {
	p.bytes += len(s)
	return parquet.ByteArrayValue([]byte(s))
}

func (p *parquetTable) set(column int, v parquet.Value) {
	p.cells[column] = append(p.cells[column], v.Level(0, 0, column))
}

// setMap sets the keys and values of a map. A level says whether a pair is the first of its map,
// and whether there is a pair.
func (p *parquetTable) setMap(columns [2]int, pairs traceid.Params) {
	if len(pairs) == 0 {
		for _, c := range columns {
			p.cells[c] = append(p.cells[c], parquet.NullValue().Level(0, 0, c))
		}
		return
	}
	for i, pair := range pairs {
		repetition := min(i, 1)
		for j, s := range []string{pair.Key, pair.Value} {
			c := columns[j]
			p.cells[c] = append(p.cells[c], p.text(s).Level(repetition, 1, c))
		}
	}
}

// flush does nothing: a row group is written when it is large.
func (p *parquetTable) flush() {}

func (p *parquetTable) end() error { return p.out.Close() }
