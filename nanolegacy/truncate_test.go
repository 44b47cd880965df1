package nanolegacy

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func testFiles(t testing.TB) map[string]string {
	t.Helper()
	names, err := filepath.Glob("../testdata/nanolegacy/*.json")
	if err != nil || len(names) < 8 {
		t.Fatalf("testdata: %v, %v", names, err)
	}
	files := make(map[string]string)
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = string(data)
	}
	return files
}

// ways are those of reading a file.
var ways = map[string]func(in io.Reader) []string{
	"default":  func(in io.Reader) []string { return readAll(newReader(in)) },
	"in order": func(in io.Reader) []string { r := newReader(in); r.InOrder = true; return readAll(r) },
	"options as params": func(in io.Reader) []string {
		r := newReader(in)
		r.OptionsAsParams, r.InOrder = true, true
		return readAll(r)
	},
	"samples": func(in io.Reader) []string { r := newReader(in); r.InOrder = true; return readSamples(r) },
}

// A file cut off at any byte gives an error, in every mode, and no record that the whole file doesn't have.
func TestTruncation(t *testing.T) {
	for name, whole := range testFiles(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			end := len(strings.TrimRight(whole, " \n")) // the file is whole without its last newline
			step := 1
			if len(whole) > 10_000 {
				step = 13
			}
			if raceEnabled {
				step *= 7
			}
			for way, read := range ways {
				full := read(strings.NewReader(whole))
				for n := 0; n < end; n += step {
					for source, open := range sources {
						if source != "seekable" && len(whole) > 10_000 {
							continue
						}
						checkTruncated(t, fmt.Sprintf("%d bytes, %s, %s", n, way, source), read(open(whole[:n])), full)
					}
				}
			}
		})
	}
}

// checkTruncated checks that what was read is the beginning of the full one's, and then an error.
func checkTruncated(t *testing.T, what string, got, full []string) {
	t.Helper()
	last := got[len(got)-1]
	if !strings.HasPrefix(last, "FATAL ") {
		t.Errorf("%s: no error, but %s", what, last)
	}
	for i, line := range got[:len(got)-1] {
		if i >= len(full) || line != full[i] {
			t.Errorf("%s: %q isn't in the whole file", what, line)
			return
		}
	}
}

// The cause of the error is io.ErrUnexpectedEOF.
func TestTruncationCause(t *testing.T) {
	const whole = `{"results":{"T":{"c":{"ms":1,"options":{"a":[true,{"b":null}]},"samples":[1,2]}}}}`
	for n := range whole {
		var last error
		for _, err := range NewReader(strings.NewReader(whole[:n])).Records() {
			last = err
		}
		if !errors.Is(last, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v", whole[:n], last)
		}
		last = nil
		for e := range Validate(strings.NewReader(whole[:n]), "", NewReader(nil).Limits) {
			last = e
		}
		if !errors.Is(last, io.ErrUnexpectedEOF) {
			t.Errorf("Validate: %s: %v", whole[:n], last)
		}
	}
}
