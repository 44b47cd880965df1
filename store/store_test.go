package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfdata/ingest"
	"perfdata/internal/testing/quick"
	"perfdata/series"
	"perfdata/traceid"
)

// leaveOut skips a test with -short, unless it is to be run in full.
func leaveOut(t *testing.T) {
	t.Helper()
	if quick.Test() {
		t.Skip("-short leaves it out: -full")
	}
}

// onEach is onBoth for most tests, which -short runs on SQLite only.
func onEach(t *testing.T, test func(t *testing.T, newDatabase func() string)) {
	onBoth(t, func(t *testing.T, newDatabase func() string) {
		if strings.HasSuffix(t.Name(), "PostgreSQL") {
			leaveOut(t)
		}
		test(t, newDatabase)
	})
}

// onBoth runs a test on SQLite, and on PostgreSQL if it is installed. The function returns the
// name of a new database.
func onBoth(t *testing.T, test func(t *testing.T, newDatabase func() string)) {
	t.Run("SQLite", func(t *testing.T) {
		dir, n := t.TempDir(), 0
		test(t, func() string {
			n++
			return filepath.Join(dir, fmt.Sprintf("perf ?#%d.db", n))
		})
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		test(t, func() string { return startPostgres(t).newDatabase(t) })
	})
}

// open opens a database. A new file is a copy of one that Open made.
func open(t testing.TB, name string) *Store {
	t.Helper()
	if _, err := os.Stat(name); !isURL(name) && errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(name, newFile(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// newFile returns the content of a file with a new database.
var newFile = sync.OnceValue(func() []byte {
	dir, err := os.MkdirTemp("", "perfdata-store-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "new.db")
	s, err := Open(context.Background(), name)
	if err == nil {
		err = s.Close()
	}
	content, readErr := os.ReadFile(name)
	if err := errors.Join(err, readErr); err != nil {
		panic(err)
	}
	return content
})

// A tree is the contents of files by path.
type tree map[string]string

func (files tree) fs() fs.FS {
	m := make(fstest.MapFS)
	for path, text := range files {
		m[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// put stores files, and returns the errors by path.
func put(t testing.TB, s *Store, files tree, options ingest.RunOptions) map[string]string {
	t.Helper()
	failed := make(map[string]string)
	options.Report = func(r ingest.Report) {
		if r.Err != nil {
			failed[r.File.Path] = r.Err.Error()
		}
	}
	walk := ingest.Walk(files.fs(), ".", ingest.WalkOptions{Order: ingest.ByPath})
	if _, err := s.Ingest(t.Context(), walk, IngestOptions{RunOptions: options}); err != nil {
		t.Fatal(err)
	}
	return failed
}

// putAll stores files. None may fail.
func putAll(t testing.TB, s *Store, files tree) {
	t.Helper()
	if failed := put(t, s, files, ingest.RunOptions{}); len(failed) > 0 {
		t.Fatalf("failed: %v", failed)
	}
}

// deletePath deletes a file, which the store must have.
func deletePath(t testing.TB, s *Store, path string) {
	t.Helper()
	deleted, err := s.Delete(t.Context(), Selection{Paths: []string{path}})
	if err != nil || len(deleted.Files) != 1 {
		t.Fatalf("deleting %s: %+v, %v", path, deleted, err)
	}
}

// skia returns a file of Skia Perf with results, each written as test=value.
func skia(header string, results ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"version":1,%s,"results":[`, header)
	for i, r := range results {
		test, value, _ := strings.Cut(r, "=")
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"key":{"test":%q},"measurement":%s}`, test, value)
	}
	return b.String() + "]}"
}

// at returns the header of a file of a commit.
func at(commit string) string { return fmt.Sprintf(`"git_hash":%q`, commit) }

// found returns what a query selects, a line for each trace: its ID, and its points as
// commit=value, with the number of the repetition if it is not 1. A point without a commit has its
// run and hour.
func found(t testing.TB, s *Store, query string, r Range) []string {
	t.Helper()
	q, err := traceid.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for one, err := range s.Query(t.Context(), q, r) {
		if err != nil {
			t.Fatal(err)
		}
		line := one.ID
		for _, p := range one.Points {
			line += " " + p.Commit
			if p.Run != "" {
				line += fmt.Sprintf("[%s@%d]", p.Run, p.Hour.Hour())
			}
			if p.N != 1 {
				line += fmt.Sprintf("#%d", p.N)
			}
			line += fmt.Sprintf("=%v", p.Value)
		}
		lines = append(lines, line)
	}
	return lines
}

func dump(t testing.TB, s *Store) string {
	t.Helper()
	var b strings.Builder
	if err := s.Dump(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// checksum returns the hash of what a store holds.
func checksum(t testing.TB, s *Store) string {
	t.Helper()
	return fmt.Sprintf("%x", sha256.Sum256([]byte(dump(t, s))))
}

// hour returns an hour of January 2, 2026.
func hour(h int) time.Time { return time.Date(2026, 1, 2, h, 0, 0, 0, time.UTC) }

func check(t testing.TB, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestNewestWins(t *testing.T) {
	const hour1, hour2, hour3 = "b/d/2026/01/02/03/", "b/d/2026/01/02/04/", "b/d/2025/12/31/23/"
	for _, test := range []struct {
		name  string
		files tree
		want  []string
	}{
		{
			name: "the later hour",
			files: tree{
				hour1 + "b.json": skia(at("c1"), "x=1", "y=10"),
				hour2 + "a.json": skia(at("c1"), "x=2"),
				hour3 + "c.json": skia(at("c1"), "x=3", "z=30"),
			},
			want: []string{",test=x, c1=2", ",test=y, c1=10", ",test=z, c1=30"},
		},
		{
			name: "the last path of an hour",
			files: tree{
				hour1 + "b.json": skia(at("c1"), "x=1"),
				hour1 + "a.json": skia(at("c1"), "x=2"),
				hour1 + "B.json": skia(at("c1"), "x=3"),
			},
			want: []string{",test=x, c1=1"},
		},
		{
			name: "a file without an hour is the oldest",
			files: tree{
				"z.json":         skia(at("c1"), "x=1"),
				hour3 + "a.json": skia(at("c1"), "x=2"),
			},
			want: []string{",test=x, c1=2"},
		},
		{
			name: "repetitions of two files are not mixed",
			files: tree{
				hour1 + "b": "commit: c1\nBenchmarkX 1 5 ns/op\nBenchmarkX 1 6 ns/op\nBenchmarkX 1 7 ns/op\n",
				hour2 + "b": "commit: c1\nBenchmarkX 1 8 ns/op\nBenchmarkX 1 9 ns/op\n",
			},
			want: []string{",name=X,unit=ns_op, c1=8 c1#2=9"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, newDatabase func() string) {
				paths := slices.Sorted(func(yield func(string) bool) {
					for path := range test.files {
						if !yield(path) {
							return
						}
					}
				})
				for range 2 { // in both orders
					s := open(t, newDatabase())
					for _, path := range paths {
						putAll(t, s, tree{path: test.files[path]})
					}
					check(t, "series", test.want, found(t, s, "", Range{}))
					slices.Reverse(paths)
				}
			})
		})
	}
}

func TestDeleteRestores(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		older := tree{"b/d/2026/01/02/03/a.json": skia(at("c1"), "x=1")}
		newer := tree{"b/d/2026/01/02/04/a.json": skia(at("c1")+`,"links":{"log":"https://example.com/2"}`, "x=2", "y=3")}
		putAll(t, s, older)
		before := dump(t, s)
		putAll(t, s, newer)
		after := dump(t, s)
		check(t, "series", []string{",test=x, c1=2", ",test=y, c1=3"}, found(t, s, "", Range{}))

		deletePath(t, s, "b/d/2026/01/02/04/a.json")
		check(t, "series", []string{",test=x, c1=1"}, found(t, s, "", Range{}))
		check(t, "dump", before, dump(t, s))
		set, err := s.ParamSet(t.Context(), Trial{})
		if err != nil {
			t.Fatal(err)
		}
		check(t, "params", []string{"x"}, set.Values("test"))

		putAll(t, s, newer)
		check(t, "dump", after, dump(t, s))
		deleted, err := s.Delete(t.Context(), Selection{Paths: []string{"missing"}})
		if err != nil {
			t.Fatal(err)
		}
		check(t, "deleted", Deleted{Missing: []string{"missing"}}, deleted)
	})
}

func TestContentIsImmutable(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		const path = "b/d/2026/01/02/03/a.json"
		first := tree{path: skia(at("c1"), "x=1")}
		putAll(t, s, first)
		before := dump(t, s)

		failed := put(t, s, tree{path: skia(at("c1"), "x=2")}, ingest.RunOptions{})
		if !strings.Contains(failed[path], ErrOtherContent.Error()) {
			t.Errorf("error %q", failed[path])
		}
		for src, err := range s.Sources(t.Context()) {
			if err != nil || src.Records != 1 || !strings.Contains(src.Err, ErrOtherContent.Error()) {
				t.Errorf("source %+v, %v", src, err)
			}
		}
		check(t, "series", []string{",test=x, c1=1"}, found(t, s, "", Range{}))

		putAll(t, s, first)
		check(t, "dump", before, dump(t, s))
	})
}

func TestTrials(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		putAll(t, s, tree{
			"b/d/2026/01/02/03/a.json": skia(at("c1"), "x=1"),
			"b/d/2026/01/02/04/a.json": skia(at("c1")+`,"issue":"7","patchset":"1"`, "x=2", "only=5"),
			"b/d/2026/01/02/05/a.json": skia(at("c1")+`,"issue":"7","patchset":"2"`, "x=3"),
		})
		check(t, "mainline", []string{",test=x, c1=1"}, found(t, s, "", Range{}))
		check(t, "patchset 1", []string{",test=only, c1=5", ",test=x, c1=2"},
			found(t, s, "", Range{Trial: Trial{Issue: "7", Patchset: "1"}}))
		check(t, "patchset 2", []string{",test=x, c1=3"}, found(t, s, "", Range{Trial: Trial{Issue: "7", Patchset: "2"}}))
		for trial, want := range map[Trial][]string{{}: {"x"}, {Issue: "7", Patchset: "1"}: {"only", "x"}, {Issue: "8"}: nil} {
			set, err := s.ParamSet(t.Context(), trial)
			if err != nil {
				t.Fatal(err)
			}
			check(t, "params", want, set.Values("test"))
		}
	})
}

// The winning file's verbatim params are kept, whatever the order of the files.
func TestSpelling(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		files := []tree{
			{"b/d/2026/01/02/03/a.json": skia(at("c1"), "draw circle=1")},
			{"b/d/2026/01/02/04/a.json": skia(at("c2"), "draw/circle=2")},
			{"b/d/2026/01/02/02/a.json": skia(at("c3"), "draw_circle=3")},
		}
		for range 3 {
			s := open(t, newDatabase())
			for _, f := range files {
				putAll(t, s, f)
			}
			for one, err := range s.Query(t.Context(), nil, Range{}) {
				if err != nil {
					t.Fatal(err)
				}
				want := &Trace{
					ID:     ",test=draw_circle,",
					Params: traceid.Of("test", "draw/circle"),
					Points: []Point{
						{Commit: "c3", N: 1, Value: 3, Hour: hour(2)},
						{Commit: "c1", N: 1, Value: 1, Hour: hour(3)},
						{Commit: "c2", N: 1, Value: 2, Hour: hour(4)},
					},
					Order: series.Order{By: "source"},
				}
				check(t, "series", want, one)
			}
			deletePath(t, s, "b/d/2026/01/02/04/a.json")
			for one, err := range s.Query(t.Context(), nil, Range{}) {
				if err != nil {
					t.Fatal(err)
				}
				check(t, "params", traceid.Of("test", "draw circle"), one.Params)
			}
			files = append(files[1:], files[0])
		}
	})
}

// randomTree returns files that compete for the same measurements.
func randomTree(seed uint64, files int) tree {
	r := rand.New(rand.NewPCG(seed, 0))
	t := make(tree)
	spaces := []string{"_", " ", "/"}
	for i := range files {
		var results []string
		for test := range 3 + r.IntN(30) {
			results = append(results, fmt.Sprintf("draw%sa%d=%v", spaces[r.IntN(3)], test, r.Float64()))
		}
		header := at(fmt.Sprintf("c%d", r.IntN(5)))
		if r.IntN(3) == 0 {
			header += fmt.Sprintf(`,"links":{"log":"https://example.com/%d"}`, i)
		}
		if r.IntN(6) == 0 {
			header += fmt.Sprintf(`,"issue":"%d"`, r.IntN(2))
		}
		text := skia(header, results...)
		if r.IntN(10) == 0 {
			text = text[:len(text)/2]
		}
		t[fmt.Sprintf("b/d/2026/01/%02d/%02d/%d.json", 1+r.IntN(3), r.IntN(24), i)] = text
	}
	return t
}

var ordersOfTest = flag.Int("orders", 1, "number of orders, each in a new database, in which TestOrder stores its files")

// The contents of a store depend on the files only.
func TestOrder(t *testing.T) {
	files := randomTree(1, quick.Of(60, 25))
	plain := open(t, filepath.Join(t.TempDir(), "perf.db"))
	put(t, plain, files, ingest.RunOptions{Workers: 1})
	want := dump(t, plain)
	wantSeries := found(t, plain, "", Range{})

	onBoth(t, func(t *testing.T, newDatabase func() string) {
		for order := range *ordersOfTest {
			s := open(t, newDatabase())
			for i := range 2 { // the second time, all are known
				putShuffled(t, s, files, uint64(2*order+i))
			}
			check(t, "dump", want, dump(t, s))
			check(t, "series", wantSeries, found(t, s, "", Range{}))
			s.Close()
		}

		// Small batches go to temporary files, and another store of the database does not know
		// the traces.
		name := newDatabase()
		for i := range uint64(2) {
			s := open(t, name)
			s.maxMemory = 100
			putShuffled(t, s, files, 10+i)
			if i == 0 {
				for path := range files {
					deletePath(t, s, path)
				}
				check(t, "dump of nothing", "", dump(t, s))
			}
			if i == 1 {
				check(t, "dump", want, dump(t, s))
			}
		}
	})
}

// putShuffled stores files in random order, with several workers.
func putShuffled(t testing.TB, s *Store, files tree, seed uint64) {
	t.Helper()
	if _, err := s.Ingest(t.Context(), shuffled(files, seed), IngestOptions{RunOptions: ingest.RunOptions{Workers: 4}}); err != nil {
		t.Fatal(err)
	}
}

// shuffled iterates over files in random order.
func shuffled(files tree, seed uint64) iter.Seq2[ingest.File, error] {
	type step struct {
		file ingest.File
		err  error
	}
	var all []step
	for f, err := range ingest.Walk(files.fs(), ".", ingest.WalkOptions{Order: ingest.ByPath}) {
		all = append(all, step{f, err})
	}
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return func(yield func(ingest.File, error) bool) {
		for _, s := range all {
			if !yield(s.file, s.err) {
				return
			}
		}
	}
}
