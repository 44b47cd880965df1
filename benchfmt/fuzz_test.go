package benchfmt

import (
	"testing"
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
