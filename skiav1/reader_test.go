package skiav1

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/traceid"
)

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
			name: "missing results",
			in:   `{"version":1,"git_hash":"a"}`,
			want: []string{},
		},
		{
			name: "no measurement",
			in:   `{"version":1,"results":[]}`,
			want: []string{},
		},
		{
			name: "null results",
			in:   `{"version":1,"results":null}`,
			want: []string{},
		},
		{
			name: "params override",
			in: `{"version":1,"key":{"a":"file","b":"file","c":"file"},"results":[
			  {"key":{"d":"result","b":"result","c":"result"},` +
				`"measurements":{"c":[{"value":"single","measurement":1}],"e":[{"value":"x","measurement":2}]}},
			  {"key":{"b":"result"},"measurement":3},
			  {"measurement":4}]}`,
			want: []string{
				"a=file b=result c=single d=result = 1",
				"a=file b=result c=result d=result e=x = 2",
				"a=file b=result c=file = 3",
				"a=file b=file c=file = 4",
			},
		},
		{
			name: "header last, key last in a result",
			in: `{"results":[{"measurements":{"stat":[{"measurement":1.5,"value":"min"}]},` +
				`"key":{"test":"t"}}],"links":{"l":"u"},"key":{"arch":"x86"},"version":1}`,
			want: []string{"arch=x86 stat=min test=t = 1.5 l->u"},
		},
		{
			name: "links",
			in: `{"version":1,"links":{"b":"file","a":"file"},"results":[{"key":{"k":"v"},"measurements":{"s":[
			  {"value":"1","measurement":1,"links":{"c":"own","b":"own"}},
			  {"value":"2","measurement":2},
			  {"value":"3","measurement":3,"links":{}},
			  {"value":"4","measurement":4,"links":{"a":"own"}}]}}]}`,
			want: []string{
				"k=v s=1 = 1 a->file b->own c->own",
				"k=v s=2 = 2 a->file b->file",
				"k=v s=3 = 3 a->file b->file",
				"k=v s=4 = 4 a->own b->file",
			},
		},
		{
			name: "measurements win, unless empty",
			in: `{"version":1,"key":{"k":"v"},"results":[
			  {"measurement":1,"measurements":{"s":[{"value":"a","measurement":2}]}},
			  {"measurement":3,"measurements":{}},
			  {"measurement":4,"measurements":{"s":[]}},
			  {"measurement":5,"measurements":null},
			  {"measurement":null,"measurements":{"s":[{"value":"b","measurement":6}]}}]}`,
			want: []string{"k=v s=a = 2", "k=v = 3", "k=v = 5", "k=v s=b = 6"},
		},
		{
			name: "null means absent",
			in: `{"version":1,"git_hash":null,"issue":null,"key":{"a":null,"k":"v"},"links":null,"results":[
			  {"key":null,"measurement":1},
			  {"key":{"b":null},"measurements":{"s":[{"value":null,"measurement":2,"links":null},` +
				`{"measurement":3}],"t":null}}]}`,
			want: []string{"k=v = 1", "k=v s= = 2", "k=v s= = 3"},
		},
		{
			name: "unknown members",
			in: `{"version":1,"bogus":{"deep":[1,{"x":null}]},"results":[{"note":[[]],"key":{"k":"v"},` +
				`"measurements":{"s":[{"unit":"ms","value":"a","measurement":1}]}}],"Version":2,"KEY":{"a":"b"}}`,
			want: []string{"k=v s=a = 1"},
		},
		{
			name: "verbatim strings",
			in: `{"version":1,"key":{"a b":"x/y","é":"\ud83d\ude00\ud800"},"results":[{"key":{"":""},` +
				`"measurement":-0.0}]}`,
			want: []string{"= a b=x/y é=😀\ufffd = -0"},
		},
		{
			name: "results of changing shape",
			in: `{"version":1,"key":{"b":"file"},"results":[
			  {"key":{"c":"1","a":"1"},"measurement":1},
			  {"key":{"c":"2","a":"2"},"measurement":2},
			  {"key":{"c":"3"},"measurement":3},
			  {"key":{"c":"4","a":"4"},"measurement":4},
			  {"key":{"a":"5","c":"5"},"measurement":5},
			  {"key":{"a":"6","c":"6","b":"6"},"measurement":6},
			  {"key":{"a":null,"c":"7"},"measurement":7},
			  {"key":{},"measurement":8},
			  {"key":{"a":"9","c":"9"},"measurement":9}]}`,
			want: []string{
				"a=1 b=file c=1 = 1", "a=2 b=file c=2 = 2", "b=file c=3 = 3", "a=4 b=file c=4 = 4",
				"a=5 b=file c=5 = 5",
				"a=6 b=6 c=6 = 6", "b=file c=7 = 7", "b=file = 8", "a=9 b=file c=9 = 9",
			},
		},

		// Recoverable errors (S1, S6).
		{
			name: "missing number",
			in: `{"version":1,"key":{"k":"v"},"results":[
  §{"key":{"t":"1"}},
  §{"measurement":null},
  {"measurement":§"1.5"},
  §{"measurements":{}},
  {"measurements":{"s":[§{"value":"a"}, §{"value":"b","measurement":null},
    {"value":"c","measurement":§[1]}, §null, §7, {"value":"d","measurement":2}]}},
  {"measurement":§1e400},
  {"measurements":{"s":[{"value":"a","measurement":§-1e400}]}},
  §null,
  §[],
  {"measurement":3}]}`,
			want: []string{
				"in:§: results.0: missing number: measurement or measurements is required",
				"in:§: results.1: missing number: measurement or measurements is required",
				"in:§: results.2.measurement: Invalid type. Expected: number, given: string",
				"in:§: results.3: missing number: measurement or measurements is required",
				"in:§: results.4.measurements.s.0: missing number: measurement is required",
				"in:§: results.4.measurements.s.1: missing number: measurement is required",
				"in:§: results.4.measurements.s.2.measurement: Invalid type. Expected: number, given: array",
				"in:§: results.4.measurements.s.3: Invalid type. Expected: object, given: null",
				"in:§: results.4.measurements.s.4: Invalid type. Expected: object, given: integer",
				"k=v s=d = 2",
				"in:§: results.5.measurement: the number is out of float64's range",
				"in:§: results.6.measurements.s.0.measurement: the number is out of float64's range",
				"in:§: results.7: Invalid type. Expected: object, given: null",
				"in:§: results.8: Invalid type. Expected: object, given: array",
				"k=v = 3",
			},
		},
		{
			name: "values of the wrong type",
			in: `{"version":1,"results":[
  {"key":{"a":§1.5,"b":true},"measurement":1},
  {"key":§"k","measurement":1},
  {"key":{"k":"v"},"measurements":§[]},
  {"key":{"k":"v"},"measurements":{"s":[{"value":"a","measurement":1}],"t":§{}}},
  {"key":{"k":"v"},"measurements":{"s":[{"value":§1,"measurement":1},` +
				`{"value":"b","measurement":2,"links":{"l":§1}},{"value":"c","measurement":3,"links":§[]}]}},
  {"key":{"k":"v"},"measurement":4}]}`,
			want: []string{
				"in:§: results.0.key.a: Invalid type. Expected: string, given: number",
				"in:§: results.1.key: Invalid type. Expected: object, given: string",
				"in:§: results.2.measurements: Invalid type. Expected: object, given: array",
				"in:§: results.3.measurements.t: Invalid type. Expected: array, given: object",
				"in:§: results.4.measurements.s.0.value: Invalid type. Expected: string, given: integer",
				"in:§: results.4.measurements.s.1.links.l: Invalid type. Expected: string, given: integer",
				"in:§: results.4.measurements.s.2.links: Invalid type. Expected: object, given: array",
				"k=v = 4",
			},
		},
		{
			name: "no params",
			in: `{"version":1,"results":[§{"measurement":1},§{"key":{},"measurement":2},{"key":{},` +
				`"measurements":{"s":[{"value":"a","measurement":3}]}}]}`,
			want: []string{
				"in:§: results.0: the measurement has no params",
				"in:§: results.1: the measurement has no params",
				"s=a = 3",
			},
		},

		// Errors of the header come before any record.
		{
			name: "not an object",
			in:   "\n§[1]",
			want: []string{"FATAL in:§: Invalid type. Expected: object, given: array"},
		},
		{
			name: "missing version",
			in:   `§{"results":[{"key":{"a":"b"},"measurement":1}]}`,
			want: []string{"FATAL in:§: (root): version is required"},
		},
		{
			name: "version 2",
			in:   `{"results":[{"key":{"a":"b"},"measurement":1}],"version":§2}`,
			want: []string{"FATAL in:§: version: unknown format version 2, expected 1"},
		},
		{
			name: "version null",
			in:   `{"version":§null}`,
			want: []string{"FATAL in:§: version: Invalid type. Expected: integer, given: null"},
		},
		{
			name: "version text",
			in:   `{"version":§"1"}`,
			want: []string{"FATAL in:§: version: Invalid type. Expected: integer, given: string"},
		},
		{
			name: "git_hash number",
			in:   `{"version":1,"git_hash":§1.5}`,
			want: []string{"FATAL in:§: git_hash: Invalid type. Expected: string, given: number"},
		},
		{
			name: "key value number",
			in:   `{"version":1,"key":{"bots":§4},"results":[]}`,
			want: []string{"FATAL in:§: key.bots: Invalid type. Expected: string, given: integer"},
		},
		{
			name: "links array",
			in:   `{"version":1,"links":§[],"results":[]}`,
			want: []string{"FATAL in:§: links: Invalid type. Expected: object, given: array"},
		},
		{
			name: "legacy",
			in:   `{"version":1,"results":§{"test":{}}}`,
			want: []string{"FATAL in:§: results: Invalid type. Expected: array, given: object; " +
				"the legacy format has an object here"},
		},
		{
			name: "results text",
			in:   `{"version":1,"results":§"none"}`,
			want: []string{"FATAL in:§: results: Invalid type. Expected: array, given: string"},
		},

		// Errors of the document come before any record, because the Reader looks ahead.
		{
			name: "open string in the results",
			in:   "{\"version\":1,\"results\":[\n{\"key\":{\"a\":\"b},\"§measurement\":1}],\n\"links\":{}}",
			want: []string{`FATAL in:§: results.0.key.a: found 'm', expected a comma or }`},
		},
		{
			name: "wrong bracket",
			in:   `{"version":1,"results":[{"key":{"a":"b"},"measurement":1}§}`,
			want: []string{`FATAL in:§: results.0: found '}', expected a comma or ]`},
		},
		{
			name: "trailing data",
			in:   `{"version":1,"results":[{"key":{"a":"b"},"measurement":1}]} §{}`,
			want: []string{"FATAL in:§: data after the end of the document"},
		},
		{
			name: "truncated",
			in:   `{"version":1,"results":[{"key":{"a":"b"},"measurement":1},{"ke§`,
			want: []string{"FATAL in:§: results.1: unexpected end of input, expected the end of the string"},
		},
		{
			name: "duplicate header member",
			in:   `{"version":1,"key":{},"results":[],§"key":{}}`,
			want: []string{`FATAL in:§: key: duplicate member "key"`},
		},
		{
			name: "duplicate unknown member",
			in:   `{"version":1,"x":1,"y":1,§"x":1}`,
			want: []string{`FATAL in:§: x: duplicate member "x"`},
		},
		{
			name: "duplicate param of the file",
			in:   `{"version":1,"key":{"a":"1",§"\u0061":"2"}}`,
			want: []string{`FATAL in:§: key.a: duplicate member "a"`},
		},

		// Errors that only the second reading finds.
		{
			name: "duplicate members of a result",
			in:   `{"version":1,"key":{"k":"v"},"results":[{"measurement":1},{"measurement":2,§"measurement":3}]}`,
			want: []string{"k=v = 1", `FATAL in:§: results.1.measurement: duplicate member "measurement"`},
		},
		{
			name: "duplicate params",
			in: `{"version":1,"results":[{"key":{"a":"1","b":"2"},"measurement":1},` +
				`{"key":{"a":"1","b":"2",§"a":"3"},"measurement":1}]}`,
			want: []string{"a=1 b=2 = 1", `FATAL in:§: results.1.key.a: duplicate member "a"`},
		},
		{
			name: "duplicate param, once null",
			in: `{"version":1,"results":[{"key":{"a":"1"},"measurement":1},{"key":{"a":null,§"a":"1"},` +
				`"measurement":1}]}`,
			want: []string{"a=1 = 1", `FATAL in:§: results.1.key.a: duplicate member "a"`},
		},
		{
			name: "duplicate groups",
			in:   `{"version":1,"results":[{"key":{"a":"1"},"measurements":{"s":[],§"s":[]}}]}`,
			want: []string{`FATAL in:§: results.0.measurements.s: duplicate member "s"`},
		},
		{
			name: "duplicate unknown member among unknown members on all levels",
			in: `{"version":1,"x":0,"results":[{"x":0,"measurements":{"s":[{"x":0,"value":"a",` +
				`"measurement":1},{"x":0,"value":"b",§"x":0}]}}]}`,
			want: []string{`FATAL in:§: results.0.measurements.s.1.x: duplicate member "x"`},
		},
		{
			name: "wrong but balanced brackets",
			in:   `{"version":1,"results":[{"key":{"a":"b"},"measurement":1},{"measurement":[{§]}}]}`,
			want: []string{
				"a=b = 1",
				`FATAL in:§: results.1.measurement.0: found ']', expected a member's name or }`,
			},
		},
		{
			name: "not UTF-8",
			in: "{\"version\":1,\"results\":[{\"key\":{\"a\":\"b\"},\"measurement\":1}," +
				"{\"key\":{\"a\":\"§\xff\"},\"measurement\":1}]}",
			want: []string{
				"a=b = 1",
				"FATAL in:§: results.1.key.a: a string holds byte 0xff, which is not valid UTF-8",
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
			in:   `{"version":1,"key":{"k":"v"},"links":{"l":"u"},"results":[{"measurement":1}]}`,
			want: []string{"k=v = 1 l->u"},
		},
		{
			name: "late members",
			in: `{"results":[{"key":{"k":"v"},"measurement":1}],
"links":§{"l":"u"}, "issue":null, "other":[], "version":1, "key":§{"a":"b"}}`,
			want: []string{
				"k=v = 1",
				"in:§: links: must come before the results when reading in order",
				"in:§: key: must come before the results when reading in order",
			},
		},
		{
			name: "late version",
			in:   `{"results":[{"key":{"k":"v"},"measurement":1}],"version":§2}`,
			want: []string{"k=v = 1", "FATAL in:§: version: unknown format version 2, expected 1"},
		},
		{
			name: "missing version",
			in:   `§{"results":[{"key":{"k":"v"},"measurement":1}]}`,
			want: []string{"k=v = 1", "FATAL in:§: (root): version is required"},
		},
		{
			name: "missing version, null results",
			in:   `§{"results":null}`,
			want: []string{"FATAL in:§: (root): version is required"},
		},
		{
			name: "truncated",
			in:   `{"version":1,"results":[{"key":{"k":"v"},"measurement":1},§`,
			want: []string{"k=v = 1", "FATAL in:§: results.0: unexpected end of input, expected a value"},
		},
		{
			name: "trailing data",
			in:   `{"version":1,"results":[{"key":{"k":"v"},"measurement":1}]}§x`,
			want: []string{"k=v = 1", "FATAL in:§: data after the end of the document"},
		},
		{
			name: "missing results",
			in:   `{"version":1}`,
			want: []string{},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, readInOrder)
		})
	}
}

func TestBranches(t *testing.T) {
	const in = `{"version":1,"results":[{"key":{"k":"v"},"measurement":1}],"key":{"branch":"dev"}}`
	formattest.CheckBranches(t, in, func(in string, branches []string) format.Reader {
		r := newReader(strings.NewReader(in))
		r.Branches = branches
		return r
	})
}

func TestHeader(t *testing.T) {
	const in = `{"results":[{"measurement":1}],"patchset":"2","issue":"i","links":{"b":"2","a":"1"},` +
		`"key":{"k":"v"},"git_hash":"CP:727901","version":1}`
	want := Header{
		GitHash: "CP:727901", Issue: "i", Patchset: "2",
		Key:   traceid.Params{{Key: "k", Value: "v"}},
		Links: format.Links{{Key: "a", Value: "1"}, {Key: "b", Value: "2"}},
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
	if n, err := want.CommitNumber(); n != 727901 || err != nil {
		t.Errorf("CommitNumber() = %d, %v", n, err)
	}
	for _, hash := range []string{
		"", "CP:", "CP:727A901", "727901", "cp:1", "CP:-1", "CP:+1", "CP:1 ", "CP:99999999999",
	} {
		if n, err := (Header{GitHash: hash}).CommitNumber(); err == nil {
			t.Errorf("git_hash %q: commit number %d", hash, n)
		}
	}
}

func TestErrVersion(t *testing.T) {
	for _, in := range []string{
		`{}`, `{"version":2}`, `{"version":0}`, `{"version":1.5}`, `{"version":null}`,
		`{"version":"1"}`, `{"Version":1}`,
	} {
		if _, err := NewReader(strings.NewReader(in)).Header(); !errors.Is(err, format.ErrVersion) {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestOffsets(t *testing.T) {
	const in = `{"version":1,"results":[ {"key":{"k":"v"},"measurement":1}, {"key":{"k":"v"},` +
		`"measurements":{"s":[ {"value":"a","measurement":2},{"value":"b","measurement":3}]}}]}`
	got := formattest.AtOffsets(t, newReader(strings.NewReader(in)), in, 12)
	if diff := cmp.Diff([]string{`{"key":{"k":`, `{"value":"a"`, `{"value":"b"`}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
