package skiav1

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/formattest"
	"perfdata/traceid"
)

var params = formattest.Params

var testHeader = Header{GitHash: "abc", Key: params("arch", "x86"), Links: params("run", "https://ci/1")}

const headerText = `{"version":1,"git_hash":"abc","key":{"arch":"x86"},"links":{"run":"https://ci/1"},"results":[`

func TestWriter(t *testing.T) {
	rec := func(value float64, pairs ...string) format.Record {
		return format.Record{Params: traceid.Merge(testHeader.Key, params(pairs...)), Value: value}
	}
	linked := func(rec format.Record, links ...string) format.Record {
		rec.Links = traceid.Merge(testHeader.Links, params(links...))
		return rec
	}
	for _, test := range []struct {
		name string
		recs []format.Record
		want string // the results
	}{
		{"none", nil, ""},
		{"one", []format.Record{rec(1.5, "test", "t")}, `
{"key":{"test":"t"},"measurement":1.5}`},
		{"all params in the header", []format.Record{rec(1)}, `
{"key":{},"measurement":1}`},
		{"a param of the header overridden", []format.Record{rec(1, "arch", "arm")}, `
{"key":{"arch":"arm"},"measurement":1}`},
		{
			"a group",
			[]format.Record{rec(1, "test", "t", "stat", "min"), rec(2, "test", "t", "stat", "max"), rec(3, "test", "t", "stat", "min")},
			`
{"key":{"test":"t"},"measurements":{"stat":[{"value":"min","measurement":1},{"value":"max","measurement":2},{"value":"min","measurement":3}]}}`,
		},
		{
			"groups, and what is none",
			[]format.Record{
				rec(1, "test", "t", "stat", "min"), rec(2, "test", "t", "stat", "max"),
				rec(3, "test", "u", "stat", "min"), rec(4, "test", "u", "stat", "max"),
				rec(5, "test", "v"),
				rec(6, "test", "v"),
				rec(7, "test", "w", "stat", "x"),
				rec(8, "test", "x", "stat", "y"),
			},
			`
{"key":{"test":"t"},"measurements":{"stat":[{"value":"min","measurement":1},{"value":"max","measurement":2}]}},
{"key":{"test":"u"},"measurements":{"stat":[{"value":"min","measurement":3},{"value":"max","measurement":4}]}},
{"key":{"test":"v"},"measurement":5},
{"key":{"test":"v"},"measurement":6},
{"key":{"stat":"x","test":"w"},"measurement":7},
{"key":{"stat":"y","test":"x"},"measurement":8}`,
		},
		{
			"the header's param varies",
			[]format.Record{rec(1, "test", "t"), rec(2, "test", "t", "arch", "arm")},
			`
{"key":{"test":"t"},"measurements":{"arch":[{"value":"x86","measurement":1},{"value":"arm","measurement":2}]}}`,
		},
		{
			"links",
			[]format.Record{linked(rec(1, "test", "t")), linked(rec(2, "test", "u"), "log", "l"), linked(rec(3, "test", "v", "a", "1"), "run", "own"), linked(rec(4, "test", "v", "a", "2"))},
			`
{"key":{},"measurements":{"test":[{"value":"t","measurement":1},{"value":"u","measurement":2,"links":{"log":"l"}}]}},
{"key":{"test":"v"},"measurements":{"a":[{"value":"1","measurement":3,"links":{"run":"own"}},{"value":"2","measurement":4}]}}`,
		},
		{
			"links of a single measurement",
			[]format.Record{linked(rec(1, "test", "t", "unit", "ms"), "log", "l"), rec(2, "test", "u", "unit", "s")},
			`
{"key":{"test":"t"},"measurements":{"unit":[{"value":"ms","measurement":1,"links":{"log":"l"}}]}},
{"key":{"test":"u","unit":"s"},"measurement":2}`,
		},
		{"characters", []format.Record{rec(1e-9, "\"\\\n\x01é<&>\u2028", "")}, `
{"key":{"\"\\\n\u0001é<&>` + "\u2028" + `":""},"measurement":1e-09}`},
		{"numbers", []format.Record{rec(math.MaxFloat64), rec(math.Copysign(0, -1)), rec(123456789012), rec(5e-324)}, `
{"key":{},"measurement":1.7976931348623157e+308},
{"key":{},"measurement":-0},
{"key":{},"measurement":123456789012},
{"key":{},"measurement":5e-324}`},
	} {
		var out bytes.Buffer
		formattest.WriteAll(t, NewWriter(&out, testHeader), test.recs)
		if diff := cmp.Diff(headerText+test.want+"\n]}\n", out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		checkReadBack(t, test.name, out.String(), testHeader, test.recs)
		for e := range Validate(&out, test.name, format.Limits{}) {
			if errors.Is(e, ErrSchema) {
				t.Errorf("the written file violates the schema: %v", e)
			}
		}
	}
}

// checkReadBack reads a written file and compares it with what was given to the Writer.
func checkReadBack(t *testing.T, name, file string, header Header, recs []format.Record) {
	t.Helper()
	r := NewReader(strings.NewReader(file))
	r.InOrder = true // nothing comes late
	h, err := r.Header()
	if diff := cmp.Diff(header, h); diff != "" || err != nil {
		t.Errorf("%s: header read back: %v (-want +got):\n%s", name, err, diff)
	}
	i := 0
	for rec, err := range r.Records() {
		if err != nil {
			t.Errorf("%s: read back: %v", name, err)
			return
		}
		if i == len(recs) {
			t.Errorf("%s: read back more than %d records", name, i)
			return
		}
		want := recs[i]
		want.Links = traceid.Merge(header.Links, want.Links)
		if !equal(rec, &want) || math.Signbit(rec.Value) != math.Signbit(want.Value) {
			t.Errorf("%s: record %d read back as %s, was %s", name, i, formattest.Show(rec), formattest.Show(&want))
		}
		i++
	}
	if i < len(recs) {
		t.Errorf("%s: read back %d records, want %d", name, i, len(recs))
	}
}

// What is refused leaves no trace in the file.
func TestWriterRefuses(t *testing.T) {
	ok := params("arch", "x86", "test", "t")
	var out bytes.Buffer
	w := NewWriter(&out, testHeader)
	for _, test := range []struct {
		rec  format.Record
		want string
	}{
		{format.Record{Params: ok, Value: math.NaN()}, "measurement ,arch=x86,test=t,: the value is NaN, which JSON can't hold"},
		{format.Record{Params: ok, Value: math.Inf(-1)}, "measurement ,arch=x86,test=t,: the value is -Inf, which JSON can't hold"},
		{format.Record{}, "measurement : there are no params"},
		{format.Record{Params: params("test", "t")}, `measurement ,test=t,: there is no param "arch", which the header's Key gives to every measurement`},
		{format.Record{Params: ok, Attrs: params("iterations", "5")}, `measurement ,arch=x86,test=t,: the format can't hold attrs, such as "iterations"`},
		{format.Record{Params: params("arch", "x\xff")}, `measurement ,arch=x_,: params: "arch": "x\xff" is no UTF-8`},
		{format.Record{Params: ok, Links: params("\xff", "")}, `measurement ,arch=x86,test=t,: links: "\xff": "" is no UTF-8`},
		{format.Record{Params: append(ok.Clone(), ok[1])}, `measurement ,arch=x86,test=t,test=t,: params: they are not sorted, or one is there twice`},
	} {
		if err := w.Write(&test.rec); err == nil || err.Error() != test.want {
			t.Errorf("got %v\nwant %s", err, test.want)
		}
	}
	err := w.WriteMeasurements(params("test", "t"), "stat", Single{Value: "min", Measurement: 1}, Single{Value: "max", Measurement: math.Inf(1)})
	if err == nil {
		t.Error("infinity was accepted")
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(headerText+"\n]}\n", out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := w.Write(&format.Record{Params: ok}); err == nil {
		t.Error("a closed Writer writes")
	}
}

func TestWriterHeader(t *testing.T) {
	for _, test := range []struct {
		header Header
		want   string
	}{
		{Header{}, "header: GitHash is empty, and the format requires git_hash"},
		{Header{GitHash: "a", Issue: "\xff"}, `header: "\xff" is no UTF-8`},
		{Header{GitHash: "a", Key: params("\xff", "")}, `header: Key: "\xff": "" is no UTF-8`},
		{Header{GitHash: "a", Links: format.Links{{Key: "b"}, {Key: "a"}}}, "header: Links: they are not sorted, or one is there twice"},
	} {
		var out bytes.Buffer
		w := NewWriter(&out, test.header)
		if err := w.WriteMeasurement(params("k", "v"), 1); err == nil || err.Error() != test.want {
			t.Errorf("%+v: %v, want %s", test.header, err, test.want)
		}
		if err := w.Close(); err == nil || err.Error() != test.want {
			t.Errorf("%+v: Close: %v, want %s", test.header, err, test.want)
		}
		if out.Len() > 0 {
			t.Errorf("%+v: %s was written", test.header, &out)
		}
	}
	full := Header{GitHash: "CP:1", Issue: "2", Patchset: "3", Key: params("a", "b"), Links: params("c", "d")}
	var out bytes.Buffer
	if err := NewWriter(&out, full).Close(); err != nil {
		t.Error(err)
	}
	checkReadBack(t, "full header", out.String(), full, nil)
}

func TestWriterHelpers(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, testHeader)
	if err := w.WriteMeasurement(params("test", "t"), 1); err != nil {
		t.Error(err)
	}
	if err := w.WriteMeasurements(params("test", "u"), "stat", Single{Value: "min", Measurement: 2}, Single{Value: "max", Measurement: 3, Links: params("l", "m")}); err != nil {
		t.Error(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	want := headerText + `
{"key":{"test":"t"},"measurement":1},
{"key":{"test":"u"},"measurements":{"stat":[{"value":"min","measurement":2},{"value":"max","measurement":3,"links":{"l":"m"}}]}}
]}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriterDropAttrs(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, testHeader)
	w.DropAttrs = true
	rec := format.Record{Params: testHeader.Key, Value: 1, Attrs: params("a", "b")}
	if err := w.Write(&rec); err != nil {
		t.Error(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// Flush brings out all that was written, and the file can go on.
func TestWriterFlush(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, testHeader)
	want := headerText
	for i, value := range []string{"a", "b"} {
		if err := w.WriteMeasurement(params("test", value), float64(i)); err != nil {
			t.Error(err)
		}
		if err := w.Flush(); err != nil {
			t.Error(err)
		}
		if i > 0 {
			want += ","
		}
		want += "\n" + `{"key":{"test":"` + value + `"},"measurement":` + value[:0] + string(rune('0'+i)) + "}"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// Without Flush, no more than a buffer's worth is held back.
func TestWriterStreams(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, testHeader)
	rec := format.Record{Params: params("arch", "x86", "test", strings.Repeat("t", 1000))}
	for i := range 1000 {
		if err := w.Write(&rec); err != nil {
			t.Fatal(err)
		}
		if held := i*1000 - out.Len(); held > flushSize+4000 {
			t.Fatalf("%d bytes are held back", held)
		}
	}
}

func TestWriterError(t *testing.T) {
	broken := errors.New("disk full")
	w := NewWriter(formattest.FailingWriter(broken), testHeader)
	rec := format.Record{Params: testHeader.Key}
	if err := w.Write(&rec); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := w.Close(); err != broken {
			t.Errorf("Close: %v", err)
		}
	}
	if err := w.Write(&rec); err != broken {
		t.Errorf("Write: %v", err)
	}
}

// What the Reader reads of the project's files, the Writer writes so that it is read back equal.
func TestRoundTrip(t *testing.T) {
	for name, file := range testFiles(t) {
		r := NewReader(strings.NewReader(file))
		h, err := r.Header()
		if err != nil {
			if name != "invalid.json" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		var out bytes.Buffer
		w := NewWriter(&out, h)
		var recs []format.Record
		for rec, err := range r.Records() {
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			recs = append(recs, *rec.Clone())
			if err := w.Write(rec); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := w.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		checkReadBack(t, name, out.String(), h, recs)
	}
}

func TestReadFailure(t *testing.T) {
	broken := errors.New("connection reset")
	for name, open := range map[string]func(io.Reader) *Reader{"looking ahead": newReader, "in order": inOrder} {
		in := io.MultiReader(strings.NewReader(`{"version":1,"results":[{"key":{"a":"b"},"measurement":1},`), iotest.ErrReader(broken))
		if err := formattest.LastError(open(in)); !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
