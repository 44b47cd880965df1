package nanolegacy

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/formattest"
	"perfdata/internal/jsonscan"
	"perfdata/traceid"
)

// showSamples writes samples as records are written, but with all values.
func showSamples(s *Samples) string {
	var b strings.Builder
	for _, p := range s.Params {
		b.WriteString(p.Key + "=" + p.Value + " ")
	}
	fmt.Fprintf(&b, "= %v", s.Values)
	for _, a := range s.Attrs {
		b.WriteString(" " + a.Key + ":" + a.Value)
	}
	return b.String()
}

// readSamples shows all samples that the Reader yields.
func readSamples(r *Reader) []string {
	got := []string{}
	for s, err := range r.Samples() {
		if err != nil {
			got = append(got, formattest.ShowError(err))
			continue
		}
		got = append(got, showSamples(s))
	}
	return got
}

func newReader(in io.Reader) *Reader {
	r := NewReader(in)
	r.Name = "in"
	return r
}

func inOrder(in io.Reader) *Reader {
	r := newReader(in)
	r.InOrder = true
	return r
}

func readAll(in io.Reader) []string     { return formattest.All(newReader(in)) }
func readInOrder(in io.Reader) []string { return formattest.All(inOrder(in)) }

func TestReader(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		want []string
	}{
		{"empty file", ``, []string{"FATAL in:1:1: the input is empty"}},
		{"nothing", `{}`, []string{}},
		{"no results", `{"gitHash":"a"}`, []string{}},
		{"no tests", `{"results":{}}`, []string{}},
		{"no measurement", `{"results":{"T":{},"U":{"c":{}},"V":{"c":{"options":{},"samples":[1]}}}}`, []string{}},
		{"null results", `{"results":null}`, []string{}},
		{
			"place overrides key",
			`{"key":{"a":"file","test":"file","config":"file","sub_result":"file"},"results":{"T":{"c":{"ms":1}}}}`,
			[]string{"a=file config=c sub_result=ms test=T = 1"},
		},
		{
			"in the order of the file",
			`{"results":{"b":{"y":{"min":1,"max":2},"x":{"z":3,"a":4}},"a":{"x":{"min":5}}}}`,
			[]string{
				"config=y sub_result=min test=b = 1",
				"config=y sub_result=max test=b = 2",
				"config=x sub_result=z test=b = 3",
				"config=x sub_result=a test=b = 4",
				"config=x sub_result=min test=a = 5",
			},
		},
		{
			"header last, options last in a result",
			`{"results":{"T":{"c":{"ms":1.5,"options":{"o":"own"}}}},"options":{"s":"file"},"key":{"arch":"x86"}}`,
			[]string{"arch=x86 config=c sub_result=ms test=T = 1.5 o:own s:file"},
		},
		{
			"options",
			`{"options":{"b":"file","a":"file"},"results":{"T":{
			  "c":{"ms":1,"options":{"c":"own","b":"own"}},
			  "d":{"ms":2},
			  "e":{"ms":3,"options":{}},
			  "f":{"ms":4,"options":{"GL_VERSION":"4.4","a":"own"}},
			  "g":{"options":{"x":"no measurement"}},
			  "h":{"ms":5}}}}`,
			[]string{
				"config=c sub_result=ms test=T = 1 a:file b:own c:own",
				"config=d sub_result=ms test=T = 2 a:file b:file",
				"config=e sub_result=ms test=T = 3 a:file b:file",
				"config=f sub_result=ms test=T = 4 GL_VERSION:4.4 a:own b:file",
				"config=h sub_result=ms test=T = 5 a:file b:file",
			},
		},
		{
			"options of any type",
			`{"results":{"T":{"c":{"ms":1,"options":{"a":1.50,"b":true,"c":false,"d":null,"e":[ 1 , "\u00e9\/\n" , [ ] ],"f":{ "x" : { } , "y" : null },"g":"s","h":1e999}}}}}`,
			[]string{`config=c sub_result=ms test=T = 1 a:1.50 b:true c:false e:[1,"é/\n",[]] f:{"x":{},"y":null} g:s h:1e999`},
		},
		{
			"null is absent",
			`{"gitHash":null,"issue":null,"key":{"a":null,"k":"v"},"options":null,"results":{"T":null,"U":{"c":null,"d":{"ms":1,"options":null,"samples":null}}}}`,
			[]string{"config=d k=v sub_result=ms test=U = 1"},
		},
		{
			"unknown members",
			`{"bogus":{"deep":[1,{"x":null}]},"results":{"T":{"c":{"ms":1}}},"Results":2,"KEY":{"a":"b"},"version":1}`,
			[]string{"config=c sub_result=ms test=T = 1"},
		},
		{
			"verbatim strings",
			`{"key":{"a b":"x/y","é":"\ud83d\ude00\ud800"},"results":{"":{"c:d":{"\u006ds":-0.0}}}}`,
			[]string{"a b=x/y config=c:d sub_result=ms test= é=😀\ufffd = -0"},
		},
		{
			"samples are no measurement",
			`{"results":{"T":{"c":{"samples":[1,2],"min_ms":1}},"U":{"c":{"samples":"not looked at","min_ms":2}},"V":{"c":{"samples":[null,"x",1e999],"min_ms":3}}}}`,
			[]string{
				"config=c sub_result=min_ms test=T = 1",
				"config=c sub_result=min_ms test=U = 2",
				"config=c sub_result=min_ms test=V = 3",
			},
		},
		{
			"tests of changing shape",
			`{"options":{"o":"file"},"results":{
			  "1":{"c":{"ms":1,"options":{"a":"1","o":"1"}},"d":{"ms":1,"x":1}},
			  "2":{"c":{"ms":2,"options":{"a":"2","o":"1"}},"d":{"ms":2,"x":2}},
			  "3":{"c":{"ms":3,"options":{"a":"3","o":"3"}},"d":{"ms":3,"x":3}},
			  "4":{"c":{"ms":4,"options":{"a":"4"}},"d":{"ms":4,"x":4}},
			  "5":{"c":{"ms":5,"options":{"a":"5","o":"5"}},"e":{"ms":5,"x":5}},
			  "6":{},
			  "7":{"c":{"ms":7,"options":{"a":"","o":"é"}},"d":{"ms":-7e2,"x":7.5}},
			  "8":{"c":{"ms":8,"options":{"a":8,"o":"8"}},"d":{"ms":8,"x":8}},
			  "9":{"c":{"ms":9,"options":{"a":9.0,"o":"9"}},"d":{"ms":9,"x":9}}}}`,
			[]string{
				"config=c sub_result=ms test=1 = 1 a:1 o:1", "config=d sub_result=ms test=1 = 1 o:file", "config=d sub_result=x test=1 = 1 o:file",
				"config=c sub_result=ms test=2 = 2 a:2 o:1", "config=d sub_result=ms test=2 = 2 o:file", "config=d sub_result=x test=2 = 2 o:file",
				"config=c sub_result=ms test=3 = 3 a:3 o:3", "config=d sub_result=ms test=3 = 3 o:file", "config=d sub_result=x test=3 = 3 o:file",
				"config=c sub_result=ms test=4 = 4 a:4 o:file", "config=d sub_result=ms test=4 = 4 o:file", "config=d sub_result=x test=4 = 4 o:file",
				"config=c sub_result=ms test=5 = 5 a:5 o:5", "config=e sub_result=ms test=5 = 5 o:file", "config=e sub_result=x test=5 = 5 o:file",
				"config=c sub_result=ms test=7 = 7 a: o:é", "config=d sub_result=ms test=7 = -700 o:file", "config=d sub_result=x test=7 = 7.5 o:file",
				"config=c sub_result=ms test=8 = 8 a:8 o:8", "config=d sub_result=ms test=8 = 8 o:file", "config=d sub_result=x test=8 = 8 o:file",
				"config=c sub_result=ms test=9 = 9 a:9.0 o:9", "config=d sub_result=ms test=9 = 9 o:file", "config=d sub_result=x test=9 = 9 o:file",
			},
		},

		// Recoverable errors (N1, N2).
		{
			"no number",
			`{"results":{"T":{"c":{
  "a":"fast", "b":null, "ok":1,
  "c":true, "d":[1], "e":{}, "f":1e400, "g":-1e400, "last":2}}}}`,
			[]string{
				"in:2:7: results.T.c.a: Invalid type. Expected: number, given: string",
				"in:2:19: results.T.c.b: Invalid type. Expected: number, given: null",
				"config=c sub_result=ok test=T = 1",
				"in:3:7: results.T.c.c: Invalid type. Expected: number, given: boolean",
				"in:3:17: results.T.c.d: Invalid type. Expected: number, given: array",
				"in:3:26: results.T.c.e: Invalid type. Expected: number, given: object",
				"in:3:34: results.T.c.f: the number is out of float64's range",
				"in:3:45: results.T.c.g: the number is out of float64's range",
				"config=c sub_result=last test=T = 2",
			},
		},
		{
			"wrong types leave out what has them",
			`{"results":{
  "T":{"c":{"ms":1,"options":"none"},"d":{"options":[],"ms":2},"e":[],"f":7,"g":{"ms":3}},
  "U":[{"c":1}],
  "V":1.5,
  "W":{"c":{"ms":4}}}}`,
			[]string{
				"config=c sub_result=ms test=T = 1",
				"in:2:30: results.T.c.options: Invalid type. Expected: object, given: string",
				"in:2:53: results.T.d.options: Invalid type. Expected: object, given: array",
				"config=d sub_result=ms test=T = 2",
				"in:2:68: results.T.e: Invalid type. Expected: object, given: array",
				"in:2:75: results.T.f: Invalid type. Expected: object, given: integer",
				"config=g sub_result=ms test=T = 3",
				"in:3:7: results.U: Invalid type. Expected: object, given: array",
				"in:4:7: results.V: Invalid type. Expected: object, given: number",
				"config=c sub_result=ms test=W = 4",
			},
		},

		// Errors of the header, before any record.
		{"not an object", "\n[1]", []string{"FATAL in:2:1: Invalid type. Expected: object, given: array"}},
		{"gitHash number", `{"gitHash":1.5}`, []string{"FATAL in:1:12: gitHash: Invalid type. Expected: string, given: number"}},
		{"issue number", `{"results":{"T":{"c":{"ms":1}}},"issue":327697}`, []string{"FATAL in:1:41: issue: Invalid type. Expected: string, given: integer"}},
		{"key value number", `{"key":{"bots":4}}`, []string{"FATAL in:1:16: key.bots: Invalid type. Expected: string, given: integer"}},
		{"option of the file", `{"options":{"a":"b","cores":4}}`, []string{"FATAL in:1:29: options.cores: Invalid type. Expected: string, given: integer"}},
		{"options array", `{"options":[]}`, []string{"FATAL in:1:12: options: Invalid type. Expected: object, given: array"}},
		{"version 1", `{"version":1,"results":[]}`, []string{"FATAL in:1:24: results: Invalid type. Expected: object, given: array; version 1 of the format has an array here"}},
		{"results text", `{"results":"none"}`, []string{"FATAL in:1:12: results: Invalid type. Expected: object, given: string"}},

		// Faults of the document. None of these has a record before it: the reader looked ahead.
		{
			"open string in the results",
			"{\"results\":{\"T\":{\"c\":{\"ms\":1}},\n\"U\":{\"c:{\"ms\":1}}}}",
			[]string{`FATAL in:2:11: results.U.c:{: found 'm', expected a colon`},
		},
		{"wrong bracket", `{"results":{"T":{"c":{"ms":1}}]`, []string{`FATAL in:1:31: results.T: found ']', expected a comma or }`}},
		{"trailing data", `{"results":{"T":{"c":{"ms":1}}}} {}`, []string{"FATAL in:1:34: data after the end of the document"}},
		{"truncated", `{"results":{"T":{"c":{"ms":1}},"U`, []string{"FATAL in:1:34: results.T: the input ends too early, expected the end of the string"}},
		{"repeated header member", `{"key":{},"results":{},"key":{}}`, []string{`FATAL in:1:24: key: duplicate member "key"`}},
		{"repeated unknown member", `{"x":1,"y":1,"x":1}`, []string{`FATAL in:1:14: x: duplicate member "x"`}},
		{"repeated param of the file", `{"key":{"a":"1","\u0061":"2"}}`, []string{`FATAL in:1:17: key.a: duplicate member "a"`}},
		{"repeated param of the file, once null", `{"key":{"a":"1","a":null}}`, []string{`FATAL in:1:17: key.a: duplicate member "a"`}},

		// Faults that only the second reading can find.
		{
			"repeated tests",
			`{"results":{"T":{"c":{"ms":1}},"U":{},"T":{"c":{"ms":1}}}}`,
			[]string{"config=c sub_result=ms test=T = 1", `FATAL in:1:39: results.T: duplicate member "T"`},
		},
		{
			"repeated configurations",
			`{"results":{"T":{"c":{"ms":1}},"U":{"c":{"ms":1},"d":null,"d":{}}}}`,
			[]string{"config=c sub_result=ms test=T = 1", `FATAL in:1:59: results.U.d: duplicate member "d"`},
		},
		{
			"repeated sub-results",
			`{"results":{"T":{"c":{"ms":1}},"U":{"c":{"ms":1,"ms":2}}}}`,
			[]string{"config=c sub_result=ms test=T = 1", `FATAL in:1:49: results.U.c.ms: duplicate member "ms"`},
		},
		{
			"repeated options",
			`{"results":{"T":{"c":{"options":{"a":"1","b":null,"b":1}}}}}`,
			[]string{`FATAL in:1:51: results.T.c.options.b: duplicate member "b"`},
		},
		{
			"repeated members within an option",
			`{"results":{"T":{"c":{"options":{"a":[{"b":1,"b":1}]}}}}}`,
			[]string{`FATAL in:1:46: results.T.c.options.a.0.b: duplicate member "b"`},
		},
		{
			"brackets that are wrong but balanced",
			`{"results":{"T":{"c":{"ms":1}},"U":{"c":{"samples":[1}]}}}`,
			[]string{"config=c sub_result=ms test=T = 1", `FATAL in:1:54: results.U.c.samples.0: found '}', expected a comma or ]`},
		},
		{
			"not UTF-8",
			"{\"results\":{\"T\":{\"c\":{\"ms\":1}},\"U\":{\"c\":{\"ms\":1,\"options\":{\"a\":\"\xff\"}}}}}",
			[]string{"config=c sub_result=ms test=T = 1", "FATAL in:1:65: results.U.c.options.a: a string holds byte 0xff, which is not valid UTF-8"},
		},
	} {
		formattest.CheckRead(t, test.name, test.in, test.want, readAll)
	}
}

func TestInOrder(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		want []string
	}{
		{
			"header first",
			`{"key":{"k":"v"},"options":{"o":"p"},"results":{"T":{"c":{"ms":1}}}}`,
			[]string{"config=c k=v sub_result=ms test=T = 1 o:p"},
		},
		{
			"late members",
			`{"results":{"T":{"c":{"ms":1}}},
"options":{"o":"p"}, "issue":null, "other":[], "gitHash":"a", "key":{"a":"b"}}`,
			[]string{
				"config=c sub_result=ms test=T = 1",
				"in:2:11: options: it comes after the results, too late to be used when reading in order",
				"in:2:58: gitHash: it comes after the results, too late to be used when reading in order",
				"in:2:69: key: it comes after the results, too late to be used when reading in order",
			},
		},
		{
			"results twice",
			`{"results":{"T":{"c":{"ms":1}}},"results":{}}`,
			[]string{"config=c sub_result=ms test=T = 1", `FATAL in:1:33: results: duplicate member "results"`},
		},
		{
			"truncated",
			`{"results":{"T":{"c":{"ms":1}},`,
			[]string{"config=c sub_result=ms test=T = 1", "FATAL in:1:32: results.T: the input ends too early, expected a member's name"},
		},
		{
			"trailing data",
			`{"results":{"T":{"c":{"ms":1}}}}x`,
			[]string{"config=c sub_result=ms test=T = 1", "FATAL in:1:33: data after the end of the document"},
		},
		{"no results", `{"gitHash":"a"}`, []string{}},
	} {
		formattest.CheckRead(t, test.name, test.in, test.want, readInOrder)
	}
}

// In order, a record comes as soon as its test is complete.
func TestInOrderLatency(t *testing.T) {
	in := formattest.Unfinished(`{"results":{"T":{"c":{"ms":1}}`)
	defer in.Close()
	if got := formattest.First(inOrder(in)); got != "config=c sub_result=ms test=T = 1" {
		t.Error(got)
	}
}

func TestBranches(t *testing.T) {
	const in = `{"results":{"T":{"c":{"ms":1}}},"key":{"branch":"dev"}}`
	for _, test := range []struct {
		branches []string
		in       string
		skipped  bool
	}{
		{nil, in, false},
		{[]string{"main", "dev"}, in, false},
		{[]string{"main"}, in, true},
		{[]string{"main"}, strings.Replace(in, "branch", "b", 1), false},
	} {
		r := newReader(strings.NewReader(test.in))
		r.Branches = test.branches
		_, err := r.Header()
		if errors.Is(err, format.ErrSkipped) != test.skipped || !test.skipped && err != nil {
			t.Errorf("%q: %v", test.branches, err)
		}
		if n := len(formattest.All(r)); n != 1 {
			t.Errorf("%q: %d records or errors", test.branches, n)
		}
	}
}

func TestHeader(t *testing.T) {
	const in = `{"results":{"T":{}},"patch_storage":"gerrit","source":"bot","patchset":"2","issue":"i","options":{"b":"2","a":"1"},"key":{"k":"v"},"gitHash":"abc"}`
	want := Header{
		GitHash: "abc", Issue: "i", Patchset: "2", Source: "bot", PatchStorage: "gerrit",
		Key:     traceid.Params{{Key: "k", Value: "v"}},
		Options: traceid.Params{{Key: "a", Value: "1"}, {Key: "b", Value: "2"}},
	}
	for way, source := range formattest.Sources {
		r := newReader(source(in))
		for range 2 {
			got, err := r.Header()
			if err != nil {
				t.Errorf("%s: %v", way, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", way, diff)
			}
		}
		h, err := r.FileHeader()
		if diff := cmp.Diff(any(want), h.Native); diff != "" || err != nil {
			t.Errorf("%s: FileHeader: %v (-want +got):\n%s", way, err, diff)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	const text = `{"gitHash":"abc","issue":"i","patchset":"2","source":"bot","patch_storage":"gerrit","key":{"k":"v"},"options":{"a":"1","b":"2"}}`
	if got, err := want.MarshalJSON(); err != nil || string(got) != text {
		t.Errorf("MarshalJSON: %s, %v", got, err)
	}
	if _, err := newReader(strings.NewReader("[]")).FileHeader(); err == nil {
		t.Error("FileHeader: no error")
	}
	if err := newReader(strings.NewReader("[]")).Close(); err != nil {
		t.Error(err)
	}
}

// What was read before a break is good, and nothing is left behind; a second iteration is refused.
func TestBreak(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var tests strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&tests, `,"T%d":{"c":{"min_ms":1,"samples":[1,2]}}`, i)
	}
	in := `{"results":{` + tests.String()[1:] + `},"gitHash":"a"}`
	for _, first := range []func(r *Reader) string{
		func(r *Reader) string { return formattest.First(r) },
		func(r *Reader) string {
			for s, err := range r.Samples() {
				return fmt.Sprint(showSamples(s), err)
			}
			return ""
		},
	} {
		r := newReader(formattest.Stream(in))
		r.Limits.MaxSpoolMemory = 1
		if got := first(r); got != "config=c sub_result=min_ms test=T0 = 1" && got != "config=c sub_result=min_ms test=T0 = [1 2]<nil>" {
			t.Error(got)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
			t.Errorf("left behind: %v, %v", files, err)
		}
		want := []string{"FATAL in:1:1: the file was read already"}
		if diff := cmp.Diff(want, formattest.All(r)); diff != "" {
			t.Errorf("Records (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, readSamples(r)); diff != "" {
			t.Errorf("Samples (-want +got):\n%s", diff)
		}
	}
}

// Every yield of the iteration can be the last.
func TestBreakAnywhere(t *testing.T) {
	const in = `{"results":{"T":{"c":{"a":1,"b":"x","samples":[1,"x"]},"d":[]},"U":1,"V":{"c":{"samples":[2]}}},"key":{}}`
	for _, read := range []func(*Reader, int) int{
		func(r *Reader, stop int) (n int) {
			for range r.Records() {
				if n++; n == stop {
					break
				}
			}
			return n
		},
		func(r *Reader, stop int) (n int) {
			for range r.Samples() {
				if n++; n == stop {
					break
				}
			}
			return n
		},
	} {
		for stop := 1; ; stop++ {
			r := newReader(strings.NewReader(in))
			r.InOrder = true
			if read(r, stop) < stop {
				if stop < 6 {
					t.Errorf("%d steps only", stop-1)
				}
				break
			}
		}
	}
}

// An input that isn't the same when it is read for the second time is noticed.
func TestChangedInput(t *testing.T) {
	var tests strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&tests, `,"T%d":{"c":{"ms":1}}`, i)
	}
	one := `{"gitHash":"a","results":{` + tests.String()[1:] + `}}`
	other := strings.Replace(one, `"ms":1}`, `"ms":11}`, 1)
	for name, errs := range map[string]func(io.Reader) []string{
		"Reader": func(in io.Reader) (got []string) {
			r := NewReader(in)
			r.Header() // all of it, for which the results are passed over
			for _, err := range r.Records() {
				if err != nil {
					got = append(got, err.Error())
				}
			}
			return got
		},
		"Validate": func(in io.Reader) (got []string) {
			for e := range Validate(in, "", format.Limits{}) {
				got = append(got, e.Error())
			}
			return got
		},
	} {
		got := errs(formattest.Changing(one, other))
		if len(got) != 1 || !strings.Contains(got[0], jsonscan.ChangedMessage) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
