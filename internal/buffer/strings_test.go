package buffer

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	var table Strings
	var all []string
	for round := range 3 {
		for i := range 5000 {
			want := fmt.Sprintf("string %d", i)
			got := table.String([]byte(want))
			if got != want {
				t.Fatalf("round %d: %q, want %q", round, got, want)
			}
			all = append(all, got)
		}
	}
	// Strings that were returned do not change.
	for i, got := range all {
		if want := fmt.Sprintf("string %d", i%5000); got != want {
			t.Fatalf("%q, was %q", got, want)
		}
	}
	for _, want := range []string{"", "a", strings.Repeat("x", maxLength), strings.Repeat("x", 100_000)} {
		if got := table.String([]byte(want)); got != want {
			t.Errorf("%d bytes, want %d", len(got), len(want))
		}
	}
	if len(table.table) > maxSlots {
		t.Errorf("%d strings are remembered", len(table.table))
	}
}

// A repeated string is made once, and new strings share memory.
func TestAllocations(t *testing.T) {
	var table Strings
	b := []byte("repeated")
	fresh := make([]byte, 0, 64)
	table.String(b)
	if n := testing.AllocsPerRun(1000, func() { table.String(b) }); n > 0 {
		t.Errorf("a known string allocates %v times", n)
	}
	i := 0
	if n := testing.AllocsPerRun(10_000, func() {
		i++
		fresh = strconv.AppendInt(fresh[:0], int64(i), 10)
		table.String(fresh)
	}); n > 0.1 {
		t.Errorf("a new string allocates %v times", n)
	}
}
