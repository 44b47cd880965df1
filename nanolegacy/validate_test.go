package nanolegacy

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/jsondoc"
	"perfdata/internal/testing/formattest"
)

func validate(in io.Reader, limits format.Limits) []string {
	return formattest.Faults(Format().Validate(in, format.Options{Name: "in", Limits: limits}))
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		want []string
	}{
		{
			name: "smallest",
			in:   `{"gitHash":"","results":{}}`,
			want: []string{},
		},
		{
			name: "all members",
			in: `{"results":{"T":{"c":{"ms":1,"options":{"o":[null,{"p":1}],"q":null},"samples":[1,2]},` +
				`"d":{}},"U":{}},` +
				`"gitHash":"h","issue":"","patchset":"1","source":"s","patch_storage":"p","key":{"k":"v"},` +
				`"options":{"x y":""}}`,
			want: []string{},
		},
		{
			name: "empty object",
			in:   `§§{}`,
			want: []string{
				"in:§: (root): warning: gitHash is missing: Skia Perf can't tell which commit was measured",
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
			want: []string{"in:§: the input is empty"},
		},
		{
			name: "types",
			in: `{"gitHash":§null,"issue":§1,"patchset":§2.5,"source":§[],"patch_storage":§true,"key":§[],` +
				`"results":§[],"options":{"l":§null}}`,
			want: []string{
				"in:§: gitHash: Invalid type. Expected: string, given: null",
				"in:§: issue: Invalid type. Expected: string, given: integer",
				"in:§: patchset: Invalid type. Expected: string, given: number",
				"in:§: source: Invalid type. Expected: string, given: array",
				"in:§: patch_storage: Invalid type. Expected: string, given: boolean",
				"in:§: key: Invalid type. Expected: object, given: array",
				"in:§: results: Invalid type. Expected: object, given: array",
				"in:§: options.l: Invalid type. Expected: string, given: null",
			},
		},
		{
			name: "in the order of the file",
			in: `{"gitHash":§1,§"bogus":{},"results":{
 "T":{"c":{"ms":§true,"options":§[],"samples":§{}},"d":§null},
 "U":§[],
 "V":{"c":{"samples":[§"x",§1e999]}}},
"options":§1}`,
			want: []string{
				"in:§: gitHash: Invalid type. Expected: string, given: integer",
				"in:§: bogus: warning: unknown member: readers ignore it",
				"in:§: results.T.c.ms: Invalid type. Expected: number, given: boolean",
				"in:§: results.T.c.options: Invalid type. Expected: object, given: array",
				"in:§: results.T.c.samples: Invalid type. Expected: array, given: object",
				"in:§: results.T.d: Invalid type. Expected: object, given: null",
				"in:§: results.U: Invalid type. Expected: object, given: array",
				"in:§: results.V.c.samples.0: Invalid type. Expected: number, given: string",
				"in:§: results.V.c.samples.1: the number is out of float64's range",
				"in:§: options: Invalid type. Expected: object, given: integer",
			},
		},
		{
			name: "numbers",
			in:   `{"gitHash":"","results":{"T":{"c":{"a":3.4028235e38,"b":§-3.41e38,"d":§1e999}}}}`,
			want: []string{
				"in:§: results.T.c.b: the number is out of the range of float32, in which Skia Perf stores it",
				"in:§: results.T.c.d: the number is out of the range of float32, in which Skia Perf stores it",
			},
		},
		{
			name: "traces",
			in: `{"gitHash":"","results":{
 §"x y":{"c":{"ms":1}},
 "x_y":{"c":{"ms":§2,
   "options":{"a":"1"}}},
 §"x/y":{"c":{"ns":1},
   "d":{"ms":1}}},"key":{"k":"v","test":"none"}}`,
			want: []string{
				`in:§: results.x y: warning: "x y" becomes "x_y" in trace ids`,
				"in:§: results.x_y.c.ms: trace ,config=c,k=v,sub_result=ms,test=x_y, was measured already, on line 2",
				`in:§: results.x/y: warning: "x/y" becomes "x_y" in trace ids`,
			},
		},
		{
			name: "duplicate members",
			in: `{"gitHash":"",§"gitHash":2,§"x":1,§"x":2,"key":{"a":"1",§"a":"2"},` +
				`"results":{"T":{"c":{"ms":1,§"ms":2,"options":{"o":1,§"o":2}},§"c":{}},§"T":1}}`,
			want: []string{
				`in:§: gitHash: duplicate member "gitHash"`,
				"in:§: x: warning: unknown member: readers ignore it",
				`in:§: x: duplicate member "x"`,
				`in:§: key.a: duplicate member "a"`,
				`in:§: results.T.c.ms: duplicate member "ms"`,
				`in:§: results.T.c.options.o: duplicate member "o"`,
				`in:§: results.T.c: duplicate member "c"`,
				`in:§: results.T: duplicate member "T"`,
			},
		},
		{
			name: "each warning once",
			in: `{"gitHash":"","key":{§"a b":§""},"options":{"not a":"param"},` +
				`"results":{§"é":{§"c/d":{§"+":1}},"f":{"c/d":{"+":1,"options":{"not b":"param"}}}}}`,
			want: []string{
				`in:§: key.a b: warning: "a b" becomes "a_b" in trace ids`,
				`in:§: key.a b: warning: "" becomes "_" in trace ids`,
				`in:§: results.é: warning: "é" becomes "_" in trace ids`,
				`in:§: results.é.c/d: warning: "c/d" becomes "c_d" in trace ids`,
				`in:§: results.é.c/d.+: warning: "+" becomes "_" in trace ids`,
			},
		},
		{
			name: "syntax error after other errors",
			in: "{\"gitHash\":\"\",\"key\":§1,\"results\":{\"T\":{\"c\":{\"ms\":§\"x\"}},\n" +
				"\"U\":{},§,},\"options\":0}",
			want: []string{
				"in:§: key: Invalid type. Expected: object, given: integer",
				"in:§: results.T.c.ms: Invalid type. Expected: number, given: string",
				"in:§: results: found ',', expected a member's name",
			},
		},
		{
			name: "syntax error after the results",
			in:   "{\"gitHash\":\"\",\"results\":{\"T\":§7},\n\"options\":§0,§}",
			want: []string{
				"in:§: results.T: Invalid type. Expected: object, given: integer",
				"in:§: options: Invalid type. Expected: object, given: integer",
				"in:§: found '}', expected a member's name",
			},
		},
		{
			name: "trailing data, with a missing member",
			in:   `§{"results":{"T":{"c":{"ms":1,§"ms":2}}}} §1`,
			want: []string{
				"in:§: (root): warning: gitHash is missing: Skia Perf can't tell which commit was measured",
				`in:§: results.T.c.ms: duplicate member "ms"`,
				"in:§: data after the end of the document",
			},
		},
		{
			name: "truncated",
			in:   `{"gitHash":"","results":{"T":{"c§`,
			want: []string{"in:§: results.T: unexpected end of input, expected the end of the string"},
		},
		{
			name: "trailing data",
			in:   `{"gitHash":"","results":{}} §1`,
			want: []string{"in:§: data after the end of the document"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, func(in io.Reader) []string {
				return validate(in, format.Limits{})
			})
		})
	}
}

// The other files of testdata are valid, and the loop can stop at any error.
func TestValidateFiles(t *testing.T) {
	for name, file := range testFiles(t) {
		n := 0
		for e := range Format().Validate(strings.NewReader(file), format.Options{Name: name}) {
			if n++; e.Severity != format.Warning && name != "invalid.json" {
				t.Error(e)
			}
		}
		if name == "invalid.json" && n != 21 {
			t.Errorf("%s: %d errors, want 21", name, n)
		}
		formattest.CheckStops(Format(), file)
		checkValidIsReadable(t, file)
	}
}

func TestValidateLimits(t *testing.T) {
	var many strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&many, `,"%d ":{"c":{"ms":1}}`, i)
	}
	in := `{"gitHash":"","results":{` + many.String()[1:] + `}}`
	got := validate(strings.NewReader(in), format.Limits{MaxUniqueTraces: 1500})
	if len(got) != 1002 || !strings.Contains(got[1000], "more than 1000 different keys and values") ||
		!strings.Contains(got[1001], "(Limits.MaxUniqueTraces)") || !strings.Contains(got[1001], "warning: ") {
		t.Errorf("%d faults: %q", len(got), got[max(0, len(got)-3):])
	}

	var strange strings.Builder
	for i := range jsondoc.MaxFound + 10 {
		fmt.Fprintf(&strange, `,"x%d":0`, i)
	}
	in = `{"gitHash":"","results":{}` + strange.String() + `}`
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
			name:   "test",
			limits: format.Limits{MaxResultBytes: 10},
			in:     `{"results":{"T":{"a":"0123456789"}}}`,
			want:   "(Limits.MaxResultBytes)",
		},
		{
			name:   "params",
			limits: format.Limits{MaxParams: 1},
			in:     `{"key":{"a":"","b":""}}`,
			want:   "(Limits.MaxParams)",
		},
		{
			name:   "params, with test, config and sub_result",
			limits: format.Limits{MaxParams: 3},
			in:     `{"key":{"a":""},"results":{}}`,
			want:   "(Limits.MaxParams)",
		},
		{
			name:   "options",
			limits: format.Limits{MaxParams: 3},
			in:     `{"options":{"a":""},"results":{"T":{"c":{"options":{"a":"","b":"","c":""}}}}}`,
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

// A file that Validate accepts is read without any error, including its samples.
func checkValidIsReadable(t *testing.T, in string) {
	t.Helper()
	formattest.CheckValidate(t, Format(), in)
	for e := range Format().Validate(strings.NewReader(in), format.Options{}) {
		if e.Severity != format.Warning {
			return
		}
	}
	for _, err := range NewReader(strings.NewReader(in)).Samples() {
		if err != nil {
			t.Errorf("Validate says nothing, but Samples: %v", err)
		}
	}
}
