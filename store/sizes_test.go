package store

import (
	"database/sql"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"perfdata/ingest"
)

var sizesValues = flag.Int("sizes", 0, "number of values of each store of TestSizes")

// TestSizes logs what a value takes in stores whose files have few traces, or few of each group.
func TestSizes(t *testing.T) {
	if *sizesValues == 0 {
		t.Skip("it is run by hand: go test -run TestSizes -v -sizes 100000")
	}
	onEach(t, func(t *testing.T, newDatabase func() string) {
		for _, one := range []struct {
			name         string
			traces, step int // a file has each trace of a step
		}{
			{"64 of 64 traces", 6400, 1},
			{"16 of 64 traces", 6400, 4},
			{"4 of 64 traces", 6400, 16},
			{"1 of 64 traces", 6400, 64},
			{"files of 10 traces", 10, 1},
			{"files of a trace", 1, 1},
		} {
			t.Run(one.name, func(t *testing.T) {
				s := open(t, newDatabase())
				ingestBench(t, s, 1, sparseSource(0, 0, 6400, 1)) // they get IDs one after another
				before := logSize(t, s)
				values := 0
				var files []ingest.File
				for n := 1; values < *sizesValues; n++ {
					files = append(files, sparseSource(n, n%one.step, one.traces, one.step))
					values += one.traces / one.step
				}
				ingestBench(t, s, 4, files...)
				after := logSize(t, s)
				t.Logf("%-20s %6.1f bytes a value, of %.1f in all; %.0f a file", one.name,
					float64(after.rowGroups-before.rowGroups)/float64(values), float64(after.all-before.all)/float64(values),
					float64(after.all-before.all)/float64(len(files)))
			})
		}
	})
}

// sparseSource returns a file of a commit, with traces first, first+step and so on.
func sparseSource(commit, first, traces, step int) ingest.File {
	var results []string
	for i := first; i < traces; i += step {
		results = append(results, fmt.Sprintf("%d=%d.25", i, i+commit))
	}
	f := benchSource(commit, []byte(skia(at(fmt.Sprintf("c%d", commit/10)), results...)))
	hour := time.Date(2026, 1, 1, 0, commit/10, 0, 0, time.UTC)
	f.Path, f.Hour = fmt.Sprintf("b/%s/%d.json", hour.Format(hourLayout), commit), hour
	return f
}

type sizes struct{ rowGroups, all int64 }

// logSize returns the bytes of the row groups and of all tables, with keys and indexes.
func logSize(t *testing.T, s *Store) (size sizes) {
	t.Helper()
	query := "SELECT (SELECT SUM(pgsize) FROM dbstat WHERE name = 'row_groups'), (SELECT SUM(pgsize) FROM dbstat)"
	if isPostgres(s) {
		query = `SELECT pg_total_relation_size('rowGroups'), (SELECT SUM(pg_total_relation_size(c.oid))::bigint FROM pg_class c
			JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relkind = 'r')`
	}
	err := s.view(t.Context(), func(tx *sql.Tx) error {
		return tx.QueryRowContext(t.Context(), strings.TrimSpace(query)).Scan(&size.rowGroups, &size.all)
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}

func isPostgres(s *Store) bool {
	_, ok := s.db.(*postgresDB)
	return ok
}
