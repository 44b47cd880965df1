package store

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"perfdata/ingest"
)

// historyFile is a history of 989 commits, 2 MB of github-action-benchmark. It is next to this
// project's folder, and not part of the project.
const historyFile = "../../shared/runners/github-action-benchmark/pypdf.data.js"

// BenchmarkHistory stores a history in a new database of SQLite. The metrics are the least CPU time
// of the process for opening it, and for all until it is closed: what other programs do only makes
// them longer.
func BenchmarkHistory(b *testing.B) {
	if _, err := os.Stat(historyFile); err != nil {
		b.Skip(err)
	}
	root, name := os.DirFS(filepath.Dir(historyFile)), filepath.Base(historyFile)
	opening, all := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for b.Loop() {
		database := filepath.Join(b.TempDir(), "perf.db")
		began := processCPU(b)
		s, err := Open(b.Context(), database)
		if err != nil {
			b.Fatal(err)
		}
		opening = min(opening, processCPU(b)-began)
		files := ingest.Walk(root, name, ingest.WalkOptions{Order: ingest.ByPath})
		summary, err := s.Ingest(b.Context(), files, IngestOptions{})
		if err != nil || summary.Records == 0 {
			b.Fatal(summary, err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		all = min(all, processCPU(b)-began)
	}
	b.ReportMetric(opening.Seconds()*1000, "open-ms")
	b.ReportMetric(all.Seconds()*1000, "all-ms")
}
