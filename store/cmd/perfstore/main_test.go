package main

import (
	"bufio"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// perfstore runs the command and returns what it prints.
func perfstore(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var b strings.Builder
	out := bufio.NewWriter(&b)
	err := run(t.Context(), out, args)
	out.Flush()
	return b.String(), err
}

func TestCommands(t *testing.T) {
	database := filepath.Join(t.TempDir(), "perf.db")
	if _, err := perfstore(t, "query", database); err == nil {
		t.Error("a query of a missing database: no error")
	}
	testdata := filepath.Join("..", "..", "..", "testdata")
	if _, err := perfstore(t, "ingest", database, filepath.Join(testdata, "skiav1")); !errors.Is(err, errFailed) {
		t.Errorf("ingest: %v, want %v for invalid.json", err, errFailed)
	}

	got, err := perfstore(t, "query", database, "arch=x86&stat=min")
	want := ",arch=x86,config=8888,stat=min,test=draw_a_circle,units=ms,\tcd5...663\t1\t1.2\n" +
		",arch=x86,config=8888,stat=min,test=draw_my_animation,units=Hz,\tcd5...663\t1\t20\n"
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("query: %v (-want +got):\n%s", err, diff)
	}
	if got, err = perfstore(t, "params", database); err != nil || !strings.Contains(got, "\nstat\t") {
		t.Errorf("params: %v\n%s", err, got)
	}
	if got, err = perfstore(t, "sources", database); err != nil || !strings.Contains(got, "example.json\tskiav1\t7\t\n") ||
		!strings.Contains(got, "invalid.json\tskiav1\t0\tinvalid.json:2:14: version: ") {
		t.Errorf("sources: %v\n%s", err, got)
	}

	if _, err := perfstore(t, "delete", database, "example.json"); err != nil {
		t.Error(err)
	}
	if got, err = perfstore(t, "query", database, "arch=x86&config=8888"); err != nil || got != "" {
		t.Errorf("query after delete: %v\n%s", err, got)
	}
	for _, args := range [][]string{
		nil, {"query"}, {"unknown", database}, {"query", database, "a=b", "c=d"}, {"ingest", database},
		{"ingest", database, "missing"}, {"query", database, "a=~["}, {"delete", database, "missing"},
	} {
		if _, err := perfstore(t, args...); err == nil || errors.Is(err, errFailed) {
			t.Errorf("perfstore %q: error %v", args, err)
		}
	}
}
