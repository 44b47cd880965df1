package skiav1

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/traceid"
)

var params = traceid.Of

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
		{
			name: "none",
		},
		{
			name: "one",
			recs: []format.Record{rec(1.5, "test", "t")},
			want: `
{"key":{"test":"t"},"measurement":1.5}`,
		},
		{
			name: "all params in the header",
			recs: []format.Record{rec(1)},
			want: `
{"key":{},"measurement":1}`,
		},
		{
			name: "overridden param of the header",
			recs: []format.Record{rec(1, "arch", "arm")},
			want: `
{"key":{"arch":"arm"},"measurement":1}`,
		},
		{
			name: "a group",
			recs: []format.Record{
				rec(1, "test", "t", "stat", "min"),
				rec(2, "test", "t", "stat", "max"),
				rec(3, "test", "t", "stat", "mid"),
			},
			want: `
{"key":{"test":"t"},"measurements":{"stat":[{"value":"min","measurement":1},` +
				`{"value":"max","measurement":2},{"value":"mid","measurement":3}]}}`,
		},
		{
			name: "groups and single results",
			recs: []format.Record{
				rec(1, "test", "t", "stat", "min"), rec(2, "test", "t", "stat", "max"),
				rec(3, "test", "u", "stat", "min"), rec(4, "test", "u", "stat", "max"),
				rec(5, "test", "v"),
				rec(6, "tests", "v"),
				rec(7, "test", "w", "stat", "x"),
				rec(8, "test", "x", "stat", "y"),
			},
			want: `
{"key":{"test":"t"},"measurements":{"stat":[{"value":"min","measurement":1},{"value":"max","measurement":2}]}},
{"key":{"test":"u"},"measurements":{"stat":[{"value":"min","measurement":3},{"value":"max","measurement":4}]}},
{"key":{"test":"v"},"measurement":5},
{"key":{"tests":"v"},"measurement":6},
{"key":{"stat":"x","test":"w"},"measurement":7},
{"key":{"stat":"y","test":"x"},"measurement":8}`,
		},
		{
			name: "the header's param varies",
			recs: []format.Record{rec(1, "test", "t"), rec(2, "test", "t", "arch", "arm")},
			want: `
{"key":{"test":"t"},"measurements":{"arch":[{"value":"x86","measurement":1},{"value":"arm","measurement":2}]}}`,
		},
		{
			name: "links",
			recs: []format.Record{
				linked(rec(1, "test", "t")),
				linked(rec(2, "test", "u"), "log", "l"),
				linked(rec(3, "test", "v", "a", "1"), "run", "own"),
				linked(rec(4, "test", "v", "a", "2")),
			},
			want: `
{"key":{},"measurements":{"test":[{"value":"t","measurement":1},{"value":"u","measurement":2,"links":{"log":"l"}}]}},
{"key":{"test":"v"},"measurements":{"a":[{"value":"1","measurement":3,"links":{"run":"own"}},` +
				`{"value":"2","measurement":4}]}}`,
		},
		{
			name: "links of a single measurement",
			recs: []format.Record{
				linked(rec(1, "test", "t", "unit", "ms"), "log", "l"),
				rec(2, "test", "u", "unit", "s"),
			},
			want: `
{"key":{"test":"t"},"measurements":{"unit":[{"value":"ms","measurement":1,"links":{"log":"l"}}]}},
{"key":{"test":"u","unit":"s"},"measurement":2}`,
		},
		{
			name: "characters",
			recs: []format.Record{rec(1e-9, "\"\\\n\x01é<&>\u2028", "")},
			want: `
{"key":{"\"\\\n\u0001é<&>` + "\u2028" + `":""},"measurement":1e-09}`,
		},
		{
			name: "numbers",
			recs: []format.Record{
				rec(-roundsToInf, "a", ""),
				rec(math.Copysign(0, -1), "b", ""),
				rec(123456789012, "c", ""),
				rec(5e-324, "d", ""),
			},
			want: `
{"key":{"a":""},"measurement":-3.4028235677973366e+38},
{"key":{"b":""},"measurement":-0},
{"key":{"c":""},"measurement":123456789012},
{"key":{"d":""},"measurement":5e-324}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			formattest.WriteAll(t, NewWriter(&out, testHeader), test.recs)
			if diff := cmp.Diff(headerText+test.want+"\n]}\n", out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			checkReadBack(t, test.name, out.String(), testHeader, test.recs)
			for e := range Format().Validate(&out, format.Options{Name: test.name}) {
				if e.Severity != format.Warning {
					t.Errorf("the written file is invalid: %v", e)
				}
			}
		})
	}
}

// checkReadBack reads a written file and compares it with the records that were written.
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

// roundsToInf is the largest value that Skia Perf can store: its digits are rounded to the
// largest float32.
const roundsToInf = 3.4028235677973366e38

// A Writer writes a trace once, even if params differ but are equal in the canonical trace ID.
func TestWriterRepeated(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, testHeader)
	w.Limits.MaxUniqueTraces = 4
	writeTest := func(value string) error { return write(w, params("test", value), 1) }
	const refused = "measurement ,arch=x86,test=a_b,: duplicate trace: it was written already; " +
		"to write repetitions, set the record's Repetition, or add a param repetition that numbers them from 1"
	for _, step := range []struct {
		value, want string
	}{
		{"a b", ""},
		{"a_b", refused},
		{"c", ""},
		{"a b", refused},
	} {
		if err := writeTest(step.value); fmt.Sprint(err) != wantErr(step.want) {
			t.Errorf("%s: %v, want %s", step.value, err, step.want)
		}
	}
	for _, value := range []string{"d", "e", "f", "f"} { // f is one too many to be remembered
		if err := writeTest(value); err != nil {
			t.Error(err)
		}
	}
	if err := writeTest("e"); err == nil {
		t.Error("e was written twice")
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	want := []string{}
	for _, value := range []string{"a b", "c", "d", "e", "f", "f"} {
		want = append(want, "arch=x86 test="+value+" = 1 run->https://ci/1")
	}
	if diff := cmp.Diff(want, readAll(&out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A refused record leaves no trace in the file.
func TestWriterRefuses(t *testing.T) {
	ok := params("arch", "x86", "test", "t")
	var out bytes.Buffer
	w := NewWriter(&out, testHeader)
	for _, test := range []struct {
		name string
		rec  format.Record
		want string
	}{
		{
			name: "NaN",
			rec:  format.Record{Params: ok, Value: math.NaN()},
			want: "measurement ,arch=x86,test=t,: the value is NaN, which JSON can't hold",
		},
		{
			name: "infinity",
			rec:  format.Record{Params: ok, Value: math.Inf(-1)},
			want: "measurement ,arch=x86,test=t,: the value is -Inf, which JSON can't hold",
		},
		{
			name: "out of float32's range",
			rec:  format.Record{Params: ok, Value: 3.41e38},
			want: "measurement ,arch=x86,test=t,: the value is 3.41e+38, out of the range of float32, " +
				"in which Skia Perf stores it",
		},
		{
			name: "no params",
			rec:  format.Record{},
			want: "measurement : no params",
		},
		{
			name: "missing param of the header",
			rec:  format.Record{Params: params("test", "t")},
			want: `measurement ,test=t,: missing param "arch", which the header's Key gives to every measurement`,
		},
		{
			name: "attrs",
			rec:  format.Record{Params: ok, Attrs: params("iterations", "5")},
			want: `measurement ,arch=x86,test=t,: the format can't hold attrs, such as "iterations"`,
		},
		{
			name: "param that is not UTF-8",
			rec:  format.Record{Params: params("arch", "x\xff")},
			want: `measurement ,arch=x_,: params: "arch": "x\xff" is not UTF-8`,
		},
		{
			name: "link that is not UTF-8",
			rec:  format.Record{Params: ok, Links: params("\xff", "")},
			want: `measurement ,arch=x86,test=t,: links: "\xff": "" is not UTF-8`,
		},
		{
			name: "duplicate param",
			rec:  format.Record{Params: append(ok.Clone(), ok[1])},
			want: `measurement ,arch=x86,test=t,: params: duplicate key "test"`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := w.Write(&test.rec); err == nil || err.Error() != test.want {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
		})
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

// A record that is refused between two records of a group doesn't end the group, and doesn't become
// part of it.
func TestWriterRefusesInGroup(t *testing.T) {
	rec := func(pairs ...string) *format.Record {
		return &format.Record{Params: traceid.Merge(testHeader.Key, params(pairs...)), Value: 1}
	}
	changed := func(rec *format.Record, change func(*format.Record)) *format.Record {
		change(rec)
		return rec
	}
	first, second, last := rec("stat", "a", "test", "t"), rec("stat", "b", "test", "t"), rec("stat", "c", "test", "t")
	for _, test := range []struct {
		name    string
		refused *format.Record
	}{
		{"a trace again", first},
		{"another test's value is not UTF-8", rec("stat", "a", "test", "\xff")},
		{"the varying value is not UTF-8", rec("stat", "\xff", "test", "t")},
		{"another key is not UTF-8", rec("stat", "d", "\xff", "t")},
		{"NaN", changed(rec("stat", "d", "test", "t"), func(r *format.Record) { r.Value = math.NaN() })},
		{"no params", &format.Record{}},
		{"a missing key", &format.Record{Params: params("stat", "d", "test", "t")}},
		{"a link that is not UTF-8", changed(rec("stat", "d", "test", "t"), func(r *format.Record) {
			r.Links = params("\xff", "u")
		})},
		{"attrs", changed(rec("stat", "d", "test", "t"), func(r *format.Record) { r.Attrs = params("k", "v") })},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			w := NewWriter(&out, testHeader)
			for _, good := range []*format.Record{first, second, last} {
				if err := w.Write(good); err != nil {
					t.Fatal(err)
				}
				if err := w.Write(test.refused); err == nil {
					t.Fatal("the record is written")
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			want := headerText + "\n" + `{"key":{"test":"t"},"measurements":{"stat":[{"value":"a","measurement":1},` +
				`{"value":"b","measurement":1},{"value":"c","measurement":1}]}}` + "\n]}\n"
			if diff := cmp.Diff(want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWriterHeader(t *testing.T) {
	for _, test := range []struct {
		name   string
		header Header
		want   string
	}{
		{
			name: "missing git hash",
			want: "header: GitHash is empty, and the format requires git_hash",
		},
		{
			name:   "issue that is not UTF-8",
			header: Header{GitHash: "a", Issue: "\xff"},
			want:   `header: "\xff" is not UTF-8`,
		},
		{
			name:   "key that is not UTF-8",
			header: Header{GitHash: "a", Key: params("\xff", "")},
			want:   `header: Key: "\xff": "" is not UTF-8`,
		},
		{
			name:   "unsorted links",
			header: Header{GitHash: "a", Links: format.Links{{Key: "b"}, {Key: "a"}}},
			want:   `header: Links: key "a" comes after "b", out of order`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			w := NewWriter(&out, test.header)
			if err := write(w, params("k", "v"), 1); err == nil || err.Error() != test.want {
				t.Errorf("%+v: %v, want %s", test.header, err, test.want)
			}
			if err := w.Close(); err == nil || err.Error() != test.want {
				t.Errorf("%+v: Close: %v, want %s", test.header, err, test.want)
			}
			if out.Len() > 0 {
				t.Errorf("%+v: %s was written", test.header, &out)
			}
		})
	}
	full := Header{GitHash: "CP:1", Issue: "2", Patchset: "3", Key: params("a", "b"), Links: params("c", "d")}
	var out bytes.Buffer
	if err := NewWriter(&out, full).Close(); err != nil {
		t.Error(err)
	}
	checkReadBack(t, "full header", out.String(), full, nil)
}

// Without Flush, the Writer holds at most one buffer.
func TestWriterStreams(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, testHeader)
	for i := range 1000 {
		rec := format.Record{Params: params("arch", "x86", "test", fmt.Sprint(strings.Repeat("t", 1000), i))}
		if err := w.Write(&rec); err != nil {
			t.Fatal(err)
		}
		if held := i*1000 - out.Len(); held > 40_000 {
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

// The records of testdata's files are written and read back equal.
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
		in := io.MultiReader(strings.NewReader(`{"version":1,"results":[{"key":{"a":"b"},"measurement":1},`),
			iotest.ErrReader(broken))
		if err := formattest.LastError(open(in)); !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// wantErr returns the text of an error with the message, or of nil if the message is empty.
func wantErr(message string) string {
	if message == "" {
		return "<nil>"
	}
	return message
}

// write writes a measurement with the header's params and its own.
func write(w *Writer, own traceid.Params, value float64) error {
	return w.Write(&format.Record{Params: traceid.Merge(w.header.Key, own), Value: value})
}
