package nanolegacy

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
)

func testFiles(t testing.TB) map[string]string {
	t.Helper()
	return formattest.Files(t, "../testdata/nanolegacy/*.json", 8)
}

// ways are the ways of reading a file.
var ways = map[string]func(in io.Reader) []string{
	"default":  func(in io.Reader) []string { return formattest.Whole(newReader(in)) },
	"in order": func(in io.Reader) []string { return formattest.Whole(inOrder(in)) },
	"options as params": func(in io.Reader) []string {
		r := inOrder(in)
		r.OptionsAsParams = true
		return formattest.Whole(r)
	},
	"samples": func(in io.Reader) []string { return readSamples(inOrder(in)) },
}

// A file truncated at any byte has a fatal error, in every mode, and only records of the whole
// file.
func TestTruncation(t *testing.T) {
	for name, whole := range testFiles(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			end := len(strings.TrimRight(whole, " \n")) // the file is whole without its last newline
			step, first := quick.Of(1, 1+len(whole)/250), 0
			if len(whole) > 10_000 { // each byte in one of the ways
				step, first = quick.Of(4*13, 4*331), quick.Of(13, 331)
			}
			if formattest.Race {
				step, first = 7*step, 7*first
			}
			sources := slices.Sorted(maps.Keys(formattest.Sources)) // of which each byte has one
			for i, way := range slices.Sorted(maps.Keys(ways)) {
				full := ways[way](strings.NewReader(whole))
				for n := i * first; n < end; n += step {
					source := sources[(i+n/step)%len(sources)]
					if len(whole) > 10_000 {
						source = "seekable"
					}
					formattest.CheckTruncated(t, fmt.Sprintf("%d bytes, %s, %s", n, way, source),
						ways[way](formattest.Sources[source](whole[:n])), full)
				}
			}
		})
	}
}

// The error about a truncated file has the cause io.ErrUnexpectedEOF.
func TestTruncationCause(t *testing.T) {
	const whole = `{"results":{"T":{"c":{"ms":1,"options":{"a":[true,{"b":null}]},"samples":[1,2]}}}}`
	for n := range whole {
		last := formattest.LastError(NewReader(strings.NewReader(whole[:n])))
		if !errors.Is(last, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v", whole[:n], last)
		}
		last = nil
		for e := range Format().Validate(strings.NewReader(whole[:n]), format.Options{Limits: NewReader(nil).Limits}) {
			last = e
		}
		if !errors.Is(last, io.ErrUnexpectedEOF) {
			t.Errorf("Validate: %s: %v", whole[:n], last)
		}
	}
}
