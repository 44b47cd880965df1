package nanolegacy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/internal/testing/formattest"
)

// These are the departures from the reference, with their numbers in doc.go. TestCorpus shows N1
// on the reference's own files.
func TestDepartures(t *testing.T) {
	records := func(r *Reader) []string { return formattest.All(r) }
	ingest := func(r *Reader) []string { r.OptionsAsParams = true; return formattest.All(r) }
	samples := func(r *Reader) []string { return readSamples(r) }
	long := strings.Repeat("0", 900)
	for _, test := range []struct {
		name string
		in   string
		read func(*Reader) []string
		want []string
	}{
		{
			name: "N1 sub-results and options",
			in:   `{"results":{"T":{"c":{"a":"1","b":1e999,"ms":1,"options":7}}}}`,
			read: records,
			want: []string{
				"in:1:27: results.T.c.a: Invalid type. Expected: number, given: string",
				"in:1:35: results.T.c.b: the number is out of float64's range",
				"config=c sub_result=ms test=T = 1",
				"in:1:58: results.T.c.options: Invalid type. Expected: object, given: integer",
			},
		},
		{
			name: "N1 option",
			in: `{"results":{"T":{"c":{"options":{"a":1e999,"b":[1,{"x":-1e999},1e400],"s":"t","n":2},"ms":1}},` +
				`"U":{"c":{"options":{"a":1,"s":"t"},"ms":2}},"V":{"c":{"options":{"a":1e999,"s":"t"},"ms":3}}}}`,
			read: records,
			want: []string{
				"in:1:38: results.T.c.options.a: the number is out of float64's range",
				"in:1:56: results.T.c.options.b.1.x: the number is out of float64's range",
				"in:1:64: results.T.c.options.b.2: the number is out of float64's range",
				"config=c sub_result=ms test=T = 1 n:2 s:t",
				"config=c sub_result=ms test=U = 2 a:1 s:t",
				"in:1:165: results.V.c.options.a: the number is out of float64's range",
				"config=c sub_result=ms test=V = 3 s:t",
			},
		},
		{
			name: "N1 option of samples",
			in:   `{"results":{"T":{"c":{"options":{"a":1e999,"s":"t"},"samples":[1]}}}}`,
			read: samples,
			want: []string{
				"in:1:38: results.T.c.options.a: the number is out of float64's range",
				"config=c sub_result=min_ms test=T = [1] s:t",
			},
		},
		{
			name: "N1 samples",
			in:   `{"results":{"T":{"c":{"samples":[1,"2"]},"d":{"samples":3}}}}`,
			read: samples,
			want: []string{
				"in:1:36: results.T.c.samples.1: Invalid type. Expected: number, given: string",
				"config=c sub_result=min_ms test=T = [1]",
				"in:1:57: results.T.d.samples: Invalid type. Expected: array, given: integer",
			},
		},
		{
			name: "N2",
			in:   `{"results":{"T":[],"U":{"c":1,"d":{"ms":1}}}}`,
			read: ingest,
			want: []string{
				"in:1:17: results.T: Invalid type. Expected: object, given: array",
				"in:1:29: results.U.c: Invalid type. Expected: object, given: integer",
				"config=d sub_result=ms test=U = 1",
			},
		},
		{
			name: "N3",
			in:   `{"options":{"a":"b"},"results":{"T":{"c":{"ms":1}}}}`,
			read: records,
			want: []string{"config=c sub_result=ms test=T = 1 a:b"},
		},
		{
			name: "N3 with OptionsAsParams",
			in:   `{"options":{"a":"b"},"results":{"T":{"c":{"ms":1}}}}`,
			read: ingest,
			want: []string{"a=b config=c sub_result=ms test=T = 1"},
		},
		{
			name: "N4",
			in:   `{"results":{"T":{"c":{"ms":1,"options":{"GL_V":"1","n":2}}}}}`,
			read: ingest,
			want: []string{"config=c sub_result=ms test=T = 1 GL_V:1 n:2"},
		},
		{
			name: "N5",
			in:   `{"Key":{"a":"b"},"key":{"c":"d"},"results":{"T":{"c":{"ms":1}}}}`,
			read: ingest,
			want: []string{"c=d config=c sub_result=ms test=T = 1"},
		},
		{
			name: "N6",
			in:   `{"results":{"T":{"c":{"ms":1}},"T":{"c":{"ms":2}}}}`,
			read: ingest,
			want: []string{"config=c sub_result=ms test=T = 1", `FATAL in:1:32: results.T: duplicate member "T"`},
		},
		{
			name: "N7",
			in:   `{"key":{"a":null},"options":{"b":null},"results":{"T":{"c":{"ms":1}}}}`,
			read: ingest,
			want: []string{"config=c sub_result=ms test=T = 1"},
		},
		{
			name: "N8",
			in:   `{"results":{"T":{"c":{"ms":1e300,"s":0.1}}}}`,
			read: ingest,
			want: []string{"config=c sub_result=ms test=T = 1e+300", "config=c sub_result=s test=T = 0.1"},
		},
		{
			name: "N9",
			in:   `{"results":{"T":{"c":{"ms":1}}}}{}`,
			read: ingest,
			want: []string{"FATAL in:1:33: data after the end of the document"},
		},
		{
			name: "N10",
			in:   "{\"gitHash\":\"\xff\"}",
			read: ingest,
			want: []string{"FATAL in:1:13: gitHash: a string holds byte 0xff, which is not valid UTF-8"},
		},
		{
			name: "N10 surrogate",
			in:   `{"results":{"\ud800":{"c":{"ms":1}}}}`,
			read: ingest,
			want: []string{"config=c sub_result=ms test=\ufffd = 1"},
		},
		{
			name: "N12",
			in:   `null`,
			read: records,
			want: []string{"FATAL in:1:1: Invalid type. Expected: object, given: null"},
		},
		{
			name: "N13",
			in:   `{"results":{"T":{"c":{"a":NaN,"b":1,"d":-inf,"e": Infinity,"samples":[nan]},"d":{"ms":inf}}}}`,
			read: records,
			want: []string{
				"in:1:27: results.T.c.a: NaN is not a JSON number",
				"config=c sub_result=b test=T = 1",
				"in:1:41: results.T.c.d: -inf is not a JSON number",
				"in:1:51: results.T.c.e: Infinity is not a JSON number",
				"in:1:87: results.T.d.ms: inf is not a JSON number",
			},
		},
		{
			name: "N13 samples",
			in:   `{"results":{"T":{"c":{"a":NaN,"samples":[1,nan,-Infinity,Infinity,2]}}}}`,
			read: samples,
			want: []string{
				"in:1:44: results.T.c.samples.1: nan is not a JSON number",
				"in:1:48: results.T.c.samples.2: -Infinity is not a JSON number",
				"in:1:58: results.T.c.samples.3: Infinity is not a JSON number",
				"config=c sub_result=min_ms test=T = [1 2]",
			},
		},
		{
			name: "N13 in a value that Samples ignores",
			in:   `{"results":{"T":{"c":{"a":-Infinity,"b":NaN,"samples":[1]}}}}`,
			read: samples,
			want: []string{"config=c sub_result=min_ms test=T = [1]"},
		},
		{
			name: "N13 in a value that Records ignores",
			in:   `{"results":{"T":{"c":{"a":1,"samples":[-Infinity,NaN]}}}}`,
			read: records,
			want: []string{"config=c sub_result=a test=T = 1"},
		},
		{
			name: "N13 option",
			in:   `{"results":{"T":{"c":{"options":{"a":NaN}}}}}`,
			read: records,
			want: []string{"FATAL in:1:38: results.T.c.options.a: found 'N', expected a value"},
		},
		{
			name: "N13 samples themselves",
			in:   `{"results":{"T":{"c":{"samples":inf}}}}`,
			read: records,
			want: []string{"FATAL in:1:33: results.T.c.samples: found 'i', expected a value"},
		},
		{
			name: "N13 result",
			in:   `{"results":{"T":{"c":nan}}}`,
			read: records,
			want: []string{"FATAL in:1:23: results.T.c: found 'a', expected null"},
		},
		{
			name: "N13 in a skipped value",
			in:   `{"results":{"T":[{"c":{"ms":NaN}}]}}`,
			read: records,
			want: []string{"FATAL in:1:29: results.T.0.c.ms: found 'N', expected a value"},
		},
		{
			name: "N13 and a later error",
			in:   `{"results":{"T":{"c":{"a":NaN,"b":-inf,"samples":[nan]}},"U":{"c":tru`,
			read: records,
			want: []string{"FATAL in:1:70: results.U.c: unexpected end of input, expected true"},
		},
		{
			name: "N14",
			in:   "\ufeff" + `{"results":{}}`,
			read: records,
			want: []string{"FATAL in:1:1: found a byte order mark, expected a value"},
		},
		{
			name: "N15",
			in: `{"results":{"T":{"c":{"ms":1` + long + `e-900,"options":{"o":1` + long + `}}},` +
				`"U":{"c":{"ms":-25` + long + `e-901}}}}`,
			read: records,
			want: []string{
				"config=c sub_result=ms test=T = 1",
				"in:1:950: results.T.c.options.o: the number is out of float64's range",
				"config=c sub_result=ms test=U = -2.5",
			},
		},
		{
			name: "N11",
			in:   `{"results":{"T 1":{"c":{"samples":[1]}},"T_1":{"c":{"samples":[2]}}}}`,
			read: samples,
			want: []string{"config=c sub_result=min_ms test=T 1 = [1]", "config=c sub_result=min_ms test=T_1 = [2]"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.read(newReader(strings.NewReader(test.in)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
