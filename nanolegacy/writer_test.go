package nanolegacy

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
	"perfdata/internal/formattest"
	"perfdata/traceid"
)

var params = formattest.Params

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
			for _, gather := range []bool{false, true} {
				var out bytes.Buffer
				w := NewWriter(&out, testHeader)
				w.OptionsAsParams, w.Gather = test.optionsAsParams, gather
				formattest.WriteAll(t, w, test.recs)
				if diff := cmp.Diff(headerText+test.want+"\n}}\n", out.String()); diff != "" {
					t.Errorf("gather %v (-want +got):\n%s", gather, diff)
				}
				checkReadBack(t, test.name, out.String(), test.optionsAsParams, testHeader, test.recs)
				for e := range Validate(&out, test.name, format.Limits{}) {
					if !e.Warning {
						t.Errorf("what was written is invalid: %v", e)
					}
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

// Gather joins the records of each test and configuration.
func TestWriterGather(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, testHeader)
	w.Gather = true
	for _, r := range []format.Record{
		rec(1, "T", "c", "min", "o", "p"), rec(2, "U", "c", "min"), rec(3, "T", "d", "min"),
		rec(4, "T", "c", "max", "o", "p"), rec(5, "U", "d", "min"), rec(6, "T", "d", "max"),
	} {
		if err := w.Write(&r); err != nil {
			t.Error(err)
		}
	}
	values := []float64{1, 2}
	if err := w.WriteSamples(&Samples{Params: rec(0, "U", "c", "min_ms").Params, Values: values}); err != nil {
		t.Error(err)
	}
	values[0] = 9 // the Writer has its own
	for _, test := range []struct {
		name string
		rec  format.Record
		want string
	}{
		{
			name: "written already",
			rec:  rec(7, "T", "c", "min", "o", "p"),
			want: "measurement ,arch=x86,config=c,sub_result=min,test=T,: it was written already",
		},
		{
			name: "other options",
			rec:  rec(7, "T", "c", "avg"),
			want: "measurement ,arch=x86,config=c,sub_result=avg,test=T,: its options differ from those of " +
				"an earlier measurement with the same test and config",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := w.Write(&test.rec); err == nil || err.Error() != test.want {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
		})
	}
	if err := w.Flush(); err != nil || out.Len() > 0 {
		t.Errorf("Flush: %v, %s", err, &out)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	want := headerText + `
"T":{"c":{"options":{"o":"p"},"min":1,"max":4},"d":{"min":3,"max":6}},
"U":{"c":{"min":2,"samples":[1,2]},"d":{"min":5}}
}}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A Writer writes a trace once, even if names differ but are equal in the canonical trace ID.
func TestWriterRepeated(t *testing.T) {
	for _, gather := range []bool{false, true} {
		t.Run(fmt.Sprintf("gather %v", gather), func(t *testing.T) {
			var out bytes.Buffer
			w := NewWriter(&out, testHeader)
			w.Gather, w.Limits.MaxUniqueTraces = gather, 3
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
		})
	}
}

// A Writer refuses what exceeds the reader's limits.
func TestWriterLimits(t *testing.T) {
	limits := format.Limits{
		MaxParams:      6,
		MaxStringBytes: 14,
		MaxHeaderBytes: 600,
		MaxResultBytes: 1500,
		MaxMembers:     5,
	}
	for _, test := range []struct {
		name   string
		header Header
		write  func(w *Writer, i int) error
		want   string
	}{
		{
			name:   "header params",
			header: Header{Key: params("a", "", "b", "", "c", "", "d", "")},
			want: "header: measurements have more than 6 params, including test, config and sub_result " +
				"(Limits.MaxParams)",
		},
		{
			name:   "header string",
			header: Header{GitHash: "0123456789abcde"},
			want:   `header: "0123456789abcde" is longer than 14 bytes (Limits.MaxStringBytes)`,
		},
		{
			name: "header",
			header: Header{
				Key:     params("a", "", "b", "", "c", ""),
				Options: params("a", "", "b", "", "c", "", "d", "", "e", ""),
			},
			want: "header: too large: more than 600 bytes (Limits.MaxHeaderBytes)",
		},
		{
			name:  "string",
			write: func(w *Writer, i int) error { return measure(w, "\n\n\n\n\n\n\n\n", "c", "ms", 1, nil) },
			want: `measurement ,config=c,sub_result=ms,test=________,: params: "test": ` +
				`the key or value is longer than 14 bytes (Limits.MaxStringBytes)`,
		},
		{
			name:   "options",
			header: Header{Options: params("a", "")},
			write: func(w *Writer, i int) error {
				return measure(w, "T", "c", "ms", 1, params("b", "", "c", "", "d", "", "e", "", "f", "", "g", ""))
			},
			want: "measurement ,config=c,sub_result=ms,test=T,: more than 6 options, including the header's " +
				"(Limits.MaxParams)",
		},
		{
			name:  "tests",
			write: func(w *Writer, i int) error { return measure(w, fmt.Sprint("T", i), "c", "ms", 1, nil) },
			want: "measurement ,config=c,sub_result=ms,test=T5,: too many tests, " +
				"configurations of the test, or members of the configuration: more than 5 (Limits.MaxMembers)",
		},
		{
			name:  "configurations",
			write: func(w *Writer, i int) error { return measure(w, "T", fmt.Sprint("c", i), "ms", 1, nil) },
			want: "measurement ,config=c5,sub_result=ms,test=T,: too many tests, " +
				"configurations of the test, or members of the configuration: more than 5 (Limits.MaxMembers)",
		},
		{
			name:  "sub-results",
			write: func(w *Writer, i int) error { return measure(w, "T", "c", fmt.Sprint(i), 1, params("a", "")) },
			want: "measurement ,config=c,sub_result=4,test=T,: too many tests, " +
				"configurations of the test, or members of the configuration: more than 5 (Limits.MaxMembers)",
		},
		{
			name: "test",
			write: func(w *Writer, i int) error {
				return measure(w, "T", fmt.Sprint(i/4), fmt.Sprint(i), 1, params("a", ""))
			},
			want: "measurement ,config=2,sub_result=9,test=T,: its test is too large: " +
				"more than 1500 bytes (Limits.MaxResultBytes)",
		},
		{
			name: "samples",
			write: func(w *Writer, i int) error {
				return w.WriteSamples(&Samples{
					Params: params("test", "T", "config", "c", "sub_result", "min_ms"),
					Values: make([]float64, 100),
				})
			},
			want: "samples ,config=c,sub_result=min_ms,test=T,: its test is too large: " +
				"more than 1500 bytes (Limits.MaxResultBytes)",
		},
	} {
		for _, gather := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, gather %v", test.name, gather), func(t *testing.T) {
				var out bytes.Buffer
				w := NewWriter(&out, test.header)
				w.Limits, w.Gather = limits, gather
				var err error
				for i := 0; err == nil && i < 20; i++ {
					if test.write == nil {
						err = w.Close()
					} else {
						err = test.write(w, i)
					}
				}
				if err == nil || err.Error() != test.want {
					t.Errorf("got %v\nwant %s", err, test.want)
				}
				if w.Close() != nil {
					return
				}
				for e := range Validate(&out, "", limits) {
					if !e.Warning {
						t.Error(e)
					}
				}
			})
		}
	}
}

// A refused record leaves no trace in the file.
func TestWriterRefuses(t *testing.T) {
	good := rec(1, "T", "c", "ms")
	changed := func(change func(r *format.Record)) format.Record {
		r := *good.Clone()
		change(&r)
		return r
	}
	with := func(key, value string) format.Record {
		return changed(func(r *format.Record) { r.Params = traceid.Merge(r.Params, params(key, value)) })
	}
	without := func(key string) format.Record {
		return changed(func(r *format.Record) {
			i, _ := r.Params.Find(key)
			r.Params = append(r.Params[:i:i], r.Params[i+1:]...)
		})
	}
	var out bytes.Buffer
	w := NewWriter(&out, testHeader)
	write := func(r format.Record) {
		t.Helper()
		if err := w.Write(&r); err != nil {
			t.Error(err)
		}
	}
	check := func(t *testing.T, r format.Record, want string) {
		t.Helper()
		want = "measurement " + r.TraceID() + ": " + want
		if err := w.Write(&r); err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}

	for _, test := range []struct {
		name string
		rec  format.Record
		want string
	}{
		{
			name: "NaN",
			rec:  rec(math.NaN(), "T", "c", "ms"),
			want: "the value is NaN, which JSON can't hold",
		},
		{
			name: "out of float32's range",
			rec:  rec(3.41e38, "T", "c", "ms"),
			want: "the value is 3.41e+38, out of the range of float32, in which Skia Perf stores it",
		},
		{
			name: "infinity",
			rec:  rec(math.Inf(-1), "T", "c", "ms"),
			want: "the value is -Inf, which JSON can't hold",
		},
		{
			name: "links",
			rec:  changed(func(r *format.Record) { r.Links = params("log", "l") }),
			want: `the format can't hold links, such as "log"`,
		},
		{
			name: "no params",
			want: `missing param "test", which the format needs`,
		},
		{
			name: "missing config",
			rec:  without("config"),
			want: `missing param "config", which the format needs`,
		},
		{
			name: "missing sub_result",
			rec:  without("sub_result"),
			want: `missing param "sub_result", which the format needs`,
		},
		{
			name: "missing param of the header",
			rec:  without("arch"),
			want: `missing param "arch", which the header gives to every measurement`,
		},
		{
			name: "sub_result with the name of the options",
			rec:  rec(1, "T", "c", "options"),
			want: `sub_result is "options", which means something else in the format`,
		},
		{
			name: "sub_result with the name of the samples",
			rec:  rec(1, "T", "c", "samples"),
			want: `sub_result is "samples", which means something else in the format`,
		},
		{
			name: "param that differs from the header's",
			rec:  with("arch", "arm"),
			want: `param "arch" is "arm", but the header gives every measurement "x86"`,
		},
		{
			name: "param without a place",
			rec:  with("units", "ms"),
			want: `the format has no place for param "units"`,
		},
		{
			name: "param that is not UTF-8",
			rec:  rec(1, "T\xff", "c", "ms"),
			want: `params: "test": "T\xff" is not UTF-8`,
		},
		{
			name: "attr that is not UTF-8",
			rec:  rec(1, "T", "c", "ms", "\xff", ""),
			want: `attrs: "\xff": "" is not UTF-8`,
		},
		{
			name: "duplicate param",
			rec:  changed(func(r *format.Record) { r.Params = append(r.Params, r.Params[3]) }),
			want: `params: duplicate key "test"`,
		},
	} {
		t.Run(test.name, func(t *testing.T) { check(t, test.rec, test.want) })
	}

	write(good)
	check(t, good, "it was written already")
	check(t, rec(1, "T", "c", "s", "o", "p"),
		"its options differ from those of an earlier measurement with the same test and config")
	write(rec(1, "T", "d", "ms"))
	check(t, rec(1, "T", "c", "s"),
		"its test and config were written already, before others: use Gather for records in any order")
	write(rec(1, "U", "d", "ms"))
	check(t, rec(1, "T", "e", "ms"),
		"its test was written already, before others: use Gather for records in any order")

	w.OptionsAsParams = false
	for _, test := range []struct {
		name    string
		samples Samples
		want    string
	}{
		{
			name:    "other sub_result",
			samples: Samples{Params: rec(0, "V", "d", "ms").Params},
			want: `samples ,arch=x86,config=d,sub_result=ms,test=V,: sub_result is "ms", ` +
				`and the format has samples of min_ms only`,
		},
		{
			name:    "infinity",
			samples: Samples{Params: rec(0, "V", "d", "min_ms").Params, Values: []float64{1, math.Inf(1)}},
			want:    `samples ,arch=x86,config=d,sub_result=min_ms,test=V,: a sample is +Inf, which JSON can't hold`,
		},
		{
			name:    "missing config",
			samples: Samples{Params: params("test", "V")},
			want:    `samples ,arch=x86,test=V,: missing param "config", which the format needs`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := w.WriteSamples(&test.samples); err == nil || err.Error() != test.want {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
		})
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	want := headerText + `
"T":{"c":{"ms":1},"d":{"ms":1}},
"U":{"d":{"ms":1}}
}}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := w.Write(&good); err == nil || err.Error() != "the writer was closed" {
		t.Errorf("after Close: %v", err)
	}
}

// By the ingest rule, some params and attrs can't be options.
func TestWriterRefusesParams(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, testHeader)
	w.OptionsAsParams = true
	for _, test := range []struct {
		name string
		rec  format.Record
		want string
	}{
		{
			name: "param with the name of an attr",
			rec:  paramsRec(1, "T", "c", "ms", "GL_V", "1"),
			want: `the format has no place for param "GL_V"`,
		},
		{
			name: "attr with the name of a param",
			rec:  withAttrs(paramsRec(1, "T", "c", "ms"), "note", "1"),
			want: `attr "note" would be read back as a param: its name doesn't begin with GL_`,
		},
		{
			name: "missing option of the header",
			rec:  rec(1, "T", "c", "ms"),
			want: `missing param "system", which the header gives to every measurement`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := w.Write(&test.rec); err == nil || !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
		})
	}
	w.Drop.Attrs, w.Drop.Links = true, true
	dropping := withAttrs(paramsRec(1, "T", "c", "ms", "o", "p"), "note", "1", "GL_V", "1")
	dropping.Links = params("log", "l")
	if err := w.Write(&dropping); err != nil {
		t.Error(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	want := headerText + `
"T":{"c":{"options":{"GL_V":"1","o":"p"},"ms":1}}
}}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An option of the file can override test or config.
func TestWriterPlaceOverridden(t *testing.T) {
	header := Header{Options: params("test", "O", "config", "P")}
	recs := []format.Record{
		{Params: params("test", "O", "config", "P", "sub_result", "ms"), Value: 1},
		{Params: params("test", "T", "config", "P", "sub_result", "ms"), Value: 2},
		{Params: params("test", "T", "config", "c", "sub_result", "ms"), Value: 3},
	}
	var out bytes.Buffer
	w := NewWriter(&out, header)
	w.OptionsAsParams = true
	formattest.WriteAll(t, w, recs)
	checkReadBack(t, "overridden", out.String(), true, header, recs)
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
			if err := w.Flush(); err == nil || err.Error() != test.want {
				t.Errorf("%+v: Flush: %v, want %s", test.header, err, test.want)
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
		samples := Samples{Params: rec(0, "T", "c", "min_ms").Params, Values: []float64{1.5, 1}, Attrs: options}
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

// Flush writes everything that the Writer holds. More can be written after it.
func TestWriterFlush(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, testHeader)
	want := headerText + `
"T":{"c":{"ms":1`
	for _, step := range []struct{ test, config, more string }{
		{"T", "c", ""},
		{"T", "d", `},"d":{"ms":1`},
		{"U", "d", "}},\n\"U\":{\"d\":{\"ms\":1"},
	} {
		if err := measure(w, step.test, step.config, "ms", 1, nil); err != nil {
			t.Error(err)
		}
		if err := w.Flush(); err != nil {
			t.Error(err)
		}
		want += step.more
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
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
	for _, gather := range []bool{false, true} {
		w := NewWriter(formattest.FailingWriter(broken), testHeader)
		w.Gather = gather
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
	}
	w := NewWriter(formattest.FailingWriter(nil), testHeader)
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
			w.OptionsAsParams, w.Gather = optionsAsParams, true
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
			var samples []string
			for s, err := range newReader().Samples() {
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				samples = append(samples, showSamples(s))
				if err := w.WriteSamples(s); err != nil {
					t.Errorf("%s: %v", name, err)
				}
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
