package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"perfdata/ingest"
	table "perfdata/internal/columns"
	"perfdata/store"
	"perfdata/traceid"
)

func TestMain(m *testing.M) {
	flag.Parse()
	log.SetupLogging("error", "text")
	beam.Init()
	os.Exit(m.Run())
}

// skia returns a file with a measurement of each test.
func skia(header, commit string, value float64, tests ...string) string {
	results := make([]string, len(tests))
	for i, test := range tests {
		results[i] = fmt.Sprintf(`{"key":{"test":"%s"},"measurement":%v}`, test, value)
	}
	return fmt.Sprintf(`{"version":1,"git_hash":"%s",%s"key":{"arch":"x86"},"results":[%s]}`,
		commit, header, strings.Join(results, ","))
}

// goTest returns what go test -count 6 prints at two commits.
func goTest() string {
	var b strings.Builder
	for commit := range 2 {
		fmt.Fprintf(&b, "commit: c%d\ncommit-time: 2026-01-0%dT00:00:00Z\n", commit+1, commit+1)
		for n := range 6 {
			fmt.Fprintf(&b, "BenchmarkSort-8 5000 %d ns/op\n", 10*commit+n)
		}
	}
	return b.String()
}

func TestRun(t *testing.T) {
	const older, newer = "a/2026/01/02/03/", "a/2026/01/04/05/"
	for _, test := range []struct {
		name   string
		files  map[string]string
		want   []string // table day trace commit#n = value file
		failed []string
	}{
		{
			name: "days",
			files: map[string]string{
				older + "f.json": skia("", "c1", 1, "t"), newer + "f.json": skia("", "c2", 2, "t"),
				"f.json": skia("", "c3", 3, "t"),
			},
			want: []string{
				"mainline 2026-01-02 ,arch=x86,test=t, c1#1 = 1 " + older + "f.json",
				"mainline 2026-01-04 ,arch=x86,test=t, c2#1 = 2 " + newer + "f.json",
				"mainline __HIVE_DEFAULT_PARTITION__ ,arch=x86,test=t, c3#1 = 3 f.json",
			},
		},
		{
			name: "the latest hour, then the last path wins, for each trace and commit",
			files: map[string]string{
				older + "z.json": skia("", "c1", 1, "t", "u", "v"),
				newer + "a.json": skia("", "c1", 2, "t", "u"),
				newer + "b.json": skia("", "c1", 3, "t"),
			},
			want: []string{
				"mainline 2026-01-02 ,arch=x86,test=v, c1#1 = 1 " + older + "z.json",
				"mainline 2026-01-04 ,arch=x86,test=t, c1#1 = 3 " + newer + "b.json",
				"mainline 2026-01-04 ,arch=x86,test=u, c1#1 = 2 " + newer + "a.json",
			},
		},
		{
			name: "repetitions of two files are not mixed",
			files: map[string]string{
				older + "f.json": "commit: c1\nBenchmarkA 1 1 ns/op\nBenchmarkA 1 2 ns/op\n",
				newer + "f.json": "commit: c1\nBenchmarkA 1 3 ns/op\n",
			},
			want: []string{"mainline 2026-01-04 ,name=A,unit=ns_op, c1#1 = 3 " + newer + "f.json"},
		},
		{
			name:  "one trace at two commits",
			files: map[string]string{"bench.txt": goTest()},
			want: []string{
				goTestLine + "c1#1 = 0 bench.txt", goTestLine + "c1#2 = 1 bench.txt", goTestLine + "c1#3 = 2 bench.txt",
				goTestLine + "c1#4 = 3 bench.txt", goTestLine + "c1#5 = 4 bench.txt", goTestLine + "c1#6 = 5 bench.txt",
				goTestLine + "c2#1 = 10 bench.txt", goTestLine + "c2#2 = 11 bench.txt", goTestLine + "c2#3 = 12 bench.txt",
				goTestLine + "c2#4 = 13 bench.txt", goTestLine + "c2#5 = 14 bench.txt", goTestLine + "c2#6 = 15 bench.txt",
			},
		},
		{
			name: "a faulty file contributes nothing, and replaces nothing",
			files: map[string]string{
				older + "f.json": skia("", "c1", 1, "t"),
				newer + "f.json": strings.TrimSuffix(skia("", "c1", 2, "t", "u"), "}"),
				newer + "g.json": strings.Replace(skia("", "c1", 3, "t", "u"), "3}]", `"3"}]`, 1),
			},
			want:   []string{"mainline 2026-01-02 ,arch=x86,test=t, c1#1 = 1 " + older + "f.json"},
			failed: []string{newer + "f.json", newer + "g.json"},
		},
		{
			name: "a change under review does not replace the mainline",
			files: map[string]string{
				older + "f.json": skia("", "c1", 1, "t"),
				newer + "f.json": skia(`"issue":"7","patchset":"2",`, "c1", 2, "t"),
				newer + "g.json": skia(`"issue":"7","patchset":"3",`, "c1", 3, "t"),
			},
			want: []string{
				"mainline 2026-01-02 ,arch=x86,test=t, c1#1 = 1 " + older + "f.json",
				"trials 2026-01-04 ,arch=x86,test=t, c1#1 = 2 " + newer + "f.json 7/2",
				"trials 2026-01-04 ,arch=x86,test=t, c1#1 = 3 " + newer + "g.json 7/3",
			},
		},
		{name: "no files"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := makeTree(t, test.files)
			names := slices.Sorted(maps.Keys(test.files))
			orders := [][]string{{tree}}
			if len(names) > 1 {
				orders = append(orders, under(tree, names))
				slices.Reverse(names)
				orders = append(orders, append(under(tree, names), tree)) // twice
			}
			for _, patterns := range orders {
				got := ingestTree(t, tree, patterns, 1)
				if diff := cmp.Diff(test.want, got.lines()); diff != "" {
					t.Errorf("%q: rows (-want +got):\n%s", patterns, diff)
				}
				if diff := cmp.Diff(test.failed, got.failed); diff != "" {
					t.Errorf("%q: failed files (-want +got):\n%s", patterns, diff)
				}
			}
		})
	}
}

const goTestLine = "mainline __HIVE_DEFAULT_PARTITION__ ,gomaxprocs=8,name=Sort,unit=ns_op, "

func under(tree string, names []string) []string {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = tree + "/" + name
	}
	return paths
}

// makeTree writes files, and returns their folder.
func makeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	tree := filepath.ToSlash(t.TempDir())
	for name, text := range files {
		name = filepath.Join(tree, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return tree
}

// A result is what a run wrote.
type result struct {
	rows   []resultRow // in the order of the files' names
	failed []string    // paths
	parts  []string    // names of the files
}

type resultRow struct {
	table, day string
	columns
}

// ingestTree runs the pipeline and reads what it wrote. Paths are those below the tree.
func ingestTree(t *testing.T, tree string, patterns []string, shards int) result {
	t.Helper()
	out := filepath.ToSlash(t.TempDir()) + "/out"
	var stdout, stderr strings.Builder
	status := run(t.Context(), patterns, out, shards, &stdout, &stderr)

	var r result
	text, err := os.ReadFile(out + "/" + failedName)
	if err != nil {
		t.Fatal(err, stderr.String())
	}
	for line := range strings.Lines(string(text)) {
		var f failure
		if err := json.Unmarshal([]byte(line), &f); err != nil || f.Error == "" {
			t.Errorf("line %q: %v", line, err)
		}
		r.failed = append(r.failed, strings.TrimPrefix(f.Path, tree+"/"))
	}
	if want := min(1, len(r.failed)); status != want {
		t.Errorf("status %d, want %d: %s", status, want, stderr.String())
	}

	err = filepath.WalkDir(out, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Dir(name) == filepath.Clean(out) {
			return err
		}
		below, err := filepath.Rel(out, name)
		r.parts = append(r.parts, filepath.ToSlash(below))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range r.parts {
		table, rest, _ := strings.Cut(part, "/day=")
		day, name, _ := strings.Cut(rest, "/")
		if !regexp.MustCompile(`^part-\d{5}-of-\d{5}\.parquet$`).MatchString(name) {
			t.Errorf("unexpected file %s", part)
		}
		rows, err := parquet.ReadFile[columns](out + "/" + part)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			row.File = strings.TrimPrefix(row.File, tree+"/")
			r.rows = append(r.rows, resultRow{table, day, row})
		}
	}
	return r
}

func (r result) lines() []string {
	var lines []string
	for _, row := range r.rows {
		line := fmt.Sprintf("%s %s %s %s#%d = %v %s", row.table, row.day, row.Trace, row.Commit, row.N, row.Value, row.File)
		if row.Issue != "" || row.Patchset != "" {
			line += " " + row.Issue + "/" + row.Patchset
		}
		lines = append(lines, line)
	}
	return lines
}

// TestStore compares what pipelines write with what package store has.
func TestStore(t *testing.T) {
	for _, test := range []struct {
		name   string
		tree   func(*testing.T) string
		shards int
	}{
		{"testdata", func(*testing.T) string { return "../../testdata" }, 1},
		{"random files", randomTree, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := test.tree(t)
			want, failed := storeTree(t, tree)
			got := ingestTree(t, tree, []string{tree}, test.shards)

			var lines []string
			for _, row := range got.rows {
				day, hour := noDay, ""
				if row.Hour != nil {
					day, hour = row.Hour.UTC().Format(time.DateOnly), row.Hour.UTC().Format(hourLayout)
				}
				h, ok := ingest.HourOf(row.File)
				if row.day != day || ok != (hour != "") || ok && h.Format(hourLayout) != hour {
					t.Errorf("%s is in day %s, its hour is %s", row.File, row.day, hour)
				}
				if (row.table == "trials") != (row.Issue != "" || row.Patchset != "") {
					t.Errorf("%s is in %s", row.File, row.table)
				}
				trial := store.Trial{Issue: row.Issue, Patchset: row.Patchset}
				point := store.Point{Commit: row.Commit, N: int(row.N), Value: row.Value}
				lines = append(lines, line(trial, row.Trace, point, row.Links))
				if id := params(row.Params).ID(); id != row.ID {
					t.Errorf("params %v have ID %s, want %s", row.Params, id, row.ID)
				}
			}
			slices.Sort(lines)
			if diff := cmp.Diff(want, lines); diff != "" {
				t.Errorf("measurements (-store +pipeline):\n%s", diff)
			}
			if diff := cmp.Diff(failed, got.failed); diff != "" {
				t.Errorf("failed files (-store +pipeline):\n%s", diff)
			}
		})
	}
}

func params(m map[string]string) (p traceid.Params) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		p = append(p, traceid.Param{Key: key, Value: m[key]})
	}
	return p
}

func line(trial store.Trial, id string, p store.Point, links map[string]string) string {
	return fmt.Sprintf("%s/%s %s %s#%d = %v %v", trial.Issue, trial.Patchset, id, p.Commit, p.N, p.Value, links)
}

// storeTree stores the files of a tree, and returns the measurements, sorted, and the failed files.
func storeTree(t *testing.T, tree string) (lines, failed []string) {
	t.Helper()
	ctx := t.Context()
	s, err := store.Open(ctx, filepath.Join(t.TempDir(), "perf.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	files := ingest.Walk(os.DirFS(tree), ".", ingest.WalkOptions{Order: ingest.ByPath})
	options := store.IngestOptions{AllowNoCommit: true}
	options.Strict = true
	if _, err := s.Ingest(ctx, files, options); err != nil {
		t.Fatal(err)
	}

	trials := map[store.Trial]bool{{}: true}
	for source, err := range s.Sources(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		trials[source.Trial] = true
		if source.Err != "" {
			failed = append(failed, source.Path)
		}
	}
	for trial := range trials {
		for series, err := range s.Query(ctx, nil, store.Range{Trial: trial}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range series.Points {
				links, err := s.Links(ctx, trial, series.ID, p)
				if err != nil {
					t.Fatal(err)
				}
				lines = append(lines, line(trial, series.ID, p, maps.Collect(links.All())))
			}
		}
	}
	slices.Sort(lines)
	slices.Sort(failed)
	return lines, failed
}

// TestOrder divides the work in two ways.
func TestOrder(t *testing.T) {
	tree := randomTree(t)
	var names []string
	for f, err := range ingest.Walk(os.DirFS(tree), ".", ingest.WalkOptions{Order: ingest.ByPath}) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, f.Path)
	}
	want := ingestTree(t, tree, under(tree, names), 2)
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	got := ingestTree(t, tree, under(tree, names), 2)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{}, resultRow{})); diff != "" {
		t.Errorf("(-sorted +shuffled):\n%s", diff)
	}
	if len(want.rows) == 0 || len(want.failed) == 0 || len(want.parts) < 4 {
		t.Errorf("%d rows, %d failed files, %d parts", len(want.rows), len(want.failed), len(want.parts))
	}
}

// TestMatch matches files that are not in the tests above.
func TestMatch(t *testing.T) {
	tree := makeTree(t, map[string]string{
		"a.json": skia("", "c1", 1, "a"), "b.txt": "x",
		"sub/a.json": skia("", "c1", 1, "b"), "sub/c/d.json": skia("", "c1", 1, "c"),
	})
	if err := os.Symlink("missing", tree+"/sub/dangling"); err != nil {
		t.Skip(err)
	}
	var names, failed []string
	for _, pattern := range []string{"/*.json", "/s*", "/sub/../b.txt", "/none"} {
		err := match(t.Context(), tree+pattern,
			func(name string) { names = append(names, strings.TrimPrefix(name, tree)) },
			func(o outcome) { failed = append(failed, strings.TrimPrefix(o.Path, tree)) })
		if err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]string{"/a.json", "/sub/a.json", "/sub/c/d.json", "/b.txt"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"/sub/dangling", "/none"}, failed); diff != "" {
		t.Errorf("failed (-want +got):\n%s", diff)
	}

	got := ingestTree(t, tree, []string{tree + "/sub", tree + "/s*"}, 1)
	if diff := cmp.Diff([]string{"sub/dangling"}, got.failed); diff != "" || len(got.rows) != 2 {
		t.Errorf("%d rows, failed (-want +got):\n%s", len(got.rows), diff)
	}
}

// The first columns are the same as in the table that the tool prints.
func TestColumns(t *testing.T) {
	all, err := table.All(nil)
	if err != nil {
		t.Fatal(err)
	}
	types := map[table.Type]string{table.Text: "STRING", table.Integer: "INT(64,true)", table.Number: "DOUBLE", table.Map: "MAP"}
	var want, got []string
	for _, c := range all {
		want = append(want, fmt.Sprintf("%s %s %v", c.Name, types[c.Type], c.Optional))
	}
	fields := parquet.SchemaOf(columns{}).Fields()
	for _, f := range fields {
		got = append(got, fmt.Sprintf("%s %s %v", f.Name(), f.Type(), f.Optional()))
	}
	if diff := cmp.Diff(want, got[:len(want)]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWriteRows writes more rows than are sorted in memory.
func TestWriteRows(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	const n = 2*rowsSorted + 10
	order := rand.New(rand.NewPCG(5, 6)).Perm(n)
	var file bytes.Buffer
	written, err := writeRows(&file, func(r *row) bool {
		if len(order) == 0 {
			return false
		}
		i := order[0]
		order = order[1:]
		*r = row{place{Trace: fmt.Sprintf(",t=%06d,", i/2), Commit: "c"}, measurement{N: int64(i%2 + 1), Value: float64(i)}}
		return true
	})
	if err != nil || written != n {
		t.Fatalf("%d rows, error %v", written, err)
	}

	rows, err := parquet.Read[columns](bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil || len(rows) != n {
		t.Fatalf("%d rows, error %v", len(rows), err)
	}
	for i, row := range rows {
		if row.Value != float64(i) || row.N != int64(i%2+1) {
			t.Fatalf("row %d: %+v", i, row)
		}
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("temporary files %v, error %v", left, err)
	}
}

// TestOutput writes to a place where it cannot, or must not.
func TestOutput(t *testing.T) {
	tree := makeTree(t, map[string]string{"a.json": skia("", "c1", 1, "a"), "out/summary.json": "{}"})
	for _, test := range []struct{ name, out, err string }{
		{"other files", tree + "/out/", "/out is not empty: it has "},
		{"not a folder", tree + "/a.json/out", "not a directory"},
		{"unknown file system", "x://out", `file system scheme "x" not registered`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			status := run(t.Context(), []string{tree + "/a.json"}, test.out, 1, &stdout, &stderr)
			if status != 2 || !strings.Contains(stderr.String(), test.err) || stdout.Len() > 0 {
				t.Errorf("status %d, %q, %q: want 2, %q", status, stderr.String(), stdout.String(), test.err)
			}
		})
	}
}

// TestWriteFile fails in the middle of a file.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.ToSlash(dir) + "/f"
	for _, fault := range []error{nil, errors.New("fault")} {
		err := writeFile(t.Context(), name, func(w io.Writer) error {
			fmt.Fprint(w, "text ", fault)
			if _, err := os.Stat(name); (err == nil) != (fault != nil) {
				t.Errorf("the file can be seen before it is whole: %v", err)
			}
			return fault
		})
		if !errors.Is(err, fault) {
			t.Errorf("error %v, want %v", err, fault)
		}
		text, err := os.ReadFile(name)
		if names, _ := os.ReadDir(dir); err != nil || string(text) != "text <nil>" || len(names) != 1 {
			t.Errorf("%q in %v, error %v", text, names, err)
		}
	}
}

// TestReadme runs the command of README, and compares what it writes with what README shows.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```text\n(.*?)```").FindAllStringSubmatch(string(readme), -1)

	out := filepath.ToSlash(t.TempDir()) + "/out"
	var stdout, stderr strings.Builder
	if status := run(t.Context(), []string{"../../testdata/skiav1"}, out, 1, &stdout, &stderr); status != 1 {
		t.Errorf("status %d, want 1 for faults", status)
	}
	printed := strings.ReplaceAll(stdout.String()+stderr.String(), out, "/tmp/measurements")
	if diff := cmp.Diff(blocks[0][1], printed); diff != "" {
		t.Errorf("output (-README +got):\n%s", diff)
	}
	for name := range strings.Lines(blocks[1][1]) {
		if _, err := os.Stat(out + strings.TrimPrefix(strings.TrimSpace(name), "/tmp/measurements")); err != nil {
			t.Error(err)
		}
	}
}

// randomTree writes files whose measurements overlap, with faulty ones and changes under review.
func randomTree(t *testing.T) string {
	random := rand.New(rand.NewPCG(1, 2))
	files := make(map[string]string)
	for i := range 150 {
		commit := fmt.Sprintf("c%d", random.IntN(4))
		name := fmt.Sprintf("bot%d/2026/01/0%d/0%d/%d", random.IntN(2), 1+random.IntN(3), random.IntN(3), i)
		value := float64(i) + random.Float64()
		text := ""
		switch i % 5 {
		case 0:
			name = fmt.Sprintf("%d.txt", i)
			text = "commit: " + commit + "\n" + strings.Repeat(fmt.Sprintf("BenchmarkSort-8 1 %d ns/op\n", i), 1+i%4)
		case 1:
			text = skia(fmt.Sprintf(`"issue":"%d",`, random.IntN(2)), commit, value, "a", "b c")
		case 2:
			text = skia(`"links":{"log":"http://localhost/`+name+`"},`, commit, value, "a", "b_c")
		default:
			text = skia("", commit, value, []string{"a", "b c", "d", "e"}[:1+random.IntN(4)]...)
		}
		switch random.IntN(8) {
		case 0:
			text = text[:len(text)/2]
		case 1:
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			w.Write([]byte(text))
			w.Close()
			text = b.String()
		}
		files[name] = text
	}
	return makeTree(t, files)
}
