package skiav1

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"perfdata/format"
)

func testFiles(t testing.TB) map[string]string {
	t.Helper()
	names, err := filepath.Glob("../testdata/skiav1/*.json")
	if err != nil || len(names) < 7 {
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

// A file cut off at any byte gives an error, in every mode, and no record that the whole file doesn't have.
func TestTruncation(t *testing.T) {
	for name, whole := range testFiles(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			end := len(strings.TrimRight(whole, " \n")) // the file is whole without its last newline
			if name == "large.json" {
				truncateResults(t, whole)
				return
			}
			full := readAll(newReader(strings.NewReader(whole)))
			fullInOrder := readAll(inOrder(whole))
			for n := range end {
				for way, source := range sources {
					checkTruncated(t, fmt.Sprintf("%d bytes, %s", n, way), newReader(source(whole[:n])), full)
					r := newReader(source(whole[:n]))
					r.InOrder = true
					checkTruncated(t, fmt.Sprintf("%d bytes, %s, in order", n, way), r, fullInOrder)
				}
			}
		})
	}
}

// checkTruncated checks that what the Reader gives is the beginning of the full one's, and then an error.
func checkTruncated(t *testing.T, what string, r *Reader, full []string) {
	t.Helper()
	got := readAll(r)
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

// truncateResults cuts a large file off at every byte, but spares its time. What the Reader makes of a result
// depends on those before it only in that it takes strings from the last one. So for each result, the file is cut
// down to the header, that result and the one before, and then cut off at every byte of the result, and of what
// follows the last one. The whole file is cut off at some places too.
func truncateResults(t *testing.T, whole string) {
	head, rest, ok := strings.Cut(whole, `"results": [`)
	results := strings.SplitAfter(rest, "\n        },")
	if !ok || len(results) < 500 {
		t.Fatalf("%d results", len(results))
	}
	step := 1
	if raceEnabled {
		step = 17
	}
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // a million Readers, each with little memory
	var wait sync.WaitGroup
	defer wait.Wait()
	for half := range 2 {
		wait.Go(func() {
			for i := half; i < len(results); i += 2 {
				truncateResult(t, head, results, i, step)
			}
		})
	}
	full := readAll(newReader(strings.NewReader(whole)))
	for n := 0; n < len(whole)-2; n += 99_991 {
		for way, source := range sources {
			checkTruncated(t, fmt.Sprintf("%d bytes, %s", n, way), newReader(source(whole[:n])), full)
		}
	}
}

// truncateResult cuts off at the bytes of results[i], in steps.
func truncateResult(t *testing.T, head string, results []string, i, step int) {
	part := head + `"results": [`
	if i > 0 {
		part += results[i-1]
	}
	cut := part + results[i]
	var full []*format.Record
	for rec, err := range inOrder(cut).Records() {
		if err == nil {
			full = append(full, rec.Clone())
		}
	}
	for n := len(part) + 1; n < len(strings.TrimRight(cut, " \n")); n += step {
		records, failed := 0, false
		for rec, err := range inOrder(cut[:n]).Records() {
			if err != nil {
				failed = !err.(*format.Error).Recoverable
				continue
			}
			if records == len(full) || !equal(rec, full[records]) {
				t.Errorf("result %d, %d bytes: %s isn't in the whole file", i, n, show(rec))
				break
			}
			records++
		}
		if !failed {
			t.Errorf("result %d, %d bytes: no error", i, n)
		}
	}
}

func equal(a, b *format.Record) bool {
	return a.Value == b.Value && a.Params.Equal(b.Params) && a.Links.Equal(b.Links)
}

func inOrder(in string) *Reader {
	r := newReader(strings.NewReader(in))
	r.InOrder = true
	return r
}
