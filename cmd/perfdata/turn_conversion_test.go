package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A content is what a file has in one reading.
type content struct {
	text   string
	failAt int   // the offset from which on reading fails, if not 0
	err    error // opening fails
}

// A changingFile has another version each time it is opened or, if rereads, each time it is read
// from the beginning after it was read to its end.
type changingFile struct {
	*strings.Reader
	name     string
	versions []content
	rereads  bool
	ended    bool
}

func (f *changingFile) Stat() (fs.FileInfo, error) { return os.Stat(os.Args[0]) } // a regular file
func (f *changingFile) Close() error               { return nil }

func (f *changingFile) Read(p []byte) (int, error) {
	at := f.Size() - int64(f.Len())
	if failAt := int64(f.versions[0].failAt); failAt > 0 {
		if at >= failAt {
			return 0, &fs.PathError{Op: "read", Path: f.name, Err: syscall.EIO}
		}
		p = p[:min(int64(len(p)), failAt-at)]
	}
	n, err := f.Reader.Read(p)
	f.ended = f.ended || err == io.EOF
	return n, err
}

func (f *changingFile) Seek(offset int64, whence int) (int64, error) {
	if f.rereads && f.ended && offset == 0 && whence == io.SeekStart && len(f.versions) > 1 {
		f.versions = f.versions[1:]
		f.Reader.Reset(f.versions[0].text)
		f.ended = false
	}
	return f.Reader.Seek(offset, whence)
}

// openChanging returns a function that opens files that do not exist: changing files with these
// versions.
func openChanging(rereads bool, versions ...content) func(string) (file, error) {
	opened := make(map[string]int)
	return func(name string) (file, error) {
		if _, err := os.Stat(name); err == nil {
			return openFile(name)
		}
		left := versions
		if !rereads {
			left = versions[min(opened[name], len(versions)-1):]
		}
		opened[name]++
		if left[0].err != nil {
			return nil, left[0].err
		}
		return &changingFile{Reader: strings.NewReader(left[0].text), name: name, versions: left, rereads: rereads}, nil
	}
}

func runChanging(open func(string) (file, error), args ...string) (stdout, stderr string, status int) {
	var out, errs bytes.Buffer
	tool := newTool(strings.NewReader(""), &out, &errs)
	tool.open = open
	status = tool.run(args)
	return out.String(), errs.String(), status
}

// skiaRun returns a file of n results, after a header of roughly the given number of bytes.
func skiaRun(n, headerBytes int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"version":1,"git_hash":"abc","key":{"os":"linux"},"links":{"l":"%s"},"results":[`, strings.Repeat("x", headerBytes))
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"key":{"test":"t%d"},"measurement":%d}`, i, i)
	}
	return b.String() + "]}"
}

// changes are the ways in which a file can change between two readings.
var changes = []struct {
	name   string
	again  content
	stderr string
}{
	{"it is truncated", content{text: skiaRun(9, 0)[:300]}, "changing:1:301: "},
	{"it cannot be read", content{text: skiaRun(9, 0), failAt: 300}, "changing: input/output error"},
	{"it cannot be opened", content{err: &fs.PathError{Op: "open", Path: "changing", Err: fs.ErrPermission}}, "changing: permission denied"},
	{"it has more after its end", content{text: skiaRun(9, 0) + "x"}, "changing:1:"},
	{"it has fewer measurements", content{text: skiaRun(8, 0)}, "changing: changed during reading: had 9 measurements, now has 8"},
	{"it has more measurements", content{text: skiaRun(10, 0)}, "changing: changed during reading: had 9 measurements, now has 10"},
	{"it has no measurements", content{text: skiaRun(0, 0)}, "changing: changed during reading: had 9 measurements, now has 0"},
	{"it has more faults", content{text: strings.Replace(skiaRun(9, 0), `"results":[`, `"results":[{},`, 1)}, "changing: changed during reading: had 0 errors, now has 1"},
	{"it has another format", content{text: "BenchmarkX 1 1 ns/op\n"}, "changing: changed during reading: format was skiav1, is now benchfmt"},
	{"its format is unknown", content{text: "what?"}, "changing:1:1: unknown format"},
}

// If convert writes less than it read first, it fails.
func TestConvertChanging(t *testing.T) {
	for _, test := range changes {
		for _, strict := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, strict %v", test.name, strict), func(t *testing.T) {
				t.Chdir(t.TempDir())
				if err := os.WriteFile("out", []byte("old"), 0o666); err != nil {
					t.Fatal(err)
				}
				// The old file stays.
				if err := os.WriteFile("bench.json", []byte(strings.ReplaceAll(skiaRun(1, 0), "t0", "other")), 0o666); err != nil {
					t.Fatal(err)
				}
				versions := []content{{text: skiaRun(9, 0)}, test.again}
				args := []string{"convert", "--to", "skiav1", "-o", "out", "bench.json", "changing"}
				if strict { // reads the files once more: the last version is another one
					args = append(args, "--strict")
					versions = []content{versions[0], versions[0], test.again}
				}
				_, stderr, status := runChanging(openChanging(false, versions...), args...)
				if status != statusFailed || !strings.Contains(stderr, test.stderr) {
					t.Errorf("%d, %s", status, stderr)
				}
				old, err := os.ReadFile("out")
				entries, _ := os.ReadDir(".")
				if string(old) != "old" || err != nil || len(entries) != 2 {
					t.Errorf("%q, %v, %v", old, err, entries)
				}
			})
		}
	}
}

// The same to standard output.
func TestConvertChangingToStdout(t *testing.T) {
	for _, test := range changes {
		t.Run(test.name, func(t *testing.T) {
			_, stderr, status := runChanging(openChanging(false, content{text: skiaRun(9, 0)}, test.again), "convert", "--to", "benchfmt", "changing")
			if status != statusFailed || !strings.Contains(stderr, test.stderr) {
				t.Errorf("%d, %s", status, stderr)
			}
		})
	}
}

// records reads its files once, in every form.
func TestRecordsReadOnce(t *testing.T) {
	for _, form := range rowForms {
		t.Run(form, func(t *testing.T) {
			other := content{text: "what?"}
			_, stderr, status := runChanging(openChanging(false, content{text: skiaRun(9, 0)}, other), "records", "--as", form, "changing")
			if stderr != "" || status != statusOK {
				t.Errorf("%d, %s", status, stderr)
			}
		})
	}
}

const timeProfile = `{"header":{"type":"time","units":{"time":"s"},"cmd":"c","workload":"w"},"collector_info":{"name":"time"},"postprocessors":[],` +
	`"resources":{"a#0":{"amount":[1,2]}},"resource_type_map":{"a#0":{"type":"time","uid":"a"}},"models":[{"uid":"a","model":"constant"}]}`

// The same for table.
func TestTableChanging(t *testing.T) {
	for _, test := range []struct {
		name   string
		again  content
		stderr string
	}{
		{"it is truncated", content{text: timeProfile[:len(timeProfile)-5]}, "perfdata: reading again: changing:1:"},
		{"it cannot be read", content{text: timeProfile, failAt: 250}, "changing: input/output error\n"},
		{"it has another field", content{text: strings.Replace(timeProfile, `"amount"`, `"address":[1,2],"amount"`, 1)},
			"perfdata: changing: changed during reading: it has other columns\n"},
		{"it has another format", content{text: skiaRun(1, 0)}, "perfdata: changing: not a Perun profile: its format is skiav1 (Skia Perf format, version 1)\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, stderr, status := runChanging(openChanging(false, content{text: timeProfile}, test.again), "table", "changing")
			if status != statusFailed || !strings.Contains(stderr, test.stderr) {
				t.Errorf("%d, %s", status, stderr)
			}
		})
	}
}

// These commands read a file more than once while it is open. The file is too long to be read to
// its end for detection.
func TestReadAgain(t *testing.T) {
	const headerBytes = 100_000
	skia := skiaRun(9, headerBytes)
	legacy := `{"gitHash":"abc","key":{"k":"` + strings.Repeat("x", headerBytes) + `"},"results":{"t":{"c":{"min_ms":1,"samples":[1,2]}}}}`
	profile := strings.Replace(timeProfile, `"cmd":"c"`, `"cmd":"`+strings.Repeat("x", headerBytes)+`"`, 1)
	for _, test := range []struct {
		name, text string
		args       []string
	}{
		{"validate describes a valid file", skia, []string{"validate", "changing"}},
		{"validate counts the measurements", skia, []string{"validate", "--as", "json", "changing"}},
		{"info validates and counts", skia, []string{"info", "changing"}},
		{"convert counts samples", legacy, []string{"convert", "--to", "skiav1", "changing"}},
		{"convert counts models", profile, []string{"convert", "--to", "perun", "changing"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for what, again := range map[string]content{
				"truncated":  {text: test.text[:len(test.text)-30]},
				"read error": {text: test.text, failAt: len(test.text) - 30},
			} {
				_, stderr, status := runChanging(openChanging(true, content{text: test.text}, again), test.args...)
				if status != statusFailed || !strings.Contains(stderr, "perfdata: reading again: ") {
					t.Errorf("%s: %d, %s", what, status, stderr)
				}
			}
			if _, stderr, status := runChanging(openChanging(true, content{text: test.text}), test.args...); status != statusOK {
				t.Errorf("unchanged: %d, %s", status, stderr)
			}
		})
	}
}

// A file that is rewritten between two readings, with as many measurements, has changed.
func TestRewritten(t *testing.T) {
	name := filepath.Join(t.TempDir(), "bench.txt")
	write(t, name, "BenchmarkX 1 5 ns/op\n")
	opened := 0
	open := func(name string) (file, error) {
		if opened++; opened == 2 {
			write(t, name, "BenchmarkX 1 6 ns/op\n")
			later := time.Now().Add(time.Minute)
			if err := os.Chtimes(name, later, later); err != nil {
				t.Fatal(err)
			}
		}
		return openFile(name)
	}
	stdout, stderr, status := runChanging(open, "convert", "--to", "keyval", "-o", filepath.Join(t.TempDir(), "out"), name)
	want := "perfdata: " + name + ": changed during reading: it was written to\n"
	if stdout != "" || stderr != want || status != statusFailed {
		t.Errorf("%d, %s%s, want %s", status, stdout, stderr, want)
	}
}
