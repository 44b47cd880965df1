package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/traceid"
)

func TestLimitFlag(t *testing.T) {
	for _, test := range []struct {
		text string
		want format.Limits
		err  string
	}{
		{"max-line-bytes=4096", format.Limits{MaxLineBytes: 4096}, ""},
		{"max-string-bytes=64KiB", format.Limits{MaxStringBytes: 64 << 10}, ""},
		{"max-held-bytes=4MiB", format.Limits{MaxHeldBytes: 4 << 20}, ""},
		{"max-spool-bytes=2GiB", format.Limits{MaxSpoolBytes: 2 << 30}, ""},
		{"max-held-bytes=4Mi", format.Limits{MaxHeldBytes: 4 << 20}, ""},
		{"max-line-bytes=4M", format.Limits{}, `"4M" is not a number such as 4096, 64KiB, 4MiB or 2GiB`},
		{"max-depth=7", format.Limits{MaxDepth: 7}, ""},
		{"max-spool-bytes=9007199254740991KiB", format.Limits{MaxSpoolBytes: 9007199254740991 << 10}, ""},
		{"max-line-bytes", format.Limits{}, "want NAME=VALUE, such as max-line-bytes=4MiB"},
		{"max-line-bytes=", format.Limits{}, `"" is not a number such as 4096, 64KiB, 4MiB or 2GiB`},
		{"max-line-bytes=KiB", format.Limits{}, `"KiB" is not a number such as 4096, 64KiB, 4MiB or 2GiB`},
		{"max-line-bytes=4MB", format.Limits{}, `"4MB" is not a number such as 4096, 64KiB, 4MiB or 2GiB`},
		{"max-line-bytes=-1", format.Limits{}, `"-1" is not a number such as 4096, 64KiB, 4MiB or 2GiB`},
		{"max-line-bytes=+1", format.Limits{}, `"+1" is not a number such as 4096, 64KiB, 4MiB or 2GiB`},
		{"max-line-bytes=1.5", format.Limits{}, `"1.5" is not a number such as 4096, 64KiB, 4MiB or 2GiB`},
		{"max-line-bytes=0", format.Limits{}, `"0": want at least 1`},
		{"max-spool-bytes=9007199254740992KiB", format.Limits{}, "9007199254740992KiB is too large"},
		{"MaxLineBytes=1", format.Limits{}, `unknown limit "MaxLineBytes": want max-depth, max-string-bytes, max-line-bytes, max-params, ` +
			"max-members, max-header-bytes, max-result-bytes, max-held-bytes, max-spool-memory, max-spool-bytes, max-decompressed-bytes, " +
			"max-compression-ratio or max-unique-traces; did you mean max-line-bytes?"},
	} {
		t.Run(test.text, func(t *testing.T) {
			var got format.Limits
			err := setLimit(&got, test.text)
			if diff := cmp.Diff(test.want, got); diff != "" || err == nil && test.err != "" || err != nil && err.Error() != test.err {
				t.Errorf("%v, want %s (-want +got):\n%s", err, test.err, diff)
			}
		})
	}
}

// Every limit has a flag. The tool has the library's defaults, except that it allows larger files.
func TestToolLimits(t *testing.T) {
	var got format.Limits
	for _, name := range limitNames() {
		if err := setLimit(&got, name+"=3"); err != nil {
			t.Error(err)
		}
	}
	for i := range reflect.TypeFor[format.Limits]().NumField() {
		if n := reflect.ValueOf(got).Field(i).Int(); n != 3 {
			t.Errorf("%s is %d", reflect.TypeFor[format.Limits]().Field(i).Name, n)
		}
	}
	want := format.Limits{}.WithDefaults()
	want.MaxSpoolBytes, want.MaxDecompressedBytes = 64<<30, 64<<30
	if diff := cmp.Diff(want, toolLimits()); diff != "" {
		t.Error(diff)
	}
}

// Commands that read files accept limits, and errors say how to raise them.
func TestLimitsAreUsed(t *testing.T) {
	long := "BenchmarkX 1 1 ns/op\nBenchmark" + strings.Repeat("x", 2000) + " 1 1 ns/op\n"
	tooLong := "<stdin>:2:1: bytes of one line: more than 1024; --limit max-line-bytes=VALUE raises it\n"
	for _, args := range [][]string{
		{"validate", "-q"}, {"records"}, {"records", "--as", "csv"}, {"convert", "--to", "keyval"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			_, stderr, status := runTool(strings.NewReader(long), append(args, "--limit", "max-line-bytes=1KiB", "-")...)
			if !strings.Contains(stderr, tooLong) || status != statusInvalid {
				t.Errorf("%d, %s", status, stderr)
			}
			if _, stderr, status := runTool(strings.NewReader(long), append(args, "-")...); status != statusOK ||
				strings.Contains(stderr, "Limits") {
				t.Errorf("%d, %s", status, stderr)
			}
		})
	}
	for _, args := range [][]string{{"info"}, {"header"}, {"detect"}, {"flame"}, {"table"}, {"plot", "-o", "x.html"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			_, stderr, status := runTool(strings.NewReader(""), append(args, "--limit", "nosuch=1", "-")...)
			if !strings.Contains(stderr, "unknown limit \"nosuch\"") || status != statusFailed {
				t.Errorf("%d, %s", status, stderr)
			}
		})
	}
	t.Run("held records", func(t *testing.T) {
		_, stderr, status := runTool(strings.NewReader(skiaRun(1000, 0)), "convert", "--to", "nanolegacy", "--limit", "max-held-bytes=1KiB", "-")
		want := "perfdata: bytes of memory for the records that the conversion holds: more than 1024; --limit max-held-bytes=VALUE raises it\n"
		if stderr != want || status != statusFailed {
			t.Errorf("%d, %s", status, stderr)
		}
	})
	t.Run("completion", func(t *testing.T) {
		stdout, _, _ := runTool(nil, "__complete", "records", "--limit", "")
		if stdout != strings.Join(limitNames(), "=\n")+"=\n:6\n" { // 6: no file names, and no space after the completion
			t.Error(stdout)
		}
	})
}

// A limit that ends the reading of a file is in the exit status of the commands that judge, after their output,
// although records came before it. The rest of the file may be valid. A line that is left out is only listed.
func TestLimitsOfJudgments(t *testing.T) {
	t.Chdir(t.TempDir())
	good := strings.Repeat("BenchmarkX 1 10 ns/op\n", 5)
	write(t, "good.txt", good)
	write(t, "fatal.txt", good+"key: "+strings.Repeat("x", 2000)+"\n"+good)
	write(t, "line.txt", good+"Benchmark"+strings.Repeat("x", 2000)+" 1 1 ns/op\n"+good)
	for _, args := range []string{
		"compare good.txt FILE", "compare FILE good.txt", "check FILE -- good.txt", "check good.txt -- FILE",
		"drift --as json FILE -- good.txt", "changes FILE", "report FILE", "check --fail-on never good.txt -- FILE",
	} {
		for _, test := range []struct {
			file, limit string
			status      int
		}{
			{"fatal.txt", "max-header-bytes", statusInvalid},
			{"line.txt", "max-line-bytes", statusOK},
		} {
			t.Run(args+"/"+test.limit, func(t *testing.T) {
				args := strings.Fields(strings.ReplaceAll(args, "FILE", test.file))
				stdout, stderr, status := runTool(nil, slices.Insert(args, 1, "--limit", test.limit+"=1KiB")...)
				want := "perfdata: cannot be judged: " + test.file + ":6:1: "
				if stdout == "" || !strings.Contains(stderr, want) || status != test.status {
					t.Errorf("status %d, want %d and %s\n%s%s", status, test.status, want, stdout, stderr)
				}
			})
		}
	}
}

// Columns that a table cannot have are an error before anything is read.
func TestColumnsFlag(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--columns a,b,a", `--columns: two columns "a"`},
		{"--columns unit --columns param:unit", `--columns: two columns "param:unit"`},
		{"--columns " + strings.Repeat("x,", 1000) + "x", "--columns: 1001 columns for params: want at most 1000"},
		{"--as text --columns a", "--columns: the form text has no columns: want --as jsonl, csv, tsv or parquet"},
	} {
		args := append([]string{"records"}, strings.Fields(test.args+" nosuch.json")...)
		stdout, stderr, status := runTool(nil, args...)
		if stdout != "" || stderr != "perfdata: "+test.want+"\n" || status != statusFailed {
			t.Errorf("%s: %d, %s%s", test.args, status, stdout, stderr)
		}
	}
}

// More traces than a limit are printed, and not numbered.
func TestMaxUniqueTracesOfRecords(t *testing.T) {
	const text = "BenchmarkX 1 1 ns/op\nBenchmarkY 1 2 ns/op\nBenchmarkZ 1 3 ns/op\nBenchmarkX 1 4 ns/op\n"
	stdout, stderr, status := runTool(strings.NewReader(text), "records", "--limit", "max-unique-traces=1", "-")
	var ns []any
	for line := range strings.Lines(stdout) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		ns = append(ns, row["n"])
	}
	want := "perfdata: <stdin>: repetitions are not numbered from offset 34 on: traces: more than 1; --limit max-unique-traces=VALUE raises it\n"
	if fmt.Sprint(ns) != "[1 <nil> <nil> 2]" || stderr != want || status != statusInvalid {
		t.Errorf("%d, %s%v", status, stderr, ns)
	}
}

// info keeps a bounded number of bytes, for any number and length of values.
func TestSummaryMemory(t *testing.T) {
	before := heapBytes()
	s := newSummary()
	long := strings.Repeat("x", 1<<20)
	for i := range 100 {
		s.add(&format.Record{Params: traceid.Params{{Key: "a", Value: fmt.Sprint(i) + long}, {Key: fmt.Sprint("k", i) + long, Value: "v"}, {Key: "unit", Value: fmt.Sprint(i) + long}}})
	}
	if took := heapBytes() - before; took > 1<<20 {
		t.Errorf("long values take %d bytes", took)
	}
	for i := range 300 {
		for j := range 1000 {
			s.add(&format.Record{Params: traceid.Params{{Key: fmt.Sprint("key", i), Value: fmt.Sprintf("%0200d", j)}}})
		}
	}
	if took := heapBytes() - before; took > 2*maxKept {
		t.Errorf("many values take %d bytes", took)
	}
	if n := len(s.params["a"].counts); n != 100 {
		t.Errorf("%d values, want 100", n)
	}
	if s.params["key299"] != nil || s.others < 100*1000 {
		t.Errorf("%d params are said to be others", s.others)
	}
	runtime.KeepAlive(s)
}

func heapBytes() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// An unknown command is a usage error.
func TestUnknownCommands(t *testing.T) {
	for _, test := range []struct {
		args   []string
		stderr string
	}{
		{[]string{"valdate"}, `perfdata: unknown command "valdate" for "perfdata"; did you mean validate?`},
		{[]string{"id", "mak"}, `perfdata: unknown command "mak" for "perfdata id"; did you mean make?`},
		{[]string{"id", "frobnicate"}, `perfdata: unknown command "frobnicate" for "perfdata id"; see perfdata id --help`},
		{[]string{"help", "nosuch"}, `perfdata: unknown command "nosuch" for "perfdata"; see perfdata --help`},
		{[]string{"help", "verdict"}, `perfdata: unknown command "verdict" for "perfdata"; did you mean verdicts?`},
		{[]string{"help", "id", "mak"}, `perfdata: unknown command "mak" for "perfdata id"; did you mean make?`},
		{[]string{"completion", "tcsh"}, `perfdata: unknown command "tcsh" for "perfdata completion"; see perfdata completion --help`},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			stdout, stderr, status := runTool(nil, test.args...)
			if stdout != "" || stderr != test.stderr+"\n" || status != statusFailed {
				t.Errorf("%d, %s%s, want %s", status, stdout, stderr, test.stderr)
			}
		})
	}
	for _, args := range [][]string{{}, {"id"}, {"help"}, {"help", "id", "make"}} {
		if stdout, stderr, status := runTool(nil, args...); !strings.Contains(stdout, "Usage:\n  perfdata") ||
			stderr != "" || status != statusOK {
			t.Errorf("%q: %d, %s%s", args, status, stdout, stderr)
		}
	}
}
