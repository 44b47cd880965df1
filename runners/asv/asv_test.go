package asv

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/rows"
	"perfdata/internal/testing/formattest"
	"perfdata/runners"
	"perfdata/runners/internal/runnertest"
)

const (
	about = `{"s.time_a":{"type":"time","unit":"seconds","version":"1","param_names":["n","k"],"params":[]},` +
		`"s.track_b":{"type":"track","version":"2","param_names":[]},"s.mem_c":{"type":"memory"},"version":2}`
	mbp  = `{"machine":"mbp","cpu":"M1"}`
	head = `{"commit_hash":"abc","env_name":"py3","date":1646911546000,"params":{"machine":"mbp","cpu":"M1"},"python":"3.10",` +
		`"requirements":{},"result_columns":["result","params","version","stats_ci_99_a","stats_ci_99_b","stats_q_25","stats_q_75","samples"],`
)

// folderOf returns a folder with the files of a machine, and what others need.
func folderOf(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{"benchmarks.json": {Data: []byte(about)}, "mbp/machine.json": {Data: []byte(mbp)}}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func TestRecords(t *testing.T) {
	const attrs = ` commit-time:2022-03-10T11:25:46Z cpu:M1 machine:mbp python:3.10 requirements:{}`
	for _, test := range []struct {
		name, file, in string
		want           []string
	}{
		{
			name: "samples, statistics and plain results",
			in: head + `"results":{"s.time_a":[[1,2,3,4],[["10","20"],["'x'","'y'"]],"1",[0.5,null],[1.5],[0.75],[1.25],[[1,1.1]]],` +
				`"s.track_b":[[7],[],"2"]}}`,
			want: []string{
				`env=py3 k='x' n=10 name=s.time_a unit=seconds = 1` + attrs + ` version:1`,
				`env=py3 k='x' n=10 name=s.time_a unit=seconds = 1.1` + attrs + ` version:1`,
				`env=py3 k='y' n=10 name=s.time_a unit=seconds = 2` + attrs + ` version:1`,
				`env=py3 k='x' n=20 name=s.time_a unit=seconds = 3` + attrs + ` version:1`,
				`env=py3 k='y' n=20 name=s.time_a unit=seconds = 4` + attrs + ` version:1`,
				`env=py3 name=s.track_b unit=unit = 7` + attrs + ` version:2`,
			},
		},
		{
			name: "statistics",
			in:   head + `"results":{"s.mem_c":[[8],[],null,[6],[10],[7],[9]]}}`,
			want: []string{
				`env=py3 name=s.mem_c stat=median unit=bytes = 8` + attrs, `env=py3 name=s.mem_c stat=q_25 unit=bytes = 7` + attrs,
				`env=py3 name=s.mem_c stat=q_75 unit=bytes = 9` + attrs, `env=py3 name=s.mem_c stat=ci_99_a unit=bytes = 6` + attrs,
				`env=py3 name=s.mem_c stat=ci_99_b unit=bytes = 10` + attrs,
			},
		},
		{
			name: "layout 1",
			in: `{"commit_hash":"abc","date":1646911546000,"params":{"machine":"mbp"},"results":{"s.track_b":5,"s.mem_c":[6],` +
				`"s.time_a":{"result":[1,2],"params":[["10","20"]],"samples":[null,[3]],"stats":[{"ci_99":[0.5,1.5],"q_25":0.75},null]}},` +
				`"benchmark_version":{"s.time_a":"1"}}`,
			want: []string{
				`env=py2-x name=s.track_b unit=unit = 5 commit-time:2022-03-10T11:25:46Z machine:mbp`,
				`env=py2-x name=s.mem_c unit=bytes = 6 commit-time:2022-03-10T11:25:46Z machine:mbp`,
				`env=py2-x n=10 name=s.time_a stat=median unit=seconds = 1 commit-time:2022-03-10T11:25:46Z machine:mbp version:1`,
				`env=py2-x n=10 name=s.time_a stat=q_25 unit=seconds = 0.75 commit-time:2022-03-10T11:25:46Z machine:mbp version:1`,
				`env=py2-x n=10 name=s.time_a stat=ci_99_a unit=seconds = 0.5 commit-time:2022-03-10T11:25:46Z machine:mbp version:1`,
				`env=py2-x n=10 name=s.time_a stat=ci_99_b unit=seconds = 1.5 commit-time:2022-03-10T11:25:46Z machine:mbp version:1`,
				`env=py2-x n=20 name=s.time_a unit=seconds = 3 commit-time:2022-03-10T11:25:46Z machine:mbp version:1`,
			},
		},
		{
			name: "failed, skipped and out of date",
			in: head + `"results":{"s.track_b":[[null,NaN],[["1","2"]],"2"],"s.mem_c":[null,[]],"s.time_a":[[1],[],"0"],` +
				`"s.gone":[[1]]}}`,
			want: []string{
				`mbp/abc-py2-x.json:1:272: results.s.track_b.0.0: s.track_b: the benchmark failed, or has no result`,
				`mbp/abc-py2-x.json:1:309: results.s.mem_c: s.mem_c: the benchmark failed, or has no result`,
			},
		},
		{
			name: "all combinations failed",
			in:   head + `"results":{"s.mem_c":[[null],[["x","y"]]]}}`,
			want: []string{
				`mbp/abc-py2-x.json:1:270: results.s.mem_c.0.0: s.mem_c: the benchmark failed, or has no result`,
			},
		},
		{
			name: "too many and too few results",
			in:   head + `"results":{"s.track_b":[[1,2],[["x"]]],"s.mem_c":[[3],[["x","y"]]]}}`,
			want: []string{
				`env=py3 name=s.track_b param1=x unit=unit = 1` + attrs,
				`mbp/abc-py2-x.json:1:274: results.s.track_b.0.1: s.track_b: 2 results for 1 combinations of parameters`,
				`env=py3 name=s.mem_c param1=x unit=bytes = 3` + attrs,
				`mbp/abc-py2-x.json:1:298: results.s.mem_c.0.0: s.mem_c: results are missing: want one for each combination of parameters`,
			},
		},
		{name: "no commit", in: `{"results":{}}`, want: []string{`mbp/abc-py2-x.json:1:1: commit_hash is required`}},
		{
			name: "another machine",
			in:   `{"commit_hash":"abc","params":{"machine":"x"},"results":{}}`,
			want: []string{`mbp/abc-py2-x.json:1:1: the machine is "x", and machine.json says "mbp"`},
		},
		{name: "not JSON", in: `{x`, want: []string{`mbp/abc-py2-x.json:1:2: found 'x', expected a member's name or }`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			fsys := folderOf(map[string]string{"mbp/abc-py2-x.json": test.in})
			if is, err := Format().DetectDir(fsys, "."); !is || err != nil {
				t.Errorf("not recognized: %v", err)
			}
			for _, slow := range []bool{false, true} {
				own := *spec
				own.Slow = slow
				if diff := cmp.Diff(test.want, formattest.All(rows.NewFolder(fsys, ".", &own))); diff != "" {
					t.Errorf("slow path: %v (-want +got):\n%s", slow, diff)
				}
			}
		})
	}
}

// A folder that is not one of asv is not read.
func TestFolders(t *testing.T) {
	for _, test := range []struct {
		name string
		fsys fstest.MapFS
		want string
	}{
		{"no benchmarks", fstest.MapFS{"mbp/machine.json": {Data: []byte(mbp)}}, "no benchmarks.json"},
		{"faulty benchmarks", fstest.MapFS{"benchmarks.json": {Data: []byte("[")}}, "unexpected end of input"},
		{"no machine.json", fstest.MapFS{"benchmarks.json": {Data: []byte(about)}, "mbp/abc-py.json": {Data: []byte("{}")}},
			"machine is required"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if is, err := Format().DetectDir(test.fsys, "."); is && test.name != "faulty benchmarks" || err != nil {
				t.Errorf("recognized: %v, %v", is, err)
			}
			err := formattest.LastError(runners.NewFolderReader(test.fsys, ".", Format()))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// Results that are out of date or were skipped are counted, and if there are several machines, a
// warning names the option.
func TestWarnings(t *testing.T) {
	fsys := folderOf(map[string]string{
		"mbp/abc-py.json":  head + `"results":{"s.track_b":[[NaN],[],"2"],"s.time_a":[[1],[],"0"],"s.gone":[[1]],"s.mem_c":[[1]]}}`,
		"two/machine.json": `{"machine":"two"}`, "two/abc-py.json": `{"commit_hash":"abc","params":{"machine":"two"},"results":{"s.mem_c":2}}`,
	})
	r := runners.NewFolderReader(fsys, ".", Format())
	if n := len(formattest.All(r)); n != 2 || r.Skipped() != 3 {
		t.Errorf("%d records, %d skipped, want 2 and 3", n, r.Skipped())
	}

	r = runners.NewFolderReader(fsys, ".", Format())
	r.Warn()
	last := formattest.LastError(r)
	if e, ok := errors.AsType[*format.Error](last); !ok || e.Severity != format.Warning || !strings.Contains(e.Message, "several machines") {
		t.Errorf("last error %v, want a warning about several machines", last)
	}
}

// The folders of other projects have the records of the oracle.
func TestAnswers(t *testing.T) {
	runnertest.AnswersAbout(t, "answers.jsonl", "asv", func(_ *testing.T, path string) format.Reader {
		return runners.NewFolderReader(os.DirFS(path), ".", Format())
	})
}

// FuzzFolder compares the fast and the slow path, and stops at each record.
func FuzzFolder(f *testing.F) {
	f.Add(about, mbp, head+`"results":{"s.time_a":[[1,2],[["10","20"]],"1",[0.5],[1],[2],[3],[[1,2],[3]]]}}`)
	f.Add(about, mbp, `{"commit_hash":"a","params":{"machine":"mbp"},"results":{"s.mem_c":{"result":[1,NaN],"stats":{"q_25":1}}}}`)
	f.Add(`{"s.mem_c":3}`, `{"machine":3}`, `{`)
	f.Fuzz(func(t *testing.T, about, machine, file string) {
		fsys := fstest.MapFS{
			"benchmarks.json": {Data: []byte(about)}, "m/machine.json": {Data: []byte(machine)}, "m/a-b.json": {Data: []byte(file)},
			"m/c-d.json": {Data: []byte(file)},
		}
		slow := *spec
		slow.Slow = true
		want, got := formattest.Whole(rows.NewFolder(fsys, ".", &slow)), formattest.Whole(rows.NewFolder(fsys, ".", spec))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-slow path +fast path):\n%s", diff)
		}
		for range runners.NewFolderReader(fsys, ".", Format()).Records() {
			break
		}
	})
}

func Example() {
	fsys := folderOf(map[string]string{"mbp/abc-py3.json": head + `"results":{"s.time_a":[[0.25,0.5],[["10","20"]],"1"]}}`})
	for rec, err := range runners.NewFolderReader(fsys, ".", Format()).Records() {
		if err != nil {
			fmt.Println(err)
			return
		}
		n, _ := rec.Params.Get("n")
		fmt.Println(rec.Commit, n, rec.Value, rec.Unit)
	}
	// Output:
	// abc 10 0.25 seconds
	// abc 20 0.5 seconds
}
