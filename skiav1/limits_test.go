package skiav1

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
)

func TestLimits(t *testing.T) {
	many := formattest.Members
	const head = `{"version":1,"key":{"k":"v"},"results":[{"key":{"a":"b"},"measurement":1}`
	for _, test := range []struct {
		name   string
		limits format.Limits
		in     string
		want   string
	}{
		{
			name:   "depth",
			limits: format.Limits{MaxDepth: 4},
			in:     head + `,{"measurement":1,"x":[[]]}]}`,
			want:   "FATAL in:1:97: results.1.x.0: arrays and objects nest too deep: more than 4 (Limits.MaxDepth)",
		},
		{
			name:   "string",
			limits: format.Limits{MaxStringBytes: 12},
			in:     head + `,{"measurement":1,"x":"0123456789abc"}]}`,
			want:   "FATAL in:1:96: results.1.x: bytes of one string: more than 12 (Limits.MaxStringBytes)",
		},
		{
			name:   "members of a key",
			limits: format.Limits{MaxParams: 5},
			in:     head + `,{"measurement":1,"key":` + many(6) + `}]}`,
			want:   "FATAL in:1:149: results.1.key.k5: params or links: more than 5 (Limits.MaxParams)",
		},
		{
			name:   "params of a result",
			limits: format.Limits{MaxParams: 5},
			in:     head + `,{"measurement":1,"key":` + many(5) + `}]}`,
			want:   "FATAL in:1:98: results.1.key: params: more than 5 (Limits.MaxParams)",
		},
		{
			name:   "links of the file",
			limits: format.Limits{MaxParams: 2},
			in:     `{"version":1,"links":` + many(3) + `}`,
			want:   "FATAL in:1:46: links.k2: params or links: more than 2 (Limits.MaxParams)",
		},
		{
			name:   "header, after the results",
			limits: format.Limits{MaxHeaderBytes: 155},
			in:     head + `],"links":{"a":"0123456789012345678901234567890"}}`,
			want:   "FATAL in:1:123: links: too many bytes: more than 155 (Limits.MaxHeaderBytes)",
		},
		{
			name:   "header",
			limits: format.Limits{MaxHeaderBytes: 155},
			in:     `{"key":` + many(3) + `}`,
			want:   "FATAL in:1:32: key.k2: too many bytes: more than 155 (Limits.MaxHeaderBytes)",
		},
		{
			name:   "result",
			limits: format.Limits{MaxResultBytes: 120},
			in:     head + `,{"key":{"a":"` + strings.Repeat("x", 90) + `"},"measurement":1}]}`,
			want:   "FATAL in:1:197: results.1: too many bytes: more than 120 (Limits.MaxResultBytes)",
		},
		{
			name:   "groups of a result",
			limits: format.Limits{MaxResultBytes: 250},
			in:     head + `,{"measurements":{"a":[],"b":[],"c":[]}}]}`,
			want:   "FATAL in:1:110: results.1.measurements.c: too many bytes: more than 250 (Limits.MaxResultBytes)",
		},
		{
			name:   "measurements of a group",
			limits: format.Limits{MaxResultBytes: 250},
			in:     head + `,{"measurements":{"a":[{"measurement":1},{"measurement":2},{"measurement":3}]}}]}`,
			want: "FATAL in:1:133: results.1.measurements.a.2: too many bytes: " +
				"more than 250 (Limits.MaxResultBytes)",
		},
		{
			name:   "links of a measurement",
			limits: format.Limits{MaxResultBytes: 250},
			in:     head + `,{"measurements":{"a":[{"measurement":1,"links":` + many(2) + `}]}}]}`,
			want: "FATAL in:1:128: results.1.measurements.a.0.links.k0: too many bytes: " +
				"more than 250 (Limits.MaxResultBytes)",
		},
		{
			name:   "params of a measurement",
			limits: format.Limits{MaxParams: 2},
			in: head + `,{"key":{"a":"b"},"measurements":{"c":[],"k":[{"measurement":1}],` +
				`"d":[{"measurement":1}]}}]}`,
			want: "FATAL in:1:75: results.1: params: more than 2 (Limits.MaxParams)",
		},
		{
			name:   "links of a measurement, with the file's",
			limits: format.Limits{MaxParams: 2},
			in: `{"version":1,"links":` + many(2) +
				`,"key":{"a":"b"},"results":[{"measurements":{"k0":[{"measurement":1,"links":{"k1":"","l":""}}]}}]}`,
			want: "FATAL in:1:117: results.0.measurements.k0.0.links: links: more than 2 (Limits.MaxParams)",
		},
		{
			name:   "members of an object",
			limits: format.Limits{MaxMembers: 40},
			in:     head + `,{"measurement":1,"x":` + many(41) + `}]}`,
			want: "FATAL in:1:487: results.1.x.k40: members of an object and the objects around it: " +
				"more than 40 (Limits.MaxMembers)",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newReader(strings.NewReader(test.in))
			r.Limits = test.limits
			got := formattest.All(r)
			if last := got[len(got)-1]; last != test.want {
				t.Errorf("%+v:\n got %s\nwant %s", test.limits, last, test.want)
			}
			// Validate reports the same limit.
			if slices.ContainsFunc(validate(strings.NewReader(test.in), test.limits), func(fault string) bool {
				return strings.Contains(fault, "(Limits.")
			}) {
				return
			}
			t.Errorf("%+v: Validate doesn't report it", test.limits)
		})
	}
}

// The error about an input that can't seek and exceeds MaxSpoolBytes names the limit, and not its
// consequences.
func TestSpoolLimit(t *testing.T) {
	in := `{"version":1,"git_hash":"a","results":[` +
		strings.Repeat(`{"key":{"k":"v"},"measurement":1},`, 10_000) + `{"key":{"k":"v"},"measurement":1}]}`
	formattest.CheckSpoolLimit(t, Format(), in)
}

// A hostile part takes little more memory than its text, and the rest of the file is read.
func TestHostile(t *testing.T) {
	read := func(results string) []string {
		return readAll(strings.NewReader(`{"version":1,"results":[` + results +
			`,{"key":{"a":"b"},"measurement":1}]}`))
	}
	got := read(`{"measurements":{"s":[` + strings.Repeat("1,", 100_000) + `1]}}`)
	want := []string{
		"in:1:2047: results.0.measurements.s.1000: more than 1000 measurements of the result are faulty: " +
			"all of it is left out",
		"a=b = 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("many problems (-want +got):\n%s", diff)
	}

	// Errors that are not listed are not made.
	faulty := `{"version":1,"git_hash":"","results":[{"key":{},"measurements":{"s":[` +
		strings.Repeat("{},", 300_000) + `{}]}}]}`
	if taken := formattest.Allocated(func() { readInOrder(strings.NewReader(faulty)) }); taken > 3<<20 {
		t.Errorf("reading faulty items took %d bytes", taken)
	}
	if taken := formattest.Allocated(func() { validate(strings.NewReader(faulty), format.Limits{}) }); taken > 20<<20 {
		t.Errorf("validating faulty items took %d bytes", taken)
	}
	long := strings.Repeat("x", 500)
	if n := len(validate(strings.NewReader(
		`{"version":1,"git_hash":"","results":[{"key":{},"measurements":{"`+long+`":[`+strings.Repeat("0,",
			100_000)+`0]}}]}`,
	), format.Limits{})); n > 9000 {
		t.Errorf("%d faults with a long path each", n)
	}

	// Many groups, each with many params.
	var key, groups strings.Builder
	for i := range 900 {
		fmt.Fprintf(&key, `,"key %d":""`, i)
		fmt.Fprintf(&groups, `,"key %d":[{"value":"x","measurement":%d}],"none %d":[]`, 2*i, i, i)
	}
	result := `{"key":{` + key.String()[1:] + `},"measurements":{` + groups.String()[1:] + `}}`
	n := 0
	taken := formattest.Allocated(func() {
		for rec, err := range NewReader(strings.NewReader(`{"version":1,"results":[` + result + "," + result +
			`]}`)).Records() {
			if err != nil {
				t.Fatal(err)
			}
			want := 900
			if i := n % 900; i >= 450 {
				want++ // a name that isn't in the key
			}
			if value, ok := rec.Params.Get(fmt.Sprintf("key %d", 2*(n%900))); !ok || value != "x" ||
				len(rec.Params) != want {
				t.Fatalf("record %d: %d params", n, len(rec.Params))
			}
			n++
		}
	})
	if n != 1800 || taken > 5<<20 {
		t.Errorf("%d records took %d bytes", n, taken)
	}
}

// MaxParams counts the params, and the links, of a record as it is: a param that replaces one of
// the file counts once.
func TestMaxParams(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     int // the smallest limit with which in is read
	}{
		{"file and result", `{"version":1,"key":{"a":"","b":""},"results":[{"key":{"c":"","d":""},"measurement":1}]}`, 4},
		{"the result replaces", `{"version":1,"key":{"a":"","b":""},"results":[{"key":{"b":"","c":""},"measurement":1}]}`, 3},
		{"the result replaces all", `{"version":1,"key":{"a":"","b":""},"results":[{"key":{"a":"","b":""},"measurement":1}]}`, 2},
		{
			"a group",
			`{"version":1,"key":{"a":"","b":""},"results":[{"key":{"c":""},"measurements":{"x":[{"value":"v","measurement":1}]}}]}`,
			4,
		},
		{
			"a group replaces a param of the file",
			`{"version":1,"key":{"a":"","b":""},"results":[{"key":{"c":""},"measurements":{"a":[{"value":"v","measurement":1}]}}]}`,
			3,
		},
		{
			"a group replaces a param of the result",
			`{"version":1,"key":{"a":"","b":""},"results":[{"key":{"c":""},"measurements":{"c":[{"value":"v","measurement":1}]}}]}`,
			3,
		},
		{
			"an empty group",
			`{"version":1,"key":{"a":"","b":""},"results":[{"key":{"c":""},"measurements":{` +
				`"x":[],"c":[{"value":"v","measurement":1}]}}]}`,
			3,
		},
		{
			"links",
			`{"version":1,"key":{"a":""},"links":{"l":"","m":""},"results":[{"key":{},"measurements":{"x":[` +
				`{"value":"v","measurement":1,"links":{"m":"","n":""}}]}}]}`,
			3,
		},
		{
			"links of two measurements",
			`{"version":1,"key":{"a":""},"results":[{"key":{},"measurements":{"x":[` +
				`{"value":"v","measurement":1,"links":{"l":"","m":""}},{"value":"w","measurement":1,"links":{"n":"","o":""}}]}}]}`,
			2,
		},
		{
			"links that replace",
			`{"version":1,"key":{"a":""},"links":{"l":"","m":""},"results":[{"key":{},"measurements":{"x":[` +
				`{"value":"v","measurement":1,"links":{"l":"","m":""}}]}}]}`,
			2,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for max := 1; max <= 6; max++ {
				r := NewReader(strings.NewReader(test.in))
				r.Limits.MaxParams = max
				var failure error
				for _, err := range r.Records() {
					failure = err
				}
				if max >= test.want && failure != nil {
					t.Errorf("MaxParams %d: %v", max, failure)
				}
				if max < test.want && !errors.Is(failure, format.ErrLimit) {
					t.Errorf("MaxParams %d: error %v, want %v", max, failure, format.ErrLimit)
				}
			}
		})
	}
}
