package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"

	"perfdata/internal/testing/formattest"
)

// parquetRow is a row as a program would read it.
type parquetRow struct {
	File   string            `parquet:"file"`
	Offset int64             `parquet:"offset"`
	ID     string            `parquet:"id"`
	Value  float64           `parquet:"value"`
	Params map[string]string `parquet:"params"`
	Links  map[string]string `parquet:"links"`
	Attrs  map[string]string `parquet:"attrs"`
}

func readParquet(t *testing.T, data string) (rows []parquetRow, columns []string) {
	t.Helper()
	r := parquet.NewGenericReader[parquetRow](strings.NewReader(data))
	defer r.Close()
	rows = make([]parquetRow, r.NumRows())
	if n, err := r.Read(rows); n != len(rows) || err != nil && err != io.EOF {
		t.Fatalf("%d of %d rows: %v", n, len(rows), err)
	}
	f, err := parquet.OpenFile(strings.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range f.Schema().Fields() {
		columns = append(columns, field.Name())
	}
	return rows, columns
}

func TestParquet(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run.json")
	write(t, name, `{"version":1,"git_hash":"abc","key":{"arch":"x86","value":"é"},"links":{"l":"u"},"results":[
{"key":{"a":"1"},"measurement":1.5},
{"key":{"b":"2"},"measurements":{"stat":[{"value":"min","measurement":-0.0,"links":{"m":"v"}}]}}]}`)

	data, stderr, status := runTool(strings.NewReader("BenchmarkX 10 NaN ns/op\n"), "records", "--as", "parquet", "--columns", "arch,value", name)
	if stderr != "" || status != statusOK {
		t.Fatal(status, stderr)
	}
	rows, columns := readParquet(t, data)
	want := []parquetRow{
		{name, 99, ",a=1,arch=x86,value=_,", 1.5, map[string]string{"a": "1", "arch": "x86", "value": "é"}, map[string]string{"l": "u"}, nil},
		{name, 136, ",arch=x86,b=2,stat=min,value=_,", 0,
			map[string]string{"arch": "x86", "b": "2", "stat": "min", "value": "é"}, map[string]string{"l": "u", "m": "v"}, nil},
	}
	if diff := cmp.Diff(want, rows, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(parquetRow{}, "Offset")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(append(strings.Split(titlesCSV, ","), "arch", "param:value"), columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}

	data, stderr, status = runTool(strings.NewReader("BenchmarkX 10 NaN ns/op\n"), "records", "--as", "parquet", "-")
	rows, _ = readParquet(t, data)
	if len(rows) != 1 || !math.IsNaN(rows[0].Value) || rows[0].File != "<stdin>" || rows[0].Attrs["iterations"] != "10" || stderr != "" {
		t.Errorf("%d, %s, %v", status, stderr, rows)
	}
	data, _, status = runTool(strings.NewReader(`{"version":1,"git_hash":"abc","results":[]}`), "records", "--as", "parquet", "-")
	if rows, _ = readParquet(t, data); len(rows) != 0 || status != statusOK {
		t.Errorf("%d, %v", status, rows)
	}
}

// The Parquet file has all of every sample file.
func TestParquetFiles(t *testing.T) {
	for name, file := range formattest.Files(t, "../../testdata/*/large.json", 2) {
		data, stderr, status := runTool(strings.NewReader(file), "records", "--as", "parquet", "-")
		if stderr != "" || status != statusOK {
			t.Fatal(status, stderr)
		}
		var got bytes.Buffer
		rows, _ := readParquet(t, data)
		for _, row := range rows {
			fmt.Fprintf(&got, "%s = %s\n", row.ID, appendValue(nil, row.Value))
		}
		want, _, _ := runTool(strings.NewReader(file), "records", "--as", "text", "-")
		if want != got.String() {
			t.Errorf("%s: %d rows differ", name, len(rows))
		}
	}
}

// Row groups are bounded in rows and in bytes.
func TestParquetRowGroups(t *testing.T) {
	for name, record := range map[string]string{
		"rows":  strings.Repeat("BenchmarkX 1 1 s\n", maxGroupRows+5),
		"bytes": strings.Repeat("BenchmarkX/k="+strings.Repeat("x", 1<<20-100)+" 1 1 s\n", 12),
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.parquet")
			if _, stderr, status := runTool(strings.NewReader(record), "records", "--as", "parquet", "-o", out, "-"); status != statusOK {
				t.Fatal(status, stderr)
			}
			file, err := os.Open(out)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			info, _ := file.Stat()
			f, err := parquet.OpenFile(file, info.Size())
			if err != nil {
				t.Fatal(err)
			}
			var rows []int64
			for _, group := range f.RowGroups() {
				rows = append(rows, group.NumRows())
			}
			if len(rows) < 2 || slices.Max(rows) > maxGroupRows {
				t.Errorf("row groups of %d rows", rows)
			}
			if info.Size() > 1<<20 {
				t.Errorf("%d bytes", info.Size())
			}
		})
	}
}

// Parquet is not printed on a terminal.
func TestBinaryOnTerminal(t *testing.T) {
	for _, args := range [][]string{{"records", "--as", "parquet", testdata + "example.json"}, {"flame", "--as", "pprof", perundata + "sort.perf"}} {
		status, stderr, stdout := runTerminal(true, args...)
		if stdout != "" || stderr != "perfdata: "+errBinary.Error()+"\n" || status != statusFailed {
			t.Errorf("%q: %d, %s%q", args, status, stderr, stdout)
		}
	}
}
