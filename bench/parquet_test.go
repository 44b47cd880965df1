package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/format"
)

// Another library reads all records in the Parquet files that the tool writes.
func TestParquet(t *testing.T) {
	dir := t.TempDir()
	tool := filepath.Join(dir, "perfdata")
	build := exec.Command("go", "build", "-o", tool, "./cmd/perfdata")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	for _, file := range []string{"skiav1/large.json", "nanolegacy/options.json", "benchfmt/gotest.txt", "keyval/iterations.keyval", "perun/sort.perf"} {
		t.Run(file, func(t *testing.T) {
			in, out := filepath.Join("../testdata", file), filepath.Join(dir, "out.parquet")
			keys := strings.Join(paramKeys(t, in), ",")
			if text, err := exec.Command(tool, "records", "--as", "parquet", "--columns", keys, "-o", out, in).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			want, got := recordLines(t, in), arrowLines(t, out)
			slices.Sort(want) // the rows of the file are in another order
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-records +arrow):\n%s", diff)
			}
		})
	}
}

// paramKeys returns the keys of the params of a file's records that no other column is named after.
func paramKeys(t *testing.T, name string) (keys []string) {
	t.Helper()
	eachRecord(t, name, func(rec *format.Record) {
		for key := range rec.Params.All() {
			if key != "unit" && key != "commit" && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	})
	return keys
}

// eachRecord opens a file and calls f with each of its records.
func eachRecord(t *testing.T, name string, f func(*format.Record)) {
	t.Helper()
	file, err := perfdata.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for rec, err := range file.Records() {
		if err != nil {
			t.Fatal(err)
		}
		f(rec)
	}
}

// recordLines returns a line for each record of a file.
func recordLines(t *testing.T, name string) (lines []string) {
	t.Helper()
	eachRecord(t, name, func(rec *format.Record) {
		lines = append(lines, fmt.Sprintf("%s %s %d %v %v %v %v", name, rec.TraceID(), rec.Offset, rec.Value,
			rec.Params.Map(), rec.Links.Map(), rec.Attrs.Map()))
	})
	return lines
}

// arrowLines returns the same for each row of a Parquet file. It also checks the columns of params.
func arrowLines(t *testing.T, name string) (lines []string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pool := memory.NewGoAllocator()
	table, err := pqarrow.ReadTable(context.Background(), f, parquet.NewReaderProperties(pool), pqarrow.ArrowReadProperties{}, pool)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()

	compared := 0 // values in columns of params
	reader := array.NewTableReader(table, -1)
	defer reader.Release()
	for reader.Next() {
		batch := reader.RecordBatch()
		columns := make(map[string]arrow.Array)
		for i, column := range batch.Columns() {
			columns[batch.ColumnName(i)] = column
		}
		for row := range int(batch.NumRows()) {
			params := arrowMap(columns["params"], row)
			lines = append(lines, fmt.Sprintf("%s %s %s %v %v %v %v",
				columns["file"].ValueStr(row), columns["id"].ValueStr(row), columns["offset"].ValueStr(row),
				columns["value"].(*array.Float64).Value(row),
				params, arrowMap(columns["links"], row), arrowMap(columns["attrs"], row)))

			for key, value := range params {
				column := columns[key]
				if column == nil {
					continue
				}
				compared++
				if column.ValueStr(row) != value {
					t.Errorf("row %d: column %s is %q, want %q", row, key, column.ValueStr(row), value)
				}
			}
		}
	}
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
	if compared == 0 {
		t.Error("no param has a column")
	}
	return lines
}

// arrowMap returns a row of a column of maps.
func arrowMap(column arrow.Array, row int) map[string]string {
	m := column.(*array.Map)
	from, to := m.ValueOffsets(row)
	pairs := make(map[string]string)
	for i := int(from); i < int(to); i++ {
		pairs[m.Keys().ValueStr(i)] = m.Items().ValueStr(i)
	}
	return pairs
}
