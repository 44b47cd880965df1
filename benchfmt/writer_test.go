package benchfmt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	perf "golang.org/x/perf/benchfmt"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/traceid"
)

// params makes params of "k=v k=v", with a space for each +.
func params(pairs string) traceid.Params {
	m := map[string]string{}
	for _, pair := range strings.Fields(pairs) {
		k, v, _ := strings.Cut(pair, "=")
		m[strings.ReplaceAll(k, "+", " ")] = strings.ReplaceAll(v, "+", " ")
	}
	return traceid.FromMap(m)
}

func TestWriter(t *testing.T) {
	type rec struct {
		params string
		value  float64
		attrs  string
	}
	for _, test := range []struct {
		name   string
		header Header
		recs   []rec
		want   string
	}{
		{
			name: "nothing",
		},
		{
			name: "a header only",
			header: Header{
				Config: params("goos=linux pkg=p z=1"),
				Units:  []UnitMetadata{{Unit: "s", Key: "better", Value: "lower"}},
			},
			want: "goos: linux\npkg: p\nz: 1\n\nUnit s better=lower\n",
		},
		{
			name:   "values of one benchmark on one line",
			header: Header{Config: params("goos=linux cpu=A+B branch=main")},
			recs: []rec{
				{"goos=linux cpu=A+B branch=main name=X size=1e4 gomaxprocs=8 unit=ns/op", 154125, "iterations=100"},
				{"goos=linux cpu=A+B branch=main name=X size=1e4 gomaxprocs=8 unit=MB/s", 64.88, "iterations=100"},
				{"goos=linux cpu=A+B branch=main name=X size=1e4 gomaxprocs=8 unit=ns/op", 154126, "iterations=100"},
				{"goos=linux cpu=A+B branch=main name=X size=1e4 gomaxprocs=8 unit=MB/s", 64.88, "iterations=101"},
				{"goos=linux cpu=A+B branch=main name=X size=1e5 gomaxprocs=8 unit=MB/s", 1e21, "iterations=101"},
				{"goos=linux cpu=A+B branch=dev name=X size=1e5 gomaxprocs=8 unit=MB/s", -0.000001, ""},
				{"goos=linux cpu=A+B name=X size=1e5 gomaxprocs=8 unit=MB/s", 5e-7, ""},
			},
			want: "goos: linux\ncpu: A B\nbranch: main\n\n" +
				"BenchmarkX/size=1e4-8 100 154125 ns/op 64.88 MB/s\nBenchmarkX/size=1e4-8 100 154126 ns/op\n" +
				"BenchmarkX/size=1e4-8 101 64.88 MB/s\n" +
				"BenchmarkX/size=1e5-8 101 1e+21 MB/s\n\nbranch: dev\n\nBenchmarkX/size=1e5-8 1 -0.000001 MB/s\n" +
				"\nbranch:\n\nBenchmarkX/size=1e5-8 1 5e-07 MB/s\n",
		},
		{
			name: "positional parts, and where they would be taken for others",
			recs: []rec{
				{"name=X sub1=a sub2=b sub10=c unit=s", 1, ""},
				{"name=X sub1=a sub2=b k=v unit=s", 2, ""},
				{"name=X sub1=k=w k=v unit=s", 3, ""},
				{"name=X sub1=name=w k=v unit=s", 4, ""},
				{"name=X sub1=l=w k=v unit=s", 5, ""},
				{"name=X sub2=b unit=s", 6, ""},
			},
			want: "sub10: c\n\nBenchmarkX/a/b 1 1 s\n\nsub10:\n\nBenchmarkX/a/b/k=v 1 2 s\n" +
				"BenchmarkX/k=v/k=w 1 3 s\nBenchmarkX/k=v/name=w 1 4 s\n\n" +
				"sub1: l=w\n\nBenchmarkX/k=v 1 5 s\n\nsub1:\nsub2: b\n\nBenchmarkX 1 6 s\n",
		},
		{
			name: "what can't stand in a name, or where it would be taken for something else",
			recs: []rec{
				{"name=X-8 unit=s", 1, ""},
				{"name=X-8 gomaxprocs=4 unit=s", 2, ""},
				{"name=X-8 k=v unit=s", 3, ""},
				{"name=X k=v-8 unit=s", 4, ""},
				{"name=X k=v-8 l=w unit=s", 5, ""},
				{"name=a+b k=v/w unit=s", 6, ""},
				{"gomaxprocs=many K=v unit=s", 7, ""},
				{"k= unit=s", 8, ""},
				{"name=X sub1=a-8 unit=s", 9, ""},
				{"unit=s", 10, ""},
			},
			want: "name: X-8\n\nBenchmark 1 1 s\n\nname:\n\nBenchmarkX-8-4 1 2 s\nBenchmarkX-8/k=v 1 3 s\n\n" +
				"k: v-8\n\nBenchmarkX 1 4 s\n\nk:\n\nBenchmarkX/k=v-8/l=w 1 5 s\n\n" +
				"k: v/w\nname: a b\n\nBenchmark 1 6 s\n\nk:\nname:\ngomaxprocs: many\n\nBenchmark/K=v 1 7 s\n\n" +
				"gomaxprocs:\n\nBenchmark/k= 1 8 s\n\n" +
				"sub1: a-8\n\nBenchmarkX 1 9 s\n\nsub1:\n\nBenchmark 1 10 s\n",
		},
		{
			name: "units",
			recs: []rec{
				{"name=X units=ms", 1, ""},
				{"name=X units=ms", 2, ""},
				{"name=X unit=s units=y", 3, ""},
				{"name=X", 4, ""},
				{"name=X", math.NaN(), ""},
				{"name=X", math.Inf(-1), ""},
			},
			want: "Unit ms param=units\nBenchmarkX 1 1 ms\nBenchmarkX 1 2 ms\nBenchmarkX/units=y 1 3 s\n" +
				"Unit value param=\nBenchmarkX 1 4 value\nBenchmarkX 1 NaN value\nBenchmarkX 1 -Inf value\n",
		},
		{
			name:   "unit metadata",
			header: Header{Units: []UnitMetadata{{Unit: "B", Key: "color", Value: "red"}}},
			recs: []rec{
				{"name=X unit=ns/op", 1, "better=lower"},
				{"name=X unit=sec/op", 1, "better=lower color=blue"},
				{"name=X unit=B", 1, "color=red iterations=7"},
			},
			want: "Unit B color=red\nUnit ns/op better=lower\nBenchmarkX 1 1 ns/op\n" +
				"Unit sec/op color=blue\nBenchmarkX 1 1 sec/op\nBenchmarkX 7 1 B\n",
		},
		{
			name: "unit metadata of later records",
			recs: []rec{
				{"name=X unit=ns", 1, ""},
				{"name=X unit=s", 2, "better=higher"},
				{"name=X unit=ns", 3, "better=lower"},
				{"name=X unit=sec", 4, "better=lower"},
				{"name=X unit=s", 5, "better=higher"},
			},
			want: "Unit s better=higher\nBenchmarkX 1 1 ns 2 s\n" +
				"Unit ns better=lower\nBenchmarkX 1 3 ns 4 sec 5 s\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			want := []string{}
			w := NewWriter(&out, test.header)
			for _, rec := range test.recs {
				r := &format.Record{Params: params(rec.params), Value: rec.value, Attrs: params(rec.attrs)}
				if err := w.Write(r); err != nil {
					t.Fatalf("%s: %v", rec.params, err)
				}
				if _, ok := r.Attrs.Get("iterations"); !ok {
					r.Attrs = traceid.Merge(r.Attrs, params("iterations=1"))
				}
				want = append(want, formattest.Show(r))
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want, readAll(&out)); diff != "" {
				t.Errorf("read back (-want +got):\n%s", diff)
			}
		})
	}
}

// A refused record leaves the Writer as it was.
func TestWriterRefuses(t *testing.T) {
	link := traceid.Params{{Key: "l", Value: "u"}}
	for _, test := range []struct {
		name string
		rec  format.Record
		want string
	}{
		{
			name: "links",
			rec:  format.Record{Params: params("name=X unit=s"), Links: link},
			want: `measurement ,name=X,unit=s,: the format can't hold links, such as "l"`,
		},
		{
			name: "unknown attr",
			rec:  format.Record{Params: params("name=X unit=s"), Attrs: params("build=1")},
			want: `measurement ,name=X,unit=s,: the format can't hold attrs, such as "build"`,
		},
		{
			name: "iterations that are not a number",
			rec:  format.Record{Params: params("name=X unit=s"), Attrs: params("iterations=many")},
			want: `measurement ,name=X,unit=s,: attr iterations is "many", want a whole number`,
		},
		{
			name: "metadata with a space",
			rec:  format.Record{Params: params("name=X unit=s"), Attrs: params("better=much+lower")},
			want: `measurement ,name=X,unit=s,: metadata better=much lower of unit s: it has a space`,
		},
		{
			name: "metadata that differs",
			rec:  format.Record{Params: params("name=X unit=ns"), Attrs: params("better=higher")},
			want: `measurement ,name=X,unit=ns,: attr "better" is "higher",` +
				` but as metadata of unit ns it is "lower" already`,
		},
		{
			name: "metadata that is missing",
			rec:  format.Record{Params: params("name=X unit=ns"), Attrs: params("iterations=1")},
			want: `measurement ,name=X,unit=ns,: missing attr "better", which is "lower" as metadata of unit ns already`,
		},
		{
			name: "metadata that is missing for another spelling of the unit",
			rec:  format.Record{Params: params("name=G unit=sec")},
			want: `measurement ,name=G,unit=sec,: missing attr "better", which is "lower" as metadata of unit sec already`,
		},
		{
			name: "empty iterations",
			rec:  format.Record{Params: params("name=G unit=s"), Attrs: params("iterations=")},
			want: `measurement ,name=G,unit=s,: attr iterations is "", want a whole number`,
		},
		{
			name: "unit with a space",
			rec:  format.Record{Params: params("name=X unit=a+b")},
			want: `measurement ,name=X,unit=a_b,: unit "a b" has a space`,
		},
		{
			name: "empty unit",
			rec:  format.Record{Params: params("name=X unit=")},
			want: `measurement ,name=X,unit=_,: the unit is empty`,
		},
		{
			name: "unit that is not UTF-8",
			rec:  format.Record{Params: params("name=X unit=\xff")},
			want: `measurement ,name=X,unit=_,: unit "\xff" is not UTF-8`,
		},
		{
			name: "value with a space and an upper case key",
			rec:  format.Record{Params: params("name=X A=v+w unit=s")},
			want: `measurement ,A=v_w,name=X,unit=s,: param "A", which is "v w",` +
				` fits neither in the name of a benchmark nor in a configuration line`,
		},
		{
			name: "empty name",
			rec:  format.Record{Params: params("name= unit=s")},
			want: `measurement ,name=_,unit=s,: param "name", which is "",` +
				` fits neither in the name of a benchmark nor in a configuration line`,
		},
		{
			name: "value with a line end",
			rec:  format.Record{Params: traceid.Params{{Key: "k", Value: "a\n/"}, {Key: "unit", Value: "s"}}},
			want: `measurement ,k=a__,unit=s,: param "k", which is "a\n/",` +
				` fits neither in the name of a benchmark nor in a configuration line`,
		},
		{
			name: "value with a tab",
			rec:  format.Record{Params: traceid.Params{{Key: "k", Value: "\t/"}, {Key: "unit", Value: "s"}}},
			want: `measurement ,k=__,unit=s,: param "k", which is "\t/",` +
				` fits neither in the name of a benchmark nor in a configuration line`,
		},
		{
			name: "value that is not UTF-8",
			rec:  format.Record{Params: params("k=\xff unit=s")},
			want: `measurement ,k=_,unit=s,: param "k", which is "\xff",` +
				` fits neither in the name of a benchmark nor in a configuration line`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			w := NewWriter(&out, Header{})
			good := &format.Record{Params: params("name=G unit=ns"), Attrs: params("better=lower")}
			if err := w.Write(good); err != nil {
				t.Fatal(err)
			}
			err := w.Write(&test.rec)
			if err == nil || err.Error() != test.want {
				t.Errorf("%v\nwant %s", err, test.want)
			}
			if err := errors.Join(w.Write(good), w.Close()); err != nil {
				t.Error(err)
			}
			if want := "Unit ns better=lower\nBenchmarkG 1 0 ns\nBenchmarkG 1 0 ns\n"; out.String() != want {
				t.Errorf("%s: wrote %q", test.want, out.String())
			}
		})
	}

	var out bytes.Buffer
	w := NewWriter(&out, Header{})
	w.DropAttrs = true
	rec := &format.Record{
		Params: params("name=X unit=s"),
		Attrs:  params("build=1 better=much+lower assume=exact"),
	}
	other := &format.Record{Params: params("name=X unit=s"), Attrs: params("assume=nothing")}
	without := &format.Record{Params: params("name=Y unit=s")}
	if err := errors.Join(w.Write(rec), w.Write(other), w.Write(without), w.Close()); err != nil ||
		out.String() != "Unit s assume=exact\nBenchmarkX 1 0 s\nBenchmarkX 1 0 s\nBenchmarkY 1 0 s\n" {
		t.Errorf("%v: %s", err, out.String())
	}
	if err := w.Write(rec); err == nil || !strings.Contains(err.Error(), "the writer was closed") {
		t.Error(err)
	}

	for want, h := range map[string]Header{
		`header: configuration "A": "v": a key must begin with a lower case letter`: {Config: params("A=v")},
		`header: configuration "k": "": an empty value deletes its key`:             {Config: params("k=")},
		`header: metadata =v of unit s: the key is empty`: {Units: []UnitMetadata{{
			Unit:  "s",
			Value: "v",
		}}},
		`header: metadata a=b of unit ns: it was written as "c"`: {Units: []UnitMetadata{
			{Unit: "sec", Key: "a", Value: "c"},
			{Unit: "ns", Key: "a", Value: "b"},
		}},
	} {
		out.Reset()
		w := NewWriter(&out, h)
		if err := w.Write(rec); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if err := w.Close(); err == nil || out.Len() > 0 {
			t.Errorf("%v, %q was written", err, out.String())
		}
	}
}

// Metadata that the caller writes, not a record, applies to records that do not have it.
func TestCallersMetadata(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, Header{Units: []UnitMetadata{{Unit: "s", Key: "better", Value: "lower"}}})
	err := errors.Join(
		w.Write(&format.Record{Params: params("name=X unit=s")}),
		w.WriteUnit(UnitMetadata{Unit: "B", Key: "better", Value: "higher"}),
		w.Write(&format.Record{Params: params("name=X unit=B")}),
		w.Write(&format.Record{Params: params("name=X unit=s"), Attrs: params("better=lower")}),
		w.Close(),
	)
	const want = "Unit s better=lower\nBenchmarkX 1 0 s\nUnit B better=higher\nBenchmarkX 1 0 B 0 s\n"
	if diff := cmp.Diff(want, out.String()); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// The reference's Reader reads what the Writer makes of unusual results: a duplicate unit, names
// that do not begin in upper case, NaN and infinities.
func TestReferenceReads(t *testing.T) {
	for _, res := range []*Result{
		{Name: "X", Iterations: 1, Values: []Value{{1, "s"}, {2, "s"}}},
		{Name: "lower/a=b-8", Iterations: 1, Values: []Value{{1, "s"}}},
		{Name: "-8", Iterations: 1, Values: []Value{{1, "s"}}},
		{Name: "/a", Iterations: 1, Values: []Value{{math.NaN(), "s"}, {math.Inf(1), "t"}, {math.Inf(-1), "u"}}},
	} {
		t.Run(res.Name, func(t *testing.T) {
			var out bytes.Buffer
			w := NewWriter(&out, Header{})
			if err := errors.Join(w.WriteResult(res), w.Close()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(showOurs(out.String()), showPerf(out.String())); diff != "" {
				t.Errorf("%s (-perfdata +reference):\n%s", out.String(), diff)
			}
			want := make([]string, len(res.Values))
			for i, v := range res.Values {
				want[i] = fmt.Sprint(v.Value, " ", v.Unit)
			}
			r := perf.NewReader(&out, "")
			var got []string
			for r.Scan() {
				for _, v := range r.Result().(*perf.Result).Values {
					got = append(got, fmt.Sprint(v.Value, " ", v.Unit))
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWriteResult(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, Header{Config: params("goos=linux")})
	config := []traceid.Param{{Key: "z", Value: "1"}, {Key: "a", Value: "2"}}
	for _, res := range []*Result{
		{Name: "X-8", Iterations: 5, Values: []Value{{1.5, "ns/op"}, {2, "ns/op"}}},
		{Name: "BenchmarkY", Iterations: 1, Values: []Value{{1, "s"}}, Config: config},
		{Name: "Z", Iterations: 1, Values: []Value{{1, "s"}}, Config: []traceid.Param{config[1], config[0]}},
		{Name: "Z", Iterations: 1, Values: []Value{{1, "s"}}, Config: []traceid.Param{}},
	} {
		if err := w.WriteResult(res); err != nil {
			t.Error(err)
		}
	}
	for want, res := range map[string]*Result{
		`benchmark "X": missing values`:                 {Name: "X"},
		`benchmark "": missing name`:                    {Iterations: 1, Values: []Value{{1, "s"}}},
		`benchmark "Benchmark": missing name`:           {Name: "Benchmark", Iterations: 1, Values: []Value{{1, "s"}}},
		`benchmark "X": 0 iterations, want at least 1`:  {Name: "X", Values: []Value{{1, "s"}}},
		`benchmark "X": -3 iterations, want at least 1`: {Name: "X", Iterations: -3, Values: []Value{{1, "s"}}},
		`benchmark "X Y": a name must not have spaces`:  {Name: "X Y", Iterations: 1, Values: []Value{{1, "s"}}},
		`benchmark "\xff": the name is not UTF-8`:       {Name: "\xff", Iterations: 1, Values: []Value{{1, "s"}}},
		`benchmark "X": value 1: the unit is empty`:     {Name: "X", Values: []Value{{1, "s"}, {1, ""}}},
		`benchmark "X": configuration "k l": "v": a key must not have a colon, white space or an upper case letter`: {
			Name:       "X",
			Iterations: 1,
			Values:     []Value{{1, "s"}},
			Config:     []traceid.Param{{Key: "k l", Value: "v"}},
		},
		`benchmark "X": configuration "k": " v": white space before a value is lost`: {
			Name:       "X",
			Iterations: 1,
			Values:     []Value{{1, "s"}},
			Config:     []traceid.Param{{Key: "k", Value: " v"}},
		},
	} {
		if err := w.WriteResult(res); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := w.WriteResult(&Result{
		Name:       strings.Repeat("x", 1<<20),
		Iterations: 1,
		Values:     []Value{{1, "s"}},
	}); err == nil || !strings.HasSuffix(err.Error(), "longer than 1 MiB") {
		t.Error(err)
	}
	u := UnitMetadata{Unit: "ns", Key: "better", Value: "lower"}
	if err := errors.Join(w.WriteUnit(u), w.WriteUnit(u)); err != nil {
		t.Error(err)
	}
	u.Value = "higher"
	if err := w.WriteUnit(u); err == nil || err.Error() != `metadata better=higher of unit ns: it was written `+
		`as "lower"` {
		t.Error(err)
	}
	if err := w.Flush(); err != nil {
		t.Error(err)
	}
	want := "goos: linux\n\nBenchmarkX-8 5 1.5 ns/op 2 ns/op\n\ngoos:\nz: 1\na: 2\n\nBenchmarkY 1 1 s\n" +
		"BenchmarkZ 1 1 s\n\na:\nz:\n\nBenchmarkZ 1 1 s\nUnit ns better=lower\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A Writer reports that its output fails, then and ever after.
func TestWriterFails(t *testing.T) {
	broken := errors.New("broken")
	w := NewWriter(formattest.FailingWriter(broken), Header{})
	rec := &format.Record{Params: params("name=X unit=s")}
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Flush(); !errors.Is(err, broken) {
			t.Error(err)
		}
	}
	if err := w.Write(rec); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// All files are read, written as records and as results, and read back equal: all files, here and of
// x/perf, except for half of its many similar ones.
func TestRoundTrip(t *testing.T) {
	files := testFiles(t)
	if testing.Short() {
		t.Log("without the files of x/perf")
	} else {
		maps.Copy(files, perfFiles(t))
		maps.DeleteFunc(files, func(name, _ string) bool { return strings.Contains(name, "/benchseries/testdata/even/") })
	}
	for name, text := range files {
		t.Run(name, func(t *testing.T) { checkRoundTrip(t, text) })
	}
}

func checkRoundTrip(t *testing.T, in string) {
	t.Helper()
	want := readRecords(strings.NewReader(in))

	// As results.
	var out bytes.Buffer
	w := NewWriter(&out, Header{})
	r := NewReader(strings.NewReader(in))
	writable := true
	units := 0
	writeUnits := func() {
		for all := r.Units(); units < len(all); units++ {
			if err := w.WriteUnit(all[units]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for res, err := range r.Results() {
		writeUnits()
		if err != nil {
			continue
		}
		if res.Name == "" || strings.HasPrefix(res.Name, prefix) || res.Iterations < 1 {
			writable = false
			break
		}
		if err := w.WriteResult(res); err != nil {
			t.Fatal(err)
		}
	}
	writeUnits()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := diffLines(want, readAll(bytes.NewReader(out.Bytes()))); writable && diff != "" {
		t.Fatalf("results (-want +got):\n%s\nwritten:\n%s", diff, out.String())
	}

	// As records.
	out.Reset()
	r = NewReader(strings.NewReader(in))
	h, err := r.Header()
	if err != nil {
		return
	}
	w = NewWriter(&out, h)
	var kept []string
	for rec, err := range r.Records() {
		if err != nil {
			continue
		}
		if err := w.Write(rec); err != nil {
			if strings.Contains(in, "Unit") || strings.Contains(err.Error(), "fits neither") {
				continue // metadata of other keys, after the header; or a key that a name can have and no record
			}
			t.Fatal(err)
		}
		kept = append(kept, formattest.Show(rec))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(in, "Unit") {
		return // metadata counts from where it is written
	}
	if diff := diffLines(kept, readAll(bytes.NewReader(out.Bytes()))); diff != "" {
		t.Fatalf("records (-want +got):\n%s\nwritten:\n%s", diff, out.String())
	}
}

// diffLines is cmp.Diff, but fast for equal texts.
func diffLines(want, got []string) string {
	if slices.Equal(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// readRecords shows the records, and no errors.
func readRecords(in io.Reader) (shown []string) {
	for rec, err := range NewReader(in).Records() {
		if err == nil {
			shown = append(shown, formattest.Show(rec))
		}
	}
	return shown
}
