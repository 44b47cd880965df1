package skiav1

import (
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
)

// generated makes documents of the format.
var generated = formattest.Generated{Format: Format()}

// The fast path yields what the slow path does.
func TestSlowPath(t *testing.T) {
	generated.CheckSlowPath(t, func(document string, l format.Limits, slow bool) format.Reader {
		r := NewReader(strings.NewReader(document))
		r.Limits, r.frame.Slow = l, slow
		return r
	})
}
