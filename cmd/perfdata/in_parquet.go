package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/parquet-go/parquet-go"

	"perfdata/format"
	"perfdata/ingest"
	"perfdata/internal/chars"
	"perfdata/internal/columns"
	"perfdata/internal/opening"
	"perfdata/traceid"
)

// A parquetReader reads a Parquet file with the columns of a table as that table in JSON lines,
// which all commands read.
type parquetReader struct {
	rows  *parquet.GenericReader[parquetMeasurement]
	batch []parquetMeasurement
	lines bytes.Buffer
	table *columns.Encoder
	row   columns.Row
}

// A parquetMeasurement is a row, without what a table does not need. The ID, and the columns of
// --columns, follow from the params. The position, the file and the offset have a meaning only
// where the row was made.
type parquetMeasurement struct {
	Trace      string            `parquet:"trace,optional"`
	Commit     string            `parquet:"commit,optional"`
	N          *int              `parquet:"n,optional"`
	Value      *float64          `parquet:"value,optional"`
	Unit       string            `parquet:"unit,optional"`
	Better     string            `parquet:"better,optional"`
	Params     map[string]string `parquet:"params"`
	Attrs      map[string]string `parquet:"attrs,optional"`
	Links      map[string]string `parquet:"links,optional"`
	CommitTime *time.Time        `parquet:"commit_time,optional,timestamp(millisecond)"`
}

// directions are the texts of the column better. It is empty if it is null.
var directions = map[string]format.Direction{
	"":                     format.Unknown,
	format.Lower.String():  format.Lower,
	format.Higher.String(): format.Higher,
}

// parquetMagic begins and ends Parquet files.
const parquetMagic = "PAR1"

// isParquet reports whether a file is Parquet. It leaves the file at its beginning, because another
// Reader may read it.
func isParquet(f io.ReadSeeker) bool {
	var start [len(parquetMagic)]byte
	_, err := io.ReadFull(f, start[:])
	_, seekErr := f.Seek(0, io.SeekStart)
	return err == nil && seekErr == nil && string(start[:]) == parquetMagic
}

// Parquet is read as JSON lines, so that nothing else knows of it: detection, errors and records
// work as for that format. This costs the writing and reading of the lines.

// newParquetReader returns a reader of a file with the name, for errors.
func newParquetReader(f io.ReadSeeker, name string) (r *parquetReader, err error) {
	// Deferred functions run in reverse order, so a panic has become an error before the error gets
	// a place. A Parquet file has no lines: the place is its beginning.
	defer func() {
		if err != nil {
			at := format.Position{Line: 1, Column: 1}
			err = &format.Error{Name: name, Position: at, Message: err.Error(), Err: format.ErrSyntax}
		}
	}()
	defer recovered(&err)
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}

	// All rows are read, in their order, so filters and indexes are of no use.
	file, err := parquet.OpenFile(&readerAt{f}, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return nil, err
	}
	// Any Parquet file could be given. A missing column would be a value of 0 for each row.
	value, hasValue := file.Schema().Lookup("value")
	_, hasParams := file.Schema().Lookup("params", "key_value", "key")
	if !hasValue || value.Node.Type().Kind() != parquet.Double || !hasParams {
		return nil, errors.New("a Parquet file without the columns value, of doubles, and params")
	}
	all, err := columns.All(nil)
	if err != nil {
		return nil, err
	}
	r = &parquetReader{rows: parquet.NewGenericReader[parquetMeasurement](file), batch: make([]parquetMeasurement, 64)}
	r.table = columns.NewEncoder(&r.lines, all, columns.JSON)
	return r, nil
}

// parquetAsRows makes a file be read as JSON lines if it is Parquet.
func parquetAsRows(f *ingest.File, _ error) {
	open, name := f.Open, f.Path
	f.Open = func(ctx context.Context) (io.ReadCloser, error) {
		in, err := open(ctx)
		// Parquet is read from its end. What is not a file of a file system, such as standard input,
		// cannot seek.
		file, ok := in.(fs.File)
		if err != nil || !ok {
			return in, err
		}

		var r io.Reader
		info, err := file.Stat()
		if err == nil {
			// Package ingest looks for changes of any file that has Stat. The reader of rows has
			// none, so the changes are looked for here, below it.
			seeker, ok := opening.Unchanged(file, info).(io.ReadSeeker)
			if !ok || !info.Mode().IsRegular() || !isParquet(seeker) {
				return file, nil
			}
			r, err = newParquetReader(seeker, name)
		}
		if err != nil {
			file.Close()
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{r, file}, nil
	}
}

// recovered makes a panic of the library about a malformed file an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the Parquet file is malformed: %v", p)
	}
}

// Read reads JSON lines.
func (r *parquetReader) Read(p []byte) (n int, err error) {
	defer recovered(&err)
	// The lines of one batch are in memory at a time. The buffer is used for the next batch.
	for r.lines.Len() == 0 {
		rows, err := r.rows.Read(r.batch)
		for i := range rows {
			m := &r.batch[i]
			better, isDirection := directions[m.Better]
			n := 0
			if m.N != nil {
				n = *m.N
			}
			// A row with a fault has no record. It becomes a line with that fault, for which the reader of
			// the lines has the words.
			switch {
			case m.Value == nil:
				r.lines.WriteString(`{"params":{},"value":null}` + "\n")
				continue
			case !isDirection:
				fmt.Fprintf(&r.lines, `{"params":{},"value":0,"better":%s}`+"\n", chars.AppendJSON(nil, m.Better))
				continue
			case m.N != nil && n < 1:
				fmt.Fprintf(&r.lines, `{"params":{},"value":0,"n":%d}`+"\n", n)
				continue
			}

			rec := format.Record{
				Commit: m.Commit, Value: *m.Value, Unit: m.Unit, Better: better, Offset: -1,
				Params: traceid.FromMap(m.Params), Attrs: traceid.FromMap(m.Attrs), Links: traceid.FromMap(m.Links),
			}

			// The trace ID may be in any charset, which the zero one says.
			r.row.FillPlaced(&rec, new(traceid.Charset), []byte(m.Trace), n)
			if r.row.Place.Time = (time.Time{}); m.CommitTime != nil {
				r.row.Place.Time = *m.CommitTime
			}
			if err := r.table.Write(&r.row); err != nil {
				return 0, err
			}
		}
		clear(r.batch[:rows]) // so that the next rows do not keep the params of these
		// The last rows may come with io.EOF, which the next call returns alone.
		if err != nil && (rows == 0 || !errors.Is(err, io.EOF)) {
			return 0, err
		}
	}
	return r.lines.Read(p)
}

// A readerAt reads a file that one goroutine uses. The library wants to read anywhere, and the
// files of the tool seek.
type readerAt struct{ io.ReadSeeker }

func (r *readerAt) ReadAt(p []byte, offset int64) (int, error) {
	if _, err := r.Seek(offset, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(r, p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}
