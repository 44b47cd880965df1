package convert_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/benchfmt"
	"perfdata/convert"
	"perfdata/format"
	"perfdata/keyval"
	"perfdata/nanolegacy"
	"perfdata/skiav1"
)

// An input of a conversion.
type testInput struct {
	header  format.Header
	recs    []*format.Record
	samples []*format.Samples
}

// convertAll converts inputs, as a program does that follows the package comment.
func convertAll(to, commit string, inputs ...testInput) (string, *convert.Writer, error) {
	s := surveyOf(to, "")
	for i := range inputs {
		in := &inputs[i]
		if in.header.Commit == "" {
			in.header.Commit = commit
		}
		s.AddHeader(in.header)
		for _, rec := range in.recs {
			s.Add(rec)
		}
		for _, samples := range in.samples {
			s.AddSamples(samples)
		}
	}
	var out bytes.Buffer
	w, err := s.NewWriter(&out)
	if err != nil {
		return "", nil, err
	}

	for _, in := range inputs {
		w.AddHeader(in.header)
		for _, rec := range in.recs {
			if err := w.Write(rec); err != nil {
				return "", nil, err
			}
		}
		for _, samples := range in.samples {
			if err := w.WriteSamples(samples); err != nil {
				return "", nil, err
			}
		}
	}
	err = w.Close()
	return out.String(), w, err
}

var (
	skiaHeader = format.Header{Commit: "aaaa", Native: skiav1.Header{GitHash: "aaaa"}}
	nanoHeader = format.Header{Commit: "aaaa", Native: nanolegacy.Header{GitHash: "aaaa"}}
	keysHeader = format.Header{Native: keyval.Header{}}
	goHeader   = format.Header{Native: benchfmt.Header{}}
)

// Params repetition, and iterations of keyvals, are repetitions.
func TestRepetitions(t *testing.T) {
	for _, test := range []struct {
		name   string
		header format.Header
		recs   []*format.Record
		want   string // lines, except for the commit and the unit
	}{
		{
			"1 to n",
			skiaHeader,
			[]*format.Record{rec(10, "repetition=1 test=a"), rec(11, "repetition=2 test=a"), rec(12, "repetition=3 test=a")},
			"Benchmark/test=a 1 10 value\nBenchmark/test=a 1 11 value\nBenchmark/test=a 1 12 value\n",
		},
		{
			"1 to n in another order",
			skiaHeader,
			[]*format.Record{rec(10, "repetition=2 test=a"), rec(11, "repetition=1 test=a"), rec(12, "repetition=1 test=b")},
			"Benchmark/test=a 1 10 value\nBenchmark/test=a 1 11 value\nBenchmark/test=b 1 12 value\n",
		},
		{
			"a gap in one group",
			skiaHeader,
			[]*format.Record{rec(10, "repetition=1 test=a"), rec(11, "repetition=2 test=a"), rec(12, "repetition=2 test=b")},
			"Benchmark/test=a 1 10 value\nBenchmark/test=a 1 11 value\nBenchmark/test=b 1 12 value\n",
		},
		{
			"a number twice",
			skiaHeader,
			[]*format.Record{rec(10, "repetition=1 test=a"), rec(11, "repetition=1 test=a")},
			"Benchmark/test=a 1 10 value\nBenchmark/test=a 1 11 value\n",
		},
		{
			"no number",
			skiaHeader,
			[]*format.Record{rec(10, "repetition=01 test=a"), rec(11, "repetition=x test=a")},
			"Benchmark/repetition=01/test=a 1 10 value\nBenchmark/repetition=x/test=a 1 11 value\n",
		},
		{
			"another param",
			skiaHeader,
			[]*format.Record{rec(10, "iteration=1 test=a"), rec(11, "iteration=2 test=a")},
			"Benchmark/iteration=1/test=a 1 10 value\nBenchmark/iteration=2/test=a 1 11 value\n",
		},
		{
			"iterations",
			keysHeader,
			[]*format.Record{numbered(1, rec(10, "iteration=1 key=a")), numbered(3, rec(11, "iteration=3 key=a")), numbered(3, rec(12, "iteration=3 key=b"))},
			"Benchmark/key=a 1 10 value\nBenchmark/key=a 1 11 value\nBenchmark/key=b 1 12 value\n",
		},
		{
			"a Go benchmark keeps its names",
			goHeader,
			[]*format.Record{rec(10, "iteration=1 name=A unit=s", "iterations=1"), rec(11, "iteration=2 name=A unit=s", "iterations=1")},
			"BenchmarkA/iteration=1 1 10 s\nBenchmarkA/iteration=2 1 11 s\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, _, err := convertAll("benchfmt", "", testInput{header: test.header, recs: test.recs})
			if err != nil {
				t.Fatal(err)
			}
			out = strings.Replace(out, "commit: aaaa\n", "", 1)
			out = strings.Replace(out, "Unit value param=\n", "", 1)
			if diff := cmp.Diff(test.want, strings.TrimLeft(strings.ReplaceAll(out, "\n\n\n", "\n\n"), "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// numbered returns the record as a numbered repetition.
func numbered(n int, rec *format.Record) *format.Record {
	rec.Repetition = n
	return rec
}

// Samples become repetitions, and repetitions become samples.
func TestSamples(t *testing.T) {
	const place = "config=c sub_result=min_ms test=t"
	samples := func(values ...float64) []*format.Samples {
		return []*format.Samples{{Params: rec(0, place).Params, Values: values}}
	}
	for _, test := range []struct {
		name, to     string
		in           testInput
		want, losses string
	}{
		{
			"to lines, with the least among them", "benchfmt",
			testInput{nanoHeader, []*format.Record{rec(1, place), rec(5, "config=c sub_result=max test=t")}, samples(2, 1, 3)},
			`commit: aaaa

Unit value param=
Benchmark/config=c/sub_result=max/test=t 1 5 value
Benchmark/config=c/sub_result=min_ms/test=t 1 2 value
Benchmark/config=c/sub_result=min_ms/test=t 1 1 value
Benchmark/config=c/sub_result=min_ms/test=t 1 3 value
`, "+4 unknown iteration counts written as 1\n",
		},
		{
			"samples alone", "skiav1",
			testInput{nanoHeader, nil, samples(2, 1)},
			`{"version":1,"git_hash":"aaaa","results":[
{"key":{"config":"c","sub_result":"min_ms","test":"t"},"measurements":{"repetition":[{"value":"1","measurement":2},{"value":"2","measurement":1}]}}
]}
`, "",
		},
		{
			"lines to samples", "nanolegacy",
			testInput{goHeader, []*format.Record{rec(2, place+" commit=aaaa"), rec(1, place+" commit=aaaa")}, nil},
			`{"gitHash":"aaaa","results":{
"t":{"c":{"min_ms":1,"samples":[2,1]}}
}}
`, "+1 measurement added, the least of its samples\n",
		},
		{
			"repetitions to samples, in order", "nanolegacy",
			testInput{
				skiaHeader,
				[]*format.Record{rec(1, place+" repetition=2"), rec(2, place+" repetition=1"), rec(4, "config=d sub_result=min_ms test=t")},
				nil,
			},
			`{"gitHash":"aaaa","results":{
"t":{"c":{"min_ms":1,"samples":[2,1]},"d":{"min_ms":4}}
}}
`, "+1 measurement added, the least of its samples\n",
		},
		{
			"those of min_ms first", "nanolegacy",
			testInput{
				skiaHeader,
				[]*format.Record{
					rec(5, "config=c repetition=1 sub_result=max test=t"), rec(4, "config=c repetition=2 sub_result=max test=t"),
					rec(2, place+" repetition=1"), rec(1, place+" repetition=2"),
				},
				nil,
			},
			`{"gitHash":"aaaa","results":{
"t":{"c":{"max":5,"min_ms":1,"samples":[2,1]},"c/samples=max":{"options":{"config":"c","sub_result":"max"},"samples":[5,4]}}
}}
`, "+1 measurement added, the least of its samples\n",
		},
		{
			"samples alone, to themselves", "nanolegacy",
			testInput{nanoHeader, nil, samples(2, 1)},
			`{"gitHash":"aaaa","results":{
"t":{"c":{"samples":[2,1]}}
}}
`, "",
		},
		{
			"values beside samples", "nanolegacy",
			testInput{skiaHeader, []*format.Record{
				rec(3, place), rec(1, place+" repetition=2"), rec(2, place+" repetition=3"), rec(3, place+" repetition=4"),
				rec(9, place+" repetition=5"),
			}, samples(2, 4)},
			`{"gitHash":"aaaa","results":{
"t":{"c":{"min_ms":3,"samples":[2,4]}}
}}
`, "2 measurements dropped (its samples replace it)\n",
		},
		{
			"to themselves", "nanolegacy",
			testInput{nanoHeader, []*format.Record{rec(1, place)}, samples(2, 3)},
			`{"gitHash":"aaaa","results":{
"t":{"c":{"min_ms":1,"samples":[2,3]}}
}}
`, "",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, w, err := convertAll(test.to, "", test.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, out); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.losses, lossText(w)); diff != "" {
				t.Errorf("losses (-want +got):\n%s", diff)
			}
		})
	}
}

// The commit of a record is its own, or else that of its input.
func TestCommits(t *testing.T) {
	other := format.Header{Commit: "bbbb", Native: skiav1.Header{GitHash: "bbbb"}}
	one, two := testInput{skiaHeader, []*format.Record{rec(1, "test=a")}, nil}, testInput{other, []*format.Record{rec(2, "test=a")}, nil}
	out, _, err := convertAll("benchfmt", "", one, two)
	const want = "commit: aaaa\n\nUnit value param=\nBenchmark/test=a 1 1 value\n\ncommit: bbbb\n\nBenchmark/test=a 1 2 value\n"
	if diff := cmp.Diff(want, out); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}

	// A record's own commit is the one that was measured, whatever its param says.
	bench := rec(1, "commit=aaaa name=X unit=ms")
	bench.Commit = "bbbb"
	out, _, err = convertAll("benchfmt", "", testInput{goHeader, []*format.Record{bench}, nil})
	if diff := cmp.Diff("commit: bbbb\n\nBenchmarkX 1 1 ms\n", out); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}

	for _, to := range []string{"skiav1", "nanolegacy", "keyval", "perun", "tap"} {
		t.Run(to, func(t *testing.T) {
			for _, commit := range []string{"", "cccc"} {
				_, _, err := convertAll(to, commit, one, two)
				want := "several commits: the measurements are of 2 (aaaa, bbbb), and a file of format " + to + " holds one"
				if !errors.Is(err, convert.ErrCommits) || err.Error() != want {
					t.Errorf("%v, want %v", err, want)
				}
			}

			// The commit is for records without one.
			out, _, err := convertAll(to, "cccc", testInput{keysHeader, one.recs, nil})
			if err != nil || !strings.Contains(out, "cccc") {
				t.Errorf("%v, %s", err, out)
			}
		})
	}

	// Those without a commit are of another one.
	_, _, err = convertAll("skiav1", "", testInput{header: keysHeader, recs: one.recs}, one)
	if err == nil || !strings.Contains(err.Error(), "the measurements are of 2 (none, aaaa)") {
		t.Error(err)
	}

	for _, to := range []string{"skiav1", "nanolegacy"} {
		if _, _, err := convertAll(to, "", testInput{header: keysHeader, recs: []*format.Record{rec(1, "key=a")}}); !errors.Is(err, convert.ErrNoCommit) {
			t.Errorf("%s: %v, want %v", to, err, convert.ErrNoCommit)
		}
	}
}

// The commit of keyvals is an attribute that all of them have.
func TestCommitOfKeyvals(t *testing.T) {
	in := testInput{keysHeader, []*format.Record{numbered(1, rec(1, "iteration=1 key=a", "commit=aaaa")), numbered(2, rec(2, "iteration=2 key=a", "commit=aaaa"))}, nil}
	out, w, err := convertAll("skiav1", "", in)
	if err != nil || !strings.HasPrefix(out, `{"version":1,"git_hash":"aaaa",`) || lossText(w) != "" {
		t.Errorf("%v, %s%s", err, out, lossText(w))
	}
}

// Many commits are counted, and a few of them named.
func TestManyCommits(t *testing.T) {
	var inputs []testInput
	for i := range 3000 {
		h := format.Header{Commit: fmt.Sprint("c", i), Native: skiav1.Header{}}
		inputs = append(inputs, testInput{h, []*format.Record{rec(1, "test=a")}, nil})
	}
	_, _, err := convertAll("skiav1", "", inputs...)
	const want = "several commits: the measurements are of 3000 (c0, c1, c2, c3, ...), and a file of format skiav1 holds one"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
