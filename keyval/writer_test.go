package keyval

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/traceid"
)

var _ format.Writer = (*Writer)(nil)

var params = traceid.Of

var testHeader = Header{Params: params("test", "t")}

// rec makes a record with the test header's params.
func rec(key, iteration string, value float64, attrs ...string) format.Record {
	p := params("key", key)
	if iteration != "" {
		p = params("key", key, "iteration", iteration)
	}
	return format.Record{Params: traceid.Merge(testHeader.Params, p), Value: value, Attrs: params(attrs...)}
}

func TestWriter(t *testing.T) {
	for _, test := range []struct {
		name string
		recs []format.Record
		want string
	}{
		{
			name: "none",
		},
		{
			name: "one",
			recs: []format.Record{rec("a", "1", 1.5)},
			want: "a{perf}=1.5\n\n",
		},
		{
			name: "iterations, with attributes and without",
			recs: []format.Record{
				rec("b", "1", 1, "y", "2", "x", "1 =\t2"),
				rec("a", "1", 2, "y", "2", "x", "1 =\t2"),
				rec("b", "2", 3),
				rec("b", "3", 3, "x", ""),
			},
			want: "x{attr}=1 =\t2\ny{attr}=2\nb{perf}=1\na{perf}=2\n\nb{perf}=3\n\nx{attr}=\nb{perf}=3\n\n",
		},
		{
			name: "a gap",
			recs: []format.Record{rec("a", "3", 1), rec("a", "6", 2)},
			want: "\n\na{perf}=1\n\n\n\na{perf}=2\n\n",
		},
		{
			name: "without iteration: the same one while the key is new and the attributes are the same",
			recs: []format.Record{
				rec("a", "", 1),
				rec("b", "", 2),
				rec("a", "", 3),
				rec("b", "", 4, "x", "y"),
				rec("c", "", 6, "x", "y"),
				rec("a", "4", 7),
			},
			want: "a{perf}=1\nb{perf}=2\n\na{perf}=3\n\nx{attr}=y\nb{perf}=4\nc{perf}=6\n\na{perf}=7\n\n",
		},
		{
			name: "numbers",
			recs: []format.Record{
				rec("a", "1", math.Copysign(0, -1)),
				rec("b", "1", math.Inf(1)),
				rec("c", "1", math.Inf(-1)),
				rec("d", "1", math.NaN()),
				rec("e", "1", 1e21),
				rec("f", "1", 5e-324),
				rec("g", "1", math.MaxFloat64),
			},
			want: "a{perf}=-0\nb{perf}=inf\nc{perf}=-inf\nd{perf}=nan\ne{perf}=1e+21\nf{perf}=5e-324\n" +
				"g{perf}=1.7976931348623157e+308\n\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			formattest.WriteAll(t, NewWriter(&out, testHeader), test.recs)
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for e := range Format().Validate(strings.NewReader(out.String()), format.Options{Name: "out"}) {
				t.Errorf("the written file has a fault: %v", e)
			}
		})
	}
}

// A refused record leaves the Writer as it was.
func TestWriterRefuses(t *testing.T) {
	with := func(rec format.Record, change func(*format.Record)) format.Record {
		change(&rec)
		return rec
	}
	for _, test := range []struct {
		name string
		rec  format.Record
		want string
	}{
		{
			name: "unknown param",
			rec: with(rec("a", "3", 1),
				func(r *format.Record) { r.Params = params("key", "a", "test", "t", "unit", "ms") }),
			want: `the format can't hold param "unit": it has key and iteration only`,
		},
		{
			name: "the header's param differs",
			rec:  with(rec("a", "3", 1), func(r *format.Record) { r.Params = params("key", "a", "test", "u") }),
			want: `param "test" is "u", but the header's is "t"`,
		},
		{
			name: "the header's param is missing",
			rec:  with(rec("a", "3", 1), func(r *format.Record) { r.Params = params("key", "a") }),
			want: `missing param "test", which the header's Params give to every measurement`,
		},
		{
			name: "no key",
			rec:  with(rec("a", "3", 1), func(r *format.Record) { r.Params = params("test", "t") }),
			want: `missing param "key"`,
		},
		{
			name: "unsorted params",
			rec: with(rec("a", "3", 1), func(r *format.Record) {
				r.Params = traceid.Params{{Key: "test"}, {Key: "key"}}
			}),
			want: "params: key \"key\" comes after \"test\", out of order",
		},
		{
			name: "unsorted attrs",
			rec:  with(rec("a", "3", 1), func(r *format.Record) { r.Attrs = traceid.Params{{Key: "b"}, {Key: "a"}} }),
			want: "attrs: key \"a\" comes after \"b\", out of order",
		},
		{
			name: "links",
			rec:  with(rec("a", "3", 1), func(r *format.Record) { r.Links = params("log", "https://example.com") }),
			want: `the format can't hold links, such as "log"`,
		},
		{
			name: "empty key",
			rec:  rec("", "3", 1),
			want: "a key is empty",
		},
		{
			name: "invalid key",
			rec:  rec("a b", "3", 1),
			want: `key "a b": only letters, digits and . - _ are allowed`,
		},
		{
			name: "iteration zero",
			rec:  rec("a", "0", 1),
			want: `param "iteration" is "0", expected a number from 1 on`,
		},
		{
			name: "iteration with leading zero",
			rec:  rec("a", "02", 1),
			want: `param "iteration" is "02", expected a number from 1 on`,
		},
		{
			name: "iteration that is not a number",
			rec:  rec("a", "x", 1),
			want: `param "iteration" is "x", expected a number from 1 on`,
		},
		{
			name: "an earlier iteration",
			rec:  rec("a", "1", 1),
			want: "iteration 1 comes after iteration 2",
		},
		{
			name: "duplicate key",
			rec:  rec("first", "2", 1, "x", "y"),
			want: `iteration 2 has key "first" already`,
		},
		{
			name: "other attrs in the same iteration",
			rec:  rec("a", "2", 1),
			want: "the attrs differ from the previous record's, which is also in iteration 2",
		},
		{
			name: "a large gap",
			rec:  rec("a", "2000000", 1),
			want: "iteration 2000000 comes after iteration 2: more than 1048576 are left out",
		},
		{
			name: "invalid key of an attr",
			rec:  rec("a", "3", 1, "b c", "x"),
			want: `key "b c": only letters, digits and . - _ are allowed`,
		},
		{
			name: "line end in an attr",
			rec:  rec("a", "3", 1, "b", "x\ny"),
			want: `attribute "b": "x\ny" has a line end`,
		},
		{
			name: "space at the end of an attr",
			rec:  rec("a", "3", 1, "b", "x "),
			want: `attribute "b": "x " ends in white space, which readers drop`,
		},
		{
			name: "carriage return at the end of an attr",
			rec:  rec("a", "3", 1, "b", "x\r"),
			want: `attribute "b": "x\r" ends in white space, which readers drop`,
		},
		{
			name: "invalid UTF-8",
			rec:  rec("a", "3", 1, "b", "\xff"),
			want: `attribute "b": "\xff" is not UTF-8`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			w := NewWriter(&out, testHeader)
			first, last := rec("first", "2", 1, "x", "y"), rec("last", "", 2, "x", "y")
			if err := w.Write(&first); err != nil {
				t.Fatal(err)
			}
			want := "measurement " + test.rec.TraceID() + ": " + test.want
			if err := w.Write(&test.rec); err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
			if err := errors.Join(w.Write(&last), w.Close()); err != nil {
				t.Error(err)
			}
			if got, want := out.String(), "\nx{attr}=y\nfirst{perf}=1\nlast{perf}=2\n\n"; got != want {
				t.Errorf("after %s: wrote %q, want %q", test.want, got, want)
			}
		})
	}
	for _, p := range []traceid.Params{params("key", "x"), params("iteration", "1"), {{Key: "b"}, {Key: "a"}}} {
		var out bytes.Buffer
		w := NewWriter(&out, Header{Params: p})
		if err := w.WriteIteration(new(Iteration)); err == nil || w.Close() == nil || w.Flush() == nil ||
			out.Len() > 0 {
			t.Errorf("header with %v: %v", p, err)
		}
	}
}

// iteration returns an iteration with sorted keys.
func iteration(attr map[string]string, perf map[string]float64) *Iteration {
	it := &Iteration{Attr: traceid.FromMap(attr)}
	for _, key := range slices.Sorted(maps.Keys(perf)) {
		it.Perf = append(it.Perf, Keyval{Key: key, Value: perf[key]})
	}
	return it
}

func TestWriteIteration(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, Header{})
	first := format.Record{Params: params("key", "r"), Value: 1}
	second := format.Record{Params: params("iteration", "5", "key", "r"), Value: 2}
	err := errors.Join(
		w.Write(&first),
		w.WriteIteration(iteration(map[string]string{"b": "2", "a": "1"}, map[string]float64{"d": 4, "c": 3})),
		w.WriteIteration(iteration(nil, nil)),
		w.Write(&second),
	)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil || !strings.HasSuffix(out.String(), "r{perf}=2\n") {
		t.Errorf("flushed: %v, %q", err, out.String())
	}
	if err := w.WriteIteration(iteration(map[string]string{"a": "1"}, map[string]float64{
		"good":     1,
		"not good": 2,
	})); err == nil {
		t.Error("a bad key was written")
	}
	if err := w.WriteIteration(iteration(map[string]string{"a": "1\n"}, nil)); err == nil {
		t.Error("a line end was written")
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	want := "r{perf}=1\n\na{attr}=1\nb{attr}=2\nc{perf}=3\nd{perf}=4\n\n\n\nr{perf}=2\n\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := w.Write(&first); err == nil {
		t.Error("written after Close")
	}
}

// An error of the underlying writer stays.
func TestWriterFails(t *testing.T) {
	pr, pw := io.Pipe()
	pr.Close()
	w := NewWriter(pw, Header{})
	if err := w.WriteIteration(iteration(nil, map[string]float64{"a": 1})); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := w.Close(); err != io.ErrClosedPipe {
			t.Errorf("Close: %v", err)
		}
	}
	if err := w.WriteIteration(iteration(nil, nil)); err != io.ErrClosedPipe {
		t.Errorf("WriteIteration: %v", err)
	}
}

func TestAppendIteration(t *testing.T) {
	const own = "x{attr}=y\na{perf}=1\n\n"
	for _, test := range []struct{ name, before, want string }{
		{"no file", "", own},
		{"complete", "a{perf}=0\n\n", "a{perf}=0\n\n" + own},
		{"a blank line with a space", "a{perf}=0\n \r\n", "a{perf}=0\n \r\n" + own},
		{"only a blank line", "\n", "\n" + own},
		{"no blank line", "a{perf}=0\n", "a{perf}=0\n\n" + own},
		{"carriage return", "a{perf}=0\r\n", "a{perf}=0\r\n\n" + own},
		{"no line end", "a{perf}=0", "a{perf}=0\n\n" + own},
		{"space and no line end", "a{perf}=0 ", "a{perf}=0 \n\n" + own},
		{"an unfinished blank line", "a{perf}=0\n  ", "a{perf}=0\n  \n" + own},
		{"long and complete", strings.Repeat("a{perf}=0\n", 1000) + "\n", strings.Repeat("a{perf}=0\n",
			1000) + "\n" + own},
		{"long and incomplete", strings.Repeat("a{perf}=0\n", 1000), strings.Repeat("a{perf}=0\n", 1000) + "\n" + own},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "keyval")
			if test.before != "" {
				if err := os.WriteFile(name, []byte(test.before), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if err := AppendIteration(name,
				iteration(map[string]string{"x": "y"}, map[string]float64{"a": 1})); err != nil {
				t.Error(err)
			}
			if err := AppendIteration(name, iteration(nil, map[string]float64{"a": 1, "": 2})); err == nil {
				t.Error("a bad key was appended")
			}
			got, err := os.ReadFile(name)
			if err != nil || string(got) != test.want {
				t.Errorf("%q: %v, got %q, want %q", test.before, err, got, test.want)
			}
		})
	}
	if err := AppendIteration(t.TempDir(), iteration(nil, nil)); err == nil {
		t.Error("appended to a folder")
	}
}

// The specification writes performance values sorted by key.
func TestSortedPerf(t *testing.T) {
	it := &Iteration{
		Attr: traceid.Of("host", "lumpy"),
		Perf: []Keyval{{"ms", 2, 0}, {"fps", 1, 0}, {"fps_dev", math.NaN(), 0}, {"Z", math.Inf(-1), 0}},
	}
	before := slices.Clone(it.Perf)
	const want = "host{attr}=lumpy\nZ{perf}=-inf\nfps{perf}=1\nfps_dev{perf}=nan\nms{perf}=2\n\n"

	var out strings.Builder
	w := NewWriter(&out, Header{})
	if err := errors.Join(w.WriteIteration(it), w.Close()); err != nil || out.String() != want {
		t.Errorf("WriteIteration: %v, wrote %s", err, out.String())
	}

	name := filepath.Join(t.TempDir(), "keyval")
	if err := AppendIteration(name, it); err != nil {
		t.Error(err)
	}
	if text := formattest.ReadFile(t, name); text != want {
		t.Errorf("AppendIteration: %s", text)
	}

	out.Reset()
	report := newTAPWriter(&out)
	if err := errors.Join(report.WriteIteration(it), report.Close()); err != nil {
		t.Error(err)
	}
	const tap = "ok 2 - results\n  ---\n  Z_perf: -inf\n  fps_perf: 1\n  fps_dev_perf: nan\n  ms_perf: 2\n  ...\n"
	if !strings.HasSuffix(out.String(), tap) {
		t.Errorf("TAP: %s", out.String())
	}

	if diff := cmp.Diff(before, it.Perf, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("the iteration was changed (-before +after):\n%s", diff)
	}
}

// The reference's answer to the same calls.
func TestTAPWriter(t *testing.T) {
	var out strings.Builder
	report := newTAPWriter(&out)
	err := errors.Join(
		report.WriteIteration(iteration(map[string]string{"host": "lumpy", "build": "R99"}, map[string]float64{
			"fps":   59.8,
			"b-a.c": math.Inf(1),
		})),
		report.WriteIteration(iteration(nil, nil)),
		report.WriteIteration(iteration(nil, map[string]float64{"fps": 60})),
	)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.WriteIteration(iteration(nil, map[string]float64{"fps": 61, "f p s": 1})); err == nil {
		t.Error("a bad key was added")
	}
	want := `1..3
ok 1 - results
  ---
  build_attr: R99
  host_attr: lumpy
  ...
ok 2 - results
  ---
  b-a.c_perf: inf
  fps_perf: 59.8
  ...
ok 3 - results
  ---
  fps_perf: 60
  ...
`
	if err := errors.Join(report.Close(), report.Close()); err != nil {
		t.Error(err)
	}
	rec := rec("a", "", 1)
	for _, err := range []error{report.Write(&rec), report.WriteIteration(iteration(nil, nil))} {
		if err == nil || err.Error() != "the writer was closed" {
			t.Errorf("after Close: %v", err)
		}
	}
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
