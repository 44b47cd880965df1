package criterion

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/runners"
	"perfdata/runners/internal/runnertest"
)

func testFiles(t testing.TB) map[string]string {
	t.Helper()
	return formattest.Files(t, "../../testdata/criterion/*.jsonl", 2)
}

func TestRecords(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "messages",
			in:   testFiles(t)["messages.jsonl"],
			want: []string{
				`name=parse/short unit=ns = 100 throughput:1024 bytes`,
				`name=parse/short unit=ns = 105 throughput:1024 bytes`,
				`name=parse/short unit=ns = 99 throughput:1024 bytes`,
				`name=parse/long stat=typical unit=ns = 901`,
				`name=parse/long stat=mean unit=ns = 901.5`,
				`name=parse/long stat=median unit=ns = 900`,
				`name=parse/long stat=slope unit=ns = 901`,
			},
		},
		{
			name: "faults",
			in:   testFiles(t)["faults.jsonl"],
			want: []string{
				`name=a unit=ns = 100`,
				`1:87: measured_values: a: sample 2 has 0 iterations`,
				`name=a unit=ns = 100`,
				`2:85: measured_values: b: 1 samples, but 2 numbers of iterations`,
				`3:1: c: the result has no numbers`,
				`4:1: id is required`,
				`5:1: reason is required`,
				`6:1: Invalid type. Expected: object, given: array`,
			},
		},
		{
			name: "truncated",
			in:   `{"reason":"group-complete"}` + "\n" + `{"reason":`,
			want: []string{`FATAL 2:11: reason: unexpected end of input, expected a value`},
		},
		{
			name: "not JSON",
			in:   `{"reason":"group-complete"}` + "\nwarning: unused",
			want: []string{`FATAL 2:1: found 'w', expected a value`},
		},
		{
			name: "empty",
			want: []string{`FATAL 1:1: the input is empty`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, runnertest.Show(spec))
		})
	}
}

// The folder of benchmarks, as benchmark.json and its absence in old versions name them.
func TestFolder(t *testing.T) {
	const benchmark = `{"group_id":"g/1","function_id":"f","value_str":"10","throughput":{"BytesDecimal":8},` +
		`"full_id":"g/1/f/10","directory_name":"g_1/f/10","title":"g/1/f/10"}`
	const sample = `{"sampling_mode":"Flat","iters":[2.0,4.0],"times":[10.0,18.0]}`
	const other = `{"sampling_mode":"Flat","iters":[1.0],"times":[1.0]}`
	for _, test := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{
			name: "samples, and the run before",
			files: map[string]string{
				"g_1/f/10/new/benchmark.json": benchmark, "g_1/f/10/new/sample.json": sample,
				"g_1/f/10/new/estimates.json":  `{"mean":{"point_estimate":5}}`,
				"g_1/f/10/base/benchmark.json": benchmark, "g_1/f/10/base/sample.json": other,
				"g_1/f/10/change/estimates.json": `{"mean":{"point_estimate":0.1}}`, "g_1/f/10/report/index.html": "",
			},
			want: []string{
				`name=g/1/f/10 unit=ns = 5 sampling_mode:Flat throughput:8 bytes`,
				`name=g/1/f/10 unit=ns = 4.5 sampling_mode:Flat throughput:8 bytes`,
			},
		},
		{
			name: "an old version",
			files: map[string]string{
				"fib/20/new/sample.json":    `[[2.0,4.0],[10.0,18.0]]`,
				"fib/20/new/estimates.json": `{"Mean":{"point_estimate":5}}`,
			},
			want: []string{`name=fib/20 unit=ns = 5`, `name=fib/20 unit=ns = 4.5`},
		},
		{
			name: "estimates alone",
			files: map[string]string{
				"a/new/estimates.json": `{"mean":{"point_estimate":5},"median":{"point_estimate":4},"slope":null,"std_dev":{"point_estimate":1}}`,
				"b/new/estimates.json": `{"Mean":{"point_estimate":7},"Slope":{"point_estimate":8}}`,
			},
			want: []string{
				`name=a stat=mean unit=ns = 5`, `name=a stat=median unit=ns = 4`,
				`name=b stat=mean unit=ns = 7`, `name=b stat=slope unit=ns = 8`,
			},
		},
		{
			name: "faults are those of one file",
			files: map[string]string{
				"a/new/sample.json": `{"iters":[1],"times":[1,2]}`,
				"b/new/sample.json": `{"iters":[1]`, "b/new/estimates.json": `{"mean":{"point_estimate":5}}`,
				"c/new/sample.json": `{}`,
				"d/new/sample.json": other, "d/new/benchmark.json": `{"group_id":4,"full_id":"D"}`,
			},
			want: []string{
				`root/a/new/sample.json:1:22: times: a: 2 samples, but 1 numbers of iterations`,
				`root/b/new/sample.json:1:13: iters: unexpected end of input, expected a comma or }`,
				`name=b stat=mean unit=ns = 5`,
				`root/c/new:1:1: the benchmark has no samples and no estimates`,
				`root/d/new/benchmark.json:1:13: group_id: Invalid type. Expected: string, given: integer`,
				`name=D unit=ns = 1 sampling_mode:Flat`,
			},
		},
		{
			name:  "a group called new",
			files: map[string]string{"new/benchmark.json": `{`, "new/a/new/sample.json": other},
			want:  []string{`name=new/a unit=ns = 1 sampling_mode:Flat`},
		},
		{
			name:  "no benchmarks",
			files: map[string]string{"a/base/sample.json": other},
			want:  []string{`FATAL root:1:1: no benchmarks: want folders called new, with sample.json or estimates.json`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			fsys := make(fstest.MapFS)
			for name, text := range test.files {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			r := runners.NewFolderReader(fsys, ".", Format())
			r.Name = "root"
			for range 2 {
				if diff := cmp.Diff(test.want, formattest.All(r)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestSummaries(t *testing.T) {
	fsys := fstest.MapFS{
		"a/new/sample.json":    {Data: []byte(`{"iters":[1],"times":[1]}`)},
		"a/new/estimates.json": {Data: []byte(`{"mean":{"point_estimate":5}}`)},
	}
	o := format.Options{Settings: map[string]string{"criterion.summaries": "true"}}
	r := Format().OpenDir(fsys, ".", o).(*runners.Reader)
	if diff := cmp.Diff([]string{`name=a unit=ns = 1`, `name=a stat=mean unit=ns = 5`}, formattest.All(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDetectFolder(t *testing.T) {
	const about = `{"directory_name":"g 1/f"}`
	fsys := fstest.MapFS{
		"target/debug/x":                            {},
		"target/criterion/g_1/f/new/sample.json":    {},
		"target/criterion/g_1/f/new/benchmark.json": {Data: []byte(about)},
		"old/f/new/estimates.json":                  {},
		"news/new/page.json":                        {},
		"deep/a/b/c/d/new/sample.json":              {},
		"values/g/f/1/new/sample.json":              {},
	}
	for value := range 40 {
		fsys[fmt.Sprintf("values/g/%d/report/index.html", value)] = &fstest.MapFile{}
		fsys[fmt.Sprintf("many/%d/page.html", value)] = &fstest.MapFile{}
	}
	fsys["many/x/new/sample.json"] = &fstest.MapFile{}
	for dir, want := range map[string]bool{
		"target/criterion": true, "target/criterion/g_1": true, "target/criterion/g_1/f": true,
		"target": false, "target/criterion/g_1/f/new": false, "old": true, "news": false, "deep": false, "deep/a": true,
		"values": true, "values/g": true, "many": false,
	} {
		t.Run(dir, func(t *testing.T) {
			if got, err := Format().DetectDir(fsys, dir); got != want || err != nil {
				t.Errorf("got %v, %v, want %v", got, err, want)
			}
		})
	}
	if _, err := Format().DetectDir(fsys, "absent"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	if _, err := Format().DetectDir(nil, "."); !errors.Is(err, format.ErrMisuse) {
		t.Errorf("nil: %v", err)
	}
}

func TestDetect(t *testing.T) {
	for prefix, want := range map[string]bool{
		`{"reason":"benchmark-complete","id":"a","report_directory":"x","iteration_count":[1`: true,
		`{"reason":"group-complete","group_name":"g","benchmarks":["a"`:                       true,
		`{"reason":"compiler-artifact","package_id":"a"}`:                                     false,
		`{"iters":[1.0],"times":[1.0]}`:                                                       false,
	} {
		t.Run(prefix, func(t *testing.T) {
			if got := Format().Detect([]byte(prefix)).Yes; got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// The folders of real projects, whose files have flattened names: fib_20__new__sample.json.
func TestFolderAnswers(t *testing.T) {
	runnertest.AnswersAbout(t, "folders.jsonl", "criterion", func(t *testing.T, path string) format.Reader {
		dir := t.TempDir()
		for name, text := range formattest.Files(t, filepath.Join(path, "*"), 1) {
			to := filepath.Join(dir, strings.ReplaceAll(name, "__", "/"))
			if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, []byte(text), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		return runners.NewFolderReader(os.DirFS(dir), ".", Format())
	})
}

func TestReader(t *testing.T)  { runnertest.Check(t, spec, testFiles(t)) }
func TestAnswers(t *testing.T) { runnertest.Answers(t, spec, "cargo-criterion") }
