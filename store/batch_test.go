package store

import (
	"fmt"
	"testing"
)

// Traces that repeat in a file have numbers in its batch. All of them keep their spellings, even if
// a record spells a trace differently from the previous record.
func TestRepeatedTraces(t *testing.T) {
	spellings := []string{"a b", "a_b", "z"}
	text, want := "", make(map[float64]string)
	for commit := range 4 {
		text += fmt.Sprintf("commit: c%d\n", commit)
		for i := range 9 {
			kind := spellings[(commit+i/3)%3]
			text += fmt.Sprintf("kind: %s\nBenchmarkX 1 %d ns/op\n", kind, 100*commit+i)
			want[float64(100*commit+i)] = kind
		}
	}
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		putAll(t, s, tree{"file": text})
		check(t, "kinds by value", want, paramsByValue(t, s, "kind"))
	})
}

// A file repeats more traces than a batch numbers.
func TestManyRepeatedTraces(t *testing.T) {
	leaveOut(t)
	text, want := "commit: c1\nBenchmarkX 1 0 ns/op\ncommit: c2\n", map[float64]string{0: ""}
	for i := range maxNumbered + 20 {
		text += fmt.Sprintf("kind: k%d\nBenchmarkX 1 %d ns/op\n", i, i+1)
		want[float64(i+1)] = fmt.Sprintf("k%d", i)
	}
	text += "commit: c3\n"
	for i := maxNumbered - 20; i < maxNumbered+20; i++ {
		text += fmt.Sprintf("kind: k%d\nBenchmarkX 1 %d ns/op\n", i, -i)
		want[float64(-i)] = fmt.Sprintf("k%d", i)
	}
	s := open(t, t.TempDir()+"/perf.db")
	putAll(t, s, tree{"file": text})
	check(t, "kinds by value", want, paramsByValue(t, s, "kind"))
}

// paramsByValue returns a param of all measurements.
func paramsByValue(t *testing.T, s *Store, key string) map[float64]string {
	t.Helper()
	params := make(map[float64]string)
	for m, err := range s.Measurements(t.Context(), nil, Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		params[m.Record.Value], _ = m.Record.Params.Get(key)
	}
	return params
}
