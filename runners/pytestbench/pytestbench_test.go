package pytestbench

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/formattest"
	"perfdata/runners"
	"perfdata/runners/internal/runnertest"
)

func testFiles(t testing.TB) map[string]string {
	t.Helper()
	return formattest.Files(t, "../../testdata/conformance/pytestbench/*.json", 2)
}

func TestRecords(t *testing.T) {
	row := func(members string) string { return `{"benchmarks":[{` + members + `}]}` }
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "single values",
			in: row(`"group":"g","fullname":"x.py::a","params":null,"param":null,"extra_info":{"k":[1]},` +
				`"options":{"timer":"t"},"stats":{"mean":3,"data":[2,4],"iterations":5}`),
			want: []string{
				`group=g name=x.py::a unit=s = 2 iterations:5 k:[1] options.timer:t`,
				`group=g name=x.py::a unit=s = 4 iterations:5 k:[1] options.timer:t`,
			},
		},
		{
			name: "only statistics",
			in:   row(`"fullname":"a","stats":{"min":1,"max":5,"mean":3,"stddev":0.5,"median":2,"q1":7,"ops":8}`),
			want: []string{
				`name=a stat=mean unit=s = 3`,
				`name=a stat=median unit=s = 2`,
				`name=a stat=min unit=s = 1`,
				`name=a stat=max unit=s = 5`,
				`name=a stat=stddev unit=s = 0.5`,
			},
		},
		{
			name: "params of several types",
			in: row(`"fullname":"a[p]","params":{"n":1.50,"s":"[x]","b":true,"o":{"k": [1, "é"]},"group":"h"},"param":"p",` +
				`"group":"g","stats":{"data":[1]}`),
			want: []string{`b=true group=g n=1.50 name=a o={"k":[1,"é"]} params.group=h s=[x] unit=s = 1`},
		},
		{
			name: "brackets within brackets",
			in:   row(`"fullname":"a[[x]]","params":{"s":"[x]"},"param":"[x]","stats":{"data":[1]}`),
			want: []string{`name=a s=[x] unit=s = 1`},
		},
		{
			name: "no params",
			in:   row(`"fullname":"a[p]","params":null,"param":"p","stats":{"data":[1]}`),
			want: []string{`name=a[p] unit=s = 1`},
		},
		{
			name: "null and an empty string",
			in: `{"benchmarks":[{"fullname":"a[None]","params":{"s":null},"param":"None","stats":{"data":[1]}},` +
				`{"fullname":"a[]","params":{"s":""},"param":"","stats":{"data":[2]}}]}`,
			want: []string{`name=a[None] unit=s = 1`, `name=a[] unit=s = 2`},
		},
		{
			name: "an object's address",
			in: row(`"fullname":"a[t0-1]","params":{"t":"UNSERIALIZABLE[<T at 0x7f>]","n":1},"param":"t0-1",` +
				`"stats":{"data":[1]}`),
			want: []string{`n=1 name=a[t0-1] unit=s = 1 t:UNSERIALIZABLE[<T at 0x7f>]`},
		},
		{
			name: "commit and machine, after the benchmarks",
			in: `{"benchmarks":[{"fullname":"a","stats":{"data":[1]}}],"datetime":"d","version":"1",` +
				`"commit_info":{"id":"c0ffee","time":"t","author_time":"u","dirty":false,"branch":"b"},` +
				`"machine_info":{"node":"h","cpu":{"count":2,"flags":["f"]},"python_build":["x"]}}`,
			want: []string{`name=a unit=s = 1 branch:b commit-time:t cpu.count:2 datetime:d dirty:false node:h version:1`},
		},
		{
			name: "outside of a repository",
			in:   `{"commit_info":{"id":"unversioned","time":null},"benchmarks":[{"fullname":"a","stats":{"data":[1]}}]}`,
			want: []string{`name=a unit=s = 1`},
		},
		{
			name: "not a number",
			in:   row(`"fullname":"a","stats":{"data":[1,§NaN,2]}`),
			want: []string{
				`name=a unit=s = 1`,
				`§: benchmarks.0.stats.data.1: a: NaN is not a value`,
				`name=a unit=s = 2`,
			},
		},
		{
			name: "infinite mean",
			in:   row(`"fullname":"a","stats":{"mean":§Infinity,"min":1}`),
			want: []string{`§: benchmarks.0.stats.mean: a: Infinity is not a value`, `name=a stat=min unit=s = 1`},
		},
		{
			name: "no numbers",
			in:   `{"benchmarks":[§{"fullname":"a","stats":null}]}`,
			want: []string{`§: benchmarks.0: a: the result has no numbers`},
		},
		{
			name: "no name",
			in:   `{"benchmarks":[§{"stats":{"data":[1]}}]}`,
			want: []string{`§: benchmarks.0: fullname is required`},
		},
		{
			name: "a name that is not a string",
			in:   row(`"fullname":§1,"stats":{"data":[1]}`),
			want: []string{`§: benchmarks.0.fullname: Invalid type. Expected: string, given: integer`},
		},
		{
			name: "wrong types",
			in:   row(`"fullname":"a","stats":{"data":§"x","mean":1}`),
			want: []string{`§: benchmarks.0.stats.data: Invalid type. Expected: array, given: string`},
		},
		{
			name: "empty",
			want: []string{`FATAL 1:1: the input is empty: the runner writes nothing if no benchmark ran`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, runnertest.Show(spec))
		})
	}
}

// The commit comes from the file, unless it says that there is none.
func TestCommit(t *testing.T) {
	for id, want := range map[string]string{"c0ffee": "c0ffee", "unversioned": "", "unknown": ""} {
		in := `{"benchmarks":[{"fullname":"a","stats":{"data":[1]}}],"commit_info":{"id":"` + id + `"}}`
		for rec, err := range runners.NewReader(strings.NewReader(in), Format()).Records() {
			if err != nil || rec.Commit != want {
				t.Errorf("id %s: commit %q, %v; want %q", id, rec.Commit, err, want)
			}
		}
	}
}

// A file may lack everything but its benchmarks.
func TestNoHeader(t *testing.T) {
	h, err := runners.NewReader(strings.NewReader(`{"benchmarks":[]}`), Format()).FileHeader()
	if err != nil || h.Commit != "" {
		t.Errorf("%+v, %v", h, err)
	}
}

// Statistics of a benchmark that has single values are read only if they are wanted.
func TestSummaries(t *testing.T) {
	const in = `{"benchmarks":[{"fullname":"a","stats":{"mean":3,"data":[2,4]}}]}`
	r := runners.NewReader(strings.NewReader(in), Format())
	r.Summaries = true
	want := []string{`name=a unit=s = 2`, `name=a unit=s = 4`, `name=a stat=mean unit=s = 3`}
	if diff := cmp.Diff(want, formattest.All(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The params of real files have nothing that differs from run to run, and single values do not mix
// with statistics.
func TestIdentity(t *testing.T) {
	for _, name := range []string{"01-all.json", "03-gc.json", "09-calibrate.json", "bencher-four.json"} {
		keys := map[string]bool{}
		for rec, err := range runners.NewReader(strings.NewReader(runnertest.RealFile(t, "pytest-benchmark", name)), Format()).Records() {
			if err != nil {
				continue // the last file has text among its data
			}
			for key := range rec.Params.All() {
				keys[key] = true
			}
			if date, _ := rec.Attrs.Get("datetime"); date == "" {
				t.Fatalf("%s: no date: %s", name, formattest.Show(rec))
			}
		}
		for _, key := range []string{"name", "unit", "n", "s", "group"} {
			delete(keys, key)
		}
		if len(keys) > 0 {
			t.Errorf("%s: params %v", name, keys)
		}
	}
}

func TestReader(t *testing.T)  { runnertest.Check(t, spec, testFiles(t)) }
func TestAnswers(t *testing.T) { runnertest.Answers(t, spec, "pytest-benchmark") }
func FuzzReader(f *testing.F)  { runnertest.Fuzz(f, spec, testFiles(f)) }

// What pytest-benchmark itself writes is read. The benchmark of a test that fails is not in its
// file. The test is skipped where pytest-benchmark is not installed.
func TestRunner(t *testing.T) {
	program := ""
	for _, name := range []string{"pytest", "pytest-3"} {
		if out, err := exec.Command(name, "--help").Output(); err == nil && strings.Contains(string(out), "--benchmark-json") {
			program = name
			break
		}
	}
	if program == "" {
		t.Skip("pytest-benchmark is not installed")
	}
	dir := t.TempDir()
	const text = `import pytest

@pytest.mark.parametrize("n", [1, 2])
def test_sum(benchmark, n):
    benchmark.pedantic(lambda: sum(range(n)), rounds=3)

def test_fails(benchmark):
    benchmark.pedantic(lambda: 1 / 0, rounds=3)
`
	if err := os.WriteFile(filepath.Join(dir, "test_x.py"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]map[string]int{
		"--benchmark-save-data": {
			"n=1,name=test_x.py::test_sum,unit=s": 3, "n=2,name=test_x.py::test_sum,unit=s": 3,
		},
		"--benchmark-columns=mean": {
			"n=1,name=test_x.py::test_sum,stat=,unit=s": 5, "n=2,name=test_x.py::test_sum,stat=,unit=s": 5,
		},
	} {
		cmd := exec.Command(program, "-q", "-p", "no:cacheprovider", "--benchmark-json=out.json", "--benchmark-save=a", args)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); !strings.Contains(string(out), "1 failed, 2 passed") {
			t.Fatalf("%v\n%s", err, out)
		}
		files, err := filepath.Glob(filepath.Join(dir, ".benchmarks", "*", "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatal("no file was saved: ", err)
		}
		got := map[string]int{}
		for rec, err := range runners.NewReader(strings.NewReader(formattest.ReadFile(t, files[len(files)-1])), Format()).Records() {
			if err != nil {
				t.Fatal(err)
			}
			var key []string
			for _, p := range rec.Params {
				if p.Key == "stat" {
					p.Value = ""
				}
				key = append(key, p.Key+"="+p.Value)
			}
			got[strings.Join(key, ",")]++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", args, diff)
		}
		if err := os.RemoveAll(filepath.Join(dir, ".benchmarks")); err != nil {
			t.Fatal(err)
		}
	}
}
