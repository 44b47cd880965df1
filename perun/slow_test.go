package perun

import (
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
)

// The fast path yields what the slow path does.
func TestSlowPath(t *testing.T) {
	generated := formattest.Generated{Format: Format()}
	generated.CheckSlowPath(t, func(document string, l format.Limits, slow bool) format.Reader {
		r := NewReader(strings.NewReader(document))
		r.Limits, r.general = l, slow
		return r
	})
}
