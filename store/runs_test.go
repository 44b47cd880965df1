package store

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/ingest"
	"perfdata/internal/testing/quick"
	"perfdata/traceid"
)

// putRun stores a file of a run. It may not fail.
func putRun(t testing.TB, s *Store, run, path, text string) {
	t.Helper()
	options := IngestOptions{Run: run, AllowNoCommit: true}
	options.Report = func(r ingest.Report) {
		if r.Err != nil {
			t.Error(r.Err)
		}
	}
	walk := ingest.Walk(tree{path: text}.fs(), ".", ingest.WalkOptions{Order: ingest.ByPath})
	if _, err := s.Ingest(t.Context(), walk, options); err != nil {
		t.Fatal(err)
	}
}

// goBench returns benchmark lines of X with values, separated by blanks.
func goBench(commit, values string) string {
	text := ""
	if commit != "" {
		text = "commit: " + commit + "\n"
	}
	for value := range strings.FieldsSeq(values) {
		text += "BenchmarkX 1 " + value + " ns/op\n"
	}
	return text
}

func TestRuns(t *testing.T) {
	const id = ",name=X,unit=ns_op,"
	type file struct{ run, path, text string }
	const h1, h2, h3 = "d/2026/01/02/03/", "d/2026/01/02/04/", "d/2026/01/02/05/"
	for _, test := range []struct {
		name  string
		files []file
		want  []string
	}{
		{
			name: "files of a run add up, the oldest first",
			files: []file{
				{"job 7", h1 + "b", goBench("c1", "10 11")}, {"job 7", h2 + "a", goBench("c1", "20")},
				{"job 7", h1 + "a", goBench("c1", "30 31")},
			},
			want: []string{id + " c1=30 c1#2=31 c1#3=10 c1#4=11 c1#5=20"},
		},
		{
			name: "shards",
			files: []file{
				{"job 7", h1 + "a", skia(at("c1"), "x=1")}, {"job 7", h1 + "b", skia(at("c1"), "y=2")},
			},
			want: []string{",test=x, c1=1", ",test=y, c1=2"},
		},
		{
			name: "the run with the newest file wins, wherever its other files are",
			files: []file{
				{"job 7", h1 + "a", goBench("c1", "10")}, {"job 8", h2 + "a", goBench("c1", "20 21")},
				{"job 7", h3 + "a", goBench("c2", "30")},
			},
			want: []string{id + " c1=10 c2=30"},
		},
		{
			name: "a file without a run is a run",
			files: []file{
				{"job 7", h1 + "a", goBench("c1", "10")}, {"", h2 + "a", goBench("c1", "20 21")},
				{"job 7", h1 + "b", goBench("c1", "30")}, {"", h1 + "c", goBench("c1", "40 41")},
			},
			want: []string{id + " c1=20 c1#2=21"},
		},
		{
			name: "each trace, commit and trial by itself",
			files: []file{
				{"job 7", h1 + "a", skia(at("c1"), "x=1", "y=2")}, {"job 8", h2 + "a", skia(at("c1"), "x=3")},
				{"job 7", h1 + "b", skia(at("c2"), "x=4")},
				{"job 8", h2 + "b", skia(at("c1")+`,"issue":"7"`, "y=9")},
			},
			want: []string{",test=x, c1=3 c2=4", ",test=y, c1=2"},
		},
		{
			name: "iterations keep their numbers in the first file",
			files: []file{
				{"job 7", h1 + "a", "a{perf}=1\n\na{perf}=2\n"}, {"job 7", h1 + "b", "a{perf}=3\n\na{perf}=4\n"},
			},
			want: []string{",key=a, [job 7@3]=1 [job 7@3]#2=2 [job 7@3]#3=3 [job 7@3]#4=4"},
		},
		{
			name: "without a commit, each run is kept",
			files: []file{
				{"", h2 + "a", goBench("", "20 21")}, {"", h1 + "a", goBench("", "10")}, {"nightly", h1 + "b", goBench("", "30")},
				{"nightly", h3 + "b", goBench("", "31")}, {"", h1 + "z", goBench("c1", "40")},
			},
			want: []string{id + " [d/2026/01/02/03/a@3]=10 [nightly@3]=30 [nightly@3]#2=31 c1=40 " +
				"[d/2026/01/02/04/a@4]=20 [d/2026/01/02/04/a@4]#2=21"},
		},
		{
			name:  "the run of another file",
			files: []file{{"", h1 + "a", goBench("", "10")}, {h1 + "a", h2 + "b", goBench("", "20")}},
			want:  []string{id + " [d/2026/01/02/03/a@3]=10 [d/2026/01/02/03/a@3]#2=20"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, newDatabase func() string) {
				dumps := make(map[string]bool)
				for i := range test.files { // in several orders
					s := open(t, newDatabase())
					for j := range test.files {
						f := test.files[(i+j)%len(test.files)]
						putRun(t, s, f.run, f.path, f.text)
					}
					check(t, "series", test.want, found(t, s, "", Range{}))
					dumps[dump(t, s)] = true
				}
				check(t, "different dumps", 1, len(dumps))
			})
		})
	}
}

// Points of runs without a commit are selected by their hours, and have their own links.
func TestRunsWithoutCommit(t *testing.T) {
	onEach(t, func(t *testing.T, newDatabase func() string) {
		s := open(t, newDatabase())
		file := func(value, link int) string {
			return fmt.Sprintf(`{"version":1,"links":{"log":"https://example.com/%d"},"results":[{"key":{"test":"x"},"measurement":%d}]}`, link, value)
		}
		putRun(t, s, "", "d/2026/01/02/03/a.json", file(1, 1))
		putRun(t, s, "nightly", "d/2026/01/02/04/a.json", file(2, 2))
		putRun(t, s, "nightly", "d/2026/01/02/04/b.json", file(3, 3))
		check(t, "series", []string{",test=x, [nightly@4]=2 [nightly@4]#2=3"}, found(t, s, "", Range{From: hour(4)}))
		check(t, "series", []string{",test=x, [d/2026/01/02/03/a.json@3]=1"}, found(t, s, "", Range{Until: hour(4)}))

		for _, test := range []struct {
			point Point
			want  traceid.Params
		}{
			{Point{Run: "d/2026/01/02/03/a.json", N: 1}, traceid.Of("log", "https://example.com/1")},
			{Point{Run: "nightly", N: 1}, traceid.Of("log", "https://example.com/2")},
			{Point{Run: "nightly", N: 2}, traceid.Of("log", "https://example.com/3")},
			{Point{Run: "nightly", N: 3}, nil},
			{Point{N: 1}, nil},
		} {
			links, err := s.Links(t.Context(), Trial{}, ",test=x,", test.point)
			if err != nil {
				t.Fatal(err)
			}
			check(t, fmt.Sprintf("links of %+v", test.point), test.want, links)
		}

		before := dump(t, s)
		deletePath(t, s, "d/2026/01/02/04/a.json")
		check(t, "series", []string{",test=x, [nightly@4]=3"}, found(t, s, "", Range{From: hour(4)}))
		putRun(t, s, "nightly", "d/2026/01/02/04/a.json", file(2, 2))
		check(t, "dump", before, dump(t, s))
	})
}

// Workers store the files of a run in any order.
func TestRunInAnyOrder(t *testing.T) {
	files := make(tree)
	for i := range 20 {
		files[fmt.Sprintf("shard-%02d.txt", i)] = goBench("c1", fmt.Sprint(i, i+100))
	}
	want := ""
	for i := range uint64(quick.Of(10, 5)) {
		s := open(t, filepath.Join(t.TempDir(), "perf.db"))
		options := IngestOptions{Run: "job"}
		options.Workers = 4
		if _, err := s.Ingest(t.Context(), shuffled(files, i), options); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(found(t, s, "", Range{}), "\n") + dump(t, s)
		if want == "" {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if !strings.Contains(got, "c1#39=19 c1#40=119") {
			t.Fatalf("repetitions: %s", got[:500])
		}
	}
}
