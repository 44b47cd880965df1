package runners_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/corpus"
	"perfdata/internal/testing/formattest"
	"perfdata/runners/chartjson"
	"perfdata/runners/criterion"
	"perfdata/runners/dotnetbench"
	"perfdata/runners/ghbench"
	"perfdata/runners/googlebench"
	"perfdata/runners/histogramset"
	"perfdata/runners/hyperfine"
	"perfdata/runners/jmh"
	"perfdata/runners/pytestbench"
	"perfdata/runners/vitest"
	"perfdata/traceid"
)

// The rules of doc.go, each with a file of another project that shows it. The files are in
// ../../shared/runners, next to this project's folder.

// formatOf returns the format of a runner.
func formatOf(t *testing.T, name string) format.Format {
	t.Helper()
	for _, f := range []format.Format{
		googlebench.Format(), ghbench.Format(), hyperfine.Format(), pytestbench.Format(), jmh.Format(), vitest.Format(),
		criterion.Format(), dotnetbench.Format(), histogramset.Format(), chartjson.Format(),
	} {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no format is called %s", name)
	return format.Format{}
}

// realFile returns a file of another project. It skips the test if that is absent.
func realFile(t *testing.T, name string) string {
	t.Helper()
	return formattest.ReadFile(t, corpus.Shared(t, "runners", ""), name)
}

// read returns the records and the errors of a document.
func read(t *testing.T, f format.Format, document string, settings map[string]string) (all []*format.Record, errs []string) {
	t.Helper()
	for rec, err := range f.Open(nil, strings.NewReader(document), format.Options{Settings: settings}).Records() {
		if err != nil {
			errs = append(errs, err.Error())
			continue
		}
		all = append(all, rec.Clone())
	}
	return all, errs
}

// Rule 1: a value that differs from run to run is never a param. All params of a real file are
// known, and the attrs have everything that the runner says about the run.
func TestVolatileContextIsNoParam(t *testing.T) {
	for _, test := range []struct {
		format, file  string
		params, attrs string // all params, and some attrs
	}{
		{
			"googlebench", "googlebenchmark/01-all.json", "metric n name stat threads unit with spaces",
			"date host_name load_avg mhz_per_cpu num_cpus library_build_type executable iterations",
		},
		{"ghbench", "github-action-benchmark/Octree.data.js", "name suite tool unit", "commit-time date iterations cpu"},
		{"hyperfine", "hyperfine/03-scan.json", "metric n name stat unit", ""},
		{
			"pytestbench", "pytest-benchmark/01-all.json", "group n name s unit",
			"branch commit-time dirty datetime version node release python_version cpu.brand iterations",
		},
		{
			"jmh", "jmh/arraycopy-xeon.json", "destinationOffset mode name size sourceOffset unit",
			"forks measurementIterations measurementTime warmupIterations warmupTime",
		},
		{"vitest", "vitest/03-all.json", "file group name stat unit", "filepath sampleCount"},
		{"criterion", "cargo-criterion/all.jsonl", "name unit", ""},
		{
			"dotnetbench", "benchmarkdotnet/bencher-memory.json", "IterationCount LaunchCount WarmupCount job metric name unit",
			"BenchmarkDotNetVersion OsVersion ProcessorName RuntimeVersion Title LogicalCoreCount",
		},
		{"histogramset", "histogramset/skia-valid_histograms.json", "benchmark name unit", "benchmarkDescriptions"},
		{"chartjson", "results-chart/01.json", "benchmark name story unit", "label page_id"},
	} {
		t.Run(test.format, func(t *testing.T) {
			params, attrs := map[string]bool{}, map[string]bool{}
			all, _ := read(t, formatOf(t, test.format), realFile(t, test.file), nil)
			for _, rec := range all {
				for _, p := range rec.Params {
					params[p.Key] = true
				}
				for _, a := range rec.Attrs {
					attrs[a.Key] = true
				}
			}
			if got := strings.Join(slices.Sorted(maps.Keys(params)), " "); got != test.params {
				t.Errorf("params: %s\nwant:   %s", got, test.params)
			}
			for _, attr := range strings.Fields(test.attrs) {
				if !attrs[attr] {
					t.Errorf("no record has the attr %s", attr)
				}
			}
		})
	}
}

// Rule 3: a trace has single values or statistics, and never both. Statistics of single values are
// left out, or, if they are wanted, have the param stat.
func TestStatisticsAreNotRepetitions(t *testing.T) {
	const benchmark = `{"name":"a","run_name":"a","run_type":"iteration","real_time":1,"cpu_time":1},` +
		`{"name":"a_mean","run_name":"a","run_type":"aggregate","aggregate_name":"mean","real_time":2,"cpu_time":2}`
	const measured = `"reason":"benchmark-complete","id":"a","unit":"ns","iteration_count":[1],"measured_values":[1]`
	for _, test := range []struct {
		format, file string // a real file
		own          string // a file with a single value, which is 1, and a mean of 2
	}{
		{"googlebench", "googlebenchmark/01-all.json", `{"context":{},"benchmarks":[` + benchmark + `]}`},
		{"hyperfine", "hyperfine/09-many.json", `{"results":[{"command":"a","mean":2,"times":[1]}]}`},
		{"pytestbench", "pytest-benchmark/01-all.json", `{"benchmarks":[{"fullname":"a","stats":{"mean":2,"data":[1]}}]}`},
		{"jmh", "jmh/arraycopy-xeon.json", `[{"benchmark":"a","mode":"avgt","primaryMetric":{"score":2,"rawData":[[1]]}}]`},
		{"vitest", "vitest/tinybench-results.json", `[{"name":"a","result":{"latency":{"mean":2,"samples":[1]}}}]`},
		{"criterion", "cargo-criterion/all.jsonl", `{` + measured + `,"mean":{"estimate":2,"unit":"ns"}}`},
		{"dotnetbench", "benchmarkdotnet/bencher-two.json", `{"Benchmarks":[{"Method":"a","Statistics":{"OriginalValues":[1],"Mean":2}}]}`},
		{"histogramset", "histogramset/skia-valid_histograms.json",
			`[{"name":"a","unit":"ms","sampleValues":[1],"running":[1,2,2,2,2,2,0],"diagnostics":{}}]`},
		{"ghbench", "github-action-benchmark/Octree.data.js", ``},
		{"chartjson", "results-chart/01.json", ``},
	} {
		f := formatOf(t, test.format)
		if test.own != "" {
			t.Run(test.format+", own file", func(t *testing.T) {
				all, errs := read(t, f, test.own, nil)
				if len(errs) > 0 || len(all) == 0 {
					t.Fatalf("%d records, errors: %q", len(all), errs)
				}
				for _, rec := range all {
					if rec.Value != 1 {
						t.Errorf("%s: not the single value", formattest.Show(rec))
					}
				}
			})
		}
		t.Run(test.format, func(t *testing.T) {
			document := realFile(t, test.file)
			single, _ := read(t, f, document, nil)
			checkApart(t, single)
			both, _ := read(t, f, document, map[string]string{test.format + ".summaries": "true"})
			both = slices.DeleteFunc(both, func(rec *format.Record) bool { return isStatistic(rec) })
			single = slices.DeleteFunc(single, func(rec *format.Record) bool { return isStatistic(rec) })
			if diff := cmp.Diff(show(single), show(both)); diff != "" {
				t.Errorf("single values (-alone +with statistics):\n%s", diff)
			}
		})
	}
}

func isStatistic(rec *format.Record) bool {
	_, ok := rec.Params.Get("stat")
	return ok
}

func show(all []*format.Record) (texts []string) {
	for _, rec := range all {
		texts = append(texts, formattest.Show(rec))
	}
	return texts
}

// checkApart checks that no result has both single values and statistics.
func checkApart(t *testing.T, all []*format.Record) {
	t.Helper()
	has := map[string]bool{}
	for _, rec := range all {
		statistic := isStatistic(rec)
		result := slices.DeleteFunc(slices.Clone(rec.Params), func(p traceid.Param) bool { return p.Key == "stat" })
		id := rec.Commit + result.ID()
		if before, ok := has[id]; ok && before != statistic {
			t.Fatalf("%s: it has single values and statistics", formattest.Show(rec))
		}
		has[id] = statistic
	}
}

// Rule 4: a benchmark that failed, and a value that is not a number, are errors that say so, and no
// records.
func TestErrorsAreNotValues(t *testing.T) {
	const failedRun = `{"results":[{"command":"failing","times":[1],"exit_codes":[2]}]}`
	const noIterations = `{"entries":{"S":[{"tool":"googlecpp","benches":[{"name":"failing","value":0,"extra":"iterations: 0\ncpu: 0 ns"}]}]}}`
	const samples = `{"reason":"benchmark-complete","id":"failing","unit":"ns","iteration_count":[0],"measured_values":[1]}`
	for _, test := range []struct {
		format string
		file   string // a real file, or if it is empty, own
		own    string
		want   string // part of an error
		absent string // the name that no record has
	}{
		{"googlebench", "googlebenchmark/01-all.json", ``, `BM_Error/1 failed: no data, "really"`, "BM_Error/1"},
		{"googlebench", "googlebenchmark/09-nan.json", ``, "BM_NaN: Infinity is not a value", ""},
		{"ghbench", "", noIterations, "failing: the benchmark failed: it has no iterations", "failing"},
		{"hyperfine", "", failedRun, "failing: run 1 failed with the exit code 2", "failing"},
		{"pytestbench", "pytest-benchmark/bencher-four.json", ``, "data.4: Invalid type. Expected: number, given: string", ""},
		{"pytestbench", "", `{"benchmarks":[{"fullname":"failing","stats":{"data":[NaN]}}]}`, "data.0: failing: NaN is not a value", "failing"},
		{"jmh", "", `[{"benchmark":"failing","mode":"avgt","primaryMetric":{"rawData":[["NaN"]]}}]`, `failing: "NaN" is not a`, "failing"},
		{"vitest", "vitest/03-all.json", ``, "throws: the benchmark has no numbers: it threw an error, or did not run", "throws"},
		{"vitest", "vitest/tinybench-results.json", ``, "b: the benchmark failed", "b"},
		{"criterion", "", samples, "failing: sample 1 has 0 iterations", "failing"},
		{"dotnetbench", "", `{"Benchmarks":[{"Method":"failing","Statistics":null}]}`, "failing: the benchmark failed", "failing"},
		{"histogramset", "", `[{"name":"failing","unit":"ms","numNans":2,"diagnostics":{}}]`, "failing: 2 samples are not numbers", "failing"},
		{"chartjson", "results-chart/05.json", ``, "values.1: mem: page failed", ""},
		{"chartjson", "", `{"charts":{"failing":{"summary":{"value":null,"none_value_reason":"it crashed"}}}}`, "failing: it crashed", "failing"},
	} {
		t.Run(test.format+" "+test.want, func(t *testing.T) {
			document := test.own
			if test.file != "" {
				document = realFile(t, test.file)
			}
			all, errs := read(t, formatOf(t, test.format), document, nil)
			if !slices.ContainsFunc(errs, func(e string) bool { return strings.Contains(e, test.want) }) {
				t.Errorf("errors: %q\nwant one with %q", errs, test.want)
			}
			for _, rec := range all {
				if name, _ := rec.Params.Get("name"); name == test.absent {
					t.Errorf("a record of what failed: %s", formattest.Show(rec))
				}
			}
		})
	}
}
