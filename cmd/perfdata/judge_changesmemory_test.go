package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdata/internal/testing/formattest"
)

var storedValues = flag.Int("stored-values", 100_000,
	"`number` of values of a store in which changes are found; with 10500000, less than 256 MB are taken")

// The command changes holds the values of one trace of a store, not all of them.
func TestChangesMemory(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip(err)
	}
	switch {
	case formattest.Race:
		t.Skip("the race detector takes memory of its own")
	case testing.Short():
		t.Skip("it stores many values")
	}

	const commits = 100
	dir := t.TempDir()
	for commit := range commits {
		var b strings.Builder
		fmt.Fprintf(&b, "commit: %07x\ncommit-time: 2026-01-%02dT%02d:00:00Z\n", 0xabc0000+commit, 1+commit/24, commit%24)
		for i := range *storedValues / commits {
			level := 100 + i%50
			if i%100 == 0 && commit >= commits/2 {
				level *= 2
			}
			fmt.Fprintf(&b, "BenchmarkB%d/size=%d 1 %d ns/op\n", i, i%7, level*100+(commit*i*7919)%97)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.txt", commit)), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db := filepath.Join(t.TempDir(), "perf.db")
	if _, stderr, status := runTool(nil, "store", "ingest", "-q", db, dir); status != statusOK {
		t.Fatal(stderr)
	}

	out, peak := measured(t, "changes", "-q", db)
	t.Logf("%d MB for %d values:\n%s", peak, *storedValues, out)
	most := 100
	if *storedValues > 1_000_000 {
		most = maxMemory
	}
	if peak > most {
		t.Errorf("%d MB, want at most %d", peak, most)
	}
	if want := "1. abc0032, "; !strings.HasPrefix(out, want) {
		t.Errorf("%s, want %q", out, want)
	}
}
