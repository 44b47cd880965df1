package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdata/format"
	"perfdata/ingest"
	"perfdata/series"
	"perfdata/skiav1"
)

// benchRecords is the number of measurements of a file of benchmarks.
const benchRecords = 2000

// benchFile returns the file of a commit, with the same traces at each.
func benchFile(commit int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"version":1,"git_hash":"%040x","key":{"arch":"x86_64","branch":"main","compiler":"Clang",`+
		`"model":"ShuttleA","os":"Ubuntu18"},"links":{"log":"https://example.com/%d"},"results":[`, commit*7919, commit)
	for i := range benchRecords / 4 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"key":{"source_type":"skp","test":"desk_%s_%d.skp","units":"ms"},"measurements":{"stat":[`,
			strings.Repeat("wikipedia", 1+i%3), int64(i)*2654435761%100_000)
		for j, stat := range []string{"min", "max", "median", "mean"} {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"value":%q,"measurement":%v}`, stat, float64(1+i*j*(commit+7919)%100_003)/997)
		}
		b.WriteString("]}}")
	}
	b.WriteString("]}")
	return b.Bytes()
}

// benchSource returns the File of a commit.
func benchSource(commit int, data []byte) ingest.File {
	hour := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(commit) * time.Hour)
	return ingest.File{
		Path: fmt.Sprintf("b/d/%s/%d.json", hour.Format(hourLayout), commit),
		Hour: hour,
		Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
	}
}

// ingestBench stores files. None may fail.
func ingestBench(tb testing.TB, sink ingest.Sink, workers int, files ...ingest.File) {
	seq := func(yield func(ingest.File, error) bool) {
		for _, f := range files {
			if !yield(f, nil) {
				return
			}
		}
	}
	_, err := ingest.Run(tb.Context(), seq, sink, ingest.RunOptions{Workers: workers, Report: func(r ingest.Report) {
		if r.Err != nil {
			tb.Error(r.Err)
		}
	}})
	if err != nil {
		tb.Fatal(err)
	}
}

// A plainTable is how a program without this package would store measurements: a prepared INSERT
// for each, in a transaction for each file. The settings of SQLite are the same.
type plainTable struct{ db *sql.DB }

func newPlainTable(tb testing.TB) plainTable {
	uri := sqliteURI(filepath.Join(tb.TempDir(), "plain.db"), newMemory(defaultMemory).writerCache)
	uri = strings.Replace(uri, "vfs="+pagesVFS+"&", "", 1) // its pages have no room for checksums
	db, err := sql.Open("sqlite", uri+"&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_txlock=immediate")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(tb.Context(), `CREATE TABLE measurements (
		id TEXT, commit_name TEXT, value REAL, PRIMARY KEY (id, commit_name))`)
	if err != nil {
		tb.Fatal(err)
	}
	return plainTable{db}
}

func (p plainTable) store(ctx context.Context, data []byte) error {
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	insert, err := tx.PrepareContext(ctx, "INSERT OR REPLACE INTO measurements VALUES ($1, $2, $3)")
	if err != nil {
		return err
	}
	defer insert.Close()
	r := skiav1.NewReader(bytes.NewReader(data))
	h, err := r.Header()
	if err != nil {
		return err
	}
	for rec, err := range r.Records() {
		if err != nil {
			return err
		}
		if _, err := insert.ExecContext(ctx, rec.TraceID(), h.GitHash, rec.Value); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// BenchmarkCommit stores the files of the second and later commits, parsing included, in a store
// and in a plain table in turns. The metric "times" is how many times as fast the store is.
func BenchmarkCommit(b *testing.B) {
	s, plain := open(b, filepath.Join(b.TempDir(), "perf.db")), newPlainTable(b)
	var inStore, inPlain time.Duration
	for commit := 0; b.Loop(); commit++ {
		data := benchFile(commit)
		began := time.Now()
		ingestBench(b, s, 1, benchSource(commit, data))
		middle := time.Now()
		if err := plain.store(b.Context(), data); err != nil {
			b.Fatal(err)
		}
		if commit > 0 {
			inStore += middle.Sub(began)
			inPlain += time.Since(middle)
		}
	}
	n := float64(benchRecords * max(1, b.N-1))
	b.ReportMetric(float64(inStore.Nanoseconds())/n, "store-ns/record")
	b.ReportMetric(float64(inPlain.Nanoseconds())/n, "plain-ns/record")
	if inStore > 0 {
		b.ReportMetric(float64(inPlain)/float64(inStore), "times")
	}
}

// A discard is a Sink that stores nothing, so that only parsing takes time.
type discard struct{}

func (discard) Begin(context.Context, ingest.Source) (ingest.Batch, error) { return discard{}, nil }
func (discard) WantsSHA256() bool                                          { return false }
func (discard) Add(*series.Point) error                                    { return nil }
func (discard) Commit(format.Header, ingest.Content) error                 { return nil }
func (discard) Rollback() error                                            { return nil }

// BenchmarkWorkers parses 40 files with one worker and with two, in turns. The metric "share" is
// the shortest time of two workers divided by the shortest time of one.
func BenchmarkWorkers(b *testing.B) {
	var files []ingest.File
	for i := range 40 {
		files = append(files, benchSource(i, benchFile(i)))
	}
	one, two := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for b.Loop() {
		began := time.Now()
		ingestBench(b, discard{}, 1, files...)
		middle := time.Now()
		ingestBench(b, discard{}, 2, files...)
		one, two = min(one, middle.Sub(began)), min(two, time.Since(middle))
	}
	b.ReportMetric(float64(two)/float64(one), "share")
}
