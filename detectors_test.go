package perfdata_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/documents"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
)

// checkDetectors checks that only the Detect of one format, or of none if the name is empty, recognizes a
// text.
func checkDetectors(t *testing.T, text []byte, want string) {
	t.Helper()
	for _, f := range perfdata.Formats() {
		if f.Detect != nil && f.Detect(text).Yes != (f.Name == want) {
			t.Errorf("%s: Detect says %v, and the text is of format %q:\n%.500s", f.Name, f.Name != want, want, text)
		}
	}
}

// Each format's own documents, which have unusual texts, are recognized by no other format.
func TestDetectorsOfDocuments(t *testing.T) {
	for _, f := range perfdata.Formats() {
		if f.Open == nil || f.Name == "keyval" { // untyped keyvals could be anything
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			for seed := range quick.Of(100, 8) {
				checkDetectors(t, documents.Valid(f, uint64(seed), 500), f.Name)
			}
		})
	}
}

// A value is never guessed: an object whose numbers are members that no format has is of no format.
func TestDetectorsOfOthers(t *testing.T) {
	for _, test := range []struct{ name, in string }{
		{"another context", `{"context":{"build":{"model":"x"}},"benchmarks":[{"name":"a","time":1}]}`},
		{"another context without results", `{"context":{"os":{"model":"x"}},"benchmarks":[]}`},
		{"another machine", `{"machine_info":{},"benchmarks":[{"name":"a","time":1}]}`},
		{"another host", `{"HostEnvironmentInfo":{},"Benchmarks":[{"Name":"a","Time":1}]}`},
		{"charts of something else", `{"charts":{"a":{"title":{"text":"b"},"x":1}}}`},
		{"charts that are empty", `{"charts":{}}`},
		{"charts with thresholds", `{"charts":{"a":{"limit":{"value":80}}}}`},
		{"results of something else", `{"results":[{"command":"a","exit":0,"time":1}]}`},
		{"tasks of something else", `[{"name":"a","result":{"passed":3}}]`},
		{"modes of something else", `[{"benchmark":"a","mode":"b","threads":1,"score":2}]`},
		{"things with an ID", `[{"guid":"1","type":"GenericSet","size":3}]`},
		{"Jest", `{"numTotalTests":1,"testResults":[{"name":"a.js","assertionResults":[{"fullName":"a","status":"passed","duration":3}]}]}`},
		{"numbers by name", `{"a":1,"b":{"c":2}}`},
		{"numbers", `[1,2,3]`},
		{"messages", `{"reason":"compiler-artifact","package_id":"a","target":{}}`},
		{"nanobench", `{"results":[{"title":"a","name":"b","epochs":11,"batch":1,"median(elapsed)":1,"measurements":[{"elapsed":1}]}]}`},
		{"Perfherder", `{"framework":{"name":"talos"},"suites":[{"name":"a","value":1,"subtests":[{"name":"b","value":2}]}]}`},
		{"Vitest before version 1", `{"numTotalTests":1,"testResults":{"a":[{"name":"b","hz":1,"mean":2}]}}`},
		{"a sample of Criterion.rs", `{"sampling_mode":"Linear","iters":[1,2],"times":[3,4]}`},
		{"estimates of Criterion.rs", `{"mean":{"point_estimate":1},"median":{"point_estimate":2}}`},
		{"a benchmark of Criterion.rs", `{"group_id":"a","function_id":"b","directory_name":"c"}`},
		{"a list of benchmarks", `{"benchmarks":[{"name":"a"}]}`},
	} {
		t.Run(test.name, func(t *testing.T) { checkDetectors(t, []byte(test.in), "") })
	}
}

// The files of other projects are recognized by their own format alone, and files of programs that
// no format covers by none. The folders are in ../shared/runners.
func TestDetectorsOfRealFiles(t *testing.T) {
	const dir = "../shared/runners"
	formats := map[string]string{
		"benchmarkdotnet": "dotnetbench", "cargo-criterion": "criterion", "github-action-benchmark": "ghbench",
		"googlebenchmark": "googlebench", "histogramset": "histogramset", "hyperfine": "hyperfine", "jmh": "jmh",
		"pytest-benchmark": "pytestbench", "results-chart": "chartjson", "vitest": "vitest",
		"bencher-bmf": "bmf", "nanobench": "", "perfherder": "", "text": "", "criterion": "",
	}
	isFormat := func(name string) bool {
		return slices.ContainsFunc(perfdata.Formats(), func(f format.Format) bool { return f.Name == name })
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		folder, name, _ := strings.Cut(filepath.ToSlash(strings.TrimPrefix(path, filepath.FromSlash(dir+"/"))), "/")
		want, ok := formats[folder]
		text := strings.TrimSpace(formattest.ReadFile(t, path))
		switch {
		case name == "benchmarktools-params.json", strings.HasSuffix(name, ".csv"), strings.HasSuffix(name, ".md"), strings.HasSuffix(name, ".gz"), text == "[]", text == `{"b": {}}`:
			want = ""
		case strings.HasPrefix(name, "go-bench"):
			want = "benchfmt"
		case !ok && isFormat(folder):
			want = folder
		}
		if text != "" && folder != "README.md" {
			t.Run(folder+"/"+name, func(t *testing.T) { checkDetectors(t, []byte(text), want) })
		}
		return nil
	})
	if os.IsNotExist(err) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
}

// The cases of the conformance corpus, which include faulty ones, are recognized by their own
// format or by none.
func TestDetectorsOfConformance(t *testing.T) {
	cases, err := filepath.Glob(filepath.Join(conformance, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range cases {
		want, _, _ := strings.Cut(filepath.Base(filepath.Dir(file)), "-")
		if info, err := os.Stat(file); err != nil || info.IsDir() || filepath.Ext(file) == ".jsonl" {
			continue // a folder, or an answer
		}
		text := formattest.ReadFile(t, file)
		for _, f := range perfdata.Formats() {
			if f.Detect != nil && f.Name != want && f.Detect([]byte(text)).Yes {
				t.Errorf("%s is recognized as %s", file, f.Name)
			}
		}
	}
}

// Files that were once mistaken for Google Benchmark's, with wrong values, no longer are.
func TestDetectorsOfMissingTime(t *testing.T) {
	const in = `{"context":{},"benchmarks":[{"name":"a","totalRunTimeNs":1,"metrics":{"m":{"runs":[2,3]}},"warmupIterations":3}]}`
	checkDetectors(t, []byte(in), "")
	f, _ := perfdata.FormatNamed("googlebench")
	for rec, err := range f.Open(nil, strings.NewReader(in), format.Options{}).Records() {
		if err == nil {
			t.Errorf("a record of an unknown member: %s", formattest.Show(rec))
		}
	}
}
