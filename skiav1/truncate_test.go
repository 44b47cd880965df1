package skiav1

import (
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
)

func testFiles(t testing.TB) map[string]string {
	t.Helper()
	return formattest.Files(t, "../testdata/skiav1/*.json", 7)
}

// sources are the names of the ways of arriving, of which each byte has one.
var sources = slices.Sorted(maps.Keys(formattest.Sources))

// A file truncated at any byte has a fatal error, in every mode, and only records of the whole
// file.
func TestTruncation(t *testing.T) {
	for name, whole := range testFiles(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			end := len(strings.TrimRight(whole, " \n")) // the file is whole without its last newline
			if name == "large.json" {
				truncateResults(t, whole)
				return
			}
			full := readAll(strings.NewReader(whole))
			fullInOrder := readInOrder(strings.NewReader(whole))
			step := quick.Of(1, 1+len(whole)/250)
			for n := 0; n < end; n += step {
				way := sources[n/step%len(sources)]
				source := formattest.Sources[way]
				formattest.CheckTruncated(t, fmt.Sprintf("%d bytes, %s", n, way), readAll(source(whole[:n])), full)
				formattest.CheckTruncated(t, fmt.Sprintf("%d bytes, %s, in order", n, way),
					readInOrder(source(whole[:n])), fullInOrder)
			}
		})
	}
}

// truncateResults truncates a large file in little time. A result is read independently of earlier
// ones, except that strings of the last result are reused. So for each result, the file is reduced
// to the header, this result and the previous one, and truncated at every seventh byte of the result:
// as the results are similar, each byte of one is such a byte of another. After the last result, the
// file is truncated at every seventh byte to the end. The whole file is truncated at some bytes too.
func truncateResults(t *testing.T, whole string) {
	head, rest, ok := strings.Cut(whole, `"results": [`)
	results := strings.SplitAfter(rest, "\n        },")
	if !ok || len(results) < 500 {
		t.Fatalf("%d results", len(results))
	}
	step := quick.Of(7, 401)
	if formattest.Race {
		step = 53
	}
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // many Readers, each with little memory
	var wait sync.WaitGroup
	defer wait.Wait()
	for half := range 2 {
		wait.Go(func() {
			for i := half; i < len(results); i += 2 {
				truncateResult(t, head, results, i, step)
			}
		})
	}
	full := readAll(strings.NewReader(whole))
	const apart = 99_991
	for n := 0; n < len(whole)-2; n += apart {
		way := sources[n/apart%len(sources)]
		formattest.CheckTruncated(t, fmt.Sprintf("%d bytes, %s", n, way),
			readAll(formattest.Sources[way](whole[:n])), full)
	}
}

// truncateResult truncates the file at bytes of results[i], a step apart, beginning at another one for each i.
func truncateResult(t *testing.T, head string, results []string, i, step int) {
	part := head + `"results": [`
	if i > 0 {
		part += results[i-1]
	}
	cut := part + results[i]
	var full []*format.Record
	for rec, err := range inOrder(strings.NewReader(cut)).Records() {
		if err == nil {
			full = append(full, rec.Clone())
		}
	}
	for n := len(part) + 1 + i*11%step; n < len(strings.TrimRight(cut, " \n")); n += step {
		records, failed := 0, false
		for rec, err := range inOrder(strings.NewReader(cut[:n])).Records() {
			if err != nil {
				failed = err.(*format.Error).Severity != format.Recoverable
				continue
			}
			if records == len(full) || !equal(rec, full[records]) {
				t.Errorf("result %d, %d bytes: %s isn't in the whole file", i, n, formattest.Show(rec))
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
