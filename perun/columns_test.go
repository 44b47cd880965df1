package perun

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The error about arrays of different lengths names twenty of them, and has all of their values.
func TestLengths(t *testing.T) {
	var many string
	for i := range 19 {
		many += fmt.Sprintf(`,"k%d":[]`, i)
	}
	for _, test := range []struct{ name, arrays, end string }{
		{"20 arrays", `"amount":[1]` + many, "k18 has 0"},
		{"21 arrays", `"amount":[1]` + many + `,"x":[]`, "k18 has 0, ..."},
		{"several batches", `"amount":[` + strings.Repeat("1,", 2*batch) + `1],"x":[]`, "amount has 257, x has 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := readAll(strings.NewReader(head + typesOfA + `,"resources":{"a#0":{` + test.arrays + `}}}`))
			if len(got) != 1 || !strings.HasSuffix(got[0], test.end) {
				t.Errorf("%q, want the end %q", got, test.end)
			}
		})
	}
}

// The memory of a resource type's columns is kept for the next type, unless a batch of its values was large.
func TestColumnsKept(t *testing.T) {
	small := strings.Repeat(`"x",`, batch)
	large := strings.Repeat(`"`+strings.Repeat("x", 1+maxKept/batch)+`",`, batch)
	for _, test := range []struct {
		name, values string
		kept         bool
	}{
		{"small", small + small, true},
		{"first batch is large", large + small, false},
		{"last batch is large", small + large, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			values := strings.TrimSuffix(test.values, ",")
			one := strings.TrimSuffix(strings.Repeat("1,", strings.Count(test.values, ",")), ",")
			in := head + typesOfA + `,"resources":{"a#0":{"amount":[` + one + `],"x":[` + values + `]},"b#0":{"amount":[1]}}}`
			r := newReader(strings.NewReader(in))
			var memory []*column
			for _, err := range r.Records() {
				if err != nil {
					t.Fatal(err)
				}
				if m := &r.doc.columns.all[0]; !slices.Contains(memory, m) {
					memory = append(memory, m)
				}
			}
			if kept := len(memory) == 1; kept != test.kept {
				t.Errorf("the memory is kept: %v, want %v", kept, test.kept)
			}
		})
	}
}
