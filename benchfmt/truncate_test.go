package benchfmt

import (
	"slices"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
)

// A truncated input yields the records of its complete lines. The rest of the last line is an
// error, a shorter number or unit, or nothing, and Validate warns about it.
func TestTruncation(t *testing.T) {
	for name, text := range testFiles(t) {
		whole := readAll(strings.NewReader(text))
		step := quick.Of(1, 11)
		if len(text) > 5000 {
			step = quick.Of(13, 331)
		}
		if formattest.Race {
			step = 50
		}
		complete, lines := 0, []string{} // bytes of the complete lines, and what they yield
		for n := 0; n < len(text); n += step {
			cut := text[:n]
			got := readAll(strings.NewReader(cut))
			if end := strings.LastIndexByte(cut, '\n') + 1; end > complete {
				complete, lines = end, readAll(strings.NewReader(cut[:end]))
			}
			if unfinished(lines) {
				continue
			}
			if len(got) < len(lines) || !slices.Equal(got[:len(lines)], lines) ||
				!slices.Equal(lines, whole[:len(lines)]) {
				t.Fatalf("%s, truncated at %d: %q, the complete lines yield %q", name, n, got, lines)
			}
			if len(cut) == 0 || strings.HasSuffix(cut, "\n") {
				continue
			}
			warned := false
			for e := range Format().Validate(strings.NewReader(cut), format.Options{Limits: noLimits}) {
				warned = warned || e.Severity == format.Warning && strings.Contains(e.Message, "truncated") ||
					strings.Contains(e.Message, "unexpected end of input")
			}
			if !warned {
				t.Fatalf("%s, truncated at %d: no warning", name, n)
			}
		}
	}
}

// unfinished reports whether the last thing that was read is about an unfinished line of output of
// an event.
func unfinished(shown []string) bool {
	return len(shown) > 0 && strings.HasPrefix(shown[len(shown)-1], "in:") &&
		strings.Contains(shown[len(shown)-1], "perfdata/")
}
