package benchfmt

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	perf "golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"perfdata/format"
	"perfdata/internal/goname"
	"perfdata/internal/testing/formattest"
	"perfdata/traceid"
)

// A result's records equal a Reader's, and make the same result again.
func TestResultRecords(t *testing.T) {
	for name, text := range testFiles(t) {
		if strings.Contains(name, "units") {
			continue // a single result knows no unit metadata
		}
		var want, got []string
		for rec, err := range NewReader(strings.NewReader(text)).Records() {
			if err == nil {
				n, _ := rec.Attrs.Get(attrIterations)
				rec.Attrs = traceid.Params{{Key: "iterations", Value: n}}
				want = append(want, formattest.Show(rec))
			}
		}
		for res, err := range NewReader(strings.NewReader(text)).Results() {
			if err != nil {
				continue
			}
			for rec := range res.Records() {
				got = append(got, formattest.Show(rec))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Records of other formats become results.
func TestResultsOfRecords(t *testing.T) {
	fault := errors.New("fault")
	records := func(yield func(*format.Record, error) bool) {
		for _, rec := range []*format.Record{
			{Params: params("arch=x86 test=a units=ms"), Value: 1, Links: params("l=u")},
			{Params: params("arch=x86 test=a units=s"), Value: 2, Attrs: params("build=1")},
			nil,
			{Params: params("arch=x86 test=b+c units=s"), Value: 3},
			{Params: params("arch=x86 Test+a=b+c"), Value: 4},
			{Params: params("arch=x86"), Value: 5, Attrs: params("iterations=7")},
		} {
			var err error
			if rec == nil {
				err = fault
			}
			if !yield(rec, err) {
				return
			}
		}
	}
	show := func(h Header, records iter.Seq2[*format.Record, error]) (shown []string) {
		for res, err := range Results(h, records) {
			if err != nil {
				shown = append(shown, err.Error())
				continue
			}
			shown = append(shown, showResult(res, 0, perf.Name(res.Name).Parts))
		}
		return shown
	}
	want := []string{
		`0: "/test=a" "" ["/test=a"] x1 [{"arch" "x86"}] 3ff0000000000000 "ms" 4000000000000000 "s"`,
		`fault`,
		`0: "" "" [] x1 [{"arch" "x86"} {"test" "b c"}] 4008000000000000 "s"`,
		`param "Test a", which is "b c", fits neither in the name of a benchmark nor in a configuration line`,
		`0: "" "" [] x7 [{"arch" "x86"}] 4014000000000000 "value"`,
	}
	if diff := cmp.Diff(want, show(Header{Config: params("arch=x86")}, records)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for n := range want {
		for range Results(Header{}, records) {
			if n--; n < 0 {
				break
			}
		}
	}
}

// Units are tidied as in benchunit.
func FuzzTidy(f *testing.F) {
	for _, unit := range []string{
		"ns/op",
		"MB/s",
		"p99-ns*MB/ns",
		"ns\u00a0ns",
		"nsx",
		"x*ns/y*ns",
		"--ns--",
		"MBMB/MB",
	} {
		f.Add(unit)
	}
	f.Fuzz(func(t *testing.T, unit string) {
		value, want := benchunit.Tidy(3, unit)
		got, factor := tidy(unit)
		if got != want || 3*factor != value {
			t.Errorf("%q: %v %q, want %v %q", unit, 3*factor, got, value, want)
		}
	})
}

// The assembler groups records by their contents, not by their origin.
func TestRegroup(t *testing.T) {
	text := testFiles(t)["../testdata/benchfmt/proposal_subbenchmarks.txt"]
	r := NewReader(strings.NewReader(text))
	h, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for res, err := range Results(h, r.Records()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, canonicalName(res.Name)+strings.Repeat("|", len(res.Values)))
	}
	for res, err := range NewReader(strings.NewReader(text)).Results() {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, canonicalName(res.Name)+strings.Repeat("|", len(res.Values)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// canonicalName returns a name with its parts sorted.
func canonicalName(name string) string {
	base, procs := name, ""
	if i := goname.ProcsDash(name); i >= 0 {
		base, procs = name[:i], name[i+1:]
	}
	parts := strings.Split(base, "/")
	slices.Sort(parts[1:])
	return strings.Join(parts, "/") + "-" + procs
}

// A clone stays as it is when the Reader goes on.
func TestResultClone(t *testing.T) {
	var kept []*Result
	var want []string
	r := NewReader(strings.NewReader("k: v\nBenchmarkX 1 2 s\nk: w\nBenchmarkY 3 4 t 5 u\n"))
	for res, err := range r.Results() {
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, res.Clone())
		want = append(want, showResult(res, res.Line, perf.Name(res.Name).Parts))
	}
	for i, res := range kept {
		if got := showResult(res, res.Line, perf.Name(res.Name).Parts); got != want[i] {
			t.Errorf("%s, want %s", got, want[i])
		}
	}
}
