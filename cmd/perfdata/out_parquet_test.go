package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
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
	if len(rows) != 1 || !math.IsNaN(rows[0].Value) || rows[0].File != "<stdin>" ||
		rows[0].Attrs["iterations"] != "10" || stderr != "" {
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
		var got []string
		rows, _ := readParquet(t, data)
		for _, row := range rows {
			got = append(got, fmt.Sprintf("%s = %s\n", row.ID, appendValue(nil, row.Value)))
		}
		text, _, _ := runTool(strings.NewReader(file), "records", "--as", "text", "-")
		want := strings.SplitAfter(strings.TrimSuffix(text, "\n")+"\n", "\n")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(want[1:], got) {
			t.Errorf("%s: %d rows differ", name, len(rows))
		}
	}
}

// Row groups are bounded in rows and in bytes.
func TestParquetRowGroups(t *testing.T) {
	for name, record := range map[string]string{
		"rows":  strings.Repeat("BenchmarkX 1 1 s\n", maxGroupRows+5),
		"bytes": distinct(40, strings.Repeat("x", 1<<18)),
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.parquet")
			if _, stderr, status := runTool(strings.NewReader(record), "records", "--as", "parquet", "-q", "-o", out, "-"); status != statusOK {
				t.Fatal(status, stderr)
			}
			f := openParquet(t, out)
			var rows []int64
			for _, group := range f.RowGroups() {
				rows = append(rows, group.NumRows())
			}
			if len(rows) < 2 || slices.Max(rows) > maxGroupRows {
				t.Errorf("row groups of %d rows", rows)
			}
			if f.Size() > 1<<20 {
				t.Errorf("%d bytes", f.Size())
			}
		})
	}
}

// distinct returns n benchmarks with long names.
func distinct(n int, long string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "BenchmarkX/%d%s 1 1 s\n", i, long)
	}
	return b.String()
}

func openParquet(t *testing.T, name string) *parquet.File {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A reader finds a trace by the order of the rows, the statistics and the Bloom filter, and the
// file is small.
func TestParquetLayout(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out.parquet")
	tool := newTool(strings.NewReader(skiaRun(3000, 0)), io.Discard, io.Discard)
	if status := tool.run([]string{"records", "--as", "parquet", "-o", out, "--columns", "test", "-"}); status != statusOK {
		t.Fatal(status)
	}
	f := openParquet(t, out)
	rows, _ := readParquet(t, readFile(t, out))
	if !slices.IsSortedFunc(rows, func(a, b parquetRow) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("not sorted")
	}

	group := f.Metadata().RowGroups[0]
	if s := group.SortingColumns; len(s) != 2 || s[0].ColumnIdx != 1 || s[1].ColumnIdx != 2 || !s[0].NullsFirst {
		t.Errorf("sorted by %+v", s)
	}
	bounds := make(map[string]string)
	for _, chunk := range group.Columns {
		name, data := chunk.MetaData.PathInSchema[0], chunk.MetaData
		bounds[name] = string(data.Statistics.MinValue) + " " + string(data.Statistics.MaxValue)
		if filter := data.BloomFilterLength > 0; filter != (name == "trace") {
			t.Errorf("%s: Bloom filter: %v", name, filter)
		}
	}
	first, last := rows[0].ID, rows[len(rows)-1].ID
	if bounds["trace"] != first+" "+last || bounds["params"] != " " || bounds["test"] == " " || bounds["value"] == " " {
		t.Errorf("%q, want %q", bounds, first+" "+last)
	}

	filter := f.RowGroups()[0].ColumnChunks()[1].BloomFilter()
	for trace, want := range map[string]bool{first: true, last: true, first + "x": false} {
		if got, err := filter.Check(parquet.ByteArrayValue([]byte(trace))); got != want || err != nil {
			t.Errorf("%s: %v, %v", trace, got, err)
		}
	}
}

// Long texts are not in the footer, which is held in memory.
func TestParquetLongTexts(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.parquet")
	in := distinct(2, strings.Repeat("x", 5000))
	if _, stderr, status := runTool(strings.NewReader(in), "records", "--as", "parquet", "-o", out, "-"); status != statusOK {
		t.Fatal(status, stderr)
	}
	for _, chunk := range openParquet(t, out).Metadata().RowGroups[0].Columns {
		name, has := chunk.MetaData.PathInSchema[0], chunk.MetaData.Statistics.MaxValue != nil
		if want := name == "file" || name == "unit" || name == "value" || name == "n" || name == "offset"; has != want {
			t.Errorf("%s: bounds: %v", name, has)
		}
	}
}

// Rows that are sorted in a temporary file make the same Parquet file. How large the temporary file
// was is printed.
func TestParquetSpilled(t *testing.T) {
	in := skiaRun(200, 0)
	want, _, _ := runTool(strings.NewReader(in), "records", "--as", "parquet", "-")
	for _, name := range []string{"-", filepath.Join(t.TempDir(), "out.parquet")} {
		temp := t.TempDir()
		t.Setenv("TMPDIR", temp)
		var stdout, stderr bytes.Buffer
		tool := newTool(strings.NewReader(in), &stdout, &stderr)
		tool.sortMemory = 10_000
		if status := tool.run([]string{"records", "--as", "parquet", "-o", name, "-"}); status != statusOK {
			t.Fatal(status, stderr.String())
		}
		got, folder := stdout.String(), temp
		if name != "-" {
			got, folder = readFile(t, name), filepath.Dir(name)
		}
		if got != want {
			t.Errorf("%s: %d bytes, want %d", name, len(got), len(want))
		}
		note := regexp.MustCompile(`^perfdata: note: sorting the rows took a temporary file of \d\.\d MB in (.*)\n$`)
		if m := note.FindStringSubmatch(stderr.String()); m == nil || m[1] != folder {
			t.Errorf("%q, want the folder %s", stderr.String(), folder)
		}
		if left, err := os.ReadDir(temp); len(left) > 0 || err != nil {
			t.Errorf("%v, %v", left, err)
		}
	}
}

// A folder in which no temporary file can be made is an error, and the output stays as it was.
func TestParquetNoSpill(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	var stdout, stderr bytes.Buffer
	tool := newTool(strings.NewReader(skiaRun(200, 0)), &stdout, &stderr)
	tool.sortMemory = 10_000
	status := tool.run([]string{"records", "--as", "parquet", "-"})
	if status != statusFailed || stdout.Len() > 0 || !strings.Contains(stderr.String(), "no such file or directory; set TMPDIR") {
		t.Errorf("%d, %d bytes, %s", status, stdout.Len(), stderr.String())
	}
}

// A signal leaves no temporary file, neither of the output nor of the sorted rows.
func TestParquetSignal(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.json"), filepath.Join(dir, "out.parquet")
	write(t, in, skiaRun(200, 0))
	write(t, out, "old")
	cmd := startBlocked(t, "1 spill", "records", "--as", "parquet", "-o", out, in, in+"2")

	spills := 0
	open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", cmd.Process.Pid))
	for _, name := range open {
		if target, _ := os.Readlink(name); strings.HasPrefix(target, dir+"/perfdata-") {
			spills++
		}
	}
	if spills != 1 {
		t.Errorf("%d temporary files", spills)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	entries, _ := os.ReadDir(dir)
	if len(entries) != 2 || readFile(t, out) != "old" {
		t.Errorf("%v", entries)
	}
}

// Sorting and writing takes less memory than promised, even of rows and columns that take the most.
func TestParquetMemory(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil || formattest.Race || testing.Short() {
		t.Skip("it needs /proc and time, and the race detector takes memory of its own")
	}
	keys := make([]string, 1000)
	for i := range keys {
		keys[i] = fmt.Sprint("k", i)
	}
	for _, test := range []struct {
		name, input string
		args        []string
	}{
		{"benchmarks", distinct(160_000, ""), nil},
		{"long names", distinct(450, strings.Repeat("x", 100_000)), nil},
		{"columns", distinct(20_000, ""), []string{"--columns", strings.Join(keys, ",")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := filepath.Join(t.TempDir(), "in.txt")
			write(t, in, test.input)
			out, peak := measured(t, append([]string{"records", "--as", "parquet", "-o", os.DevNull, in}, test.args...)...)
			t.Logf("%d MB: %.300s", peak, out)
			if peak > maxMemory {
				t.Errorf("%d MB, want %d at most", peak, maxMemory)
			}
			if !strings.Contains(out, "took a temporary file") {
				t.Error("all rows were sorted in memory")
			}
		})
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
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

// What the tool writes as Parquet, it reads: the same measurements, in another order.
func TestParquetRoundTrip(t *testing.T) {
	const history = "commit: c1\nBenchmarkX/q=1 1 1.5 ns/op 3 B/op\nBenchmarkX/q=1 1 0.1 ns/op\ncommit: c2\nBenchmarkY 1 NaN ns/op\n"
	large, stderr, status := runTool(strings.NewReader(history), "records", "-")
	if status != statusOK {
		t.Fatal(stderr)
	}
	name := filepath.Join(t.TempDir(), "out.parquet")
	for _, in := range []string{"../../testdata/skiav1/large.json", "../../testdata/keyval/iterations.keyval", "-"} {
		if _, stderr, status = runTool(strings.NewReader(large), "records", "--as", "parquet", "-o", name, in); status != statusOK {
			t.Fatal(stderr)
		}
		wanted, _, _ := runTool(strings.NewReader(large), "records", in)
		read, stderr, status := runTool(strings.NewReader(""), "records", name)
		if status != statusOK {
			t.Fatal(stderr)
		}
		rows := func(text string) []string {
			text = regexp.MustCompile(`,"file":"[^"]*","offset":\d+`).ReplaceAllString(text, "")
			lines := strings.SplitAfter(text, "\n")
			slices.Sort(lines)
			return lines
		}
		if diff := cmp.Diff(rows(wanted), rows(read)); diff != "" {
			t.Errorf("%s (-written +read):\n%s", in, diff)
		}
	}

	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(whole); n += 1 + len(whole)/50 {
		write(t, name, string(whole[:n]))
		if out, _, status := runTool(strings.NewReader(""), "records", name); status != statusInvalid || out != "" {
			t.Errorf("%d bytes: %d, %s", n, status, out)
		}
	}
	if out, _, _ := runTool(bytes.NewReader(whole), "detect", "-"); out != "<stdin>: unknown\n" && out != "<stdin>: parquet\n" {
		t.Error(out)
	}
}

// A Parquet file of another program is read as the same rows in JSON lines are, with their faults.
func TestParquetOfOthers(t *testing.T) {
	number := func(f float64) *float64 { return &f }
	type small struct {
		Value  *float64          `parquet:"value,optional"`
		Params map[string]string `parquet:"params"`
	}
	type judged struct {
		Value  float64           `parquet:"value"`
		Better string            `parquet:"better,optional"`
		Params map[string]string `parquet:"params"`
	}
	type numbered struct {
		Value  float64           `parquet:"value"`
		N      *int32            `parquet:"n,optional"`
		Params map[string]string `parquet:"params"`
	}
	a, b := map[string]string{"test": "a"}, map[string]string{"test": "b"}
	for _, test := range []struct {
		name  string
		write func(out io.Writer) error
		lines string
	}{
		{"a value is null", func(out io.Writer) error {
			return parquet.Write(out, []small{{number(1.5), a}, {nil, b}, {number(2), b}})
		}, `{"params":{"test":"a"},"value":1.5}
{"params":{"test":"b"},"value":null}
{"params":{"test":"b"},"value":2}
`},
		{"the first value is null", func(out io.Writer) error {
			return parquet.Write(out, []small{{nil, a}, {number(2), b}})
		}, `{"params":{"test":"a"},"value":null}
{"params":{"test":"b"},"value":2}
`},
		{"an unknown direction", func(out io.Writer) error {
			return parquet.Write(out, []judged{{1, "bigger", a}, {2, "lower", b}, {3, "", b}})
		}, `{"params":{"test":"a"},"value":1,"better":"bigger"}
{"params":{"test":"b"},"value":2,"better":"lower"}
{"params":{"test":"b"},"value":3}
`},
		{"a repetition below 1", func(out io.Writer) error {
			return parquet.Write(out, []numbered{{1, new(int32(1)), a}, {2, nil, b}, {3, new(int32(0)), a}, {4, new(int32(-2)), a}})
		}, `{"params":{"test":"a"},"value":1,"n":1}
{"params":{"test":"b"},"value":2}
{"params":{"test":"a"},"value":3,"n":0}
{"params":{"test":"a"},"value":4,"n":-2}
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			lines, rows := filepath.Join(dir, "run.jsonl"), filepath.Join(dir, "run.parquet")
			write(t, lines, test.lines)
			var data bytes.Buffer
			if err := test.write(&data); err != nil {
				t.Fatal(err)
			}
			write(t, rows, data.String())

			// Places differ: the lines of a Parquet file are its rows.
			place := regexp.MustCompile(`(?m),"file":.*|^[^ ]*run\.[a-z]*(:\d+):\d+`)
			read := func(name string) (answer [3]string) {
				stdout, stderr, status := runTool(strings.NewReader(""), "records", name)
				return [...]string{
					place.ReplaceAllString(stdout, ""), place.ReplaceAllString(stderr, "$1"), fmt.Sprint("status ", status),
				}
			}
			if diff := cmp.Diff(read(lines), read(rows)); diff != "" {
				t.Errorf("(-JSON +Parquet):\n%s", diff)
			}
		})
	}
}
