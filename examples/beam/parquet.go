package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/parquet-go/parquet-go"

	"perfdata/traceid"
)

// columns are the columns of a Parquet file, in their order: the columns of perfdata records, then the
// change under review and the hour of the file.
type columns struct {
	ID     string            `parquet:"id,dict"`
	Trace  string            `parquet:"trace,optional,dict"`
	Commit string            `parquet:"commit,optional,dict"`
	N      int64             `parquet:"n,optional"`
	Value  float64           `parquet:"value"`
	Unit   string            `parquet:"unit,optional,dict"`
	Better string            `parquet:"better,optional,dict"`
	Params map[string]string `parquet:"params" parquet-key:",dict" parquet-value:",dict"`
	Attrs  map[string]string `parquet:"attrs" parquet-key:",dict" parquet-value:",dict"`
	Links  map[string]string `parquet:"links" parquet-key:",dict" parquet-value:",dict"`
	File   string            `parquet:"file,optional,dict"`
	Offset int64             `parquet:"offset,optional"`

	Issue    string     `parquet:"issue,dict"`
	Patchset string     `parquet:"patchset,dict"`
	Hour     *time.Time `parquet:"hour,optional,timestamp"`
}

// The leaves of the columns: a map has two.
const (
	leafID = iota
	leafTrace
	leafCommit
	leafN
	leafValue
	leafUnit
	leafBetter
	leafParams
	leafAttrs    = leafParams + 2
	leafLinks    = leafAttrs + 2
	leafFile     = leafLinks + 2
	leafOffset   = leafFile + 1
	leafIssue    = leafOffset + 1
	leafPatchset = leafIssue + 1
	leafHour     = leafPatchset + 1
)

// Rows in memory. Others are in a temporary file until they are merged.
const (
	rowsSorted  = 1 << 15
	rowsInGroup = 1 << 17
)

// writeFn writes a part. It emits the number of its rows.
type writeFn struct {
	Out    string
	Shards int64
}

func (fn *writeFn) ProcessElement(ctx context.Context, p part, rows func(*row) bool, emit func(int64)) error {
	name := fmt.Sprintf("%s/%s/day=%s/part-%05d-of-%05d.parquet",
		fn.Out, p.Table, cmp.Or(p.Day, noDay), p.Shard, fn.Shards)
	n := int64(0)
	err := writeFile(ctx, name, func(w io.Writer) (err error) {
		n, err = writeRows(w, rows)
		return err
	})
	if err == nil {
		emit(n)
	}
	return err
}

// noDay is how Hive, Spark, DuckDB and others name the partition of NULL.
const noDay = "__HIVE_DEFAULT_PARTITION__"

// writeRows writes rows as a Parquet file, sorted, so that its contents do not depend on the order
// in which they arrive.
func writeRows(w io.Writer, rows func(*row) bool) (n int64, err error) {
	schema := parquet.NewSchema("measurements", parquet.SchemaOf(columns{}))
	out := parquet.NewSortingWriter[any](w, rowsSorted, schema, parquet.Compression(&parquet.Zstd),
		parquet.MaxRowsPerRowGroup(rowsInGroup),
		parquet.SortingWriterConfig(
			parquet.SortingBuffers(parquet.NewFileBufferPool("", "perfdata-beam-*")),
			parquet.SortingColumns(parquet.Ascending("trace"), parquet.Ascending("commit"),
				parquet.Ascending("issue"), parquet.Ascending("patchset"), parquet.Ascending("n")),
		))
	defer out.Reset(io.Discard) // removes the temporary file, even after an error
	builder := parquet.NewRowBuilder(schema)

	var r row
	for rows(&r) {
		if err := setRow(builder, &r); err != nil {
			return n, err
		}
		if _, err := out.WriteRows([]parquet.Row{builder.Row()}); err != nil {
			return n, err
		}
		n++
	}
	return n, out.Close()
}

// setRow sets the row of the builder. With a struct of columns, the order of a map's keys, and so
// of the file's bytes, would be random.
func setRow(b *parquet.RowBuilder, r *row) error {
	b.Reset()
	p, m := &r.Place, &r.Measurement
	b.Add(leafID, parquet.ValueOf(traceid.Params(m.Params).ID()))
	b.Add(leafIssue, parquet.ValueOf(p.Issue))
	b.Add(leafPatchset, parquet.ValueOf(p.Patchset))
	for _, c := range [...]struct {
		leaf int
		text string
	}{{leafTrace, p.Trace}, {leafCommit, p.Commit}, {leafUnit, m.Unit}, {leafBetter, m.Better}, {leafFile, m.Path}} {
		if c.text != "" {
			b.Add(c.leaf, parquet.ValueOf(c.text))
		}
	}
	b.Add(leafN, parquet.ValueOf(m.N))
	b.Add(leafValue, parquet.ValueOf(m.Value))
	b.Add(leafOffset, parquet.ValueOf(m.Offset))
	if m.Hour != "" {
		hour, err := time.Parse(hourLayout, m.Hour)
		if err != nil {
			return err
		}
		b.Add(leafHour, parquet.ValueOf(hour.UnixMilli()))
	}

	for i, pairs := range [][]traceid.Param{m.Params, m.Attrs, m.Links} {
		for _, pair := range pairs {
			b.Add(leafParams+2*i, parquet.ValueOf(pair.Key))
			b.Add(leafParams+2*i+1, parquet.ValueOf(pair.Value))
		}
	}
	return nil
}
