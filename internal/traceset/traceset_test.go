package traceset

import (
	"strconv"
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

// Many traces, each of which is known again, take little memory.
func TestMany(t *testing.T) {
	const n = 100_000
	var s Set
	trace := traceid.Params{{Key: "k"}}
	for i := range n {
		trace[0].Value = strconv.Itoa(i)
		if s.Has(trace) {
			t.Fatalf("trace %d is known too early", i)
		}
		if earlier, known := s.Add(trace, i+1, n); earlier != 0 || !known {
			t.Fatalf("trace %d: %d, %v", i, earlier, known)
		}
	}
	slots := 0
	for i := range s.parts {
		slots += len(s.parts[i].slots)
	}
	if slots > 2*n {
		t.Errorf("%d slots for %d traces", slots, n)
	}
	for i := range n {
		trace[0].Value = strconv.Itoa(i)
		if earlier, known := s.Add(trace, 1, n); earlier != i+1 || !known || !s.Has(trace) {
			t.Fatalf("trace %d again: %d, %v", i, earlier, known)
		}
	}
	if want := ",k=99999,"; string(s.ID()) != want {
		t.Errorf("ID() = %s, want %s", s.ID(), want)
	}
}
