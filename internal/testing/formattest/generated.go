package formattest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/documents"
	"perfdata/internal/testing/quick"
)

// Generated makes documents of a format by seed, of about a size: see package documents.
type Generated struct{ Format format.Format }

// Add adds documents to the seeds of a fuzz target.
func (g Generated) Add(f *testing.F) {
	f.Helper()
	for seed := range uint64(10) {
		nearlyValid, _ := documents.NearlyValid(g.Format, seed, 200)
		f.Add(string(documents.Valid(g.Format, seed, 200)))
		f.Add(string(nearlyValid))
	}
}

// AddPairs adds pairs of documents to the seeds of a fuzz target, which also takes two bits and
// three limits.
func (g Generated) AddPairs(f *testing.F) {
	f.Helper()
	for seed := range uint64(40) {
		in, earlier := documents.Valid(g.Format, seed, 1000), documents.Valid(g.Format, seed+1, 500)
		if seed%4 > 0 {
			in, _ = documents.NearlyValid(g.Format, seed, 1000)
		}
		f.Add(string(in), string(earlier), byte(seed), byte(seed%5), byte(seed%3*16), uint16(seed%7*100))
	}
}

// CheckSlowPath checks that a Reader yields the same with and without its fast path. It also reads with
// low limits.
func (g Generated) CheckSlowPath(
	t *testing.T, reader func(document string, l format.Limits, slow bool) format.Reader,
) {
	t.Helper()
	for seed := range uint64(quick.Of(2000, 250)) {
		document, fault := documents.Valid(g.Format, seed, 1500), "none"
		if seed%2 == 1 {
			document, fault = documents.NearlyValid(g.Format, seed, 1500)
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
