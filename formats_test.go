package perfdata_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/formattest"
)

func TestDetect(t *testing.T) {
	for prefix, want := range map[string]string{
		`{"version":1`:                        "skiav1",
		`{"version":`:                         "",
		` {"key":{"a":"b"},"git_hash":"x"`:    "skiav1",
		`{"links":{},"results":[{"key":{"`:    "skiav1",
		`{"results":{"test":{}},"version":1}`: "nanolegacy",
		`{"gitHash":"x","results":{}}`:        "nanolegacy",
		`{"version":"1.2.3","name":"npm"}`:    "",
		`[{"version":1}]`:                     "",
		`{"key":"unfinished`:                  "",
		"":                                    "",
		"BenchmarkX 1 2 ns/op":                "benchfmt",
		`{"Action":"output","Package":"p","Output":"PASS\n"}`: "benchfmt",
	} {
		info, ok := perfdata.Detect([]byte(prefix))
		if info.Name != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", prefix, info.Name, want)
		}
	}
}

// Each format says what it is, and can be detected, opened and validated. A folder can only be opened;
// some formats are of files and of folders.
func TestFormats(t *testing.T) {
	for _, f := range perfdata.Formats() {
		t.Run(f.Name, func(t *testing.T) {
			if f.Name == "" || f.Title == "" || f.Holds == "" {
				t.Errorf("incomplete: %+v", f)
			}
			file := f.Detect != nil && f.Open != nil && f.Validate != nil && len(f.Extensions) > 0
			folder := f.OpenDir != nil && f.Detect == nil && f.Open == nil && f.Validate == nil
			if file == folder || (f.OpenDir == nil) != (f.DetectDir == nil) {
				t.Errorf("neither a file nor a folder: %+v", f)
			}
			if got, ok := perfdata.FormatNamed(f.Name); !ok || got.Title != f.Title {
				t.Errorf("FormatNamed(%s): %+v", f.Name, got)
			}
		})
	}
	if _, ok := perfdata.FormatNamed("nope"); ok {
		t.Error("an unknown format was found")
	}
}

// All of the input is read, though its beginning was looked at, from where it stood.
func TestNewReader(t *testing.T) {
	data := formattest.ReadFile(t, "testdata/skiav1/large.json")
	seekable := strings.NewReader("skip" + data)
	seekable.Seek(4, io.SeekStart)
	for name, in := range map[string]io.Reader{"seekable": seekable, "stream": formattest.Stream(data)} {
		r, err := perfdata.NewReader(in, "large.json")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, err := range r.Records() {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			n++
		}
		if n < 4000 {
			t.Errorf("%s: %d records", name, n)
		}
	}
	_, err := perfdata.NewReader(strings.NewReader("nonsense"), "x.txt")
	if !errors.Is(err, format.ErrUnknown) || !strings.HasPrefix(err.Error(), "x.txt:1:1: unknown format") {
		t.Errorf("%v", err)
	}
	broken := errors.New("broken")
	in := io.MultiReader(strings.NewReader("{"), iotest.ErrReader(broken))
	if _, err := perfdata.NewReader(in, "x"); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

func ExampleNewReader() {
	const file = `{
  "version": 1,
  "git_hash": "abc",
  "results": [{"key": {"test": "encode", "units": "ms"}, "measurement": 12.75}]
}`
	r, err := perfdata.NewReader(strings.NewReader(file), "run.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	for rec, err := range r.Records() {
		if e, ok := errors.AsType[*format.Error](err); ok && e.Severity == format.Recoverable {
			fmt.Println("left out:", e)
			continue
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rec.TraceID(), rec.Value)
	}
	// Output:
	// ,test=encode,units=ms, 12.75
}
