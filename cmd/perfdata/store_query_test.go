package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A query without a value has the status 1, however it selects: 2 would make scripts repeat it. The
// output is that of a query that selects nothing.
func TestStoreQueryWithoutValue(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("bench.txt", []byte("BenchmarkX 1 2 ns/op\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	runOK(t, "store", "ingest", "--commit", "abc", "perf.db", "bench.txt")
	for _, form := range []string{"tsv", "jsonl", "text"} {
		empty, _, _ := runTool(nil, "store", "query", "--as", form, "perf.db", "name=none")
		for _, test := range []struct {
			name   string
			args   []string
			stderr string
		}{
			{"query", []string{"perf.db", "name=none"}, "perfdata: no trace matches the query: "},
			{"id", []string{"--id", ",name=none,", "perf.db"}, `trace ",name=none," has no value`},
			{"commit", []string{"--commit", "abd", "perf.db"}, `commit "abd" is not in the store`},
			{"trial", []string{"--commit", "abc", "--trial", "7/1", "perf.db"}, `commit "abc" is not in the store`},
		} {
			t.Run(form+" "+test.name, func(t *testing.T) {
				stdout, stderr, status := runTool(nil, append([]string{"store", "query", "--as", form}, test.args...)...)
				if !strings.Contains(stderr, test.stderr) || status != statusInvalid {
					t.Errorf("%d, %q", status, stderr)
				}
				if diff := cmp.Diff(empty, stdout); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}
