package nanolegacy

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/jsonscan"
	"perfdata/internal/testing/formattest"
	"perfdata/traceid"
)

// showSamples returns samples as formattest.Show returns a record, with all values.
func showSamples(s *format.Samples) string {
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

// readSamples returns the samples and errors that the Reader yields.
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
		{
			name: "empty file",
			in:   `§`,
			want: []string{"FATAL in:§: the input is empty"},
		},
		{
			name: "empty object",
			in:   `{}`,
			want: []string{},
		},
		{
			name: "missing results",
			in:   `{"gitHash":"a"}`,
			want: []string{},
		},
		{
			name: "no tests",
			in:   `{"results":{}}`,
			want: []string{},
		},
		{
			name: "no measurement",
			in:   `{"results":{"T":{},"U":{"c":{}},"V":{"c":{"options":{},"samples":[1]}}}}`,
			want: []string{},
		},
		{
			name: "null results",
			in:   `{"results":null}`,
			want: []string{},
		},
		{
			name: "place overrides key",
			in: `{"key":{"a":"file","test":"file","config":"file","sub_result":"file"},` +
				`"results":{"T":{"c":{"ms":1}}}}`,
			want: []string{"a=file config=c sub_result=ms test=T = 1"},
		},
		{
			name: "in the order of the file",
			in:   `{"results":{"b":{"y":{"min":1,"max":2},"x":{"z":3,"a":4}},"a":{"x":{"min":5}}}}`,
			want: []string{
				"config=y sub_result=min test=b = 1",
				"config=y sub_result=max test=b = 2",
				"config=x sub_result=z test=b = 3",
				"config=x sub_result=a test=b = 4",
				"config=x sub_result=min test=a = 5",
			},
		},
		{
			name: "header last, options last in a result",
			in: `{"results":{"T":{"c":{"ms":1.5,"options":{"o":"own"}}}},"options":{"s":"file"},` +
				`"key":{"arch":"x86"}}`,
			want: []string{"arch=x86 config=c sub_result=ms test=T = 1.5 o:own s:file"},
		},
		{
			name: "options",
			in: `{"options":{"b":"file","a":"file"},"results":{"T":{
			  "c":{"ms":1,"options":{"c":"own","b":"own"}},
			  "d":{"ms":2},
			  "e":{"ms":3,"options":{}},
			  "f":{"ms":4,"options":{"GL_VERSION":"4.4","a":"own"}},
			  "g":{"options":{"x":"no measurement"}},
			  "h":{"ms":5}}}}`,
			want: []string{
				"config=c sub_result=ms test=T = 1 a:file b:own c:own",
				"config=d sub_result=ms test=T = 2 a:file b:file",
				"config=e sub_result=ms test=T = 3 a:file b:file",
				"config=f sub_result=ms test=T = 4 GL_VERSION:4.4 a:own b:file",
				"config=h sub_result=ms test=T = 5 a:file b:file",
			},
		},
		{
			name: "options of any type",
			in: `{"results":{"T":{"c":{"ms":1,"options":{"a":1.50,"b":true,"c":false,"d":null,"e":[ 1 , ` +
				`"\u00e9\/\n" , [ ] ],"f":{ "x" : { } , "y" : null },"g":"s","h":1e308}}}}}`,
			want: []string{`config=c sub_result=ms test=T = 1 a:1.50 b:true c:false e:[1,` +
				`"é/\n",[]] f:{"x":{},"y":null} g:s h:1e308`},
		},
		{
			name: "null means absent",
			in: `{"gitHash":null,"issue":null,"key":{"a":null,"k":"v"},` +
				`"options":null,"results":{"T":null,"U":{"c":null,"d":{"ms":1,"options":null,"samples":null}}}}`,
			want: []string{"config=d k=v sub_result=ms test=U = 1"},
		},
		{
			name: "unknown members",
			in: `{"bogus":{"deep":[1,{"x":null}]},"results":{"T":{"c":{"ms":1}}},` +
				`"Results":2,"KEY":{"a":"b"},"version":1}`,
			want: []string{"config=c sub_result=ms test=T = 1"},
		},
		{
			name: "verbatim strings",
			in:   `{"key":{"a b":"x/y","é":"\ud83d\ude00\ud800"},"results":{"":{"c:d":{"\u006ds":-0.0}}}}`,
			want: []string{"a b=x/y config=c:d sub_result=ms test= é=😀\ufffd = -0"},
		},
		{
			name: "samples are not measurements",
			in: `{"results":{"T":{"c":{"samples":[1,2],"min_ms":1}},` +
				`"U":{"c":{"samples":"not looked at","min_ms":2}},"V":{"c":{"samples":[null,"x",1e999],` +
				`"min_ms":3}}}}`,
			want: []string{
				"config=c sub_result=min_ms test=T = 1",
				"config=c sub_result=min_ms test=U = 2",
				"config=c sub_result=min_ms test=V = 3",
			},
		},
		{
			name: "tests of changing shape",
			in: `{"options":{"o":"file"},"results":{
			  "1":{"c":{"ms":1,"options":{"a":"1","o":"1"}},"d":{"ms":1,"x":1}},
			  "2":{"c":{"ms":2,"options":{"a":"2","o":"1"}},"d":{"ms":2,"x":2}},
			  "3":{"c":{"ms":3,"options":{"a":"3","o":"3"}},"d":{"ms":3,"x":3}},
			  "4":{"c":{"ms":4,"options":{"a":"4"}},"d":{"ms":4,"x":4}},
			  "5":{"c":{"ms":5,"options":{"a":"5","o":"5"}},"e":{"ms":5,"x":5}},
			  "6":{},
			  "7":{"c":{"ms":7,"options":{"a":"","o":"é"}},"d":{"ms":-7e2,"x":7.5}},
			  "8":{"c":{"ms":8,"options":{"a":8,"o":"8"}},"d":{"ms":8,"x":8}},
			  "9":{"c":{"ms":9,"options":{"a":9.0,"o":"9"}},"d":{"ms":9,"x":9}}}}`,
			want: []string{
				"config=c sub_result=ms test=1 = 1 a:1 o:1",
				"config=d sub_result=ms test=1 = 1 o:file",
				"config=d sub_result=x test=1 = 1 o:file",
				"config=c sub_result=ms test=2 = 2 a:2 o:1",
				"config=d sub_result=ms test=2 = 2 o:file",
				"config=d sub_result=x test=2 = 2 o:file",
				"config=c sub_result=ms test=3 = 3 a:3 o:3",
				"config=d sub_result=ms test=3 = 3 o:file",
				"config=d sub_result=x test=3 = 3 o:file",
				"config=c sub_result=ms test=4 = 4 a:4 o:file",
				"config=d sub_result=ms test=4 = 4 o:file",
				"config=d sub_result=x test=4 = 4 o:file",
				"config=c sub_result=ms test=5 = 5 a:5 o:5",
				"config=e sub_result=ms test=5 = 5 o:file",
				"config=e sub_result=x test=5 = 5 o:file",
				"config=c sub_result=ms test=7 = 7 a: o:é",
				"config=d sub_result=ms test=7 = -700 o:file",
				"config=d sub_result=x test=7 = 7.5 o:file",
				"config=c sub_result=ms test=8 = 8 a:8 o:8",
				"config=d sub_result=ms test=8 = 8 o:file",
				"config=d sub_result=x test=8 = 8 o:file",
				"config=c sub_result=ms test=9 = 9 a:9.0 o:9",
				"config=d sub_result=ms test=9 = 9 o:file",
				"config=d sub_result=x test=9 = 9 o:file",
			},
		},

		// Recoverable errors (N1, N2).
		{
			name: "missing number",
			in: `{"results":{"T":{"c":{
  "a":§"fast", "b":§null, "ok":1,
  "c":§true, "d":§[1], "e":§{}, "f":§1e400, "g":§-1e400, "last":2}}}}`,
			want: []string{
				"in:§: results.T.c.a: Invalid type. Expected: number, given: string",
				"in:§: results.T.c.b: Invalid type. Expected: number, given: null",
				"config=c sub_result=ok test=T = 1",
				"in:§: results.T.c.c: Invalid type. Expected: number, given: boolean",
				"in:§: results.T.c.d: Invalid type. Expected: number, given: array",
				"in:§: results.T.c.e: Invalid type. Expected: number, given: object",
				"in:§: results.T.c.f: the number is out of float64's range",
				"in:§: results.T.c.g: the number is out of float64's range",
				"config=c sub_result=last test=T = 2",
			},
		},
		{
			name: "values of the wrong type",
			in: `{"results":{
  "T":{"c":{"ms":1,"options":§"none"},"d":{"options":§[],"ms":2},"e":§[],"f":§7,"g":{"ms":3}},
  "U":§[{"c":1}],
  "V":§1.5,
  "W":{"c":{"ms":4}}}}`,
			want: []string{
				"config=c sub_result=ms test=T = 1",
				"in:§: results.T.c.options: Invalid type. Expected: object, given: string",
				"in:§: results.T.d.options: Invalid type. Expected: object, given: array",
				"config=d sub_result=ms test=T = 2",
				"in:§: results.T.e: Invalid type. Expected: object, given: array",
				"in:§: results.T.f: Invalid type. Expected: object, given: integer",
				"config=g sub_result=ms test=T = 3",
				"in:§: results.U: Invalid type. Expected: object, given: array",
				"in:§: results.V: Invalid type. Expected: object, given: number",
				"config=c sub_result=ms test=W = 4",
			},
		},

		// Errors of the header come before any record.
		{
			name: "not an object",
			in:   "\n§[1]",
			want: []string{"FATAL in:§: Invalid type. Expected: object, given: array"},
		},
		{
			name: "gitHash number",
			in:   `{"gitHash":§1.5}`,
			want: []string{"FATAL in:§: gitHash: Invalid type. Expected: string, given: number"},
		},
		{
			name: "issue number",
			in:   `{"results":{"T":{"c":{"ms":1}}},"issue":§327697}`,
			want: []string{"FATAL in:§: issue: Invalid type. Expected: string, given: integer"},
		},
		{
			name: "key value number",
			in:   `{"key":{"bots":§4}}`,
			want: []string{"FATAL in:§: key.bots: Invalid type. Expected: string, given: integer"},
		},
		{
			name: "option of the file",
			in:   `{"options":{"a":"b","cores":§4}}`,
			want: []string{"FATAL in:§: options.cores: Invalid type. Expected: string, given: integer"},
		},
		{
			name: "options array",
			in:   `{"options":§[]}`,
			want: []string{"FATAL in:§: options: Invalid type. Expected: object, given: array"},
		},
		{
			name: "version 1",
			in:   `{"version":1,"results":§[]}`,
			want: []string{"FATAL in:§: results: Invalid type. Expected: object, given: array; " +
				"version 1 of the format has an array here"},
		},
		{
			name: "results text",
			in:   `{"results":§"none"}`,
			want: []string{"FATAL in:§: results: Invalid type. Expected: object, given: string"},
		},

		// Errors of the document come before any record, because the Reader looks ahead.
		{
			name: "open string in the results",
			in:   "{\"results\":{\"T\":{\"c\":{\"ms\":1}},\n\"U\":{\"c:{\"§ms\":1}}}}",
			want: []string{`FATAL in:§: results.U.c:{: found 'm', expected a colon`},
		},
		{
			name: "wrong bracket",
			in:   `{"results":{"T":{"c":{"ms":1}}§]`,
			want: []string{`FATAL in:§: results.T: found ']', expected a comma or }`},
		},
		{
			name: "trailing data",
			in:   `{"results":{"T":{"c":{"ms":1}}}} §{}`,
			want: []string{"FATAL in:§: data after the end of the document"},
		},
		{
			name: "truncated",
			in:   `{"results":{"T":{"c":{"ms":1}},"U§`,
			want: []string{"FATAL in:§: results: unexpected end of input, expected the end of the string"},
		},
		{
			name: "duplicate header member",
			in:   `{"key":{},"results":{},§"key":{}}`,
			want: []string{`FATAL in:§: key: duplicate member "key"`},
		},
		{
			name: "duplicate unknown member",
			in:   `{"x":1,"y":1,§"x":1}`,
			want: []string{`FATAL in:§: x: duplicate member "x"`},
		},
		{
			name: "duplicate param of the file",
			in:   `{"key":{"a":"1",§"\u0061":"2"}}`,
			want: []string{`FATAL in:§: key.a: duplicate member "a"`},
		},
		{
			name: "duplicate param of the file, once null",
			in:   `{"key":{"a":"1",§"a":null}}`,
			want: []string{`FATAL in:§: key.a: duplicate member "a"`},
		},

		// Errors that only the second reading finds.
		{
			name: "duplicate tests",
			in:   `{"results":{"T":{"c":{"ms":1}},"U":{},§"T":{"c":{"ms":1}}}}`,
			want: []string{"config=c sub_result=ms test=T = 1", `FATAL in:§: results.T: duplicate member "T"`},
		},
		{
			name: "duplicate configurations",
			in:   `{"results":{"T":{"c":{"ms":1}},"U":{"c":{"ms":1},"d":null,§"d":{}}}}`,
			want: []string{"config=c sub_result=ms test=T = 1", `FATAL in:§: results.U.d: duplicate member "d"`},
		},
		{
			name: "duplicate sub-results",
			in:   `{"results":{"T":{"c":{"ms":1}},"U":{"c":{"ms":1,§"ms":2}}}}`,
			want: []string{"config=c sub_result=ms test=T = 1", `FATAL in:§: results.U.c.ms: duplicate member "ms"`},
		},
		{
			name: "duplicate options",
			in:   `{"results":{"T":{"c":{"options":{"a":"1","b":null,§"b":1}}}}}`,
			want: []string{`FATAL in:§: results.T.c.options.b: duplicate member "b"`},
		},
		{
			name: "duplicate members within an option",
			in:   `{"results":{"T":{"c":{"options":{"a":[{"b":1,§"b":1}]}}}}}`,
			want: []string{`FATAL in:§: results.T.c.options.a.0.b: duplicate member "b"`},
		},
		{
			name: "wrong but balanced brackets",
			in:   `{"results":{"T":{"c":{"ms":1}},"U":{"c":{"samples":[1§}]}}}`,
			want: []string{
				"config=c sub_result=ms test=T = 1",
				`FATAL in:§: results.U.c.samples.0: found '}', expected a comma or ]`,
			},
		},
		{
			name: "not UTF-8",
			in:   "{\"results\":{\"T\":{\"c\":{\"ms\":1}},\"U\":{\"c\":{\"ms\":1,\"options\":{\"a\":\"§\xff\"}}}}}",
			want: []string{
				"config=c sub_result=ms test=T = 1",
				"FATAL in:§: results.U.c.options.a: a string holds byte 0xff, which is not valid UTF-8",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, readAll)
		})
	}
}

func TestInOrder(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		want []string
	}{
		{
			name: "header first",
			in:   `{"key":{"k":"v"},"options":{"o":"p"},"results":{"T":{"c":{"ms":1}}}}`,
			want: []string{"config=c k=v sub_result=ms test=T = 1 o:p"},
		},
		{
			name: "late members",
			in: `{"results":{"T":{"c":{"ms":1}}},
"options":§{"o":"p"}, "issue":null, "other":[], "gitHash":§"a", "key":§{"a":"b"}}`,
			want: []string{
				"config=c sub_result=ms test=T = 1",
				"in:§: options: must come before the results when reading in order",
				"in:§: gitHash: must come before the results when reading in order",
				"in:§: key: must come before the results when reading in order",
			},
		},
		{
			name: "results twice",
			in:   `{"results":{"T":{"c":{"ms":1}}},§"results":{}}`,
			want: []string{"config=c sub_result=ms test=T = 1", `FATAL in:§: results: duplicate member "results"`},
		},
		{
			name: "truncated",
			in:   `{"results":{"T":{"c":{"ms":1}},§`,
			want: []string{
				"config=c sub_result=ms test=T = 1",
				"FATAL in:§: results: unexpected end of input, expected a member's name",
			},
		},
		{
			name: "trailing data",
			in:   `{"results":{"T":{"c":{"ms":1}}}}§x`,
			want: []string{"config=c sub_result=ms test=T = 1", "FATAL in:§: data after the end of the document"},
		},
		{
			name: "missing results",
			in:   `{"gitHash":"a"}`,
			want: []string{},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, readInOrder)
		})
	}
}

// InOrder yields a record as soon as its test is complete.
func TestInOrderLatency(t *testing.T) {
	in := formattest.Unfinished(`{"results":{"T":{"c":{"ms":1}}`)
	defer in.Close()
	if got := formattest.First(inOrder(in)); got != "config=c sub_result=ms test=T = 1" {
		t.Error(got)
	}
}

// An input that can't seek is not held if all that the results depend on comes before them.
func TestHeaderFirstLatency(t *testing.T) {
	in := formattest.Unfinished(`{"gitHash":"a","key":{},"options":{},"results":{"T":{"c":{"ms":1}}`)
	defer in.Close()
	if got := formattest.First(newReader(in)); got != "config=c sub_result=ms test=T = 1" {
		t.Error(got)
	}
}

func TestBranches(t *testing.T) {
	const in = `{"results":{"T":{"c":{"ms":1}}},"key":{"branch":"dev"}}`
	formattest.CheckBranches(t, in, func(in string, branches []string) format.Reader {
		r := newReader(strings.NewReader(in))
		r.Branches = branches
		return r
	})
}

func TestHeader(t *testing.T) {
	const in = `{"results":{"T":{}},"patch_storage":"gerrit","source":"bot","patchset":"2","issue":"i",` +
		`"options":{"b":"2","a":"1"},"key":{"k":"v"},"gitHash":"abc"}`
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
	const text = `{"gitHash":"abc","issue":"i","patchset":"2","source":"bot","patch_storage":"gerrit",` +
		`"key":{"k":"v"},"options":{"a":"1","b":"2"}}`
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

// A loop can break: the records before are good, no file is left, and a second loop is refused.
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
		if got := first(r); got != "config=c sub_result=min_ms test=T0 = 1" &&
			got != "config=c sub_result=min_ms test=T0 = [1 2]<nil>" {
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

// The loop can break at any step.
func TestBreakAnywhere(t *testing.T) {
	const in = `{"results":{"T":{"c":{"a":1,"b":"x","samples":[1,"x"]},"d":[]},` +
		`"U":1,"V":{"c":{"samples":[2]}}},"key":{}}`
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

// A change of the input between the two readings is an error.
func TestChangedInput(t *testing.T) {
	var tests strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&tests, `,"T%d":{"c":{"ms":1}}`, i)
	}
	one := `{"gitHash":"a","results":{` + tests.String()[1:] + `}}`
	other := strings.Replace(one, `"ms":1}`, `"ms":11}`, 1)
	formattest.CheckChangedInput(t, Format(), one, other, jsonscan.ChangedMessage)
}
