package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdata/ingest"
	"perfdata/series"
)

var lostRows = flag.Int("lost-rows", 8, "let TestLostRows lose each n-th row; 1 takes minutes")

// A lostRowsStore is a small store with all kinds of rows.
type lostRowsStore struct {
	name  string
	files tree
	list  []series.Commit
}

func newLostRowsStore(t *testing.T, name string) *lostRowsStore {
	t.Helper()
	l := &lostRowsStore{name: name, files: tree{
		"b/d/2026/01/02/03/a.json": skia(at("c1")+`,"links":{"log":"https://example.com"}`, "x=1", "y y=2"),
		"b/d/2026/01/02/04/b.json": skia(at("c2")+`,"links":{"log":"https://example.org"}`, "x=3", "z=4"),
		"b/d/2026/01/02/05/c.json": skia(at("c2"), "x=5", "w=6"), // newer than b.json
		"b/d/2026/01/02/06/d.json": skia(at("abcdef"), "only=7"),
		"b/d/2026/01/02/07/t.json": skia(at("c2")+`,"issue":"7","patchset":"1"`, "x=8", "trial=9"),
		"b/d/2026/01/02/08/f.json": "{",
	}, list: []series.Commit{{Hash: "abcdef12"}, {Hash: "c1", Author: "a"}, {Hash: "c2", Subject: "s"}, {Hash: "c3"}}}
	s := open(t, name)
	defer s.Close()
	put(t, s, l.files, ingest.RunOptions{})
	if _, err := s.SetCommits(t.Context(), "", l.list); err != nil {
		t.Fatal(err)
	}
	if err := s.AdvanceCheckpoint(t.Context(), "tree", "b/d/2026/01/02/03/a.json"); err != nil {
		t.Fatal(err)
	}
	return l
}

// A lostRowsQuestion is what a command asks, or does before it dumps the store.
type lostRowsQuestion struct {
	name   string
	writes bool
	ask    func(ctx context.Context, s *Store) (string, error)
}

// textOf returns the values of an iteration as lines.
func textOf[T any](values iter.Seq2[T, error]) (string, error) {
	var b strings.Builder
	for value, err := range values {
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%+v\n", value)
	}
	return b.String(), nil
}

// askOf returns a function that asks one thing, or does it.
func askOf[T any](do func(ctx context.Context, s *Store) (T, error)) func(ctx context.Context, s *Store) (string, error) {
	return func(ctx context.Context, s *Store) (string, error) {
		value, err := do(ctx, s)
		return fmt.Sprintf("%+v", value), err
	}
}

func (l *lostRowsStore) questions(t *testing.T) []lostRowsQuestion {
	query := func(query string, r Range) func(ctx context.Context, s *Store) (string, error) {
		return func(ctx context.Context, s *Store) (string, error) {
			return textOf(s.Query(ctx, mustQuery(t, query), r))
		}
	}
	trial := Trial{Issue: "7", Patchset: "1"}
	return []lostRowsQuestion{
		{"dump", false, func(ctx context.Context, s *Store) (string, error) {
			var b strings.Builder
			err := s.Dump(ctx, &b)
			return b.String(), err
		}},
		{"measurements", false, func(ctx context.Context, s *Store) (string, error) {
			return textOf(func(yield func(string, error) bool) {
				for m, err := range s.Measurements(ctx, nil, Range{}) {
					if err != nil {
						yield("", err)
					} else if !yield(fmt.Sprintf("%+v", *m), nil) {
						return
					}
				}
			})
		}},
		{"all", false, func(ctx context.Context, s *Store) (string, error) {
			return textOf(s.Query(ctx, nil, Range{}))
		}},
		{"the first", false, func(ctx context.Context, s *Store) (string, error) {
			return textOf(s.Query(ctx, nil, Range{Limit: 1}))
		}},
		{"at a commit", false, func(ctx context.Context, s *Store) (string, error) {
			return textOf(s.Query(ctx, nil, Range{First: "c2", Last: "c2"}))
		}},
		{"a trace at a commit", false, query("test=x", Range{First: "c2", Last: "c2"})},
		{"a param", false, query("test=x", Range{})},
		{"a param of one trace", false, query("test=only", Range{})},
		{"two values", false, query("test=z&test=w", Range{})},
		{"an expression", false, query("test=~^[xz]", Range{})},
		{"the newest", false, query("test=~.", Range{Newest: true})},
		{"a trial", false, query("test=~.", Range{Trial: trial})},
		{"hours", false, query("test=~.", Range{From: time.Date(2026, 1, 2, 4, 0, 0, 0, time.UTC)})},
		{"a trace", false, func(ctx context.Context, s *Store) (string, error) {
			return textOf(s.Query(ctx, nil, Range{Trace: ",test=x,"}))
		}},
		{"commits", false, askOf(func(ctx context.Context, s *Store) ([]Commit, error) {
			commits, order, err := s.Commits(ctx, Trial{})
			return append(commits, Commit{Name: order.String()}), err
		})},
		{"params", false, func(ctx context.Context, s *Store) (string, error) { return textOf(s.Params(ctx, Trial{})) }},
		{"params of a trial", false, func(ctx context.Context, s *Store) (string, error) { return textOf(s.Params(ctx, trial)) }},
		{"sources", false, func(ctx context.Context, s *Store) (string, error) { return textOf(s.Sources(ctx)) }},
		{"measurements at two commits", false, func(ctx context.Context, s *Store) (string, error) {
			a := series.Answer{Charset: s.Charset()}
			err := a.Ask(ctx, series.Old, &series.Question{Commits: []string{"c1", "c2"}}, s)
			var lines []string
			for _, one := range a.Series() {
				lines = append(lines, fmt.Sprint(one.Trace, one.AppendSide(nil, series.Old), one.AppendSide(nil, series.New)))
			}
			return strings.Join(lines, "\n"), err
		}},
		{"selected", false, askOf(func(ctx context.Context, s *Store) (Deleted, error) {
			return s.Selected(ctx, Selection{Commit: "c2", Query: mustQuery(t, "test=x")})
		})},
		{"selected files", false, askOf(func(ctx context.Context, s *Store) (Deleted, error) {
			return s.Selected(ctx, Selection{Before: time.Date(2026, 1, 2, 5, 0, 0, 0, time.UTC)})
		})},
		{"size", false, askOf(func(ctx context.Context, s *Store) (Size, error) {
			size, err := s.Size(ctx)
			size.Bytes = 0
			return size, err
		})},
		{"export", false, func(ctx context.Context, s *Store) (string, error) {
			var b strings.Builder
			err := s.Export(ctx, func(e *Export) error {
				fmt.Fprintln(&b, e.ID, e.Days, e.TracesState)
				for i := range e.Days {
					err := e.Rows([]int{i}, func(_ int, row *ExportedRow) error {
						_, err := fmt.Fprintln(&b, row.Commit, row.TraceID, row.Value, row.Links, row.File)
						return err
					})
					if err != nil {
						return err
					}
				}
				return e.Traces(func(t *ExportedTrace) error {
					_, err := fmt.Fprintln(&b, *t)
					return err
				})
			})
			return b.String(), err
		}},
		{"checkpoint", false, askOf(func(ctx context.Context, s *Store) (string, error) { return s.Checkpoint(ctx, "tree") })},
		{"ingest", true, askOf(func(ctx context.Context, s *Store) (ingest.Summary, error) {
			walk := ingest.Walk(l.files.fs(), ".", ingest.WalkOptions{Order: ingest.ByPath})
			var damage error
			summary, err := s.Ingest(ctx, walk, IngestOptions{RunOptions: ingest.RunOptions{Report: func(r ingest.Report) {
				if errors.Is(r.Err, ErrDamaged) {
					damage = r.Err
				}
			}}})
			return summary, cmp.Or(err, damage)
		})},
		{"delete a file", true, askOf(func(ctx context.Context, s *Store) (Deleted, error) {
			return s.Delete(ctx, Selection{Paths: []string{"b/d/2026/01/02/05/c.json"}})
		})},
		{"delete measurements", true, askOf(func(ctx context.Context, s *Store) (Deleted, error) {
			return s.Delete(ctx, Selection{Query: mustQuery(t, "test=x")})
		})},
		{"the same list", true, askOf(func(ctx context.Context, s *Store) (ListSummary, error) {
			return s.SetCommits(ctx, "", l.list)
		})},
		{"vacuum", true, askOf(func(ctx context.Context, s *Store) (Vacuumed, error) { return s.Vacuum(ctx) })},
	}
}

// answer asks a question.
func (q *lostRowsQuestion) answer(ctx context.Context, s *Store) (string, error) {
	text, err := q.ask(ctx, s)
	if err != nil || !q.writes {
		return text, err
	}
	var b strings.Builder
	err = s.Dump(ctx, &b)
	return text + b.String(), err
}

// savedTables are copies of the tables of a store, with numbers of the rows.
type savedTables map[string]savedTable

type savedTable struct {
	columns string
	rows    int
}

func saveTables(t *testing.T, s *Store) savedTables {
	t.Helper()
	saved := make(savedTables)
	write(t, s, func(tx *transaction) error {
		for _, table := range append(strings.Split(tables, ", "), "counts", "settings", "stamps") {
			rows, err := tx.QueryContext(t.Context(), "SELECT * FROM "+table)
			if err != nil {
				return err
			}
			columns, err := rows.Columns()
			rows.Close()
			if err != nil {
				return err
			}
			one := savedTable{columns: strings.Join(columns, ", ")}
			copied := fmt.Sprintf("CREATE TABLE saved_%s AS SELECT ROW_NUMBER() OVER () AS saved_n, %s FROM %s", table, one.columns, table)
			if _, err := tx.ExecContext(t.Context(), copied); err != nil {
				return err
			}
			if err := tx.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&one.rows); err != nil {
				return err
			}
			saved[table] = one
		}
		return nil
	})
	return saved
}

// restore restores all tables, except one row of a table.
func (saved savedTables) restore(t *testing.T, s *Store, without string, row int) {
	t.Helper()
	values := ""
	if _, ok := s.db.(*postgresDB); ok {
		values = "OVERRIDING SYSTEM VALUE "
	}
	write(t, s, func(tx *transaction) error {
		for table, one := range saved {
			lost := 0
			if table == without {
				lost = row
			}
			_, err1 := tx.ExecContext(t.Context(), "DELETE FROM "+table)
			_, err2 := tx.ExecContext(t.Context(), fmt.Sprintf("INSERT INTO %s (%s) %sSELECT %s FROM saved_%s WHERE saved_n <> %d",
				table, one.columns, values, one.columns, table, lost))
			if err := errors.Join(err1, err2); err != nil {
				return fmt.Errorf("%s: %w", table, err)
			}
		}
		return nil
	})
}

func write(t *testing.T, s *Store, do func(tx *transaction) error) {
	t.Helper()
	if err := s.write(t.Context(), do); err != nil {
		t.Fatal(err)
	}
}

// Without any row of any table, each question has the same answer or says that the database is
// damaged, also where pages have no checksums, as in PostgreSQL, or where the row was deleted.
func TestLostRows(t *testing.T) {
	onBoth(t, func(t *testing.T, newDatabase func() string) {
		l := newLostRowsStore(t, newDatabase())
		s := open(t, l.name)
		saved := saveTables(t, s)
		questions := l.questions(t)
		// askAll opens the store, and asks all questions.
		askAll := func(table string, row int, each func(i int, text string, err error)) {
			asked, err := Open(t.Context(), l.name)
			for i := range questions {
				if q := &questions[i]; err != nil {
					each(i, "", err)
				} else {
					text, err := q.answer(t.Context(), asked)
					each(i, text, err)
					if q.writes {
						saved.restore(t, s, table, row)
						asked.names.forget(noStamp)
					}
				}
			}
			if err == nil {
				asked.Close()
			}
		}
		want := make([]string, len(questions))
		askAll("", 0, func(i int, text string, err error) {
			if want[i] = text; err != nil {
				t.Fatalf("%s: %v", questions[i].name, err)
			}
		})

		step := *lostRows
		if testing.Short() {
			step *= 3
		}
		n, noticed := 0, 0
		for _, table := range slices.Sorted(maps.Keys(saved)) {
			for row := 1; row <= saved[table].rows; row++ {
				if n++; n%step != 0 {
					continue
				}
				saved.restore(t, s, table, row)
				damaged := 0
				askAll(table, row, func(i int, got string, err error) {
					if errors.Is(err, ErrDamaged) {
						damaged++
					} else if err != nil || got != want[i] {
						t.Errorf("%s without row %d (%s): %s: %v", table, row, savedRow(t, s, table, row), questions[i].name, err)
					}
				})
				if damaged == 0 {
					continue
				}
				noticed++
				found, err := s.Check(t.Context())
				if len(found.Faults) == 0 && err == nil && table != "stamps" {
					t.Errorf("%s without row %d: check finds nothing", table, row)
				}
			}
		}
		t.Logf("%d rows, of which %d were missed", n, noticed)
	})
}

// savedRow returns a row of a table for people.
func savedRow(t *testing.T, s *Store, table string, row int) (text string) {
	t.Helper()
	err := s.view(t.Context(), func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(t.Context(), fmt.Sprintf("SELECT * FROM saved_%s WHERE saved_n = %d", table, row))
		if err != nil {
			return err
		}
		defer rows.Close()
		columns, err := rows.Columns()
		values := slices.Repeat([]any{nil}, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		for rows.Next() && err == nil {
			err = rows.Scan(values...)
		}
		for _, value := range values {
			text += fmt.Sprintf("%v ", *value.(*any))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
