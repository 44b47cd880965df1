package benchfmt

import (
	"slices"
	"strings"
	"testing"

	"perfdata/internal/formattest"
)

// Cut off anywhere, an input gives the records of its whole lines, and nothing that it doesn't
// say: what is left of the last line is an error, a shorter number or unit, or nothing. Validate
// warns of it.
func TestTruncation(t *testing.T) {
	for name, text := range testFiles(t) {
		whole := readAll(strings.NewReader(text))
		step := 1
		if len(text) > 5000 {
			step = 7
		}
		if formattest.Race {
			step = 50
		}
		for n := 0; n < len(text); n += step {
			cut := text[:n]
			got := readAll(strings.NewReader(cut))
			lines := readAll(strings.NewReader(cut[:strings.LastIndexByte(cut, '\n')+1]))
			if unfinished(lines) {
				continue
			}
			if len(got) < len(lines) || !slices.Equal(got[:len(lines)], lines) || !slices.Equal(lines, whole[:len(lines)]) {
				t.Fatalf("%s, cut off at %d: %q, the whole lines give %q", name, n, got, lines)
			}
			if len(cut) == 0 || strings.HasSuffix(cut, "\n") {
				continue
			}
			warned := false
			for e := range Validate(strings.NewReader(cut), "", noLimits) {
				warned = warned || e.Warning && strings.Contains(e.Message, "truncated") || strings.Contains(e.Message, "ends too early")
			}
			if !warned {
				t.Fatalf("%s, cut off at %d: no warning", name, n)
			}
		}
	}
}

// unfinished reports whether the last of what was read is about a line of output that an event has
// not ended.
func unfinished(shown []string) bool {
	return len(shown) > 0 && strings.HasPrefix(shown[len(shown)-1], "in:") && strings.Contains(shown[len(shown)-1], "perfdata/")
}
