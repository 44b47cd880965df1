package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A table is aligned on a terminal, and CSV otherwise.
func TestTableForms(t *testing.T) {
	const aligned = `amount  snapshot  snapshots  time  type  uid
 0.616         0          0   0.0  time  real
   0.5         0          0   0.0  time  user
 0.125         0          0   0.0  time  sys
`
	name := perundata + "time_today.perf"
	for _, test := range []struct {
		terminal bool
		args     []string
		aligned  bool
	}{
		{true, []string{"table", name}, true},
		{false, []string{"table", "--as", "text", name}, true},
		{false, []string{"table", name}, false},
		{true, []string{"table", "--as", "csv", name}, false},
	} {
		status, stderr, stdout := runTerminal(test.terminal, test.args...)
		if status != statusOK || stderr != "" {
			t.Errorf("%q: %d, %s", test.args, status, stderr)
		}
		if diff := cmp.Diff(aligned, stdout); (diff == "") != test.aligned {
			t.Errorf("%q, terminal %v: (-aligned +got):\n%s", test.args, test.terminal, diff)
		}
	}
}

// Only the first rows decide the widths of an aligned table, and long cells are cut.
func TestAlignedTable(t *testing.T) {
	var out strings.Builder
	table := &alignedTable{out: &out}
	table.Write([]string{"name", "n", "empty"})
	for range measuredRows {
		table.Write([]string{"a\n", "1", ""})
	}
	table.Write([]string{strings.Repeat("µ", maxCell+1), "100", "x"})
	table.Flush()

	lines := strings.Split(out.String(), "\n")
	got := []string{lines[0], lines[1], lines[len(lines)-2]}
	want := []string{"name  n  empty", `a\n   1`, strings.Repeat("µ", maxCell-3) + "...  100  x"}
	if diff := cmp.Diff(want, got); diff != "" || len(lines) != measuredRows+3 {
		t.Errorf("%d lines (-want +got):\n%s", len(lines), diff)
	}
}
