package nanolegacy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
)

func TestLimits(t *testing.T) {
	many := formattest.Members
	const head = `{"key":{"k":"v"},"results":{"T":{"c":{"ms":1}}`
	for _, test := range []struct {
		name            string
		limits          format.Limits
		optionsAsParams bool
		in              string
		want            string
	}{
		{
			name:   "depth",
			limits: format.Limits{MaxDepth: 5},
			in:     head + `,"U":{"c":{"options":{"a":[[]]}}}}}`,
			want: "FATAL in:1:73: results.U.c.options.a: arrays and objects nest too deep: " +
				"more than 5 (Limits.MaxDepth)",
		},
		{
			name:   "string",
			limits: format.Limits{MaxStringBytes: 12},
			in:     head + `,"U":{"c":{"0123456789abc":1}}}}`,
			want:   "FATAL in:1:58: results.U.c: bytes of one string: more than 12 (Limits.MaxStringBytes)",
		},
		{
			name:   "options of a result",
			limits: format.Limits{MaxParams: 5},
			in:     head + `,"U":{"c":{"options":` + many(6) + `}}}}`,
			want: "FATAL in:1:114: results.U.c.options.k5: options of one measurement, " +
				"the file's included: more than 5 (Limits.MaxParams)",
		},
		{
			name:   "options, with the file's",
			limits: format.Limits{MaxParams: 5},
			in:     `{"options":` + many(3) + `,"results":{"U":{"c":{"options":` + many(3) + `}}}}`,
			want: "FATAL in:1:91: results.U.c.options.k2: options of one measurement, " +
				"the file's included: more than 5 (Limits.MaxParams)",
		},
		{
			name:   "key, with test, config and sub_result",
			limits: format.Limits{MaxParams: 5},
			in:     `{"key":` + many(3) + `}`,
			want:   "FATAL in:1:1: (root): params of one measurement: more than 5 (Limits.MaxParams)",
		},
		{
			name:   "members of the key",
			limits: format.Limits{MaxParams: 5},
			in:     `{"key":` + many(6) + `}`,
			want:   "FATAL in:1:59: key.k5: params or options: more than 5 (Limits.MaxParams)",
		},
		{
			name:   "header, after the results",
			limits: format.Limits{MaxHeaderBytes: 155},
			in:     head + `},"options":{"a":"0123456789012345678901234567890"}}`,
			want:   "FATAL in:1:98: options: too many bytes: more than 155 (Limits.MaxHeaderBytes)",
		},
		{
			name:            "options as params",
			limits:          format.Limits{MaxParams: 5},
			in:              `{"key":` + many(2) + `,"results":{"U":{"c":{"options":{"k0":"","k2":"","GL_a":""}}}}}`,
			optionsAsParams: true,
			want:            "FATAL in:1:48: results.U.c: params of one measurement: more than 5 (Limits.MaxParams)",
		},
		{
			name:   "header",
			limits: format.Limits{MaxHeaderBytes: 155},
			in:     `{"key":` + many(3) + `}`,
			want:   "FATAL in:1:32: key.k2: too many bytes: more than 155 (Limits.MaxHeaderBytes)",
		},
		{
			name:   "test with options",
			limits: format.Limits{MaxResultBytes: 200},
			in:     head + `,"U":{"c":{"options":{"x":"0123456789"}}}}}`,
			want:   "FATAL in:1:88: results.U: too many bytes: more than 200 (Limits.MaxResultBytes)",
		},
		{
			name:   "test with configurations",
			limits: format.Limits{MaxResultBytes: 200},
			in:     head + `,"U":{"c":{},"d":{},"e":{}}}}`,
			want:   "FATAL in:1:64: results.U.d: too many bytes: more than 200 (Limits.MaxResultBytes)",
		},
		{
			name:   "test with sub-results",
			limits: format.Limits{MaxResultBytes: 300},
			in:     head + `,"U":{"c":{"a":1,"b":2,"c":3,"d":4}}}}`,
			want:   "FATAL in:1:74: results.U.c.c: too many bytes: more than 300 (Limits.MaxResultBytes)",
		},
		{
			name:   "members of an object",
			limits: format.Limits{MaxMembers: 40},
			in:     head + `,"U":{"c":{"options":{"x":` + many(41) + `}}}}}`,
			want: "FATAL in:1:464: results.U.c.options.x.k40: members of an object and the objects around " +
				"it: more than 40 (Limits.MaxMembers)",
		},
		{
			name:   "tests",
			limits: format.Limits{MaxMembers: 40},
			in:     `{"results":` + strings.ReplaceAll(many(41), `"v"`, `{}`) + `}`,
			want: "FATAL in:1:363: results.k40: members of an object and the objects around it: " +
				"more than 40 (Limits.MaxMembers)",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newReader(strings.NewReader(test.in))
			r.Limits = test.limits
			r.OptionsAsParams = test.optionsAsParams
			got := formattest.All(r)
			if last := got[len(got)-1]; last != test.want {
				t.Errorf("%+v:\n got %s\nwant %s", test.limits, last, test.want)
			}
		})
	}
}

// Options count as params only if they are new params.
func TestMaxParams(t *testing.T) {
	r := newReader(strings.NewReader(
		`{"key":` + formattest.Members(2) + `,"results":{"U":{"c":{"m":1,"options":{"k0":"","k2":"","GL_a":""}}}}}`,
	))
	r.Limits.MaxParams = 6
	r.OptionsAsParams = true
	for rec, err := range r.Records() {
		if err != nil || len(rec.Params) != 6 {
			t.Errorf("%v, error %v", rec, err)
		}
	}
}

// The error about an input that can't seek and exceeds MaxSpoolBytes names the limit, and not its
// consequences.
func TestSpoolLimit(t *testing.T) {
	formattest.CheckSpoolLimit(t, Format(), `{"gitHash":"a","results":`+manyTests(10_000)+`}`)
}

// A Reader that refuses the header releases the input without Close.
func TestRefusedHeaderReleasesInput(t *testing.T) {
	formattest.CheckReleased(t, Format(), `{"results":`+manyTests(10_000)+`,"gitHash":2}`)
}

func manyTests(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"T%d":{"8888":{"ms":%d,"options":{"name":"n%d"}},"gpu":{"ms":%d.5}}`, i, i, i/2, i)
	}
	return "{" + b.String()[1:] + "}"
}

// A hostile part takes little more memory than its text, and the rest of the file is read.
func TestHostile(t *testing.T) {
	after := `,"T":{"c":{"ms":1}}`
	wantAfter := "config=c sub_result=ms test=T = 1"
	var faults strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&faults, `,"%d":""`, i)
	}
	want := []string{
		"in:1:8920: results.H.c.1000: more than 1000 parts of the test are faulty: all of it is left out",
		wantAfter,
	}
	got := readAll(strings.NewReader(`{"results":{"H":{"c":{` + faults.String()[1:] +
		`},"d":{"ms":1,"options":{"a":"b"},"samples":[1]}}` + after + `}}`))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("many faults (-want +got):\n%s", diff)
	}

	var configs strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&configs, `,"%d":0`, i)
	}
	got = readAll(strings.NewReader(`{"results":{"H":{` + configs.String()[1:] + `}` + after + `}}`))
	if len(got) != 2 || got[1] != wantAfter {
		t.Errorf("many faulty results: %q", got)
	}

	got = readSamples(newReader(strings.NewReader(`{"results":{"H":{"c":{"samples":[` +
		strings.Repeat("null,", 100_000) + `1]}},"T":{"c":{"samples":[2]}}}}`)))
	if len(got) != 2 || got[1] != "config=c sub_result=min_ms test=T = [2]" {
		t.Errorf("many faulty samples: %q", got)
	}

	// Records does not keep samples, even many.
	in := `{"results":{"H":{"c":{"ms":2,"samples":[` + strings.Repeat("1,", 1_000_000) + `1]}}` + after + `}}`
	taken := formattest.Allocated(func() { got = readInOrder(strings.NewReader(in)) })
	if len(got) != 2 || taken > 12<<20 {
		t.Errorf("%d records, %d bytes", len(got), taken)
	}

	// Many configurations, with many params.
	var key strings.Builder
	for i := range 900 {
		fmt.Fprintf(&key, `,"key %d":""`, i)
	}
	configs.Reset()
	for i := range 2000 {
		fmt.Fprintf(&configs, `,"%d":{"ms":1,"options":{"a":"b"}}`, i)
	}
	in = `{"key":{` + key.String()[1:] + `},"results":{"H":{` + configs.String()[1:] + `},"I":{` +
		configs.String()[1:] + `}}}`
	for _, optionsAsParams := range []bool{false, true} {
		n := 0
		taken := formattest.Allocated(func() {
			r := NewReader(strings.NewReader(in))
			r.OptionsAsParams = optionsAsParams
			for _, err := range r.Records() {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
		})
		if n != 4000 || taken > 5<<20 {
			t.Errorf("%d records took %d bytes", n, taken)
		}
	}
}

// Reading similar tests takes few allocations.
func TestAllocations(t *testing.T) {
	const tests = 5000
	in := `{"options":{"o":"p"},"results":` + manyTests(tests) + `}`
	for _, optionsAsParams := range []bool{false, true} {
		allocs := testing.AllocsPerRun(5, func() {
			r := NewReader(strings.NewReader(in))
			r.OptionsAsParams = optionsAsParams
			n := 0
			for _, err := range r.Records() {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if n != 2*tests {
				t.Fatalf("%d records", n)
			}
		})
		if each := allocs / (2 * tests); each > 0.1 && !formattest.Race {
			t.Errorf("options as params %v: %.3f allocations a record", optionsAsParams, each)
		}
	}
}
