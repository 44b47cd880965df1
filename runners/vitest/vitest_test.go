package vitest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/runners"
	"perfdata/runners/internal/runnertest"
)

func testFiles(t testing.TB) map[string]string {
	t.Helper()
	return formattest.Files(t, "../../testdata/conformance/vitest/*.json", 2)
}

func TestRecords(t *testing.T) {
	file := func(path, group, benchmark string) string {
		return `{"files":[{"filepath":"` + path + `","groups":[{"fullName":"` + group + `","benchmarks":[` + benchmark + `]}]}]}`
	}
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{
			name: "statistics",
			in: file("/x/a.js", "a.js > s", `{"name":"n","samples":[],"mean":1,"median":2,"min":3,"max":4,"p75":5,"p99":6,`+
				`"p995":7,"p999":8,"hz":9,"period":9,"sd":9,"sampleCount":10}`),
			want: []string{
				`file=a.js group=s name=n stat=mean unit=ms = 1 filepath:/x/a.js sampleCount:10`,
				`file=a.js group=s name=n stat=median unit=ms = 2 filepath:/x/a.js sampleCount:10`,
				`file=a.js group=s name=n stat=min unit=ms = 3 filepath:/x/a.js sampleCount:10`,
				`file=a.js group=s name=n stat=max unit=ms = 4 filepath:/x/a.js sampleCount:10`,
				`file=a.js group=s name=n stat=p75 unit=ms = 5 filepath:/x/a.js sampleCount:10`,
				`file=a.js group=s name=n stat=p99 unit=ms = 6 filepath:/x/a.js sampleCount:10`,
				`file=a.js group=s name=n stat=p995 unit=ms = 7 filepath:/x/a.js sampleCount:10`,
				`file=a.js group=s name=n stat=p999 unit=ms = 8 filepath:/x/a.js sampleCount:10`,
			},
		},
		{
			name: "samples",
			in:   file("/x/a.js", "a.js", `{"name":"n","samples":[1,2],"mean":1.5}`),
			want: []string{`file=a.js name=n unit=ms = 1 filepath:/x/a.js`, `file=a.js name=n unit=ms = 2 filepath:/x/a.js`},
		},
		{
			name: "a file in a folder",
			in:   file("/x/b/a.js", "b/a.js > s > t", `{"name":"n","mean":1}`),
			want: []string{`file=b/a.js group=s > t name=n stat=mean unit=ms = 1 filepath:/x/b/a.js`},
		},
		{
			name: "a group without the file",
			in:   file("/x/ba.js", "a.js > s", `{"name":"n","mean":1}`),
			want: []string{`file=ba.js group=a.js > s name=n stat=mean unit=ms = 1 filepath:/x/ba.js`},
		},
		{
			name: "no path",
			in:   `{"files":[{"groups":[{"fullName":"b/a.js > s","benchmarks":[{"name":"n","mean":1}]}]}]}`,
			want: []string{`file=b/a.js group=s name=n stat=mean unit=ms = 1`},
		},
		{
			name: "threw",
			in:   file("/x/a.js", "a.js", `§{"name":"n","rme":0,"samples":[]},{"name":"m","mean":1}`),
			want: []string{
				`§: files.0.groups.0.benchmarks.0: n: the benchmark has no numbers: it threw an error, or did not run`,
				`file=a.js name=m stat=mean unit=ms = 1 filepath:/x/a.js`,
			},
		},
		{
			name: "no name",
			in:   file("/x/a.js", "a.js", `§{"mean":1}`),
			want: []string{`§: files.0.groups.0.benchmarks.0: name is required`},
		},
		{
			name: "wrong types",
			in:   file("/x/a.js", "a.js", `{"name":"n","samples":§0,"mean":1},{"name":"m","mean":§"x"}`),
			want: []string{
				`§: files.0.groups.0.benchmarks.0.samples: Invalid type. Expected: array, given: integer`,
				`§: files.0.groups.0.benchmarks.1.mean: Invalid type. Expected: number, given: string`,
			},
		},
		{
			name: "a task",
			in: ` [{"name":"n","result":{"state":"completed","latency":{"mean":1,"p50":2,"samplesCount":3},"throughput":{"mean":9},` +
				`"mean":8,"runtime":"node","runtimeVersion":"20"}}]`,
			want: []string{
				`name=n stat=mean unit=ms = 1 runtime:node runtimeVersion:20 sampleCount:3 state:completed`,
				`name=n stat=median unit=ms = 2 runtime:node runtimeVersion:20 sampleCount:3 state:completed`,
			},
		},
		{
			name: "an old task",
			in:   `[{"name":"n","result":{"mean":1,"samples":[2,3],"hz":1000,"period":1}}]`,
			want: []string{`name=n unit=ms = 2`, `name=n unit=ms = 3`},
		},
		{
			name: "a task with the numbers",
			in:   `[{"name":"n","mean":1,"hz":1000,"period":1}]`,
			want: []string{`name=n stat=mean unit=ms = 1`},
		},
		{
			name: "tasks that failed",
			in: `[{"name":"n","result":{"state":"errored","error":§{}}},{"name":"m","result":{"error":§{"message":"a\nb"},"mean":1}},` +
				`{"name":"l","result":§{"state":"aborted"}}]`,
			want: []string{
				`§: 0.result.error: n: the benchmark failed`,
				`§: 1.result.error: m: the benchmark failed: {"message":"a\nb"}`,
				`§: 2.result: l: the benchmark has no numbers: it threw an error, or did not run`,
			},
		},
		{
			name: "version 5",
			in: `{"testResults":[{"name":"/x/a.js","assertionResults":[{"fullName":"s t","status":"passed","benchmarks":[` +
				`{"name":"s > t","tasks":[{"name":"n","latency":{"mean":1,"p50":2,"samplesCount":3}},` +
				`{"name":"m","latency":{"mean":1},"fromStore":true},` +
				`{"name":"l","latency":{"mean":1,"samples":[2,3]},"fromStore":false}]}]}]}]}`,
			want: []string{
				`file=a.js group=s > t name=n stat=mean unit=ms = 1 filepath:/x/a.js sampleCount:3`,
				`file=a.js group=s > t name=n stat=median unit=ms = 2 filepath:/x/a.js sampleCount:3`,
				`file=a.js group=s > t name=l unit=ms = 2 filepath:/x/a.js`,
				`file=a.js group=s > t name=l unit=ms = 3 filepath:/x/a.js`,
			},
		},
		{
			name: "version 5, failed",
			in: `{"testResults":[{"name":"/x/a.js","assertionResults":[§{"fullName":"s t","status":"failed","failureMessages":["a\nb"],` +
				`"benchmarks":[{"name":"s > t","tasks":[{"name":"n","latency":{"mean":1}},§{"name":"m","latency":{}}]}]}]},` +
				`§{"name":"b.js","message":"c\nd","assertionResults":[]}]}`,
			want: []string{
				`§: testResults.0.assertionResults.0: s t: the test failed: a`,
				`file=a.js group=s > t name=n stat=mean unit=ms = 1 filepath:/x/a.js`,
				`§: testResults.0.assertionResults.0.benchmarks.0.tasks.1: m: the benchmark has no numbers: it threw an error, or did not run`,
				`§: testResults.1: b.js: the file failed: c`,
			},
		},
		{
			name: "neither of the members",
			in:   `{"a":1}`,
			want: []string{`FATAL 1:1: (root): files is required`},
		},
		{
			name: "empty",
			want: []string{`FATAL 1:1: the input is empty`},
		},
		{
			name: "neither",
			in:   `7`,
			want: []string{`FATAL 1:1: Invalid type. Expected: object, given: integer`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, runnertest.Show(spec))
		})
	}
}

// Statistics of a benchmark that has samples are read only if they are wanted.
func TestSummaries(t *testing.T) {
	r := runners.NewReader(strings.NewReader(`[{"name":"n","result":{"mean":1,"samples":[2]}}]`), Format())
	r.Summaries = true
	want := []string{`name=n unit=ms = 2`, `name=n stat=mean unit=ms = 1`}
	if diff := cmp.Diff(want, formattest.All(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A file without benchmarks is a warning: all of them may have been skipped.
func TestValidate(t *testing.T) {
	for in, fault := range map[string]string{
		`{"files":[{"filepath":"/a.js","groups":[]}]}`:                                               "1:11: files.0",
		`{"testResults":[{"name":"/a.js","assertionResults":[{"fullName":"t","status":"passed"}]}]}`: "1:17: testResults.0",
	} {
		info := Format()
		want := []string{fault + ": warning: a.js: the file has no benchmarks"}
		if diff := cmp.Diff(want, formattest.Faults(info.Validate(strings.NewReader(in), format.Options{}))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// What a benchmark that threw has in a real file is not a value.
func TestThrown(t *testing.T) {
	const name = "03-all.json"
	var errs []string
	r := runners.NewReader(strings.NewReader(runnertest.RealFile(t, "vitest", name)), Format())
	for rec, err := range r.Records() {
		if err != nil {
			errs = append(errs, err.Error())
		} else if value, _ := rec.Params.Get("name"); value == "throws" {
			t.Errorf("a record: %s", formattest.Show(rec))
		}
	}
	if len(errs) != 1 || !strings.Contains(errs[0], "throws: the benchmark has no numbers") {
		t.Errorf("errors: %q", errs)
	}
}

func TestReader(t *testing.T)  { runnertest.Check(t, spec, testFiles(t)) }
func TestAnswers(t *testing.T) { runnertest.Answers(t, spec, "vitest") }
func FuzzReader(f *testing.F)  { runnertest.Fuzz(f, spec, testFiles(f)) }

// A document is recognized as an array even after much white space.
func TestWhiteSpace(t *testing.T) {
	in := strings.Repeat(" \n", 50_000) + `[{"name":"a","result":{"latency":{"mean":1}}}]`
	formattest.CheckRead(t, "white space", in, []string{`name=a stat=mean unit=ms = 1`}, runnertest.Show(spec))
}
