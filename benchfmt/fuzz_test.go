package benchfmt

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/formattest"
)

func addSeeds(f *testing.F) {
	for _, seed := range []string{
		"goos: linux\nBenchmarkX-8 100 154125 ns/op 64.88 MB/s\n",
		"BenchmarkX/a=1/b-8 1 0x1p-2 ns/op\r\nBenchmarkX/a=2/c-8\t5\t1e3 ns/op\tNaN MB/s\n",
		"Unit ns/op better=lower assume=exact x\nUnit ns/op better=higher\nUnit\nBenchmarkX 1 0 ns/op",
		"key:\nkey: a\nother:\tb\nkey:\nthird: c\nBenchmark 1 1 x",
		"BenchmarkX\u00a01\u20282\u3000ns/op\nBenchmarkX\nBenchmarkX \nBenchmarkX x\nBenchmarkX 1\nBenchmarkX 1 x\nBenchmarkX 1 1\nBenchmarkX 99999999999999999999 1 x\n",
		"BenchmarkX 1 1e999 x\nBenchmarkX 1 1_0 x\nBenchmarkX +1 .5 x 5. y -0 z 007 a\n",
		"k: v\nl: w\nm: x\nk:\nBenchmarkA/k=1/l=2/x 1 2 ns/op 3 foo-ns/op*MB\n",
	} {
		f.Add(seed)
	}
	for _, file := range testFiles(f) {
		if len(file) < 5000 {
			f.Add(file)
		}
	}
}

// FuzzPeer holds the Reader against the reference's.
func FuzzPeer(f *testing.F) {
	addSeeds(f)
	f.Fuzz(checkAgainstPerf)
}

// FuzzReader: whatever the input, reading it doesn't panic, errors have a place, all ways of arriving give the same,
// validation finds the same errors, and what was read is written and read back equal.
func FuzzReader(f *testing.F) {
	addSeeds(f)
	for _, seed := range []string{
		`{"Action":"output","Package":"a","Output":"k: v\nBenchmarkA"}` + "\n" + `{"Action":"output","Package":"b","Output":"BenchmarkB 1 1 s\n"}` + "\n" + `{"Action":"output","Package":"a","Output":" 1 1 s\n"}`,
		"Unit s param=k\nBenchmarkX/a-8 1 1 s\nBenchmarkX-8/b 1 1 s\n\xef\xbb\xbf",
		"name: X-8\nsub1: l=w\nBenchmark/k= 1 5 s\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		limits := format.Limits{MaxLineBytes: 200, MaxParams: 20, MaxHeaderBytes: 5000}
		got := []string{}
		faults := []string{}
		for rec, err := range Info().NewReader(strings.NewReader(in), "in", limits).Records() {
			if err != nil {
				formattest.CheckError(t, in, err)
				faults = append(faults, err.Error())
				got = append(got, formattest.ShowError(err))
				continue
			}
			got = append(got, formattest.Show(rec))
		}
		formattest.CheckRead(t, "any input", in, got, func(in io.Reader) []string { return formattest.All(Info().NewReader(in, "in", limits)) })
		found := []string{}
		for e := range Validate(strings.NewReader(in), "in", limits) {
			if !e.Warning {
				found = append(found, e.Error())
			}
		}
		if diff := cmp.Diff(faults, found); diff != "" {
			t.Fatalf("faults (-Reader +Validate):\n%s", diff)
		}
		checkRoundTrip(t, in)
	})
}
