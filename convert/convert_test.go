package convert_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata"
	"perfdata/benchfmt"
	"perfdata/convert"
	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/keyval"
	"perfdata/nanolegacy"
	"perfdata/skiav1"
	"perfdata/traceid"
)

// rec makes a record of "key=value key=value", for params, and of similar texts for attrs and
// links.
func rec(value float64, pairs ...string) *format.Record {
	sets := make([]traceid.Params, 3)
	for i, text := range pairs {
		var list []traceid.Param
		for _, field := range strings.Split(text, " ") {
			if key, value, ok := strings.Cut(field, "="); ok {
				list = append(list, traceid.Param{Key: strings.ReplaceAll(key, "~", " "), Value: strings.ReplaceAll(value, "~", " ")})
			}
		}
		sets[i] = traceid.FromPairs(list...)
	}
	return &format.Record{Params: sets[0], Value: value, Attrs: sets[1], Links: sets[2]}
}

// The output, and the losses.
func TestWriter(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		name, to string
		header   []format.Header
		recs     []*format.Record
		want     string
		losses   string
	}{
		{
			"params of the header and common links become the header", "skiav1",
			[]format.Header{{Commit: "abc", Issue: "1", Params: traceid.Of("arch", "x86")}},
			[]*format.Record{rec(1, "arch=x86 test=a", "", "l=u m=v"), rec(2, "arch=x86 test=b", "", "l=u m=w")},
			`{"version":1,"git_hash":"abc","issue":"1","key":{"arch":"x86"},"links":{"l":"u"},"results":[
{"key":{},"measurements":{"test":[{"value":"a","measurement":1,"links":{"m":"v"}},{"value":"b","measurement":2,"links":{"m":"w"}}]}}
]}
`, "",
		},
		{
			"the commit is a Go benchmark's configuration", "skiav1",
			[]format.Header{{Native: benchfmt.Header{}}},
			[]*format.Record{rec(1, "commit=abc name=X"), rec(2, "commit=abc name=Y")},
			`{"version":1,"git_hash":"abc","results":[
{"key":{},"measurements":{"name":[{"value":"X","measurement":1},{"value":"Y","measurement":2}]}}
]}
`, "",
		},
		{
			"repeated measurements, NaN, none of params, attributes", "skiav1",
			[]format.Header{{Commit: "abc", Native: nanolegacy.Header{Source: "s"}}},
			[]*format.Record{
				rec(1, "a=1"), rec(2, "a=1", "x=y"), rec(3, "a=1 iteration=2"), rec(4, "a=1 iteration=2"), rec(nan, "a=1"), rec(5, ""),
			},
			`{"version":1,"git_hash":"abc","results":[
{"key":{"a":"1"},"measurement":1},
{"key":{"a":"1","repetition":"2"},"measurement":2},
{"key":{"a":"1","iteration":"2"},"measurement":3},
{"key":{"a":"1","iteration":"2","repetition":"2"},"measurement":4}
]}
`,
			`1 header member dropped (source)
1 attribute dropped (x)
+2 measurements numbered as repetitions (repetition)
2 measurements dropped (JSON cannot hold NaN, no params)
`,
		},
		{
			"out of the range of float32", "skiav1",
			[]format.Header{{Commit: "abc"}},
			[]*format.Record{rec(1e300, "a=1"), rec(1, "a=2"), rec(-1e39, "a=3")},
			"{\"version\":1,\"git_hash\":\"abc\",\"results\":[\n{\"key\":{\"a\":\"2\"},\"measurement\":1}\n]}\n",
			"2 measurements dropped (out of the range of float32)\n",
		},
		{
			"out of the range of float32, legacy", "nanolegacy",
			[]format.Header{{Commit: "abc"}},
			[]*format.Record{rec(1e300, "test=T config=c sub_result=ms"), rec(1, "test=U config=c sub_result=ms")},
			"{\"gitHash\":\"abc\",\"results\":{\n\"U\":{\"c\":{\"ms\":1}}\n}}\n",
			"1 measurement dropped (out of the range of float32)\n",
		},
		{
			"text that is not UTF-8", "skiav1",
			[]format.Header{{Commit: "abc"}},
			[]*format.Record{rec(1, "a=\xff")},
			"{\"version\":1,\"git_hash\":\"abc\",\"results\":[\n{\"key\":{\"a\":\"_\"},\"measurement\":1}\n]}\n",
			"1 param with characters replaced (a)\n",
		},
		{
			"what a name cannot hold", "benchfmt",
			nil,
			[]*format.Record{
				rec(1, "name=A~B Key=a/b K/ey=c K_ey=d units=a~b", "iterations=many better=lower", "l=u"),
				rec(2, "name=A~B Key=a/c K/ey=c K_ey=d units=s"),
			},
			`Unit a_b better=lower param=units
BenchmarkA_B/K_ey=d/K_ey_=c/Key=a_b 1 1 a_b
Unit s param=units
BenchmarkA_B/K_ey=d/K_ey_=c/Key=a_c 1 2 s
`,
			`1 link dropped (l)
7 params with characters replaced (name, K/ey, Key, units)
1 attribute dropped (iterations)
+2 unknown iteration counts written as 1
`,
		},
		{
			"a name with slashes", "benchfmt",
			nil,
			[]*format.Record{
				rec(1, "name=A/8/n=1/b~c/ k=v unit=ns", "iterations=2"),
				rec(2, "name=A~8/k=w k=v unit=ns", "iterations=2"),
				rec(3, "name=A/8 sub1=x unit=ns", "iterations=2"),
				rec(4, "name=BenchmarkC unit=ns", "iterations=2"),
				rec(5, "name=Benchmark unit=ns", "iterations=2"),
				rec(6, "name=/8 unit=ns", "iterations=2"),
				rec(7, "name=\u00a0A unit=ns", "iterations=2"),
			},
			"BenchmarkA/8/b_c/_/k=v/n=1 2 1 ns\nBenchmarkA_8_k=w/k=v 2 2 ns\nBenchmarkA_8/x 2 3 ns\nBenchmarkC 2 4 ns\n" +
				"BenchmarkBenchmark 2 5 ns\nBenchmark_/8 2 6 ns\nBenchmark_A 2 7 ns\n",
			"7 params with characters replaced (name)\n",
		},
		{
			"units with two keys, and an empty one", "benchfmt",
			nil,
			[]*format.Record{
				rec(1, "name=A unit=ns", "iterations=2"), rec(2, "name=B units=ns", "iterations=2"), rec(3, "name=C", "iterations=2"),
				rec(4, "name=D unit=", "iterations=2"),
			},
			"BenchmarkA 2 1 ns\nBenchmarkB 2 2 ns\nUnit value param=\nBenchmarkC 2 3 value\nBenchmarkD 2 4 _\n",
			"1 param renamed (units)\n1 param with characters replaced (unit)\n",
		},
		{
			"an empty unit, and none", "benchfmt",
			nil,
			[]*format.Record{rec(1, "name=A unit=", "iterations=2"), rec(2, "name=B", "iterations=2")},
			"BenchmarkA 2 1 _\nUnit value param=\nBenchmarkB 2 2 value\n",
			"1 param with characters replaced (unit)\n",
		},
		{
			"units with two keys in the format itself", "benchfmt",
			[]format.Header{{Native: benchfmt.Header{}}},
			[]*format.Record{rec(1, "name=A unit=ns", "iterations=2"), rec(2, "name=B units=ns", "iterations=2")},
			"BenchmarkA 2 1 ns\nUnit ns param=units\nBenchmarkB 2 2 ns\n",
			"",
		},
		{
			"metadata that a unit has already", "benchfmt",
			nil,
			[]*format.Record{rec(1, "name=A unit=s", "better=lower iterations=3"), rec(1, "name=B unit=s", "better=higher iterations=4")},
			"Unit s better=lower\nBenchmarkA 3 1 s\nBenchmarkB 4 1 s\n",
			"1 attribute dropped (better)\n",
		},
		{
			"metadata that a unit has, and a measurement has not", "benchfmt",
			nil,
			[]*format.Record{rec(1, "name=A unit=s", "better=lower iterations=3"), rec(1, "name=B unit=s", "iterations=4")},
			"Unit s better=lower\nBenchmarkA 3 1 s\nBenchmarkB 4 1 s\n",
			"+1 measurement given the metadata of their unit\n",
		},
		{
			"keys are made of the params, except those of the header", "keyval",
			[]format.Header{{Params: traceid.Of("goos", "Mac OS ")}},
			[]*format.Record{
				rec(1, "goos=Mac~OS~ test=a units=ms", "n=1"), rec(2, "goos=Mac~OS~ test=b units=ms", "n=1"),
				rec(nan, "goos=Mac~OS~ test=a units=ms", "n=2"), rec(4, "goos=Mac~OS~ test=b units=ms", "n=3"), rec(5, "goos=Mac~OS~ test=b~ units=ms"),
				rec(6, "goos=Mac~OS~ test=b_ units=ms"),
			},
			"goos{attr}=Mac OS_\na.ms{perf}=1\nb.ms{perf}=2\nb_.ms{perf}=5\n\n" +
				"goos{attr}=Mac OS_\na.ms{perf}=nan\nb.ms{perf}=4\nb_.ms{perf}=6\n\n",
			`6 measurements with params joined into their names
6 params written as attributes (goos)
6 params with characters replaced (goos)
4 attributes dropped (n)
`,
		},
		{
			"names have what differs from the header", "keyval",
			[]format.Header{{Params: traceid.Of("arch", "a b", "os", "x")}},
			[]*format.Record{rec(1, "arch=a_b os=x test=a"), rec(2, "arch=c os=x test=a"), rec(3, "arch=a~b os=x test=b"),
				rec(4, "arch=a~b e= improvement_direction=down os=x test=b")},
			"os{attr}=x\na{perf}=1\na_arch_c{perf}=2\nb{perf}=3\nb_e__{perf}=4\n\n",
			`4 measurements with params joined into their names
8 params written as attributes (arch, os, improvement_direction)
4 attributes dropped (arch, improvement_direction)
`,
		},
		{
			"links of the header", "keyval",
			[]format.Header{{Links: traceid.Of("l", "u"), Issue: "7"}},
			[]*format.Record{rec(1, "key=a")},
			"a{perf}=1\n\n",
			"2 header members dropped (issue, links)\n",
		},
		{
			"keys and iterations that are taken", "keyval",
			nil,
			[]*format.Record{rec(1, "key=a repetition=2"), rec(2, "key=a repetition=1"), rec(3, "key=a repetition=2"), rec(4, "key=b iteration=2")},
			"a{perf}=2\nb_iteration_2{perf}=4\n\na{perf}=1\n\na{perf}=3\n\n",
			"1 repetition renumbered\n1 measurement with params joined into its name\n",
		},
		{
			"one measurement", "keyval",
			nil,
			[]*format.Record{rec(1, "test=a units=ms")},
			"a.ms{perf}=1\n\n",
			"1 measurement with params joined into its name\n",
		},
		{
			"what legacy files need", "nanolegacy",
			[]format.Header{{Params: traceid.Of("goos", "linux"), Native: benchfmt.Header{}}},
			[]*format.Record{
				rec(1, "commit=c goos=linux name=A size=1 unit=ns/op", "iterations=2"), rec(2, "commit=c goos=linux name=A size=1 unit=MB/s", "iterations=2"),
				rec(3, "commit=c goos=linux name=B size=2 unit=ns/op", "iterations=3"), rec(4, "commit=c goos=linux name=A size=1 unit=ns/op", "iterations=3"),
			},
			`{"gitHash":"c","key":{"goos":"linux"},"results":{
"A":{"size=1":{"options":{"name":"A","size":"1"},"ns/op":1,"MB/s":2},"size=1/samples=ns/op":{"options":{"config":"size=1","name":"A","size":"1","sub_result":"ns/op"},"samples":[1,4]}},
"B":{"size=2":{"options":{"name":"B","size":"2"},"ns/op":3}}
}}
`,
			`+12 params added (test, config, sub_result)
4 measurements with params joined into their names
+4 measurements with params written as options
4 attributes dropped (iterations)
`,
		},
		{
			"params and attributes within a result of a legacy file", "nanolegacy",
			[]format.Header{{Commit: "abc"}},
			[]*format.Record{
				rec(1, "config=c stat=min sub_result=ms test=t", "a=1 b=2 d=1"), rec(nan, "config=c stat=max sub_result=ms test=t", "a=1 d=1"),
				rec(2, "config=c stat=max sub_result=ms test=t", "a=1 b=3 d=1", "l=u"), rec(3, "config=c stat=max sub_result=options test=u", "a=1 d=1"),
			},
			`{"gitHash":"abc","results":{
"t":{"c/stat=min":{"options":{"stat":"min"},"ms":1},"c/stat=max":{"options":{"stat":"max"},"ms":2}},
"u":{"c/stat=max":{"options":{"stat":"max"},"options_":3}}
}}
`,
			`3 measurements with params joined into their names
+3 measurements with params written as options
1 measurement dropped (JSON cannot hold NaN)
1 link dropped (l)
8 attributes dropped (a, b, d)
`,
		},
		{"nothing", "skiav1", []format.Header{{Commit: "abc"}}, nil, "{\"version\":1,\"git_hash\":\"abc\",\"results\":[\n]}\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := surveyOf(test.to, "")
			for _, h := range test.header {
				s.AddHeader(h)
			}
			for _, rec := range test.recs {
				s.Add(rec)
			}
			var out bytes.Buffer
			w, err := s.NewWriter(&out)
			if err != nil {
				t.Fatal(err)
			}
			for _, rec := range test.recs {
				if err := w.Write(rec); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(w.Close(), w.Close()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.losses, lossText(w)); diff != "" {
				t.Errorf("losses (-want +got):\n%s", diff)
			}
		})
	}
}

// surveyOf returns a Survey for the named format, and the commit of records that have none.
func surveyOf(name, commit string) *convert.Survey {
	to := keyval.TAP()
	if name != to.Name {
		to, _ = perfdata.FormatNamed(name)
	}
	s := convert.NewSurvey(to)
	if commit != "" {
		s.AddHeader(format.Header{Commit: commit})
	}
	return s
}

// lossText returns a line for each loss, with a + before what was only added.
func lossText(w *convert.Writer) string {
	text := ""
	for _, l := range w.Losses() {
		if l.Kind.Added() {
			text += "+"
		}
		text += l.String() + "\n"
	}
	return text
}

// The table of targets has every format.
func TestTargets(t *testing.T) {
	for _, info := range perfdata.Formats() {
		if info.NewWriter == nil {
			continue // it is only read
		}
		var out bytes.Buffer
		w, err := surveyOf(info.Name, "abc").NewWriter(&out)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := w.Close(); err != nil {
			t.Errorf("%s: %v", info.Name, err)
		}
	}
}

// An output that fails is an error of every Writer.
func TestWriterFails(t *testing.T) {
	for _, info := range perfdata.Formats() {
		if info.NewWriter == nil {
			continue // it is only read
		}
		broken := errors.New("broken")
		w, err := surveyOf(info.Name, "abc").NewWriter(formattest.FailingWriter(broken))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4000 {
			if err = w.Write(rec(float64(i), fmt.Sprintf("key=k%d name=n%d", i, i))); err != nil {
				break
			}
		}
		if err == nil {
			err = w.Close()
		}
		if !errors.Is(err, broken) || !errors.Is(w.Close(), broken) || !errors.Is(w.Write(rec(1, "key=a")), broken) {
			t.Errorf("%s: %v", info.Name, err)
		}
	}
}

// The output of Go benchmarks becomes a file for Skia Perf.
func ExampleSurvey() {
	const file = "goos: linux\nBenchmarkEncode/size=1 100 12.5 ns/op\nBenchmarkEncode/size=2 100 20 ns/op\n"
	open := func() format.Reader {
		o := perfdata.Opener{Options: format.Options{Commit: "3a1f09c"}}
		r, err := o.NewReader(strings.NewReader(file), "bench.txt")
		if err != nil {
			panic(err)
		}
		return r
	}
	s := convert.NewSurvey(skiav1.Format())
	r := open()
	if header, err := r.FileHeader(); err == nil {
		s.AddHeader(header)
	}
	for rec, err := range r.Records() {
		if err == nil {
			s.Add(rec)
		}
	}
	w, err := s.NewWriter(os.Stdout)
	if err != nil {
		fmt.Println(err)
		return
	}
	n, err := convert.Copy(w, open().Records())
	if err == nil {
		err = w.Close()
	}
	fmt.Println(n, err)
	for _, loss := range w.Losses() {
		fmt.Println(loss)
	}
	// Output:
	// {"version":1,"git_hash":"3a1f09c","key":{"goos":"linux"},"results":[
	// {"key":{"name":"Encode","unit":"ns/op"},"measurements":{"size":[{"value":"1","measurement":12.5},{"value":"2","measurement":20}]}}
	// ]}
	// 2 <nil>
	// 2 attributes dropped (iterations)
}

// Copy is strict: a format's own Writer refuses what the format cannot hold.
func ExampleCopy() {
	r, err := perfdata.NewReader(strings.NewReader("BenchmarkEncode 100 12.5 ns/op\n"), "bench.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	w := skiav1.NewWriter(os.Stdout, skiav1.Header{GitHash: "3a1f09c"})
	fmt.Println(convert.Copy(w, r.Records()))
	// Output:
	// 0 measurement ,name=Encode,unit=ns_op,: the format can't hold attrs, such as "iterations"
}
