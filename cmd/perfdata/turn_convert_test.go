package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/compressed"
	"perfdata/internal/testing/formattest"
)

func TestConvert(t *testing.T) {
	t.Chdir(t.TempDir())
	files := map[string]string{
		"run.json": `{"version":1,"git_hash":"abc","key":{"os":"linux"},"links":{"l":"u"},"results":[` +
			`{"key":{"test":"a","units":"ms"},"measurement":1},{"key":{"test":"b c","units":"ms"},"measurement":2}]}`,
		"bench.txt":    "goos: linux\nBenchmarkX 10 1 ns/op 2 B/op\n",
		"other.txt":    "goos: linux\nBenchmarkY 10 3 ns/op\n",
		"faulty.txt":   "BenchmarkX 10 1 ns/op\nBenchmarkY 10 x ns/op\n",
		"legacy.json":  `{"gitHash":"abc","results":{"t":{"c":{"options":{"o":"p"},"min_ms":1,"samples":[1,2]}}}}`,
		"loops.keyval": "fps{perf}=1\n\nfps{perf}=2\n\n",
		"broken.json":  `{"version":1,"git_hash":"abc","results":[{"key":{"test":"a"},"measurement":1},{"key":`,
		"old.json":     "old",
	}
	for name, content := range files {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const legacyResults = `
{"key":KEY,"measurements":{"repetition":[{"value":"1","measurement":1},{"value":"2","measurement":2}]}}
]}
`
	for _, test := range []struct {
		args           []string
		stdin          string
		stdout, stderr string
		status         int
		files          map[string]string // that are there then
	}{
		{
			args:   []string{"convert", "--to", "benchfmt", "run.json"},
			stdout: "commit: abc\nos: linux\n\nUnit ms param=units\nBenchmark/test=a 1 1 ms\n\ntest: b c\n\nBenchmark 1 2 ms\n",
			stderr: "perfdata: note: 1 header member dropped (links)\n" +
				"perfdata: note: 2 unknown iteration counts written as 1\n",
		},
		{
			args:   []string{"convert", "--to", "skiav1", "--commit", "abc", "-o", "old.json", "bench.txt", "other.txt"},
			stderr: "perfdata: note: 3 attributes dropped (iterations)\n",
			files: map[string]string{"old.json": `{"version":1,"git_hash":"abc","key":{"goos":"linux"},"results":[` + "\n" +
				`{"key":{"name":"X"},"measurements":{"unit":[{"value":"ns/op","measurement":1},{"value":"B/op","measurement":2}]}},` + "\n" +
				`{"key":{"name":"Y","unit":"ns/op"},"measurement":3}` + "\n]}\n"},
		},
		{
			args:   []string{"convert", "--to", "skiav1", "-"},
			stdin:  files["other.txt"],
			stderr: "perfdata: missing commit: format skiav1 requires it: add --commit \"$(git rev-parse HEAD)\"\n",
			status: 1,
		},
		{ // strict: nothing is written
			args: []string{"convert", "--to", "keyval", "--strict", "-o", "old.json", "run.json"},
			stderr: "perfdata: note: 1 header member dropped (links)\n" +
				"perfdata: note: 2 measurements with params joined into their names\n" +
				"perfdata: note: 2 params written as attributes (os)\n" +
				"perfdata: nothing written (--strict)\n",
			status: 1,
			files:  map[string]string{"old.json": "old"},
		},
		{
			args:   []string{"convert", "--to", "skiav1", "--commit", "abc", "--strict", "other.txt"},
			stderr: "perfdata: note: 1 attribute dropped (iterations)\nperfdata: nothing written (--strict)\n",
			status: 1,
		},
		{ // strict: an addition is not a loss
			args: []string{"convert", "--to", "skiav1", "--commit", "abc", "--strict", "loops.keyval"},
			stdout: `{"version":1,"git_hash":"abc","results":[` + "\n" +
				`{"key":{"key":"fps"},"measurements":{"repetition":[{"value":"1","measurement":1},{"value":"2","measurement":2}]}}` + "\n]}\n",
		},
		{ // strict: an unreadable measurement is a loss
			args: []string{"convert", "--to", "benchfmt", "--strict", "faulty.txt"},
			stderr: "faulty.txt:2:15: value \"x\" is not a number\n" +
				"perfdata: nothing written (--strict)\n",
			status: 1,
		},
		{ // not strict: the rest is converted
			args:   []string{"convert", "--to", "benchfmt", "faulty.txt"},
			stdout: "BenchmarkX 10 1 ns/op\n",
			stderr: "faulty.txt:2:15: value \"x\" is not a number\n",
			status: 1,
		},
		{ // a truncated file: the old one stays
			args:   []string{"convert", "--to", "benchfmt", "-o", "old.json", "bench.txt", "broken.json"},
			stderr: "broken.json:1:86: results.1.key: unexpected end of input, expected a value\n",
			status: 1,
			files:  map[string]string{"old.json": "old"},
		},
		{
			args:   []string{"convert", "--to", "benchfmt", "-o", "old.json", "bench.txt", "nosuch"},
			stderr: "perfdata: nosuch: no such file or directory\n",
			status: 2,
			files:  map[string]string{"old.json": "old"},
		},
		{
			args:   []string{"convert", "--to", "benchfmt", "-o", "nosuch/out", "bench.txt"},
			stderr: "perfdata: nosuch/out: no such file or directory\n",
			status: 2,
		},
		{
			args:   []string{"convert", "--to", "benchfmt", "-o", ".", "bench.txt"},
			stderr: "perfdata: .: is a directory\n",
			status: 2,
		},
		{ // a file is converted to itself
			args:  []string{"convert", "--to", "keyval", "-o", "loops.keyval", "loops.keyval"},
			files: map[string]string{"loops.keyval": files["loops.keyval"]},
		},
		{
			args:   []string{"convert", "--to", "skiav1", "legacy.json"},
			stdout: `{"version":1,"git_hash":"abc","results":[` + strings.ReplaceAll(legacyResults, "KEY", `{"config":"c","sub_result":"min_ms","test":"t"}`),
			stderr: "perfdata: note: 2 attributes dropped (o)\n",
		},
		{
			args:   []string{"convert", "--to", "skiav1", "--set", "nanolegacy.options-as-params=true", "legacy.json"},
			stdout: `{"version":1,"git_hash":"abc","results":[` + strings.ReplaceAll(legacyResults, "KEY", `{"config":"c","o":"p","sub_result":"min_ms","test":"t"}`),
		},
		{
			args:   []string{"records", "--as", "text", "--param", "test=t", "--param", "host=h", "loops.keyval"},
			stdout: ",host=h,iteration=1,key=fps,test=t, = 1\n,host=h,iteration=2,key=fps,test=t, = 2\n",
		},
		{
			args:   []string{"records", "--param", "key=t", "loops.keyval"},
			stderr: "perfdata: --param \"key=t\": key comes from the file\n",
			status: 2,
		},
		{
			args:   []string{"records", "--param", "=t", "loops.keyval"},
			stderr: "perfdata: --param \"=t\": want key=value\n",
			status: 2,
		},
		{
			args:   []string{"convert", "run.json"},
			stderr: "perfdata: required flag(s) \"to\" not set\n",
			status: 2,
		},
		{
			args:   []string{"convert", "--to", "xml", "run.json"},
			stderr: "perfdata: --to \"xml\": want skiav1, nanolegacy, benchfmt, keyval, perun, tap, bmf, ghbench or openmetrics\n",
			status: 2,
		},
		{
			args:  []string{"info", "legacy.json", "-"},
			stdin: "goos: linux\nBenchmarkX 10 1 ns/op 2 B/op\nBenchmarkX 10 NaN ns/op\nBenchmarkX 10 x ns/op\nBenchmarkx 1 5 ns/op\n",
			stdout: `File: legacy.json
Format: nanolegacy (Skia Perf legacy format)
Header:
  commit: abc
Measurements: 1
Samples: 2 in 1 array
Params:
  config: c (1)
  sub_result: min_ms (1)
  test: t (1)
Values:
                     n  min  median  max
  sub_result=min_ms  1    1       1    1
Errors: 0
Warnings: 0

File: <stdin>
Format: benchfmt (Go benchmark data format)
Header:
  goos: linux
Measurements: 4
Params:
  goos: linux (4)
  name: X (3), x (1)
  unit: ns/op (3), B/op (1)
Values:
              n  min  median  max
  unit=B/op   1    2       2    2
  unit=ns/op  3    1       3    5  1 NaN
Errors: 1
Warnings: 1
`,
			status: 1,
		},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			checkTool(t, test.args, test.stdin, test.stdout, test.stderr, test.status)
			for name, want := range test.files {
				if diff := cmp.Diff(want, formattest.ReadFile(t, name)); diff != "" {
					t.Errorf("%q: %s (-want +got):\n%s", test.args, name, diff)
				}
				if err := os.WriteFile(name, []byte(files[name]), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) != len(files) {
		t.Errorf("there are %d files, want %d: something was left", len(entries), len(files))
	}
}

// Every command reads compressed files, including from a pipe, and reports errors in them.
func TestCompressed(t *testing.T) {
	dir := t.TempDir()
	data := []byte(formattest.ReadFile(t, testdata, "example.json"))
	pack := func(data []byte, way string) []byte {
		var out bytes.Buffer
		w, err := compressed.NewWriter(&out, way)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(data)
		w.Close()
		return out.Bytes()
	}
	for way, extension := range map[string]string{compressed.Gzip: ".gz", compressed.Zstd: ".zst", compressed.Zlib: ".zz"} {
		packed := pack(data, way)
		stdout, stderr, status := runTool(struct{ io.Reader }{bytes.NewReader(packed)}, "validate", "-")
		if stdout != description || stderr != "" || status != 0 {
			t.Errorf("%s: %d, %s%s", way, status, stdout, stderr)
		}
		stdout, stderr, status = runTool(bytes.NewReader(pack(packed, compressed.Gzip)), "detect", "-")
		if stdout != "<stdin>: skiav1, gzip, "+way+"\n" || status != 0 {
			t.Errorf("%s: %d, %s%s", way, status, stdout, stderr)
		}
		stdout, stderr, status = runTool(bytes.NewReader(packed[:len(packed)-9]), "validate", "-q", "-")
		if stdout != "" || !strings.Contains(stderr, "<stdin>:") ||
			!strings.Contains(stderr, "the "+way+" data is truncated: unexpected EOF") || status != 1 {
			t.Errorf("%s: %d, %s%s", way, status, stdout, stderr)
		}
		out := filepath.Join(dir, "run.json"+extension)
		_, stderr, status = runTool(bytes.NewReader(data), "convert", "--to", "skiav1", "-o", out, "-")
		if stderr != "" || status != 0 {
			t.Errorf("%s: %d, %s", way, status, stderr)
		}
		written, err := os.ReadFile(out)
		if err != nil || compressed.Detect(written) != way {
			t.Errorf("%s: %v, %q", way, err, compressed.Detect(written))
		}
		stdout, _, _ = runTool(nil, "validate", out)
		if stdout != description {
			t.Errorf("%s: %s", way, stdout)
		}
	}
}

// A file keeps its permissions, and a link stays a link.
func TestAtomicPermissions(t *testing.T) {
	tool := newTool(nil, io.Discard, io.Discard)
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("old"), 0o600), os.Symlink("file", link)); err != nil {
		t.Fatal(err)
	}
	write := func(text string) error {
		return tool.writeFile(link, func(out io.Writer) error {
			_, err := io.WriteString(out, text)
			return err
		})
	}
	if err := write("new"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	info, _ := os.Lstat(file)
	at, _ := os.Lstat(link)
	if string(data) != "new" || err != nil || info.Mode().Perm() != 0o600 || at.Mode().Type() != fs.ModeSymlink {
		t.Errorf("%q, %v, %v, %v", data, err, info.Mode(), at.Mode())
	}
	if err := tool.writeFile(os.DevNull, func(out io.Writer) error { return nil }); err != nil {
		t.Error(err)
	}
	failure := errors.New("failure")
	if err := tool.writeFile(file, func(out io.Writer) error { io.WriteString(out, "half"); return failure }); err != failure {
		t.Error(err)
	}
	entries, _ := os.ReadDir(dir)
	if data, _ := os.ReadFile(file); string(data) != "new" || len(entries) != 2 {
		t.Errorf("%q, %v", data, entries)
	}
}

// A common use: Go benchmarks to a valid file for Skia Perf, in a pipe.
func TestGoBenchmarks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs go test")
	}
	cmd := exec.Command("go", "test", "-run", "^$", "-bench", ".", "-benchtime", "1x", "-count", "2", "perfdata/traceid")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	stdout, stderr, status := runTool(struct{ io.Reader }{out}, "convert", "--to", "skiav1", "--commit", "abc", "-")
	if err := cmd.Wait(); err != nil || status != 0 {
		t.Fatalf("%v, %d, %s", err, status, stderr)
	}
	description, stderr, status := runTool(strings.NewReader(stdout), "validate", "--quiet", "-")
	if status != 0 || stderr != "" || description != "" {
		t.Errorf("%d, %s%s", status, description, stderr)
	}
	if !strings.Contains(stdout, `{"value":"ns/op","measurement":`) {
		t.Error(stdout)
	}
}

// A profile's models are not measurements. Only a profile can hold them.
func TestConvertModels(t *testing.T) {
	profile := `{"header":{"type":"time","units":{"time":"s"},"cmd":"c","workload":"w"},"collector_info":{"name":"time"},"postprocessors":[],` +
		`"resources":{"a#0":{"amount":[1]}},"resource_type_map":{"a#0":{"type":"time","uid":"a"}},"models":[{"uid":"a","model":"constant"}]}`
	stdout, stderr, status := runTool(strings.NewReader(profile), "convert", "--to", "perun", "-")
	if stderr != "" || status != 0 || !strings.Contains(stdout, `{"uid":"a","model":"constant"}`) {
		t.Errorf("%d, %s%s", status, stderr, stdout)
	}
	_, stderr, status = runTool(strings.NewReader(profile), "convert", "-q", "--to", "benchfmt", "--strict", "-")
	if stderr != "perfdata: nothing written (--strict)\n" || status != 1 {
		t.Errorf("%d, %s", status, stderr)
	}
	_, stderr, _ = runTool(strings.NewReader(profile), "convert", "--to", "benchfmt", "-")
	if !strings.Contains(stderr, "perfdata: note: 1 model dropped (constant)\n") {
		t.Error(stderr)
	}
}

// The real benchstat finds the same in Go benchmarks that were another format for a while.
func TestBenchstat(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	path, err := exec.Command("go", "-C", "../..", "tool", "-n", "benchstat").Output() // builds it, unless it is cached
	if err != nil {
		t.Fatal(err)
	}
	benchstat := strings.TrimSpace(string(path))
	lines := func(bench string) (rows []string) {
		cmd := exec.Command(benchstat, "-ignore", "commit", "-")
		cmd.Stdin = strings.NewReader(bench)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(string(out), "\n")
	}

	original := filepath.Join("..", "..", "testdata", "benchfmt", "gotest.txt")
	bench := formattest.ReadFile(t, original)
	for _, to := range []string{"skiav1", "benchfmt"} {
		t.Run(to, func(t *testing.T) {
			file := filepath.Join(dir, to)
			if _, stderr, status := runTool(nil, "convert", "-q", "--to", to, "--commit", "abc", "-o", file, original); status != 0 {
				t.Fatal(stderr)
			}
			back, stderr, status := runTool(nil, "convert", "-q", "--to", "benchfmt", file)
			if status != 0 {
				t.Fatal(stderr)
			}
			if diff := cmp.Diff(lines(bench), lines(back)); diff != "" {
				t.Errorf("(-before +after):\n%s", diff)
			}
		})
	}
}
