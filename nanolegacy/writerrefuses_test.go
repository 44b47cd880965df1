package nanolegacy

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/traceid"
)

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
		"its test and config were written already, before others: their records must be consecutive")
	write(rec(1, "U", "d", "ms"))
	check(t, rec(1, "T", "e", "ms"),
		"its test was written already, before others: the records of a test must be consecutive")

	w.OptionsAsParams = false
	for _, test := range []struct {
		name    string
		samples format.Samples
		want    string
	}{
		{
			name:    "long name of a result of its own",
			samples: format.Samples{Params: rec(0, "V", strings.Repeat("d", 1<<20-4), "ms").Params},
			want:    "its configuration is longer than 1048576 bytes (Limits.MaxStringBytes)",
		},
		{
			name:    "infinity",
			samples: format.Samples{Params: rec(0, "V", "d", "min_ms").Params, Values: []float64{1, math.Inf(1)}},
			want:    `samples ,arch=x86,config=d,sub_result=min_ms,test=V,: a sample is +Inf, which JSON can't hold`,
		},
		{
			name:    "not a number",
			samples: format.Samples{Params: rec(0, "V", "d", "min_ms").Params, Values: []float64{1, math.NaN()}},
			want:    `samples ,arch=x86,config=d,sub_result=min_ms,test=V,: a sample is NaN, which JSON can't hold`,
		},
		{
			name:    "missing config",
			samples: format.Samples{Params: params("test", "V")},
			want:    `samples ,arch=x86,test=V,: missing param "config", which the format needs`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := w.WriteSamples(&test.samples); err == nil || !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("got %.1000v\nwant %s", err, test.want)
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
				t.Errorf("got %.1000v\nwant %s", err, test.want)
			}
		})
	}
	accepted := withAttrs(paramsRec(1, "T", "c", "ms", "o", "p"), "GL_V", "1")
	if err := w.Write(&accepted); err != nil {
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
