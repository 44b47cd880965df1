package skiav1

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/testing/formattest"
)

// validate returns what Validate yields, with ! before errors that are not violations of the
// schema.
func validate(in io.Reader, limits format.Limits) []string {
	got := []string{}
	for e := range Format().Validate(in, format.Options{Name: "in", Limits: limits}) {
		mark := "! "
		if errors.Is(e, format.ErrSchema) {
			mark = ""
		}
		got = append(got, mark+e.Error())
	}
	return got
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		want []string
	}{
		{
			name: "smallest",
			in:   `{"version":1,"git_hash":"","results":[]}`,
			want: []string{},
		},
		{
			name: "all members",
			in: `{"results":[{"key":{"a":"b"},"measurement":1},{"measurements":{"s":[{"links":{"l":"m"},` +
				`"measurement":1e0,"value":"v"}],"t":[]},"key":{}}],` +
				`"version":1,"git_hash":"h","issue":"","patchset":"1","key":{"k":"v"},"links":{"x y":""}}`,
			want: []string{},
		},
		{
			name: "empty object",
			in:   `§§§{}`,
			want: []string{
				"in:§: (root): version is required",
				"in:§: (root): git_hash is required",
				"in:§: (root): results is required",
			},
		},
		{
			name: "not an object",
			in:   "\n §[{}]",
			want: []string{"in:§: (root): Invalid type. Expected: object, given: array"},
		},
		{
			name: "empty",
			in:   "§",
			want: []string{"! in:§: the input is empty"},
		},
		{
			name: "types",
			in: `{"version":§1.5,"git_hash":§null,"issue":§1,"patchset":§2.5,"key":§[],"results":§{},` +
				`"links":{"l":§null}}`,
			want: []string{
				"in:§: version: Invalid type. Expected: integer, given: number",
				"in:§: git_hash: Invalid type. Expected: string, given: null",
				"in:§: issue: Invalid type. Expected: string, given: integer",
				"in:§: patchset: Invalid type. Expected: string, given: number",
				"in:§: key: Invalid type. Expected: object, given: array",
				"in:§: results: Invalid type. Expected: array, given: object",
				"in:§: links.l: Invalid type. Expected: string, given: null",
			},
		},
		{
			name: "in the order of the file",
			in: `§{"git_hash":§1,§"bogus":{},"results":[
 §{§"extra":1,"measurement":§true},
 §{"key":{},"measurement":1,"measurements":{"s":[§§{}]}}],
"links":§1}`,
			want: []string{
				"in:§: (root): version is required",
				"in:§: git_hash: Invalid type. Expected: string, given: integer",
				"in:§: (root): Additional property bogus is not allowed",
				"in:§: results.0: key is required",
				"in:§: results.0: Additional property extra is not allowed",
				"in:§: results.0.measurement: Invalid type. Expected: number, given: boolean",
				"! in:§: results.1: both measurement and measurements are present: measurement is ignored",
				"in:§: results.1.measurements.s.0: value is required",
				"in:§: results.1.measurements.s.0: measurement is required",
				"in:§: links: Invalid type. Expected: object, given: integer",
			},
		},
		{
			name: "numbers",
			in: `{"version":1,"git_hash":"","key":{"k":"v"},"results":[{"key":{"n":"1"},` +
				`"measurement":3.4028235e38},{"key":{"n":"2"},"measurement":§-3.41e38},{"key":{"n":"3"},` +
				`"measurement":§1e999}]}`,
			want: []string{
				"! in:§: results.1.measurement: the number is out of the range of float32, " +
					"in which Skia Perf stores it",
				"! in:§: results.2.measurement: the number is out of the range of float32, " +
					"in which Skia Perf stores it",
			},
		},
		{
			name: "numbers that float32 rounds down",
			in: `{"version":1,"git_hash":"","key":{"k":"v"},"results":[{"key":{"n":"1"},` +
				`"measurement":3.4028235677973366e38},{"key":{"n":"2"},"measurement":-34028235677973366e22},` +
				`{"key":{"n":"3"},"measurement":§3.40282356779733662e38}]}`,
			want: []string{"! in:§: results.2.measurement: the number is out of the range of float32, " +
				"in which Skia Perf stores it"},
		},
		{
			name: "numbers that are not JSON",
			in: `{"version":1,"git_hash":"","key":{"k":"v"},"results":[{"key":{"n":"1"},` +
				`"measurement":§NaN},{"key":{"n":"1"},` +
				`"measurements":{"s":[{"value":"v","measurement":§-inf},{"value":"v","measurement":§nan}]}},` +
				`{"key":{},"measurement":§"1"}]}`,
			want: []string{
				"in:§: results.0.measurement: NaN is not a JSON number",
				"in:§: results.1.measurements.s.0.measurement: -inf is not a JSON number",
				"in:§: results.1.measurements.s.1.measurement: nan is not a JSON number",
				"in:§: results.2.measurement: Invalid type. Expected: number, given: string",
			},
		},
		{
			name: "NaN elsewhere",
			in:   `{"version":1,"git_hash":"","results":[{"key":{},"measurement":§Infinity},{"key":§NaN}]}`,
			want: []string{
				"in:§: results.0.measurement: Infinity is not a JSON number",
				"! in:§: results.1.key: found 'N', expected a value",
			},
		},
		{
			name: "version in another notation",
			in:   `{"version":§1e0,"git_hash":"","results":[]}`,
			want: []string{"! in:§: version: warning: version is not written as 1: " +
				"the ingester of Skia Perf refuses the file"},
		},
		{
			name: "traces",
			in: `{"version":1,"git_hash":"","results":[
 §{"key":{},"measurement":1},
 {"key":{"a":§"x y"},"measurement":1},
 §{"key":{"a":"x_y"},"measurement":2},
 {"key":{"a":"x_y"},"measurements":{"b":[{"value":"1","measurement":1},
   §{"value":"1","measurement":1}]}},
 {"key":{"b":"1"},"measurements":{"a":[§{"value":"x_y","measurement":1}]}}]}`,
			want: []string{
				"! in:§: results.0: the measurement has no params",
				`! in:§: results.1.key.a: warning: "x y" becomes "x_y" in trace ids`,
				"! in:§: results.2: trace ,a=x_y, was measured already, on line 3",
				"! in:§: results.3.measurements.b.1: trace ,a=x_y,b=1, was measured already, on line 5",
				"! in:§: results.4.measurements.a.0: trace ,a=x_y,b=1, was measured already, on line 5",
			},
		},
		{
			name: "traces when the header is last",
			in: `{"results":[{"measurement":1,"key":{}},§{"measurement":2,"key":{}}],` +
				`"version":1,"git_hash":"","key":{"k":"v"}}`,
			want: []string{"! in:§: results.1: trace ,k=v, was measured already, on line 1"},
		},
		{
			name: "missing number",
			in: `{"version":1,"git_hash":"","key":{"k":"v"},"results":[§{"key":{}},§{"key":{"a":"1"},` +
				`"measurements":{}},{"key":{"a":"2"},"measurements":{},"measurement":1}]}`,
			want: []string{
				"! in:§: results.0: missing measurement or measurements",
				"! in:§: results.1: missing measurement or measurements",
			},
		},
		{
			name: "duplicate members",
			in: `{"version":1,"git_hash":"",§"version":2,"results":[{"key":{"a":"1",§"a":"2"},` +
				`§"key":1,"measurement":1}]}`,
			want: []string{
				`! in:§: version: duplicate member "version"`,
				`! in:§: results.0.key.a: duplicate member "a"`,
				`! in:§: results.0.key: duplicate member "key"`,
			},
		},
		{
			name: "each warning once",
			in: `{"version":1,"git_hash":"","key":{§"a b":§""},"results":[{"key":{"a b":§"c/d"},` +
				`"measurements":{§"é":[{"value":"c/d","measurement":1},{"value":§"+","measurement":1}]}}]}`,
			want: []string{
				`! in:§: key.a b: warning: "a b" becomes "a_b" in trace ids`,
				`! in:§: key.a b: warning: "" becomes "_" in trace ids`,
				`! in:§: results.0.key.a b: warning: "c/d" becomes "c_d" in trace ids`,
				`! in:§: results.0.measurements.é: warning: "é" becomes "_" in trace ids`,
				`! in:§: results.0.measurements.é.1.value: warning: "+" becomes "_" in trace ids`,
			},
		},
		{
			name: "version 2",
			in:   `{"version":§2,"git_hash":"","results":[]}`,
			want: []string{"! in:§: version: unknown format version 2, expected 1"},
		},
		{
			name: "syntax error after other errors",
			in:   "§{\"version\":§\"1\",\"results\":[§§{\"measurement\":1},\n{\"key\":{},§,}],\"links\":0}",
			want: []string{
				"in:§: (root): git_hash is required",
				"in:§: version: Invalid type. Expected: integer, given: string",
				"in:§: results.0: key is required",
				"! in:§: results.0: the measurement has no params",
				"! in:§: results.1: found ',', expected a member's name",
			},
		},
		{
			name: "syntax error in the results, with a missing member",
			in:   `§{"version":1,"results":[{"key":{"a":"1"},"measurement":1},{"key":§,}]}`,
			want: []string{
				"in:§: (root): git_hash is required",
				"! in:§: results.1.key: found ',', expected a value",
			},
		},
		{
			name: "duplicate members before a syntax error after the results",
			in:   `{"version":1,"git_hash":"","results":[{"key":{"a":"1"},§"key":{},"measurement":1}],"key":{"b"§}}`,
			want: []string{
				`! in:§: results.0.key: duplicate member "key"`,
				"! in:§: key.b: found '}', expected a colon",
			},
		},
		{
			name: "syntax error after the results",
			in:   "{\"version\":1,\"results\":[§§{\"measurement\":1}],\n\"links\":§0,§}",
			want: []string{
				"in:§: results.0: key is required",
				"! in:§: results.0: the measurement has no params",
				"in:§: links: Invalid type. Expected: object, given: integer",
				"! in:§: found '}', expected a member's name",
			},
		},
		{
			name: "truncated",
			in:   `{"version":1,"results":[{"key":{"a§`,
			want: []string{"! in:§: results.0.key: unexpected end of input, expected the end of the string"},
		},
		{
			name: "truncated in a name",
			in:   `{"version":1,"results":[{"key":{"a":"b"},"meas§`,
			want: []string{"! in:§: results.0: unexpected end of input, expected the end of the string"},
		},
		{
			name: "trailing data",
			in:   `{"version":1,"git_hash":"","results":[]} §1`,
			want: []string{"! in:§: data after the end of the document"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, func(in io.Reader) []string {
				return validate(in, format.Limits{})
			})
		})
	}
}

// With missing-as-zero, what the Reader reads as 0 is a warning.
func TestValidateMissingAsZero(t *testing.T) {
	in, want := formattest.Marked(`{"version":1,"git_hash":"","key":{"k":"v"},"results":[`+
		`§{"key":{"a":"1"}},{"key":{"a":"2"},"measurement":§null},§null,`+
		`{"key":{"a":"3"},"measurements":{"s":[§{"value":"1"},{"value":"2","measurement":§null},`+
		`{"value":"3","measurement":§nan},§{"value":"1","measurement":1},§null]}},§{"key":{"a":"1"},"measurement":1}]}`,
		"in:§: results.0: warning: missing measurement or measurements is read as 0",
		"in:§: results.1.measurement: warning: null is read as 0",
		"in:§: results.2: Invalid type. Expected: object, given: null",
		"in:§: results.3.measurements.s.0: warning: missing measurement is read as 0",
		"in:§: results.3.measurements.s.1.measurement: warning: null is read as 0",
		"in:§: results.3.measurements.s.2.measurement: nan is not a JSON number",
		"in:§: results.3.measurements.s.3: trace ,a=3,k=v,s=1, was measured already, on line 1",
		"in:§: results.3.measurements.s.4: Invalid type. Expected: object, given: null",
		"in:§: results.4: trace ,a=1,k=v, was measured already, on line 1",
	)
	got := formattest.Faults(Format().Validate(strings.NewReader(in), format.Options{
		Name: "in", Settings: map[string]string{"skiav1.missing-as-zero": "true"},
	}))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Every error of the file is reported, in order.
func TestValidateInvalidFile(t *testing.T) {
	want := []string{
		"1:1: (root): git_hash is required",
		"2:14: version: unknown format version 2, expected 1",
		"3:12: issue: Invalid type. Expected: string, given: integer",
		"4:35: key.cores: Invalid type. Expected: string, given: integer",
		"6:5: results.0: key is required",
		"7:5: results.1: missing measurement or measurements",
		"8:46: results.2.measurement: Invalid type. Expected: number, given: string",
		"9:49: results.3.measurement: Invalid type. Expected: number, given: null",
		"9:55: results.3: Additional property comment is not allowed",
		"10:5: results.4: both measurement and measurements are present: measurement is ignored",
		"11:59: results.5.measurements.stat.0: measurement is required",
		"11:77: results.5.measurements.stat.1: value is required",
		"11:132: results.5.measurements.stat.2: Additional property unit is not allowed",
		"11:147: results.5.measurements.stat.3: Invalid type. Expected: object, given: integer",
		"12:46: results.6.measurement: the number is out of the range of float32, in which Skia Perf stores it",
		`13:22: results.7.key.test: warning: "no list" becomes "no_list" in trace ids`,
		"13:59: results.7.measurements.stat: Invalid type. Expected: array, given: object",
		"14:57: results.8.measurements.stat.0: trace ,arch=x86,stat=min,test=both, was measured already, on line 10",
		`15:31: results.9.key.test: duplicate member "test"`,
		"16:5: results.10: Invalid type. Expected: object, given: string",
		"18:12: links: Invalid type. Expected: object, given: array",
		"19:3: (root): Additional property comment is not allowed",
	}
	got := formattest.Faults(Format().Validate(strings.NewReader(testFiles(t)["invalid.json"]), format.Options{}))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The other files of testdata are valid, and the loop can stop at any error.
func TestValidateFiles(t *testing.T) {
	for name, file := range testFiles(t) {
		for e := range Format().Validate(strings.NewReader(file), format.Options{Name: name}) {
			if e.Severity != format.Warning && name != "invalid.json" {
				t.Error(e)
			}
		}
		formattest.CheckStops(Format(), file)
	}
}

func TestValidateLimits(t *testing.T) {
	var many strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&many, `,{"key":{"a":"%d "},"measurement":1}`, i)
	}
	in := `{"version":1,"git_hash":"","results":[` + many.String()[1:] + `]}`
	got := validate(strings.NewReader(in), format.Limits{MaxUniqueTraces: 1500})
	if len(got) != 1002 || !strings.Contains(got[1000], "more than 1000 different keys and values") ||
		!strings.Contains(got[1001], "(Limits.MaxUniqueTraces)") || !strings.Contains(got[1001], "warning: ") {
		t.Errorf("%d faults: %q", len(got), got[max(0, len(got)-3):])
	}

	var strange strings.Builder
	for i := range jsondoc.MaxFound + 10 {
		fmt.Fprintf(&strange, `,"x%d":0`, i)
	}
	in = `{"version":1,"git_hash":"","results":[]` + strange.String() + `}`
	got = validate(strings.NewReader(in), format.Limits{})
	if len(got) != jsondoc.MaxFound+1 || !strings.Contains(got[jsondoc.MaxFound], "the rest are not listed") {
		t.Errorf("%d faults: %q", len(got), got[max(0, len(got)-2):])
	}

	for _, test := range []struct {
		name   string
		limits format.Limits
		in     string
		want   string
	}{
		{
			name:   "header",
			limits: format.Limits{MaxHeaderBytes: 10},
			in:     `{"key":{"a":"0123456789"}}`,
			want:   "(Limits.MaxHeaderBytes)",
		},
		{
			name:   "result",
			limits: format.Limits{MaxResultBytes: 10},
			in:     `{"results":[{"a":"0123456789"}]}`,
			want:   "(Limits.MaxResultBytes)",
		},
		{
			name:   "params",
			limits: format.Limits{MaxParams: 1},
			in:     `{"key":{"a":"","b":""}}`,
			want:   "(Limits.MaxParams)",
		},
		{
			name:   "depth",
			limits: format.Limits{MaxDepth: 2},
			in:     `{"x":{"a":{}}}`,
			want:   "(Limits.MaxDepth)",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := validate(strings.NewReader(test.in), test.limits)
			if last := got[len(got)-1]; !strings.HasSuffix(last, test.want) {
				t.Errorf("%+v: %q", test.limits, got)
			}
		})
	}
}
