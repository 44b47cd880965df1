package convert_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/convert"
	"perfdata/format"
	"perfdata/keyval"
	"perfdata/perfdatatest"
	"perfdata/series"
	"perfdata/traceid"
)

// written returns the formats that conversions write.
func written() (list []format.Format) {
	for _, f := range perfdata.Formats() {
		if f.NewWriter != nil {
			list = append(list, f)
		}
	}
	return list
}

// generated returns the records of a generated document, with one commit.
func generated(t *testing.T, from format.Format, seed uint64) content {
	t.Helper()
	c, err := readAll(from, perfdatatest.Valid(from.Name, seed, 3000), false)
	if err != nil {
		t.Fatal(err)
	}
	c.header.Commit = addedCommit
	for _, rec := range c.recs {
		rec.Commit = addedCommit
	}
	return c
}

// names returns the trace IDs of the series of a file that a Writer has written, with their numbers
// of values. With options as params, they are the trace IDs that ingestion makes of legacy files.
func names(t *testing.T, to format.Format, data []byte, asParams bool) map[string]int {
	t.Helper()
	c, err := readAll(to, data, asParams)
	if err != nil {
		t.Fatalf("%s: %v\n%s", to.Name, err, data)
	}
	ids := make(map[string]int)
	var placer series.Placer
	for _, rec := range c.recs {
		if at := placer.Identify(rec); len(at.Identity) > 0 {
			ids[at.Identity.ID()]++
		}
	}
	return ids
}

// Adding measurements, at the end, in the middle or in front, changes the name of no other one, in
// any target. They come from another package, and from another generated document of the same
// machine.
func TestNamesStay(t *testing.T) {
	most := uint64(20)
	if testing.Short() {
		most = 2
	}
	for _, from := range written() {
		for _, to := range written() {
			t.Run(from.Name+" to "+to.Name, func(t *testing.T) {
				for seed := range most {
					checkNamesStay(t, from, to, seed)
				}
			})
		}
	}
}

func checkNamesStay(t *testing.T, from, to format.Format, seed uint64) {
	t.Helper()
	c := generated(t, from, seed)
	if len(c.recs) == 0 {
		return
	}
	r := rand.New(rand.NewPCG(seed, 1))

	// The others are of this file: they have its header, and the units that a profile has.
	var more []*format.Record
	other := generated(t, from, seed+1000)
	for _, rec := range other.recs {
		if _, ofProfile := rec.Params.Get("uid"); ofProfile {
			break
		}
		added := rec.Clone()
		added.Params = slices.DeleteFunc(added.Params, func(p traceid.Param) bool {
			_, ok := other.header.Params.Get(p.Key)
			return ok
		})
		added.Params = traceid.Merge(added.Params, c.header.Params)
		more = append(more, added)
	}
	for i := range c.recs {
		added := c.recs[i].Clone()
		for _, p := range [][2]string{{"name", "pkg"}, {"uid", "uid"}, {"test", "test"}} {
			if _, ok := added.Params.Get(p[0]); ok {
				added.Params = traceid.Merge(added.Params, traceid.Of(p[1], "example.com/added"))
			}
		}
		more = append(more, added)
	}
	more = slices.DeleteFunc(more, func(*format.Record) bool { return r.IntN(3) > 0 })

	with := content{header: c.header, samples: c.samples}
	at := []int{0, len(c.recs), r.IntN(len(c.recs) + 1)}[r.IntN(3)]
	with.recs = slices.Concat(c.recs[:at], more, c.recs[at:])

	before, w := convertTo(t, to, c)
	after, w2 := convertTo(t, to, with)
	for _, asParams := range []bool{false, true} {
		if asParams && to.Name != "nanolegacy" {
			continue // it has no options
		}
		kept := names(t, to, after, asParams)
		for name, n := range names(t, to, before, asParams) {
			if kept[name] < n {
				t.Fatalf("seed %d, options as params %t: %s has %d values, and %d when %d others are added at %d of %d\n%v\n%v",
					seed, asParams, name, n, kept[name], len(more), at, len(c.recs), w.Losses(), w2.Losses())
			}
		}
	}
}

// The names that doc.go promises.
func TestNames(t *testing.T) {
	const (
		goFile = "goos: linux\ncpu: M1\npkg: example.com/sort\nBenchmarkSort/digits/n=10-8 100 1.5 ns/op\n"
		skia   = `{"version":1,"git_hash":"abc","key":{"arch":"x86","config":"gl"},"results":[` +
			`{"key":{"test":"draw","units":"ms"},"measurements":{"stat":[{"value":"min","measurement":1}]}}]}`
		profile = `{"version":1,"git_hash":"abc","results":[` +
			`{"key":{"test":"draw","uid":"main","type":"time","unit":"ms"},"measurement":1}]}`
	)
	for _, test := range []struct{ name, in, to, want string }{
		{"Go benchmark", goFile, "keyval", "Sort_digits_n_10_pkg_example.com_sort-8.ns_op{perf}=1.5"},
		{"Go benchmark", goFile, "nanolegacy", `"Sort":{"digits/n=10/pkg=example.com/sort-8":{`},
		{"Go benchmark", goFile, "perun", `"uid":"Sort/digits/n=10/pkg=example.com/sort-8"`},
		{"Go benchmark", goFile, "skiav1", `{"gomaxprocs":"8","n":"10","name":"Sort","sub1":"digits","unit":"ns/op"}`},
		{"Go benchmark", goFile, "benchfmt", "BenchmarkSort/digits/n=10-8 100 1.5 ns/op"},
		{"Skia", skia, "keyval", "draw_gl_stat_min.ms{perf}=1"},
		{"Skia", skia, "nanolegacy", `"draw":{"gl/stat=min":{`},
		{"Skia", skia, "perun", `"uid":"draw/gl/stat=min"`},
		{"Skia", skia, "benchfmt", "Benchmark/stat=min/test=draw 1 1 ms"},
		{"Skia without a test", strings.Replace(skia, `"test":"draw",`, "", 1), "perun", `"uid":"gl/stat=min"`},
		{"Skia with an empty test", strings.Replace(skia, `"draw"`, `""`, 1), "perun", `"uid":"_/gl/stat=min"`},
		// The type and the unit of a resource are no part of its uid.
		{"Skia, like a profile", profile, "perun", `"uid":"main/test=draw"`},
	} {
		t.Run(test.name+" to "+test.to, func(t *testing.T) {
			out, _ := convertText(t, test.in, test.to, "abc")
			if !strings.Contains(out, test.want) {
				t.Errorf("no %s in\n%s", test.want, out)
			}
		})
	}
}

// convertText converts files, as the tool does.
func convertText(t *testing.T, in, to, commit string, more ...string) (string, *convert.Writer) {
	t.Helper()
	s := surveyOf(to, "")
	open := func(text string) *perfdata.File {
		f, err := perfdata.Opener{Options: format.Options{Commit: commit}}.NewReader(strings.NewReader(text), "in")
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	each := func(begin func(format.Header), do func(*format.Record) error) {
		for _, text := range append([]string{in}, more...) {
			f := open(text)
			h, err := f.FileHeader()
			if err != nil {
				t.Fatal(err)
			}
			begin(h)
			for rec, err := range f.Records() {
				if err == nil {
					err = do(rec)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}

	each(s.AddHeader, func(rec *format.Record) error { s.Add(rec); return nil })
	var out bytes.Buffer
	w, err := s.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	each(w.AddHeader, w.Write)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String(), w
}

// Files of one commit add up: two files with repetitions 1 to 3 have six, in every target, and no
// param tells them apart.
func TestFilesAddUp(t *testing.T) {
	const (
		skia = `{"version":1,"git_hash":"abc","results":[{"key":{"test":"a","unit":"ms"},"measurements":{"repetition":[` +
			`{"value":"1","measurement":1},{"value":"2","measurement":2},{"value":"3","measurement":3}]}}]}`
		keys  = "a{perf}=1\n\na{perf}=2\n\na{perf}=3\n\n"
		bench = "BenchmarkA 1 1 ms\nBenchmarkA 1 2 ms\nBenchmarkA 1 3 ms\n"
	)
	for _, in := range []string{skia, keys, bench} {
		for _, to := range written() {
			t.Run(fmt.Sprintf("%.10q to %s", in, to.Name), func(t *testing.T) {
				out, w := convertText(t, in, to.Name, "abc", in)
				c, err := readAll(to, []byte(out), true)
				if err != nil {
					t.Fatal(err)
				}
				names, numbers := make(map[string]bool), make(map[int]bool)
				var placer series.Placer
				for _, rec := range c.recs {
					at, err := placer.Place(rec)
					if err != nil {
						t.Fatal(err)
					}
					names[string(at.Trace)], numbers[at.N] = true, true
				}
				n := len(c.recs)
				for _, x := range c.samples {
					n += len(x.Values) - 1
				}
				if len(names) != 1 || n != 6 || len(numbers) != len(c.recs) {
					t.Errorf("%d values, series %v, repetitions %v: %v\n%s", n, names, numbers, w.Losses(), out)
				}
			})
		}
	}
}

// Repetitions go to any format and back.
func TestRepetitionsReturn(t *testing.T) {
	const bench = "BenchmarkA/n=1 1 1 ns/op 5 B/op\nBenchmarkA/n=1 1 2 ns/op 5 B/op\nBenchmarkA/n=1 1 3 ns/op 6 B/op\nBenchmarkB 1 4 ns/op\n"
	for _, to := range written() {
		t.Run(to.Name, func(t *testing.T) {
			c, err := readAll(perfdata.Formats()[2], []byte(bench), false)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // there, and back
				data, w := convertTo(t, to, c)
				c = readBack(t, to, data, w)
				values := make(map[string][]float64)
				var placer series.Placer
				for _, rec := range c.recs {
					id := placer.Identify(rec).Identity.ID()
					values[id] = append(values[id], rec.Value)
				}
				for _, x := range c.samples {
					values[x.Params.ID()] = x.Values
				}
				var got [][]float64
				for _, list := range values {
					got = append(got, list)
				}
				slices.SortFunc(got, slices.Compare)
				want := [][]float64{{1, 2, 3}, {4}, {5, 5, 6}}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("(-want +got):\n%s\n%s", diff, data)
				}
			}
		})
	}
}

// The direction of Go benchmarks and of Skia files become each other, and are not part of a name.
func TestDirection(t *testing.T) {
	const skia = `{"version":1,"git_hash":"abc","results":[
{"key":{"improvement_direction":"down","test":"a","unit":"ms"},"measurement":1},
{"key":{"improvement_direction":"up","test":"b","unit":"fps"},"measurement":2}
]}
`
	const bench = `commit: abc

Unit ms better=lower
Benchmark/test=a 1 1 ms
Unit fps better=higher
Benchmark/test=b 1 2 fps
`
	out, w := convertText(t, skia, "benchfmt", "")
	if diff := cmp.Diff(bench, out); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("+2 unknown iteration counts written as 1\n", lossText(w)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	out, w = convertText(t, bench, "skiav1", "")
	if diff := cmp.Diff(skia, out); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("+2 params added (improvement_direction)\n2 attributes dropped (iterations)\n", lossText(w)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// A unit has one direction in a file of Go benchmarks.
	mixed := strings.Replace(skia, `"unit":"fps"`, `"unit":"ms"`, 1)
	out, w = convertText(t, mixed, "benchfmt", "")
	if strings.Contains(out, "up") || !strings.Contains(lossText(w), "1 attribute dropped (better)") {
		t.Errorf("%s%s", lossText(w), out)
	}
}

// A format that has only NewWriter is written: what its Writer refuses is counted.
func TestOtherFormat(t *testing.T) {
	var got []string
	other := format.Format{Name: "other", Extensions: []string{".x"}}
	other.NewWriter = func(out io.Writer, h format.Header) (format.Writer, error) {
		fmt.Fprintln(out, h.Commit, h.Params)
		return pickyWriter{&got}, nil
	}
	s := convert.NewSurvey(other)
	h := format.Header{Commit: "abc", Issue: "7", Params: traceid.Of("os", "linux"), Native: keyval.Header{}}
	recs := []*format.Record{
		rec(1, "os=linux test=a", "host=h", "l=u"), rec(2, "os=linux test=refused"), numbered(2, rec(3, "iteration=2 os=linux test=a")),
	}
	s.AddHeader(h)
	var out bytes.Buffer
	w := convert.WriteAll(t, s, &out, recs)
	want := []string{",os=linux,test=a, = 1", ",os=linux,repetition=2,test=a, = 3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	losses := "1 header member dropped (issue)\n1 attribute dropped (host)\n1 link dropped (l)\n1 measurement dropped (it is refused)\n"
	if diff := cmp.Diff(losses, lossText(w)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if out.String() != "abc [{os linux}]\n" {
		t.Error(out.String())
	}
}

// A pickyWriter keeps its records, without attrs and links, and refuses one test.
type pickyWriter struct{ got *[]string }

func (w pickyWriter) Write(rec *format.Record) error {
	if test, _ := rec.Params.Get("test"); test == "refused" || len(rec.Attrs)+len(rec.Links) > 0 {
		return fmt.Errorf("measurement %s: it is refused", rec.TraceID())
	}
	*w.got = append(*w.got, fmt.Sprint(rec.TraceID(), " = ", rec.Value))
	return nil
}

func (w pickyWriter) Close() error { return nil }
