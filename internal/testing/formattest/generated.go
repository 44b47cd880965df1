package formattest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/perfdatatest"
)

// AddGenerated adds generated documents of the format to the seeds of a fuzz target.
func AddGenerated(f *testing.F, name string) {
	f.Helper()
	for seed := range uint64(10) {
		nearlyValid, _ := perfdatatest.NearlyValid(name, seed, 200)
		f.Add(string(perfdatatest.Valid(name, seed, 200)))
		f.Add(string(nearlyValid))
	}
}

// CheckSlowPath checks that a Reader yields the same with and without its fast path, for generated
// documents. It also reads with low limits.
func CheckSlowPath(t *testing.T, name string, reader func(document string, l format.Limits, slow bool) format.Reader) {
	t.Helper()
	for seed := range uint64(2000) {
		document, fault := perfdatatest.Valid(name, seed, 1500), "none"
		if seed%2 == 1 {
			document, fault = perfdatatest.NearlyValid(name, seed, 1500)
		}
		limits := format.Limits{}
		if seed%5 == 0 {
			limits = format.Limits{
				MaxParams:      4 + int(seed%7),
				MaxStringBytes: 20 + int(seed%31),
				MaxDepth:       4 + int(seed%3),
				MaxMembers:     5 + int(seed%23),
				MaxResultBytes: 200 + int64(seed%600),
			}
		}

		text := string(document)
		want, got := Whole(reader(text, limits, true)), Whole(reader(text, limits, false))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d, fault: %s, limits %+v (-slow path +fast path):\n%s", seed, fault, limits, diff)
		}
	}
}
