package vitest_test

import (
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/runners"
	"perfdata/runners/vitest"
)

// A duplicate member of a benchmark does not end the reading, so it is not the error of a document
// that has a syntax error after it, also if the header is asked for first.
func TestFirstError(t *testing.T) {
	const in = `{"files": [{"groups": [{"benchmarks": [{"name": "a", "mean": 1, "mean": 2, {"name": "b"}]}]}]}`
	r := runners.NewReader(strings.NewReader(in), vitest.Format())
	_, first := r.FileHeader()
	r = runners.NewReader(strings.NewReader(in), vitest.Format())
	var last error
	for _, err := range r.Records() {
		last = err
	}
	e, ok := first.(*format.Error)
	if !ok || last == nil || e.Error() != last.Error() || !strings.Contains(e.Message, "found '{'") {
		t.Errorf("header: %v; records: %v", first, last)
	}
}
