package nanolegacy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/traceid"
)

var params = traceid.Of

var testHeader = Header{
	GitHash: "abc",
	Key:     params("arch", "x86", "test", "is overridden"),
	Options: params("system", "UNIX"),
}

const headerText = `{"gitHash":"abc","key":{"arch":"x86","test":"is overridden"},` +
	`"options":{"system":"UNIX"},"results":{`

// rec returns a record with the header's attrs and others.
func rec(value float64, test, config, subResult string, attrs ...string) format.Record {
	return format.Record{
		Params: params("arch", "x86", "test", test, "config", config, "sub_result", subResult),
		Value:  value,
		Attrs:  traceid.Merge(testHeader.Options, params(attrs...)),
	}
}

// paramsRec is rec with options as params.
func paramsRec(value float64, test, config, subResult string, options ...string) format.Record {
	r := rec(value, test, config, subResult)
	r.Params = traceid.Merge(traceid.Merge(r.Params, testHeader.Options), params(options...))
	r.Attrs = nil
	return r
}

func withAttrs(r format.Record, attrs ...string) format.Record {
	r.Attrs = params(attrs...)
	return r
}

func TestWriter(t *testing.T) {
	for _, test := range []struct {
		name            string
		optionsAsParams bool
		recs            []format.Record
		want            string // the results
	}{
		{
			name: "none",
		},
		{
			name: "one",
			recs: []format.Record{rec(1.5, "T", "c", "ms")},
			want: `
"T":{"c":{"ms":1.5}}`,
		},
		{
			name: "tests, configurations and sub-results",
			recs: []format.Record{
				rec(1, "T", "c", "min"), rec(2, "T", "c", "max"), rec(3, "T", "d", "min"),
				rec(4, "U", "d", "min"), rec(5, "U", "c", "min"),
			},
			want: `
"T":{"c":{"min":1,"max":2},"d":{"min":3}},
"U":{"d":{"min":4},"c":{"min":5}}`,
		},
		{
			name: "options",
			recs: []format.Record{
				rec(1, "T", "c", "min", "o", "p", "GL_V", "1"), rec(2, "T", "c", "max", "o", "p", "GL_V", "1"),
				rec(3, "T", "d", "min", "system", "own"), rec(4, "T", "e", "min"),
			},
			want: `
"T":{"c":{"options":{"GL_V":"1","o":"p"},"min":1,"max":2},"d":{"options":{"system":"own"},"min":3},"e":{"min":4}}`,
		},
		{
			name: "characters",
			recs: []format.Record{rec(1e-9, "\"\\\n\x01é<&>\u2028", "", "")},
			want: `
"\"\\\n\u0001é<&>` + "\u2028" + `":{"":{"":1e-09}}`,
		},
		{
			name: "numbers",
			recs: []format.Record{
				rec(math.Copysign(0, -1), "T", "c", "1"),
				rec(0x1.ffffffp127, "T", "c", "2"),
				rec(math.SmallestNonzeroFloat64, "T", "c", "3"),
				rec(123456789012, "T", "c", "4"), rec(0.1, "T", "c", "5"),
			},
			want: `
"T":{"c":{"1":-0,"2":3.4028235677973366e+38,"3":5e-324,"4":123456789012,"5":0.1}}`,
		},
		{
			name:            "options as params",
			optionsAsParams: true,
			recs: []format.Record{
				paramsRec(1, "T", "c", "min", "o", "p"), paramsRec(2, "T", "c", "max", "o", "p"),
				paramsRec(3, "T", "d", "min", "system", "own", "arch", "own"), paramsRec(4, "T", "e", "min"),
				withAttrs(paramsRec(5, "T", "f", "min"), "GL_V", "1"),
			},
			want: `
"T":{"c":{"options":{"o":"p"},"min":1,"max":2},"d":{"options":{"arch":"own","system":"own"},"min":3},` +
				`"e":{"min":4},"f":{"options":{"GL_V":"1"},"min":5}}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			w := NewWriter(&out, testHeader)
			w.OptionsAsParams = test.optionsAsParams
			formattest.WriteAll(t, w, test.recs)
			if diff := cmp.Diff(headerText+test.want+"\n}}\n", out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			checkReadBack(t, test.name, out.String(), test.optionsAsParams, testHeader, test.recs)
			for e := range Format().Validate(&out, format.Options{Name: test.name}) {
				if e.Severity != format.Warning {
					t.Errorf("what was written is invalid: %v", e)
				}
			}
		})
	}
}

// checkReadBack reads a written file and compares it with the records that were written.
func checkReadBack(t *testing.T, name, file string, optionsAsParams bool, header Header, recs []format.Record) {
	t.Helper()
	r := NewReader(strings.NewReader(file))
	r.InOrder = true // nothing comes late
	r.OptionsAsParams = optionsAsParams
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
		if !optionsAsParams {
			want.Attrs = traceid.Merge(header.Options, want.Attrs)
		}
		if !rec.Params.Equal(want.Params) || !rec.Attrs.Equal(want.Attrs) ||
			math.Float64bits(rec.Value) != math.Float64bits(want.Value) {
			t.Errorf("%s: record %d read back as %s, was %s", name, i, formattest.Show(rec), formattest.Show(&want))
		}
		i++
	}
	if i < len(recs) {
		t.Errorf("%s: read back %d records, want %d", name, i, len(recs))
	}
}

// A Writer writes a trace once, even if names differ but are equal in the canonical trace ID.
func TestWriterRepeated(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, testHeader)
	w.Limits.MaxUniqueTraces = 3
	for _, step := range []struct {
		test, config, subResult string
		again                   bool
	}{
		{"a b", "c", "ms", false},
		{"a_b", "c", "ms", true},
		{"a_b", "d", "m s", false},
		{"a_b", "d", "m/s", true},
		{"a/b", "d", "", false},
		{"e", "d", "ms", false}, // one too many to be remembered
		{"é", "c", "ms", false},
		{"ü", "c", "ms", false},
		{"ö", "d ", "_", false},
		{"_", "d", "_", false},
	} {
		want := ""
		if step.again {
			want = "its trace was written already"
		}
		err := measure(w, step.test, step.config, step.subResult, 1, nil)
		if !strings.HasSuffix(fmt.Sprint(err), want) || (err != nil) != step.again {
			t.Errorf("%+v: %v", step, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if n := len(readAll(&out)); n != 8 {
		t.Errorf("%d records", n)
	}
}

func TestWriterHeader(t *testing.T) {
	for _, test := range []struct {
		name   string
		header Header
		want   string
	}{
		{
			name:   "issue that is not UTF-8",
			header: Header{Issue: "\xff"},
			want:   `header: "\xff" is not UTF-8`,
		},
		{
			name:   "key that is not UTF-8",
			header: Header{Key: params("\xff", "")},
			want:   `header: Key: "\xff": "" is not UTF-8`,
		},
		{
			name:   "unsorted options",
			header: Header{Options: traceid.Params{{Key: "b"}, {Key: "a"}}},
			want:   `header: Options: key "a" comes after "b", out of order`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			w := NewWriter(&out, test.header)
			if err := measure(w, "T", "c", "ms", 1, nil); err == nil || err.Error() != test.want {
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
	full := Header{
		GitHash:      "h",
		Issue:        "2",
		Patchset:     "3",
		Source:       "s",
		PatchStorage: "p",
		Key:          params("a", "b"),
		Options:      params("c", "d"),
	}
	for _, header := range []Header{full, {}} {
		var out bytes.Buffer
		if err := NewWriter(&out, header).Close(); err != nil {
			t.Error(err)
		}
		checkReadBack(t, "header", out.String(), false, header, nil)
	}
}

func TestWriterHelpers(t *testing.T) {
	for _, optionsAsParams := range []bool{false, true} {
		var out bytes.Buffer
		w := NewWriter(&out, testHeader)
		w.OptionsAsParams = optionsAsParams
		options := params("o", "p")
		if err := measure(w, "T", "c", "min_ms", 1, options); err != nil {
			t.Error(err)
		}
		samples := format.Samples{Params: rec(0, "T", "c", "min_ms").Params, Values: []float64{1.5, 1}, Attrs: options}
		if optionsAsParams {
			samples.Params = paramsRec(0, "T", "c", "min_ms", "o", "p").Params
			samples.Attrs = nil
		}
		if err := w.WriteSamples(&samples); err != nil {
			t.Error(err)
		}
		if err := w.WriteSamples(&samples); err == nil {
			t.Error("samples were written twice")
		}
		if err := measure(w, "T", "d", "ms", 2, nil); err != nil {
			t.Error(err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		want := headerText + `
"T":{"c":{"options":{"o":"p"},"min_ms":1,"samples":[1.5,1]},"d":{"ms":2}}
}}
`
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		r := NewReader(&out)
		r.OptionsAsParams = optionsAsParams
		for s, err := range r.Samples() {
			if err != nil {
				t.Fatal(err)
			}
			if !optionsAsParams {
				samples.Attrs = traceid.Merge(testHeader.Options, options)
			}
			if got, want := showSamples(s), showSamples(&samples); got != want {
				t.Errorf("read back %s, was %s", got, want)
			}
		}
	}
}

// Without Flush, the Writer holds at most one buffer.
func TestWriterStreams(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, testHeader)
	for i := range 1000 {
		if err := measure(w, strings.Repeat("t", 1000)+fmt.Sprint(i), "c", "ms", 1, nil); err != nil {
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
	if err := measure(w, strings.Repeat("T", 100), "c", "ms", 1, nil); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := w.Close(); err != broken {
			t.Errorf("Close: %v", err)
		}
	}
	if err := measure(w, "U", "c", "ms", 1, nil); err != broken {
		t.Errorf("Write: %v", err)
	}
	w = NewWriter(formattest.FailingWriter(nil), testHeader)
	if err := w.Close(); err != io.ErrShortWrite {
		t.Errorf("Close: %v", err)
	}
}

// The records of testdata's files are written and read back equal.
func TestRoundTrip(t *testing.T) {
	for name, file := range testFiles(t) {
		for _, optionsAsParams := range []bool{false, true} {
			if name == "options.json" && optionsAsParams {
				continue // it has options that are neither params nor GL_
			}
			newReader := func() *Reader {
				r := NewReader(strings.NewReader(file))
				r.OptionsAsParams = optionsAsParams
				return r
			}
			r := newReader()
			h, err := r.Header()
			if err != nil {
				if name != "invalid.json" {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			var out bytes.Buffer
			w := NewWriter(&out, h)
			w.OptionsAsParams = optionsAsParams
			var writes grouped
			var recs []format.Record
			for rec, err := range r.Records() {
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				recs = append(recs, *rec.Clone())
				rec = &recs[len(recs)-1]
				writes.add(rec.Params, func() error { return w.Write(rec) })
			}
			var samples []string
			for s, err := range newReader().Samples() {
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				samples = append(samples, showSamples(s))
				kept := &format.Samples{Params: s.Params.Clone(), Attrs: s.Attrs.Clone(), Values: slices.Clone(s.Values)}
				writes.add(kept.Params, func() error { return w.WriteSamples(kept) })
			}
			for _, err := range writes.run() {
				t.Errorf("%s: %v", name, err)
			}
			if err := w.Close(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			checkReadBack(t, name, out.String(), optionsAsParams, h, recs)
			r = NewReader(&out)
			r.OptionsAsParams = optionsAsParams
			if diff := cmp.Diff(samples, readSamples(r)); diff != "" && len(samples) > 0 {
				t.Errorf("%s: samples (-want +got):\n%s", name, diff)
			}
		}
	}
}

// A grouped has the writes of a test and configuration together, in the order in which these came first.
type grouped []struct {
	test, config string
	write        func() error
}

func (g *grouped) add(p traceid.Params, write func() error) {
	test, _ := p.Get(testParam)
	config, _ := p.Get(configParam)
	at := len(*g)
	for _, same := range []func(i int) bool{
		func(i int) bool { return (*g)[i].test == test && (*g)[i].config == config },
		func(i int) bool { return (*g)[i].test == test },
	} {
		i := len(*g) - 1
		for i >= 0 && !same(i) {
			i--
		}
		if i >= 0 {
			at = i + 1
			break
		}
	}
	*g = slices.Insert(*g, at, struct {
		test, config string
		write        func() error
	}{test, config, write})
}

func (g *grouped) run() (errs []error) {
	for _, e := range *g {
		if err := e.write(); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

func TestReadFailure(t *testing.T) {
	broken := errors.New("connection reset")
	for name, open := range map[string]func(io.Reader) *Reader{"looking ahead": newReader, "in order": inOrder} {
		in := io.MultiReader(strings.NewReader(`{"results":{"T":{"c":{"ms":1}},`), iotest.ErrReader(broken))
		if err := formattest.LastError(open(in)); !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// measure writes a measurement with options.
func measure(w *Writer, test, config, subResult string, value float64, options traceid.Params) error {
	rec := format.Record{
		Params: traceid.Of("config", config, "sub_result", subResult, "test", test),
		Value:  value,
		Attrs:  options,
	}
	if w.OptionsAsParams {
		rec.Params, rec.Attrs = traceid.Merge(rec.Params, options), nil
	}
	params, err := w.overlay(rec.Params)
	if err != nil {
		return err
	}
	rec.Params = params
	return w.Write(&rec)
}

// Samples of any sub-result are read back, by both rules for options. Samples of other sub-results
// than min_ms have a result of their own.
func TestSamplesOfAnySubResult(t *testing.T) {
	for _, asParams := range []bool{false, true} {
		t.Run(fmt.Sprint("options as params ", asParams), func(t *testing.T) {
			var out bytes.Buffer
			w := NewWriter(&out, Header{GitHash: "abc", Key: params("arch", "x86")})
			w.OptionsAsParams = asParams
			base := params("arch", "x86", "config", "c", "test", "t")
			attrs := params("GL_A", "b")
			if asParams {
				base = traceid.Merge(base, params("o", "p"))
			}
			var want []*format.Samples
			for _, sub := range []string{"min_ms", "ns/op", "B/op"} {
				p := traceid.Merge(base, params("sub_result", sub))
				samples := &format.Samples{Params: p, Attrs: attrs, Values: []float64{1, 2}}
				want = append(want, samples)
				if sub == "min_ms" {
					for _, sub := range []string{"min_ms", "ns/op", "B/op"} {
						p := traceid.Merge(base, params("sub_result", sub))
						if err := w.Write(&format.Record{Params: p, Attrs: attrs, Value: 1}); err != nil {
							t.Fatal(err)
						}
					}
				}
				if err := w.WriteSamples(samples); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}

			var got []*format.Samples
			r := NewReader(bytes.NewReader(out.Bytes()))
			r.OptionsAsParams = asParams
			for samples, err := range r.Samples() {
				if err != nil {
					t.Fatal(err)
				}
				c := samples.Clone()
				c.Offset = 0
				got = append(got, c)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, out.String())
			}
			for e := range Format().Validate(&out, format.Options{}) {
				if e.Severity != format.Warning {
					t.Error(e)
				}
			}
		})
	}
}
