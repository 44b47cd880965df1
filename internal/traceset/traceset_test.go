package traceset

import (
	"testing"

	"perfdata/traceid"
)

func TestAdd(t *testing.T) {
	trace := func(v string) traceid.Params { return traceid.Params{{Key: "k", Value: v}} }
	var s Set
	for i, step := range []struct {
		value   string
		earlier int
		known   bool
	}{
		{"a b", 0, true},
		{"c", 0, true},
		{"a_b", 1, true}, // the same id
		{"d", 0, false},  // no room
		{"e", 0, true},   // which is said once
		{"c", 2, true},
	} {
		if earlier, known := s.Add(trace(step.value), i+1, 2); earlier != step.earlier || known != step.known {
			t.Errorf("step %d: %d, %v, want %d, %v", i, earlier, known, step.earlier, step.known)
		}
	}
}
