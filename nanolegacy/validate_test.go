package nanolegacy

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"perfdata/format"
	"perfdata/internal/formattest"
	"perfdata/internal/skiadoc"
)

func validate(in io.Reader, limits format.Limits) []string {
	return formattest.Faults(Validate(in, "in", limits))
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		want []string
	}{
		{"smallest", `{"gitHash":"","results":{}}`, []string{}},
		{
			"everything",
			`{"results":{"T":{"c":{"ms":1,"options":{"o":[null,{"p":1}],"q":null},"samples":[1,2]},"d":{}},"U":{}},` +
				`"gitHash":"h","issue":"","patchset":"1","source":"s","patch_storage":"p","key":{"k":"v"},"options":{"x y":""}}`,
			[]string{},
		},
		{"nothing", `{}`, []string{
			"in:1:1: (root): warning: gitHash is missing: Skia Perf can't tell which commit was measured",
			"in:1:1: (root): results is required",
		}},
		{"not an object", "\n [{}]", []string{"in:2:2: (root): Invalid type. Expected: object, given: array"}},
		{"empty", "", []string{"in:1:1: the input is empty"}},
		{
			"types",
			`{"gitHash":null,"issue":1,"patchset":2.5,"source":[],"patch_storage":true,"key":[],"results":[],"options":{"l":null}}`,
			[]string{
				"in:1:12: gitHash: Invalid type. Expected: string, given: null",
				"in:1:25: issue: Invalid type. Expected: string, given: integer",
				"in:1:38: patchset: Invalid type. Expected: string, given: number",
				"in:1:51: source: Invalid type. Expected: string, given: array",
				"in:1:70: patch_storage: Invalid type. Expected: string, given: boolean",
				"in:1:81: key: Invalid type. Expected: object, given: array",
				"in:1:94: results: Invalid type. Expected: object, given: array",
				"in:1:112: options.l: Invalid type. Expected: string, given: null",
			},
		},
		{
			"in the order of the file",
			`{"gitHash":1,"bogus":{},"results":{
 "T":{"c":{"ms":true,"options":[],"samples":{}},"d":null},
 "U":[],
 "V":{"c":{"samples":["x",1e999]}}},
"options":1}`,
			[]string{
				"in:1:12: gitHash: Invalid type. Expected: string, given: integer",
				"in:1:14: bogus: warning: the format has no such member, and readers ignore it",
				"in:2:17: results.T.c.ms: Invalid type. Expected: number, given: boolean",
				"in:2:32: results.T.c.options: Invalid type. Expected: object, given: array",
				"in:2:45: results.T.c.samples: Invalid type. Expected: array, given: object",
				"in:2:53: results.T.d: Invalid type. Expected: object, given: null",
				"in:3:6: results.U: Invalid type. Expected: object, given: array",
				"in:4:23: results.V.c.samples.0: Invalid type. Expected: number, given: string",
				"in:4:27: results.V.c.samples.1: the number is out of float64's range",
				"in:5:11: options: Invalid type. Expected: object, given: integer",
			},
		},
		{
			"numbers",
			`{"gitHash":"","results":{"T":{"c":{"a":3.4028235e38,"b":-3.41e38,"d":1e999}}}}`,
			[]string{
				"in:1:57: results.T.c.b: the number is out of the range of float32, in which Skia Perf stores it",
				"in:1:70: results.T.c.d: the number is out of the range of float32, in which Skia Perf stores it",
			},
		},
		{
			"traces",
			`{"gitHash":"","results":{
 "x y":{"c":{"ms":1}},
 "x_y":{"c":{"ms":2,
   "options":{"a":"1"}}},
 "x/y":{"c":{"ns":1},
   "d":{"ms":1}}},"key":{"k":"v","test":"none"}}`,
			[]string{
				`in:2:2: results.x y: warning: "x y" becomes "x_y" in trace ids`,
				"in:3:19: results.x_y.c.ms: trace ,config=c,k=v,sub_result=ms,test=x_y, was measured already, on line 2",
				`in:5:2: results.x/y: warning: "x/y" becomes "x_y" in trace ids`,
			},
		},
		{
			"repeated members",
			`{"gitHash":"","gitHash":2,"x":1,"x":2,"key":{"a":"1","a":"2"},"results":{"T":{"c":{"ms":1,"ms":2,"options":{"o":1,"o":2}},"c":{}},"T":1}}`,
			[]string{
				`in:1:15: gitHash: duplicate member "gitHash"`,
				"in:1:27: x: warning: the format has no such member, and readers ignore it",
				`in:1:33: x: duplicate member "x"`,
				`in:1:54: key.a: duplicate member "a"`,
				`in:1:91: results.T.c.ms: duplicate member "ms"`,
				`in:1:115: results.T.c.options.o: duplicate member "o"`,
				`in:1:123: results.T.c: duplicate member "c"`,
				`in:1:131: results.T: duplicate member "T"`,
			},
		},
		{
			"warnings, each once",
			`{"gitHash":"","key":{"a b":""},"options":{"not a":"param"},"results":{"é":{"c/d":{"+":1}},"f":{"c/d":{"+":1,"options":{"not b":"param"}}}}}`,
			[]string{
				`in:1:22: key.a b: warning: "a b" becomes "a_b" in trace ids`,
				`in:1:28: key.a b: warning: "" becomes "_" in trace ids`,
				`in:1:71: results.é: warning: "é" becomes "_" in trace ids`,
				`in:1:77: results.é.c/d: warning: "c/d" becomes "c_d" in trace ids`,
				`in:1:84: results.é.c/d.+: warning: "+" becomes "_" in trace ids`,
			},
		},
		{
			"a syntax error comes last, after what was found before it",
			"{\"gitHash\":\"\",\"key\":1,\"results\":{\"T\":{\"c\":{\"ms\":\"x\"}},\n\"U\":{},,},\"options\":0}",
			[]string{
				"in:1:21: key: Invalid type. Expected: object, given: integer",
				"in:1:49: results.T.c.ms: Invalid type. Expected: number, given: string",
				"in:2:8: results.U: found ',', expected a member's name",
			},
		},
		{
			"a syntax error after the results",
			"{\"gitHash\":\"\",\"results\":{\"T\":7},\n\"options\":0,}",
			[]string{
				"in:1:30: results.T: Invalid type. Expected: object, given: integer",
				"in:2:11: options: Invalid type. Expected: object, given: integer",
				"in:2:13: options: found '}', expected a member's name",
			},
		},
		{"truncated", `{"gitHash":"","results":{"T":{"c`, []string{"in:1:33: results.T: the input ends too early, expected the end of the string"}},
		{"trailing data", `{"gitHash":"","results":{}} 1`, []string{"in:1:29: data after the end of the document"}},
	} {
		formattest.CheckRead(t, test.name, test.in, test.want, func(in io.Reader) []string { return validate(in, format.Limits{}) })
	}
}

// The other files of the project are valid, and stopping early is possible anywhere.
func TestValidateFiles(t *testing.T) {
	for name, file := range testFiles(t) {
		n := 0
		for e := range Validate(strings.NewReader(file), name, format.Limits{}) {
			if n++; !e.Warning && name != "invalid.json" {
				t.Error(e)
			}
		}
		if name == "invalid.json" && n != 21 {
			t.Errorf("%d faults of %s", n, name)
		}
		for stop := 1; stop <= n; stop++ {
			i := 0
			for range Validate(strings.NewReader(file), name, format.Limits{}) {
				if i++; i == stop {
					break
				}
			}
		}
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
	for i := range skiadoc.MaxFound + 10 {
		fmt.Fprintf(&strange, `,"x%d":0`, i)
	}
	in = `{"gitHash":"","results":{}` + strange.String() + `}`
	got = validate(strings.NewReader(in), format.Limits{})
	if len(got) != skiadoc.MaxFound+1 || !strings.Contains(got[skiadoc.MaxFound], "the rest of them is not listed") {
		t.Errorf("%d faults: %q", len(got), got[max(0, len(got)-2):])
	}

	for _, test := range []struct {
		limits format.Limits
		in     string
		want   string
	}{
		{format.Limits{MaxHeaderBytes: 10}, `{"key":{"a":"0123456789"}}`, "(Limits.MaxHeaderBytes)"},
		{format.Limits{MaxResultBytes: 10}, `{"results":{"T":{"a":"0123456789"}}}`, "(Limits.MaxResultBytes)"},
		{format.Limits{MaxParams: 1}, `{"key":{"a":"","b":""}}`, "(Limits.MaxParams)"},
		{format.Limits{MaxParams: 3}, `{"key":{"a":""},"results":{}}`, "(Limits.MaxParams)"},
		{format.Limits{MaxParams: 3}, `{"options":{"a":""},"results":{"T":{"c":{"options":{"a":"","b":"","c":""}}}}}`, "(Limits.MaxParams)"},
		{format.Limits{MaxDepth: 2}, `{"x":{"a":{}}}`, "(Limits.MaxDepth)"},
	} {
		got := validate(strings.NewReader(test.in), test.limits)
		if last := got[len(got)-1]; !strings.HasSuffix(last, test.want) {
			t.Errorf("%+v: %q", test.limits, got)
		}
	}
}

// What Validate accepts is read without any error, samples, too.
func checkValidIsReadable(t *testing.T, in string) {
	t.Helper()
	formattest.CheckValidIsReadable(t, Info(), in)
	for e := range Validate(strings.NewReader(in), "", format.Limits{}) {
		if !e.Warning {
			return
		}
	}
	for _, err := range NewReader(strings.NewReader(in)).Samples() {
		if err != nil {
			t.Errorf("Validate says nothing, but Samples: %v", err)
		}
	}
}
