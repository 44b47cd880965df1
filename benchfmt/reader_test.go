package benchfmt

import (
	"encoding/json"
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

func newReader(in io.Reader) *Reader {
	r := NewReader(in)
	r.Name = "in"
	return r
}

func readAll(in io.Reader) []string { return formattest.All(newReader(in)) }

func TestReader(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		tidy bool
		want []string
	}{
		{
			name: "empty",
			want: []string{},
		},
		{
			name: "configuration and several values",
			in:   "goos: linux\npkg:  a b \nBenchmarkX-8 \t 100\t 154125 ns/op\t  64.88 MB/s\nPASS\n",
			want: []string{
				"gomaxprocs=8 goos=linux name=X pkg=a b  unit=ns/op = 154125 iterations:100",
				"gomaxprocs=8 goos=linux name=X pkg=a b  unit=MB/s = 64.88 iterations:100",
			},
		},
		{
			name: "name parts",
			in: "BenchmarkDecode/text=digits/fast/size=1e4-16 1 1 s\n" +
				"BenchmarkDecode/text=/slow/size=1e5-16 1 2 s\n" +
				"BenchmarkDecode/other/slow/size=1e5-16 1 3 s\n" +
				"BenchmarkDecode/a=1/a=2/name=n/unit=u/sub1=s/=x/-16 1 4 s\n" +
				"Benchmark 1 5 s\nBenchmark-4 1 6 s\nBenchmark/x 1 7 s\nBenchmarkA-x 1 8 s\nBenchmarkA- 1 9 s\n" +
				"BenchmarkA-1/x 1 10 s\n",
			want: []string{
				"gomaxprocs=16 name=Decode size=1e4 sub1=fast text=digits unit=s = 1 iterations:1",
				"gomaxprocs=16 name=Decode size=1e5 sub1=slow text= unit=s = 2 iterations:1",
				"gomaxprocs=16 name=Decode size=1e5 sub1=other sub2=slow unit=s = 3 iterations:1",
				"a=1 gomaxprocs=16 name=Decode sub1=a=2 sub2=name=n sub3=unit=u sub4=sub1=s sub5==x sub6= " +
					"unit=s = 4 iterations:1",
				"unit=s = 5 iterations:1",
				"gomaxprocs=4 unit=s = 6 iterations:1",
				"sub1=x unit=s = 7 iterations:1",
				"name=A-x unit=s = 8 iterations:1",
				"name=A- unit=s = 9 iterations:1",
				"name=A-1 sub1=x unit=s = 10 iterations:1",
			},
		},
		{
			name: "names that resemble those before",
			in: "BenchmarkA/k=1/x-8 1 1 s\nBenchmarkA/k=2/x-8 1 2 s\nBenchmarkA/k=2/y=1-8 1 3 s\n" +
				"BenchmarkB/k=2/x-16 1 4 s\nBenchmarkB/k=2/x 1 5 s\n" +
				"BenchmarkB/k=2/x/ 1 6 s\nBenchmarkB/k=2-8 1 7 s\nBenchmarkB/K=2-8 1 8 s\n" +
				"BenchmarkB/k=é-8 1 9 s\nBenchmarkB/k-8 1 10 s\nBenchmarkB-8\nBenchmarkB/k-9\nBenchmarkB/k-8 1 11 s\n",
			want: []string{
				"gomaxprocs=8 k=1 name=A sub1=x unit=s = 1 iterations:1",
				"gomaxprocs=8 k=2 name=A sub1=x unit=s = 2 iterations:1",
				"gomaxprocs=8 k=2 name=A unit=s y=1 = 3 iterations:1",
				"gomaxprocs=16 k=2 name=B sub1=x unit=s = 4 iterations:1",
				"k=2 name=B sub1=x unit=s = 5 iterations:1",
				"k=2 name=B sub1=x sub2= unit=s = 6 iterations:1",
				"gomaxprocs=8 k=2 name=B unit=s = 7 iterations:1",
				"K=2 gomaxprocs=8 name=B unit=s = 8 iterations:1",
				"gomaxprocs=8 k=é name=B unit=s = 9 iterations:1",
				"gomaxprocs=8 name=B sub1=k unit=s = 10 iterations:1",
				"gomaxprocs=8 name=B sub1=k unit=s = 11 iterations:1",
			},
		},
		{
			name: "configuration changes and is overridden",
			in:   "name: c\nunit: c\nk: c\nz: 1\nBenchmarkX/k=v 1 1 s\nBenchmark 1 2 s\nk: d\nz:\nBenchmark 1 3 s\n",
			want: []string{
				"k=v name=X unit=s z=1 = 1 iterations:1",
				"k=c name=c unit=s z=1 = 2 iterations:1",
				"k=d name=c unit=s = 3 iterations:1",
			},
		},
		{
			name: "lines that are not configuration",
			in:   "Key: v\nkey : v\nkEy: v\nkey:v\n: v\nBenchmarkX 1 1 s\n",
			want: []string{"name=X unit=s = 1 iterations:1"},
		},
		{
			name: "unit metadata is used for later lines, by base unit",
			in: "BenchmarkX 1 1 ns/op 2 B/op\nUnit sec/op better=lower assume=exact\n" +
				"BenchmarkX 5 3 ns/op 4 B/op\nUnit B/op z=1\nBenchmarkX 5 3 ns/op 4 B/op\n",
			want: []string{
				"name=X unit=ns/op = 1 iterations:1",
				"name=X unit=B/op = 2 iterations:1",
				"name=X unit=ns/op = 3 assume:exact better:lower iterations:5",
				"name=X unit=B/op = 4 iterations:5",
				"name=X unit=ns/op = 3 assume:exact better:lower iterations:5",
				"name=X unit=B/op = 4 iterations:5 z:1",
			},
		},
		{
			name: "a unit in another param, or in none",
			in:   "Unit ms param=units\nUnit value param=\nUnit x param=name\nBenchmarkX/a=b 1 1 ms 2 value 3 s 4 x\n",
			want: []string{
				"a=b name=X units=ms = 1 iterations:1",
				"a=b name=X = 2 iterations:1",
				"a=b name=X unit=s = 3 iterations:1",
				"a=b name=x = 4 iterations:1",
			},
		},
		{
			name: "numbers",
			in: "BenchmarkX -5 1e3 a .5 b 5. c 0x1p-2 d NaN e -Inf f 007 g +1 h " +
				"123456789012345678901234567890 i 0.1 j 1_0 k\nBenchmarkX +7 1 a\nBenchmarkX 08 1 a\n",
			want: []string{
				"name=X unit=a = 1000 iterations:-5",
				"name=X unit=b = 0.5 iterations:-5",
				"name=X unit=c = 5 iterations:-5",
				"name=X unit=d = 0.25 iterations:-5",
				"name=X unit=e = NaN iterations:-5",
				"name=X unit=f = -Inf iterations:-5",
				"name=X unit=g = 7 iterations:-5",
				"name=X unit=h = 1 iterations:-5",
				"name=X unit=i = 1.2345678901234568e+29 iterations:-5",
				"name=X unit=j = 0.1 iterations:-5",
				"name=X unit=k = 10 iterations:-5",
				"name=X unit=a = 1 iterations:7",
				"name=X unit=a = 1 iterations:8",
			},
		},
		{
			name: "tidied",
			tidy: true,
			in:   "BenchmarkX 1 1500 ns/op 0 ns/op 2 MB/s 3 B/op 4 p99-ns*MB/ns 5 nsx\n",
			want: []string{
				"name=X unit=sec/op = 1.5e-06 iterations:1",
				"name=X unit=sec/op = 0 iterations:1",
				"name=X unit=B/s = 2e+06 iterations:1",
				"name=X unit=B/op = 3 iterations:1",
				"name=X unit=p99-sec*B/ns = 0.004 iterations:1",
				"name=X unit=nsx = 5 iterations:1",
			},
		},
		{
			name: "faults",
			in: "BenchmarkX §\nBenchmarkX §x 1 s\nBenchmarkX 1§\nBenchmarkX 1 §x s\nBenchmarkX 1 1§\n" +
				"BenchmarkX 1 1 s 2§\n" +
				"BenchmarkX 1 §1e999 s\nBenchmarkX §99999999999999999999 1 s\nUnit§\nUnit s §x §=y a=b\nUnit s §a=c\n" +
				"BenchmarkX\nBenchmarkX 1 1 s\n",
			want: []string{
				`in:§: missing iteration count after "BenchmarkX"`,
				`in:§: iteration count "x" is not a whole number`,
				`in:§: missing value and unit after "BenchmarkX 1"`,
				`in:§: value "x" is not a number`,
				`in:§: missing unit after value "1"`,
				`in:§: missing unit after value "2"`,
				`in:§: value "1e999" is out of range`,
				`in:§: iteration count "99999999999999999999" is out of range`,
				`in:§: missing unit after "Unit"`,
				`in:§: "x": want key=value`,
				`in:§: "=y": want key=value`,
				`in:§: metadata "a" of unit "s" is already set to "b"`,
				"name=X unit=s = 1 a:b iterations:1",
			},
		},
		{
			name: "Unicode white space",
			in:   "BenchmarkX\u00a01\u20282\u3000s\u0085\u00a0\nBenchmarkX\v1\f3\fs\v4 s\r\n",
			want: []string{
				"name=X unit=s = 2 iterations:1",
				"name=X unit=s = 3 iterations:1",
				"name=X unit=s = 4 iterations:1",
			},
		},
		{
			name: "invalid UTF-8",
			in: "k: v\nBenchmark\xff 1 1 s\nBenchmarkX 1 1 \xff\nBenchmarkX 1 1 s \xff s\nk: \xff\n" +
				"Unit \xff a=b\nUnit s \xff=b\n\xff: v\nignored \xff\n" +
				"BenchmarkX 1 1 s\n",
			want: []string{
				"in:2:10: invalid UTF-8 byte 0xff",
				"in:3:16: invalid UTF-8 byte 0xff",
				`in:4:18: value "\xff" is not a number`,
				"in:5:4: invalid UTF-8 byte 0xff",
				"in:6:6: invalid UTF-8 byte 0xff",
				"in:7:8: invalid UTF-8 byte 0xff",
				"name=X unit=s = 1 iterations:1", // k is deleted
			},
		},
		{
			name: "a byte order mark",
			in:   "\ufeffk: v\r\nBenchmarkX 1 1 s\r\n",
			want: []string{"k=v name=X unit=s = 1 iterations:1"},
		},
		{
			name: "UTF-16",
			in:   "\xff\xfek\x00:\x00",
			want: []string{"FATAL in:1:1: reading failed: the input is UTF-16: want UTF-8"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			in, want := test.in, test.want
			if strings.Contains(in, "§") {
				in, want = formattest.Marked(in, want...)
			}
			formattest.CheckRead(t, test.name, in, want, func(in io.Reader) []string {
				r := newReader(in)
				r.Tidy = test.tidy
				return formattest.All(r)
			})
		})
	}
}

// The offset of a record is the offset of its value.
func TestOffset(t *testing.T) {
	const in = "k: v\nBenchmarkX 1 10 s 20 t\n"
	got := formattest.AtOffsets(t, NewReader(strings.NewReader(in)), in, 2)
	if diff := cmp.Diff([]string{"10", "20"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHeader(t *testing.T) {
	const in = "Unit s better=lower x\nk: v\nj: w\nBenchmarkX 1 1 s\nk: later\nUnit s assume=exact\n"
	r := newReader(strings.NewReader(in))
	h, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	want := Header{
		Config: traceid.FromMap(map[string]string{"j": "w", "k": "v"}),
		Units: []UnitMetadata{{
			Unit:     "s",
			Key:      "better",
			Value:    "lower",
			Position: format.Position{Line: 1, Column: 1},
		}},
	}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	object, err := json.Marshal(h)
	wantObject := `{"config":{"j":"w","k":"v"},"units":[{"unit":"s","key":"better","value":"lower"}]}`
	if string(object) != wantObject || err != nil {
		t.Errorf("%s, %v, want %s", object, err, wantObject)
	}
	// Errors before the first result are not lost, and the header does not change.
	wantRecords := []string{
		`in:1:21: "x": want key=value`,
		"j=w k=v name=X unit=s = 1 better:lower iterations:1",
	}
	if diff := cmp.Diff(wantRecords, formattest.All(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again, _ := r.Header(); !again.Config.Equal(h.Config) || len(r.Units()) != 2 {
		t.Errorf("%+v, %+v", again, r.Units())
	}
	if got := formattest.All(r); len(got) != 1 || !strings.Contains(got[0], alreadyRead) {
		t.Errorf("%q", got)
	}
	empty, err := NewReader(strings.NewReader("")).FileHeader()
	if object, _ := json.Marshal(empty); string(object) != `{"config":{}}` || err != nil {
		t.Errorf("%s, %v", object, err)
	}
}

func TestResults(t *testing.T) {
	const in = "k: v\nj: w\nBenchmarkX/a-2 5 1 ns/op 0 s\nj:\nBenchmarkY 6 3 s\n"
	var got []Result
	for res, err := range NewReader(strings.NewReader(in)).Results() {
		if err != nil {
			t.Fatal(err)
		}
		clone := *res
		clone.Values = append([]Value(nil), res.Values...)
		clone.Config = append([]traceid.Param(nil), res.Config...)
		got = append(got, clone)
	}
	want := []Result{
		{
			Name:       "X/a-2",
			Iterations: 5,
			Values:     []Value{{1, "ns/op"}, {0, "s"}},
			Config:     []traceid.Param{{Key: "k", Value: "v"}, {Key: "j", Value: "w"}},
			Position:   format.Position{Offset: 10, Line: 3, Column: 1},
		},
		{
			Name:       "Y",
			Iterations: 6,
			Values:     []Value{{3, "s"}},
			Config:     []traceid.Param{{Key: "k", Value: "v"}},
			Position:   format.Position{Offset: 42, Line: 5, Column: 1},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Each departure from the reference, by its number in doc.go.
func TestDepartures(t *testing.T) {
	long := "BenchmarkX/" + strings.Repeat("x", 100_000) + " 1 1 s\n"
	for _, test := range []struct{ name, in, want string }{
		{
			name: "B1",
			in:   "BenchmarkX 1 1 \xff\n",
			want: "in:1:16: invalid UTF-8 byte 0xff",
		},
		{
			name: "B2",
			in:   long,
			want: "name=X sub1=" + strings.Repeat("x", 100_000) + " unit=s = 1 iterations:1",
		},
		{
			name: "B3",
			in:   "BenchmarkX 1 0 ns/op\n",
			want: "name=X unit=sec/op = 0 iterations:1",
		},
		{
			name: "B4",
			in:   `{"Action":"output","Package":"p","Output":"BenchmarkX 1 1 s\n"}` + "\n",
			want: "name=X unit=s = 1 iterations:1",
		},
		{
			name: "B5",
			in:   "\ufeffBenchmarkX 1 1 s\n",
			want: "name=X unit=s = 1 iterations:1",
		},
		{
			name: "B6",
			in:   "Unit s param=p\nBenchmarkX 1 1 s\n",
			want: "name=X p=s = 1 iterations:1",
		},
		{
			name: "B7",
			in:   "BenchmarkX 99999999999999999999__ 1 s\n",
			want: `in:1:12: iteration count "99999999999999999999__" is out of range`,
		},
		{
			name: "B8 lower case",
			in:   "Benchmarklower 1 1 s\n",
			want: "name=lower unit=s = 1 iterations:1",
		},
		{
			name: "B8 no name",
			in:   "Benchmark 1 1 s\n",
			want: "unit=s = 1 iterations:1",
		},
		{
			name: "B8 separators",
			in:   "BenchmarkX 1 1_0.5 s\n",
			want: "name=X unit=s = 10.5 iterations:1",
		},
		{
			name: "B8 hexadecimal",
			in:   "BenchmarkX 1 0x1p3 s\n",
			want: "name=X unit=s = 8 iterations:1",
		},
		{
			name: "B8 iterations",
			in:   "BenchmarkX 1_0 1 s\n",
			want: `in:1:12: iteration count "1_0" is not a whole number`,
		},
		{
			name: "B9",
			in: `{"Action":"output","Package":"a","Output":"Unit s better=lower\n"}` + "\n" +
				`{"Action":"output","Package":"b","Output":"BenchmarkX 1 1 s\n"}` + "\n",
			want: "name=X unit=s = 1 better:lower iterations:1",
		},
		{
			name: "B10",
			in:   "BenchmarkX 1 1" + strings.Repeat("0", 900) + "e-900 s\n",
			want: "name=X unit=s = 1 iterations:1",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newReader(strings.NewReader(test.in))
			r.Tidy = true
			if diff := cmp.Diff([]string{test.want}, formattest.All(r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A break stops the reading, and the error of a failing source is reported.
func TestBreakAndFail(t *testing.T) {
	in := strings.NewReader("BenchmarkX 1 1 s 2 t\nBenchmarkX 1 3 s\n")
	for range NewReader(in).Records() {
		break
	}
	for range NewReader(strings.NewReader("BenchmarkX\nUnit x y\nBenchmarkX 1 3 s\n")).Results() {
		break
	}
	broken := errors.New("broken")
	r := NewReader(io.MultiReader(strings.NewReader("k: v\nBenchmarkX 1 1 s\nBench"), iotest.ErrReader(broken)))
	r.Name = "x.txt"
	var last error
	n := 0
	for _, err := range r.Records() {
		n++
		last = err
	}
	if !errors.Is(last, broken) || last.Error() != "x.txt:3:1: reading failed: broken" || n != 2 {
		t.Errorf("%d: %v", n, last)
	}
}

// Reading allocates almost nothing, even if all names differ.
func TestAllocations(t *testing.T) {
	var in strings.Builder
	const lines = 5000
	for i := range lines {
		fmt.Fprintf(&in, "BenchmarkX/size=%d/fast-8 \t %d\t %d ns/op\t 12.5 MB/s\n", i, 1000+i, 5000+i)
	}
	n := 0
	allocs := testing.AllocsPerRun(5, func() {
		for rec, err := range NewReader(strings.NewReader(in.String())).Records() {
			if err != nil || math.IsNaN(rec.Value) {
				t.Fatal(err)
			}
			n++
		}
	})
	if per := allocs / (2 * lines); per > 0.1 {
		t.Errorf("%.3f allocations a record", per)
	}
}
