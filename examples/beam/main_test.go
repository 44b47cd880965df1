package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"perfdata/ingest"
	table "perfdata/internal/columns"
	"perfdata/store"
	"perfdata/traceid"
)

func TestMain(m *testing.M) {
	flag.Parse()
	log.SetupLogging("error", "text")
	shared := new(bucket)
	filesystem.Register("faulty", func(context.Context) filesystem.Interface { return shared })
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
	const older, newer, later = "a/2026/01/02/03/", "a/2026/01/02/05/", "a/2026/01/04/05/"
	for _, test := range []struct {
		name   string
		files  map[string]string
		want   []string // table day trace commit#n = value file
		failed []string
	}{
		{
			name: "days",
			files: map[string]string{
				older + "f.json": skia("", "c1", 1, "t"), later + "f.json": skia("", "c1", 2, "t"),
				"f.json": skia("", "c3", 3, "t"),
			},
			want: []string{
				"mainline 2026-01-02 ,arch=x86,test=t, c1#1 = 1 " + older + "f.json",
				"mainline 2026-01-04 ,arch=x86,test=t, c1#1 = 2 " + later + "f.json",
				"mainline __HIVE_DEFAULT_PARTITION__ ,arch=x86,test=t, c3#1 = 3 f.json",
			},
		},
		{
			name: "of a day, the latest hour, then the last path wins, for each trace and commit",
			files: map[string]string{
				older + "z.json": skia("", "c1", 1, "t", "u", "v"),
				newer + "a.json": skia("", "c1", 2, "t", "u"),
				newer + "b.json": skia("", "c1", 3, "t"),
			},
			want: []string{
				"mainline 2026-01-02 ,arch=x86,test=t, c1#1 = 3 " + newer + "b.json",
				"mainline 2026-01-02 ,arch=x86,test=u, c1#1 = 2 " + newer + "a.json",
				"mainline 2026-01-02 ,arch=x86,test=v, c1#1 = 1 " + older + "z.json",
			},
		},
		{
			name: "repetitions of two files are not mixed",
			files: map[string]string{
				older + "f.json": "commit: c1\nBenchmarkA 1 1 ns/op\nBenchmarkA 1 2 ns/op\n",
				newer + "f.json": "commit: c1\nBenchmarkA 1 3 ns/op\n",
			},
			want: []string{"mainline 2026-01-02 ,name=A,unit=ns_op, c1#1 = 3 " + newer + "f.json"},
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
				"trials 2026-01-02 ,arch=x86,test=t, c1#1 = 2 " + newer + "f.json 7/2",
				"trials 2026-01-02 ,arch=x86,test=t, c1#1 = 3 " + newer + "g.json 7/3",
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
				got := ingestTree(t, tree, patterns, options{})
				if diff := gocmp.Diff(test.want, got.lines()); diff != "" {
					t.Errorf("%q: rows (-want +got):\n%s", patterns, diff)
				}
				if diff := gocmp.Diff(test.failed, got.failed); diff != "" {
					t.Errorf("%q: failed files (-want +got):\n%s", patterns, diff)
				}
			}
		})
	}
}

const goTestLine = "mainline __HIVE_DEFAULT_PARTITION__ ,gomaxprocs=8,name=Sort,unit=ns_op, "

// TestStore compares what pipelines write with what package store has.
func TestStore(t *testing.T) {
	for _, test := range []struct {
		name string
		tree func(*testing.T) string
		rows int64
	}{
		{"testdata", func(*testing.T) string { return "../../testdata" }, 0},
		{"random files", randomTree, 0},
		{"random files in several parts", randomTree, 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := test.tree(t)
			want, failed := storeTree(t, tree)
			got := ingestTree(t, tree, []string{tree}, options{rows: test.rows})

			var lines []string
			for _, row := range got.latest() {
				day := noDay
				h, ok := ingest.HourOf(row.File)
				if ok {
					day = h.Format(time.DateOnly)
				}
				if row.day != day || ok != (row.Hour != nil) || ok && !row.Hour.Equal(h) {
					t.Errorf("%s is in day %s, its hour is %v", row.File, row.day, row.Hour)
				}
				if (row.table == trialsTable) != (row.Issue != "" || row.Patchset != "") {
					t.Errorf("%s is in %s", row.File, row.table)
				}
				trial := store.Trial{Issue: row.Issue, Patchset: row.Patchset}
				point := store.Point{Commit: row.Commit, N: int(row.N), Value: row.Value}
				lines = append(lines, line(trial, row.trace, point, row.Links))
			}
			slices.Sort(lines)
			if diff := gocmp.Diff(want, lines); diff != "" {
				t.Errorf("measurements (-store +pipeline):\n%s", diff)
			}
			if diff := gocmp.Diff(failed, got.failed); diff != "" {
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
	want := ingestTree(t, tree, under(tree, names), options{rows: 50})
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	got := ingestTree(t, tree, under(tree, names), options{rows: 50})
	if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(result{}, resultRow{})); diff != "" {
		t.Errorf("(-sorted +shuffled):\n%s", diff)
	}
	if len(want.rows) == 0 || len(want.failed) == 0 || len(want.parts) < 15 {
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
		err := new(listFn).ProcessElement(t.Context(), tree+pattern, func(_ int64, f listed) {
			if f.Error == "" {
				names = append(names, strings.TrimPrefix(f.Path, tree))
			} else {
				failed = append(failed, strings.TrimPrefix(f.Path, tree))
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
	if diff := gocmp.Diff([]string{"/a.json", "/sub/a.json", "/sub/c/d.json", "/b.txt"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff([]string{"/sub/dangling", "/none"}, failed); diff != "" {
		t.Errorf("failed (-want +got):\n%s", diff)
	}

	got := ingestTree(t, tree, []string{tree + "/sub", tree + "/s*"}, options{})
	if diff := gocmp.Diff([]string{"sub/dangling"}, got.failed); diff != "" || len(got.rows) != 2 {
		t.Errorf("%d rows, failed (-want +got):\n%s", len(got.rows), diff)
	}
}

// The columns are those of the table that the tool prints: without the ID of all params, which the
// params and attrs say, and with a key in place of the trace.
func TestColumns(t *testing.T) {
	all, err := table.All(nil)
	if err != nil {
		t.Fatal(err)
	}
	types := map[table.Type]string{
		table.Text: "STRING", table.Integer: "INT(64,true)", table.Number: "DOUBLE", table.Map: "MAP",
		table.Time: "TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS)",
	}
	const keyColumn = "key FIXED_LEN_BYTE_ARRAY(16) false"
	measurements, traces := []string{keyColumn}, []string{keyColumn}
	for _, c := range all {
		column := fmt.Sprintf("%s %s %v", c.Name, types[c.Type], c.Optional)
		switch c.Name {
		case "id":
		case "trace":
			traces = append(traces, "trace STRING false")
		case "params":
			traces = append(traces, column)
		default:
			measurements = append(measurements, column)
		}
	}
	measurements = append(measurements,
		"issue STRING false", "patchset STRING false", "hour TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS) true")
	for _, test := range []struct {
		columns any
		want    []string
	}{{measurementColumns{}, measurements}, {traceColumns{}, traces}} {
		var got []string
		for _, f := range parquet.SchemaOf(test.columns).Fields() {
			got = append(got, fmt.Sprintf("%s %s %v", f.Name(), f.Type(), f.Optional()))
		}
		if diff := gocmp.Diff(test.want, got); diff != "" {
			t.Errorf("%T (-want +got):\n%s", test.columns, diff)
		}
	}
}

// TestBlock reads blocks that were written, and damaged ones.
func TestBlock(t *testing.T) {
	var p packer
	if err := p.Setup(); err != nil {
		t.Fatal(err)
	}
	want := []row{
		{Texts: [numTexts]string{textPath: "a", textTrace: ",t=1,", textAttrs: "\x00"}, N: 1, Offset: 1 << 40, Value: -0.5},
		{Texts: [numTexts]string{textPath: "a", textTrace: ",t=2,", textUnit: "a"}, N: 2, Offset: 7, Value: math.Inf(1)},
		{Texts: [numTexts]string{textPath: "b", textIssue: "own", textError: "fault"}, N: -1, Offset: -1},
	}
	var b block
	for _, r := range want {
		b.add(&r)
	}
	plain := slices.Clone(b.bytes)
	read := func(packed []byte) (got []row, err error) {
		err = p.read(packed, strings.Clone, func(r *row) { got = append(got, *r) })
		return got, err
	}
	got, err := read(withChange("issue", "2", p.take(&b)))
	for i := range want {
		want[i].Texts[textIssue] = cmp.Or(want[i].Texts[textIssue], "issue")
		want[i].Texts[textPatchset] = "2"
	}
	if diff := gocmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, (-want +got):\n%s", err, diff)
	}

	for n := range plain {
		got, err := read(withChange("", "", p.take(&block{bytes: slices.Clone(plain[:n])})))
		if err == nil && len(got) == len(want) {
			t.Errorf("%d of %d bytes: no error", n, len(plain))
		}
		read(withChange("", "", p.take(&block{bytes: slices.Clone(plain[n:])}))) // must not panic
	}
	for _, packed := range []string{"", "\x00", "\x00\x00text", "\x05i"} {
		if _, err := read([]byte(packed)); err == nil {
			t.Errorf("%q: no error", packed)
		}
	}
}

// TestDays compares runs of one day each with one of all days. A run leaves other days alone.
func TestDays(t *testing.T) {
	tree := randomTree(t)
	roots := []string{tree + "/bot*"}
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	all := options{out: t.TempDir(), first: day(1), last: day(4), rows: 30}
	one := options{out: t.TempDir(), rows: 30}
	if status, stderr := ingestTo(t, roots, all); status != 1 {
		t.Errorf("status %d, %s", status, stderr)
	}
	for _, n := range []int{2, 1, 4, 3} {
		one.first, one.last = day(n), day(n)
		if status, stderr := ingestTo(t, roots, one); status == 2 {
			t.Errorf("day %d: status %d, %s", n, status, stderr)
		}
	}
	want, got := readTree(t, all.out), readTree(t, one.out)
	if diff := gocmp.Diff(want, got); diff != "" || len(want) < 20 {
		t.Errorf("%d files, (-all days +each day):\n%s", len(want), diff)
	}

	status, stderr := ingestTo(t, roots, one)
	if status != 2 || !strings.Contains(stderr, "has files of that day already") {
		t.Errorf("a day again: status %d, %s", status, stderr)
	}
	one.out = t.TempDir()
	status, stderr = ingestTo(t, []string{tree + "/bot0/2026/01/03/00"}, one)
	if status != 2 || !strings.Contains(stderr, "has the directories of an hour") {
		t.Errorf("the folder of an hour: status %d, %s", status, stderr)
	}
}

// readTree returns the contents of the files of days.
func readTree(t *testing.T, out string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	for _, name := range glob(t, out+"/*/day=*/*") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(name, out)] = string(text)
	}
	return files
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
			status := run(t.Context(), []string{tree + "/a.json"}, options{out: test.out, rows: 1}, &stdout, &stderr)
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
		err := writeFile(t.Context(), retry{}, name, func(w io.Writer) error {
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
	o := options{out: out, rows: 1 << 20}
	if status := run(t.Context(), []string{"../../testdata/skiav1"}, o, &stdout, &stderr); status != 1 {
		t.Errorf("status %d, want 1 for faults", status)
	}
	printed := strings.ReplaceAll(stdout.String()+stderr.String(), out, "/tmp/measurements")
	if diff := gocmp.Diff(blocks[0][1], printed); diff != "" {
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
