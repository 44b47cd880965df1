package main

import (
	"io"
	"reflect"
	"strings"

	"github.com/parquet-go/parquet-go"

	"perfdata/internal/columns"
	"perfdata/traceid"
)

// Bounds of a row group, which is held in memory.
const (
	maxGroupRows  = 100_000
	maxGroupBytes = 16 << 20 // roughly
)

// A parquetTable writes a table as a Parquet file.
type parquetTable struct {
	out     *parquet.GenericWriter[any]
	columns []columns.Column
	leaves  []int // the index of the first leaf of each column; a map has two

	row         parquet.Row
	rows, bytes int // of the row group
}

// A namedNode is a column of a group.
type namedNode struct {
	parquet.Node
	name string
}

func (n namedNode) Name() string { return n.name }

// Value returns the field of a row. No row is a Go value here.
func (n namedNode) Value(reflect.Value) reflect.Value { return reflect.Value{} }

// An orderedGroup is a group whose columns are in the given order. In a parquet.Group, they are in
// that of their names.
type orderedGroup struct {
	parquet.Group
	fields []parquet.Field
}

func (g orderedGroup) Fields() []parquet.Field { return g.fields }

func newParquetTable(dst io.Writer, all []columns.Column) *parquetTable {
	p := &parquetTable{columns: all}
	text := parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	types := map[columns.Type]parquet.Node{
		columns.Text: text, columns.Integer: parquet.Int(64), columns.Number: parquet.Leaf(parquet.DoubleType),
		columns.Map: parquet.Map(text, text),
	}
	group := orderedGroup{Group: parquet.Group{}}
	leaf := 0
	for _, c := range all {
		node := types[c.Type]
		if c.Optional {
			node = parquet.Optional(node)
		}
		group.Group[c.Name] = node
		group.fields = append(group.fields, namedNode{node, c.Name})
		p.leaves = append(p.leaves, leaf)
		leaf++
		if c.Type == columns.Map {
			leaf++
		}
	}

	// Without these options, the header of each page, and the footer, which is held in memory,
	// would have the least and the greatest text. Texts may be long.
	schema := parquet.NewSchema("measurements", group)
	options := []parquet.WriterOption{schema, parquet.Compression(&parquet.Zstd), parquet.DataPageStatistics(false)}
	for _, path := range schema.Columns() {
		if leaf, _ := schema.Lookup(path...); leaf.Node.Type().Kind() == parquet.ByteArray {
			options = append(options, parquet.SkipPageBounds(path...))
		}
	}
	p.out = parquet.NewGenericWriter[any](dst, options...)
	return p
}

// Write writes a row, and the row group if it is large.
func (p *parquetTable) Write(row *columns.Row) error {
	p.row = p.row[:0]
	for i, c := range p.columns {
		p.append(row, i, c.Key)
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

// append appends the values of the i-th column, which may be that of a param.
func (p *parquetTable) append(row *columns.Row, i int, key string) {
	leaf := p.leaves[i]
	switch i {
	case columns.ID:
		p.row = append(p.row, p.text(string(row.ID)).Level(0, 0, leaf))
	case columns.Trace:
		p.optional(leaf, p.text(string(row.Trace)), len(row.Trace) > 0)
	case columns.Commit:
		p.optional(leaf, p.text(row.Commit), row.Commit != "")
	case columns.N:
		p.optional(leaf, parquet.Int64Value(int64(row.N)), row.N > 0)
	case columns.Value:
		p.row = append(p.row, parquet.DoubleValue(row.Value).Level(0, 0, leaf))
	case columns.Unit:
		p.optional(leaf, p.text(row.Unit), row.Unit != "")
	case columns.Better:
		p.optional(leaf, p.text(row.Better.String()), row.Better != 0)

	case columns.Params:
		p.pairs(leaf, row.Params)
	case columns.Attrs:
		p.pairs(leaf, row.Attrs)
	case columns.Links:
		p.pairs(leaf, row.Links)

	case columns.File:
		p.optional(leaf, p.text(row.File), row.File != "")
	case columns.Offset:
		p.optional(leaf, parquet.Int64Value(row.Offset), row.Offset >= 0)
	default:
		value, ok := row.Params.Get(key)
		p.optional(leaf, p.text(value), ok)
	}
}

// text returns a text, which Parquet requires to be UTF-8.
func (p *parquetTable) text(s string) parquet.Value {
	p.bytes += len(s)
	return parquet.ByteArrayValue([]byte(strings.ToValidUTF8(s, "\ufffd")))
}

// optional appends a value, or null.
func (p *parquetTable) optional(leaf int, v parquet.Value, has bool) {
	if has {
		p.row = append(p.row, v.Level(0, 1, leaf))
	} else {
		p.row = append(p.row, parquet.NullValue().Level(0, 0, leaf))
	}
}

// pairs appends the keys and then the values of a map. A level says whether a pair is the first of
// its map, and whether there is a pair.
func (p *parquetTable) pairs(leaf int, pairs traceid.Params) {
	if len(pairs) == 0 {
		p.optional(leaf, parquet.Value{}, false)
		p.optional(leaf+1, parquet.Value{}, false)
		return
	}
	for i, pair := range pairs {
		p.row = append(p.row, p.text(pair.Key).Level(min(i, 1), 1, leaf))
	}
	for i, pair := range pairs {
		p.row = append(p.row, p.text(pair.Value).Level(min(i, 1), 1, leaf+1))
	}
}

// Close completes the file.
func (p *parquetTable) Close() error { return p.out.Close() }
