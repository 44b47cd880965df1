package store

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
)

// A query with a regular expression finds what is stored and deleted after the values were cached, also
// by other processes.
func TestValuesFollow(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		name := newDatabase()
		reader, writer := open(t, name), open(t, name)
		many := func(prefix string, traces int) (results []string) {
			for i := range traces {
				results = append(results, fmt.Sprintf("%s%d=1", prefix, i))
			}
			return results
		}
		for _, step := range []struct {
			name string
			do   func()
		}{
			{"empty", func() {}},
			{"two values", func() { putAll(t, writer, tree{"a.json": skia(at("c1"), "x=1", "y=1")}) }},
			{"one more", func() { putAll(t, writer, tree{"b.json": skia(at("c2"), "z=1")}) }},
			{"of another key", func() { putAll(t, writer, tree{"c.json": skia(at("c2")+`,"key":{"os":"linux"}`, "x=2", "y=1")}) }},
			{"few new traces", func() { putAll(t, writer, tree{"d.json": skia(at("c3"), many("x", 10)...)}) }},
			{"many new traces", func() { putAll(t, writer, tree{"e.json": skia(at("c3"), many("y", 2*maxNamesRead)...)}) }},
			{"deletion", func() { deletePath(t, writer, "a.json") }},
			{"the same", func() { putAll(t, writer, tree{"a.json": skia(at("c1"), "x=1", "y=1")}) }},
			{"another deletion", func() { deletePath(t, writer, "e.json") }},
			{"vacuum", func() {
				if _, err := writer.Vacuum(t.Context()); err != nil {
					t.Fatal(err)
				}
			}},
		} {
			t.Run(step.name, func(t *testing.T) {
				step.do()
				for _, query := range []string{"test=~^[xz]", "test=~1$&os=~.", "other=~."} {
					for range 2 {
						check(t, query, found(t, open(t, name), query, Range{}), found(t, reader, query, Range{}))
					}
				}
				checkValues(t, reader)
			})
		}
	})
}

// checkValues checks that a store has cached all values of its keys, and numbers of traces that are not much
// too small.
func checkValues(t *testing.T, s *Store) {
	t.Helper()
	for key, known := range s.values.keys {
		traces := make(map[int64]int64)
		err := s.view(t.Context(), func(tx *sql.Tx) error {
			rows, err := tx.QueryContext(t.Context(), "SELECT id, traces FROM params WHERE key = $1", key)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var id, n int64
				if err := rows.Scan(&id, &n); err != nil {
					return err
				}
				traces[id] = n
			}
			return rows.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range known.values { // Vacuum may have deleted some
			if n := traces[p.id]; n > p.traces+maxNamesRead {
				t.Errorf("%s=%s: %d traces, want about %d", key, p.value, p.traces, n)
			}
			delete(traces, p.id)
		}
		check(t, "values of "+key+" that are missing", 0, len(traces))
	}
}

// A key with too many values is read each time, and the cache does not grow without a bound.
func TestValueCacheSize(t *testing.T) {
	s := open(t, t.TempDir()+"/perf.db")
	var c valueCache
	for i := range 10 {
		c.add(fmt.Sprint(i), keyValues{bytes: maxKeyValues})
		if c.bytes > maxValueCache || c.bytes != len(c.keys)*maxKeyValues {
			t.Errorf("%d keys have %d bytes, want at most %d", len(c.keys), c.bytes, maxValueCache)
		}
	}
	c.add("0", keyValues{bytes: maxKeyValues + 1})
	check(t, "a key with too many values", 0, c.find("0").bytes)

	long := strings.Repeat("x", maxKeyValues/10)
	var results []string
	for i := range 12 {
		results = append(results, fmt.Sprintf("%s%d=1", long, i))
	}
	putAll(t, s, tree{"a.json": skia(at("c1"), results...)})
	for range 2 {
		n := 0
		for _, err := range s.Query(t.Context(), mustQuery(t, "test=~x1?1$"), Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		check(t, "traces", 2, n)
	}
	check(t, "values in memory", 0, len(s.values.keys))

}
