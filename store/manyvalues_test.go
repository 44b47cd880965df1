package store

import (
	"bytes"
	"database/sql"
	"flag"
	"fmt"
	"iter"
	"math"
	"regexp"
	"testing"
	"time"

	"perfdata/series"
	"perfdata/traceid"
)

var (
	manyValues   = flag.Int("values", 0, "number of values of TestManyValues; 10000000 takes some minutes")
	manyQueries  = flag.Int("queries", 3, "how often TestManyValues asks each question")
	manyTraces   = flag.Int("traces", 100_000, "number of traces of TestManyValues")
	manyAsked    = flag.String("questions", "", "regular expression for the questions of TestManyValues; it asks all without one")
	manyDatabase = flag.String("database", "", "name of a database that TestManyValues makes, or uses if it has values")
)

// TestManyValues makes a store of many values, and measures questions, and beside them plain SQL
// that answers the same from the same rows.
func TestManyValues(t *testing.T) {
	if *manyValues == 0 {
		t.Skip("it is run by hand: go test -run TestManyValues/SQLite -v -values 10000000")
	}
	if *manyDatabase != "" {
		testManyValues(t, *manyDatabase)
		return
	}
	onEach(t, func(t *testing.T, newDatabase func() string) { testManyValues(t, newDatabase()) })
}

func testManyValues(t *testing.T, name string) {
	s := open(t, name)
	commits, _, err := s.Commits(t.Context(), Trial{})
	if err != nil {
		t.Fatal(err)
	}
	if len(commits) == 0 {
		storeMany(t, s)
	}
	var all timings
	for range *manyQueries {
		askMany(t, s, &all)
	}
	all.log(t)
}

// A timings has the shortest time of each question, in the order in which they are asked first.
type timings struct {
	names []string
	best  map[string]time.Duration
	found map[string]int
}

// ask asks a question, which counts its answers.
func (a *timings) ask(t *testing.T, name string, question func() (int, error)) {
	t.Helper()
	if isAsked, err := regexp.MatchString(*manyAsked, name); err != nil {
		t.Fatal(err)
	} else if !isAsked {
		return
	}
	began := time.Now()
	n, err := question()
	took := time.Since(began)
	if err != nil {
		t.Fatal(name, err)
	}
	if a.best == nil {
		a.best, a.found = make(map[string]time.Duration), make(map[string]int)
	}
	if before, ok := a.best[name]; !ok {
		a.names = append(a.names, name)
	} else {
		took = min(took, before)
	}
	a.best[name], a.found[name] = took, n
}

func (a *timings) log(t *testing.T) {
	for _, name := range a.names {
		t.Logf("%-50s %8d %8.1f ms", name, a.found[name], a.best[name].Seconds()*1000)
	}
}

// storeMany stores the values, and a trial with one.
func storeMany(t *testing.T, s *Store) {
	began := time.Now()
	for commit := range *manyValues / *manyTraces {
		for part := range 10 {
			f := benchSource(commit, manyFile(commit, part))
			f.Path += fmt.Sprint(part)
			ingestBench(t, s, 1, f)
		}
	}
	t.Logf("stored %d values in %v", *manyValues, time.Since(began).Round(time.Millisecond))
	logSizes(t, s)
	ingestBench(t, s, 1, benchSource(0, []byte(
		`{"version":1,"git_hash":"c0","issue":"7","patchset":"1","results":[{"key":{"arch":"a0"},"measurement":1}]}`)))
	makeUnpacked(t, s) // what plain SQL is asked for
}

// logSizes logs what a value and a param of a trace take, with their keys and indexes.
func logSizes(t *testing.T, s *Store) {
	for _, one := range []struct {
		table, what string
		count       int
	}{{"row_groups", "value", *manyValues}, {"postings", "param of a trace", 5 * *manyTraces}} {
		query := "SELECT SUM(pgsize) FROM dbstat WHERE name = $1 OR name = $2"
		if _, ok := s.db.(*postgresDB); ok {
			query = "SELECT pg_total_relation_size($1::regclass) + 0 * LENGTH($2)"
		}
		var bytes float64
		err := s.write(t.Context(), func(tx *transaction) error {
			return tx.QueryRowContext(t.Context(), query, one.table, "sqlite_autoindex_"+one.table+"_1").Scan(&bytes)
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%.1f bytes a %s", bytes/float64(one.count), one.what)
	}
}

// askMany asks questions, and plain SQL.
func askMany(t *testing.T, s *Store, all *timings) {
	last := *manyValues / *manyTraces - 1
	from, to := fmt.Sprintf("c%d", last/2), fmt.Sprintf("c%d", last)
	id := ",arch=a3,group=g0,os=linux,test=draw_0,units=ms,"
	hash := hashed(id).hash

	all.ask(t, "a trace by its ID", func() (int, error) {
		return points(s.Query(t.Context(), nil, Range{Trace: id}))()
	})
	all.ask(t, "a trace by all its params", points(s.queryText(t, "arch=a3&group=g0&os=linux&test=draw_0&units=ms")))
	all.plain(t, s, "a trace by all its params", `
		SELECT c.name, m.value FROM traces t, commits c, measurements m
		WHERE t.hash = $1 AND c.issue = '' AND m.block = c.id / 16 AND m.trace_id = t.id AND m.commit_id = c.id
		ORDER BY c.hour`, hash[:])
	all.ask(t, "two params", points(s.queryText(t, "arch=a3&group=g0")))
	all.ask(t, "one param", points(s.queryText(t, "group=g0")))
	all.plain(t, s, "one param", `
		SELECT t.name, m.value
		FROM trace_params tp CROSS JOIN traces t
		CROSS JOIN (SELECT DISTINCT id / 16 AS block FROM commits WHERE issue = '') b CROSS JOIN measurements m
		WHERE tp.param_id = (SELECT id FROM params WHERE key = 'group' AND value = $1) AND t.id = tp.trace_id
			AND m.block = b.block AND m.trace_id = t.id
		ORDER BY t.name`, "g0")
	all.ask(t, "a regexp and a param", points(s.queryText(t, "arch=a3&test=~^draw_1.$")))
	all.ask(t, "param set of everything", params(s.Params(t.Context(), Trial{})))
	all.ask(t, "param set of a trial with one trace", params(s.Params(t.Context(), Trial{Issue: "7", Patchset: "1"})))
	all.ask(t, "all values at a commit", points(s.Query(t.Context(), nil, Range{First: from, Last: from})))
	all.plain(t, s, "all values at a commit", `
		SELECT t.name, m.value FROM measurements m CROSS JOIN traces t
		WHERE m.block = (SELECT id / 16 FROM commits WHERE name = $1 AND issue = '')
			AND m.commit_id = (SELECT id FROM commits WHERE name = $1 AND issue = '') AND t.id = m.trace_id
		ORDER BY t.name`, from)
	all.ask(t, "what changed by 5% between two commits", func() (n int, err error) {
		a := series.Answer{Charset: s.Charset()}
		err = a.Each(t.Context(), &series.Question{Commits: []string{from, to}}, s, func(one *series.Series) error {
			before, after := series.Median(one.AppendSide(nil, series.Old)), series.Median(one.AppendSide(nil, series.New))
			if math.Abs(after-before) >= 0.05*math.Abs(before) {
				n++
			}
			return nil
		})
		return n, err
	})
	all.plain(t, s, "what changed by 5% between two commits", `
		SELECT t.name, a.value, b.value FROM measurements a CROSS JOIN measurements b CROSS JOIN traces t
		WHERE a.block = (SELECT id / 16 FROM commits WHERE name = $1 AND issue = '')
			AND a.commit_id = (SELECT id FROM commits WHERE name = $1 AND issue = '')
			AND b.block = (SELECT id / 16 FROM commits WHERE name = $2 AND issue = '')
			AND b.commit_id = (SELECT id FROM commits WHERE name = $2 AND issue = '')
			AND b.trace_id = a.trace_id AND ABS(b.value - a.value) >= 0.05 * ABS(a.value) AND t.id = a.trace_id
		ORDER BY t.name`, from, to)
	all.ask(t, "the newest values", points(s.Query(t.Context(), nil, Range{Newest: true})))
	all.plain(t, s, "the newest values", `
		SELECT t.name, m.value FROM (
			SELECT trace_id, MAX(commit_id) AS newest FROM measurements WHERE block >= 0 GROUP BY trace_id
		) n CROSS JOIN measurements m CROSS JOIN traces t
		WHERE m.block = n.newest / 16 AND m.trace_id = n.trace_id AND m.commit_id = n.newest AND t.id = n.trace_id
		ORDER BY t.name`)
}

// plain asks the same in SQL.
func (a *timings) plain(t *testing.T, s *Store, name, query string, args ...any) {
	t.Helper()
	a.ask(t, name+", plain SQL", func() (n int, err error) {
		err = s.view(t.Context(), func(tx *sql.Tx) error {
			rows, err := tx.QueryContext(t.Context(), query, args...)
			if err != nil {
				return err
			}
			defer rows.Close()
			columns, err := rows.Columns()
			if err != nil {
				return err
			}
			name, values := "", make([]float64, len(columns)-1)
			dest := []any{&name}
			for i := range values {
				dest = append(dest, &values[i])
			}
			for rows.Next() {
				if err := rows.Scan(dest...); err != nil {
					return err
				}
				n++
			}
			return rows.Err()
		})
		return n, err
	})
}

// points counts points.
func points(all iter.Seq2[*Trace, error]) func() (int, error) {
	return func() (n int, err error) {
		for one, err := range all {
			if err != nil {
				return n, err
			}
			n += len(one.Points)
		}
		return n, nil
	}
}

// params counts params.
func params(all iter.Seq2[traceid.Param, error]) func() (int, error) {
	return func() (n int, err error) {
		for _, err := range all {
			if err != nil {
				return n, err
			}
			n++
		}
		return n, nil
	}
}

// queryText is Query with the text of a query.
func (s *Store) queryText(t testing.TB, text string) iter.Seq2[*Trace, error] {
	return s.Query(t.Context(), mustQuery(t, text), Range{})
}

func mustQuery(t testing.TB, text string) *traceid.Query {
	q, err := traceid.ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// manyFile returns one of the ten files of a commit. 1,000 of its traces have the same group.
func manyFile(commit, part int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"version":1,"git_hash":"c%d","key":{"arch":"a%d","os":"linux"},"results":[`, commit, part)
	n := *manyTraces / 10
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"key":{"group":"g%d","test":"draw_%d","units":"ms"},"measurement":%d.25}`,
			i%max(n/1000, 1), i, i+commit)
	}
	b.WriteString("]}")
	return b.Bytes()
}
