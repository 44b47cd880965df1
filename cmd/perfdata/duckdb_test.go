package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// DuckDB answers the questions of docs/databases.md as this says.
func TestDuckDB(t *testing.T) {
	duckdb, err := exec.LookPath("duckdb")
	if err != nil {
		t.Skip("DuckDB is not installed: ", err)
	}
	dir := t.TempDir()
	db, out, list := filepath.Join(dir, "perf.db"), filepath.Join(dir, "out"), filepath.Join(dir, "list")
	write(t, list, "3a1f09c 7cd9055\t1795500000\tAda\ta faster decoder\n7cd9055\t1795300000\tBo\ta test\n")
	runOK(t, "store", "ingest", db, "../../testdata/skiav1/old.json", "../../testdata/skiav1/new.json")
	runOK(t, "store", "commits", db, list)
	runOK(t, "store", "export", db, out)

	blocks := fencedBlocks(read(t, "../../docs/databases.md"))
	questions := 0
	for i, block := range blocks {
		if block.language != "sql" || blocks[i+1].language != "csv" {
			continue
		}
		questions++
		got, err := exec.Command(duckdb, "-csv", "-c", strings.ReplaceAll(block.text, "/srv/perf", out)).CombinedOutput()
		if diff := cmp.Diff(blocks[i+1].text, string(got)); diff != "" || err != nil {
			t.Errorf("%v, %s (-docs +got):\n%s", err, block.text, diff)
		}
	}
	if questions != 3 {
		t.Errorf("%d questions", questions)
	}
}
