package nanolegacy

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
)

func TestOptionsAsParams(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		want []string
	}{
		{
			name: "order of overriding",
			in: `{"key":{"a":"key","b":"key","c":"key","test":"key"},"options":{"b":"file","c":"file"},"results":{
			  "T":{"d":{"ms":1,"options":{"c":"own","x":"own"}},"e":{"ms":2}}}}`,
			want: []string{
				"a=key b=file c=own config=d sub_result=ms test=T x=own = 1",
				"a=key b=file c=file config=e sub_result=ms test=T = 2",
			},
		},
		{
			name: "options in place of test and config, but not of the sub-result",
			in: `{"options":{"config":"file","sub_result":"file"},"results":{
			  "T":{"d":{"ms":1,"options":{"test":"own","sub_result":"own"}},` +
				`"e":{"ms":2,"options":{"config":"own"}},"f":{"ms":3,"options":{"o":""}}}}}`,
			want: []string{
				"config=file sub_result=ms test=own = 1",
				"config=own sub_result=ms test=T = 2",
				"config=file o= sub_result=ms test=T = 3",
			},
		},
		{
			name: "options that are not params",
			in: `{"options":{"GL_FILE":"f"},"results":{"T":{"d":{"ms":1,"options":{"GL_":"own","GL":"x",` +
				`"GL_N":1,"n":[1],"s":"s"}}}}}`,
			want: []string{"GL=x GL_FILE=f config=d s=s sub_result=ms test=T = 1 GL_:own GL_N:1 n:[1]"},
		},
		{
			name: "similar tests",
			in: `{"options":{"o":"file"},"results":{
			  "1":{"d":{"ms":1,"options":{"GL_V":"1","a":"1","test":"1"}}},
			  "2":{"d":{"ms":2,"options":{"GL_V":"2","a":"1","test":"1"}}},
			  "3":{"d":{"ms":3,"options":{"GL_V":"3","a":"3","test":"1"}}},
			  "4":{"d":{"ms":4,"options":{"GL_V":"3","a":"4","test":"4"}}}}}`,
			want: []string{
				"a=1 config=d o=file sub_result=ms test=1 = 1 GL_V:1",
				"a=1 config=d o=file sub_result=ms test=1 = 2 GL_V:2",
				"a=3 config=d o=file sub_result=ms test=1 = 3 GL_V:3",
				"a=4 config=d o=file sub_result=ms test=4 = 4 GL_V:3",
			},
		},
		{
			name: "not an object",
			in:   `{"results":{"T":{"d":{"ms":1,"options":§7}}}}`,
			want: []string{
				"config=d sub_result=ms test=T = 1",
				"in:§: results.T.d.options: Invalid type. Expected: object, given: integer",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, func(in io.Reader) []string {
				r := newReader(in)
				r.OptionsAsParams = true
				return formattest.All(r)
			})
		})
	}
}

func TestSamples(t *testing.T) {
	for _, test := range []struct {
		name            string
		in              string
		optionsAsParams bool
		want            []string
	}{
		{
			name: "none",
			in:   `{"results":{"T":{"c":{"ms":1}},"U":{"c":{"samples":null}}}}`,
			want: []string{},
		},
		{
			name: "some",
			in: `{"results":{"T":{"c":{"min_ms":1,"samples":[1.5,1,2]},"d":{"ms":1}},` +
				`"U":{"c":{"samples":[]},"e":{"samples":[3],"options":{"a":"own"}}}},"options":{"o":"file"},` +
				`"key":{"k":"v"}}`,
			want: []string{
				"config=c k=v sub_result=min_ms test=T = [1.5 1 2] o:file",
				"config=c k=v sub_result=min_ms test=U = [] o:file",
				"config=e k=v sub_result=min_ms test=U = [3] a:own o:file",
			},
		},
		{
			name: "options as params",
			in: `{"results":{"T":{"c":{"samples":[1],"options":{"a":"own","GL_V":"1"}}}},` +
				`"options":{"o":"file"}}`,
			optionsAsParams: true,
			want:            []string{"a=own config=c o=file sub_result=min_ms test=T = [1] GL_V:1"},
		},
		{
			name: "similar tests",
			in: `{"results":{
			  "1":{"c":{"min_ms":1,"samples":[1,2],"options":{"a":"x"}},"d":{"samples":[3]}},
			  "2":{"c":{"min_ms":1,"samples":[4,5],"options":{"a":"y"}},"d":{"samples":[6]}},
			  "3":{"c":{"min_ms":"","samples":[7,8],"options":{"a":"z"}},"d":{"samples":[]}},
			  "4":{"c":{"min_ms":1,"samples":[9,10],"options":{"a":"y"}},"d":{"samples":[11]}}}}`,
			want: []string{
				"config=c sub_result=min_ms test=1 = [1 2] a:x", "config=d sub_result=min_ms test=1 = [3]",
				"config=c sub_result=min_ms test=2 = [4 5] a:y", "config=d sub_result=min_ms test=2 = [6]",
				"config=c sub_result=min_ms test=3 = [7 8] a:z", "config=d sub_result=min_ms test=3 = []",
				"config=c sub_result=min_ms test=4 = [9 10] a:y", "config=d sub_result=min_ms test=4 = [11]",
			},
		},
		{
			name: "faults",
			in: `{"results":{
  "T":{"c":{"samples":[1,§"x",2,§null,§1e400,§[]],"ms":"not looked at"},"d":{"samples":§{"a":1}},` +
				`"e":{"samples":[3],"options":§[]},"f":§7},
  "U":§8,
  "V":{"c":{"samples":[4]}}}}`,
			want: []string{
				"in:§: results.T.c.samples.1: Invalid type. Expected: number, given: string",
				"in:§: results.T.c.samples.3: Invalid type. Expected: number, given: null",
				"in:§: results.T.c.samples.4: the number is out of float64's range",
				"in:§: results.T.c.samples.5: Invalid type. Expected: number, given: array",
				"config=c sub_result=min_ms test=T = [1 2]",
				"in:§: results.T.d.samples: Invalid type. Expected: array, given: object",
				"in:§: results.T.e.options: Invalid type. Expected: object, given: array",
				"config=e sub_result=min_ms test=T = [3]",
				"in:§: results.T.f: Invalid type. Expected: object, given: integer",
				"in:§: results.U: Invalid type. Expected: object, given: integer",
				"config=c sub_result=min_ms test=V = [4]",
			},
		},
		{
			name: "truncated",
			in:   `{"results":{"T":{"c":{"samples":[1,2§`,
			want: []string{"FATAL in:§: results.T.c.samples.1: unexpected end of input, " +
				"expected the rest of a number"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			formattest.CheckRead(t, test.name, test.in, test.want, func(in io.Reader) []string {
				r := newReader(in)
				r.OptionsAsParams = test.optionsAsParams
				return readSamples(r)
			})
		})
	}
}

// The Reader overwrites records and samples, but not their Clones or their strings.
func TestOwnership(t *testing.T) {
	const in = `{"options":{"f":"g"},"results":{
	  "one":{"c":{"min_ms":1,"options":{"o":"1"},"samples":[1,2]},"d":{"min_ms":2,"options":{"o":"2"},` +
		`"samples":[3,4]}},
	  "two":{"c":{"min_ms":3,"options":{"o":"3"},"samples":[5,6]},"d":{"min_ms":4,"options":{"o":"4"},` +
		`"samples":[7,8]}}}}`
	var clones []*format.Record
	var strs, want []string
	for rec, err := range NewReader(strings.NewReader(in)).Records() {
		if err != nil {
			t.Fatal(err)
		}
		clones = append(clones, rec.Clone())
		want = append(want, formattest.Show(rec))
		strs = append(strs, rec.Params[2].Value+rec.Attrs[1].Value)
	}
	for i, clone := range clones {
		if got := formattest.Show(clone); got != want[i] {
			t.Errorf("clone %d: %s, was %s", i, got, want[i])
		}
	}
	if diff := cmp.Diff([]string{"one1", "one2", "two3", "two4"}, strs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	var samples []*format.Samples
	want = nil
	for s, err := range NewReader(strings.NewReader(in)).Samples() {
		if err != nil {
			t.Fatal(err)
		}
		samples = append(samples, s.Clone())
		want = append(want, showSamples(s))
	}
	for i, clone := range samples {
		if got := showSamples(clone); got != want[i] {
			t.Errorf("clone %d: %s, was %s", i, got, want[i])
		}
	}
}

func TestOffsets(t *testing.T) {
	const in = `{"results":{
	  "one":{"c":{"options":{"o":"1"},"min_ms":11,"samples":[1,2]},"d":{"max_ms": 12, "samples": [3]}},
	  "three":{"c":{"options":{"o":"long"},"min_ms":13.5,"samples":[1.25,2]},"d":{"max_ms": 14, "samples": [3]}},
	  "4":{"c":{"min_ms":15,"samples":[1,2]},"d":{"samples":[]}}}}`
	got := formattest.AtOffsets(t, NewReader(strings.NewReader(in)), in, 2)
	for s, err := range NewReader(strings.NewReader(in)).Samples() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, in[s.Offset:s.Offset+3])
	}
	want := []string{"11", "12", "13", "14", "15", "[1,", "[3]", "[1.", "[3]", "[1,", "[]}"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A test with too many results to keep their layouts.
func TestManyConfigurations(t *testing.T) {
	for _, optionsAsParams := range []bool{false, true} {
		var test strings.Builder
		for i := range 3 * maxLaidOut {
			fmt.Fprintf(&test, `,"c%d":{"ms":%d,"options":{"o%d":"x"}}`, i, i, i%7)
		}
		in := `{"results":{"T":{` + test.String()[1:] + `},"U":{` + test.String()[1:] + `}}}`
		r := newReader(strings.NewReader(in))
		r.OptionsAsParams = optionsAsParams
		n := 0
		for rec, err := range r.Records() {
			if err != nil {
				t.Fatal(err)
			}
			i := n % (3 * maxLaidOut)
			test := "TU"[n/(3*maxLaidOut):][:1]
			want := fmt.Sprintf("config=c%d sub_result=ms test=%s = %d o%d:x", i, test, i, i%7)
			if optionsAsParams {
				want = fmt.Sprintf("config=c%d o%d=x sub_result=ms test=%s = %d", i, i%7, test, i)
			}
			if got := formattest.Show(rec); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			n++
		}
		if n != 6*maxLaidOut {
			t.Errorf("%d records", n)
		}
	}
}
