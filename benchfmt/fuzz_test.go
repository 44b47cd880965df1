package benchfmt

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/traceid"
)

func addSeeds(f *testing.F) {
	formattest.Generated{Format: Format()}.Add(f)
	for _, seed := range []string{
		"goos: linux\nBenchmarkX-8 100 154125 ns/op 64.88 MB/s\n",
		"BenchmarkX/a=1/b-8 1 0x1p-2 ns/op\r\nBenchmarkX/a=2/c-8\t5\t1e3 ns/op\tNaN MB/s\n",
		"Unit ns/op better=lower assume=exact x\nUnit ns/op better=higher\nUnit\nBenchmarkX 1 0 ns/op",
		"key:\nkey: a\nother:\tb\nkey:\nthird: c\nBenchmark 1 1 x",
		"BenchmarkX\u00a01\u20282\u3000ns/op\nBenchmarkX\nBenchmarkX \nBenchmarkX x\nBenchmarkX 1\n" +
			"BenchmarkX 1 x\nBenchmarkX 1 1\nBenchmarkX 99999999999999999999 1 x\n",
		"BenchmarkX 1 1e999 x\nBenchmarkX 1 1_0 x\nBenchmarkX +1 .5 x 5. y -0 z 007 a\n",
		"pkg: p\nBenchmarkA\nBenchmarkB-8 1 1 s\n--- FAIL: BenchmarkC/d\n--- FAIL: BenchmarkC\nFAIL\tp\t1s\n" +
			"FAIL\tq [build failed]\n",
		"BenchmarkA \t--- FAIL: BenchmarkA\nBenchmarkB \tpanic: x\n--- FAIL: TestX\nFAIL\nok  \tp\nFAIL\tp\nFAIL\n",
		"k: v\nl: w\nm: x\nk:\nBenchmarkA/k=1/l=2/x 1 2 ns/op 3 foo-ns/op*MB\n",
	} {
		f.Add(seed)
	}
	for _, file := range testFiles(f) {
		if len(file) < 5000 {
			f.Add(file)
		}
	}
}

// FuzzPeer compares the Reader with the reference's Reader.
func FuzzPeer(f *testing.F) {
	addSeeds(f)
	f.Fuzz(checkAgainstPerf)
}

// FuzzReader checks that any input is read without panicking, with positions in all errors, and
// equally in all ways of arriving; that Validate finds the same errors; and that records are
// written and read back equal.
func FuzzReader(f *testing.F) {
	addSeeds(f)
	for _, seed := range []string{
		`{"Action":"output","Package":"a","Output":"k: v\nBenchmarkA"}` + "\n" + `{"Action":"output","Package":` +
			`"b","Output":"BenchmarkB 1 1 s\n"}` + "\n" + `{"Action":"output","Package":"a","Output":" 1 1 s\n"}`,
		"Unit s param=k\nBenchmarkX/a-8 1 1 s\nBenchmarkX-8/b 1 1 s\n\xef\xbb\xbf",
		"name: X-8\nsub1: l=w\nBenchmark/k= 1 5 s\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		in = strings.ReplaceAll(in, "§", "$") // it marks positions in tables of inputs
		limits := format.Limits{MaxLineBytes: 200, MaxParams: 20, MaxHeaderBytes: 5000}
		got := []string{}
		faults := []string{}
		for rec, err := range Format().Open(nil, strings.NewReader(in), format.Options{Name: "in", Limits: limits}).Records() {
			if err != nil {
				formattest.CheckError(t, in, err)
				faults = append(faults, err.Error())
				got = append(got, formattest.ShowError(err))
				continue
			}
			got = append(got, formattest.Show(rec))
		}
		formattest.CheckRead(t, "any input", in, got,
			func(in io.Reader) []string {
				return formattest.All(Format().Open(nil, in, format.Options{Name: "in", Limits: limits}))
			})
		found := []string{}
		for e := range Format().Validate(strings.NewReader(in), format.Options{Name: "in", Limits: limits}) {
			if e.Severity != format.Warning {
				found = append(found, e.Error())
			}
		}
		if diff := cmp.Diff(faults, found); diff != "" {
			t.Fatalf("faults (-Reader +Validate):\n%s", diff)
		}
		checkRoundTrip(t, in)
	})
}

// FuzzWriter checks that the output of a Writer passes Validate and is read back equal, and that
// rejected input leaves no trace. The script consists of fields separated by |; commands have
// several fields.
func FuzzWriter(f *testing.F) {
	for _, seed := range []string{
		"k|v||u|a|b||s|X/a=1/b-8|5|1.5|ns/op|2|MB/s||k|w||s|Y|1|3|s|||",
		"goos|linux||||r|1|5|name|X|sub1|a|unit|ns/op||r|2|5|name|X|sub1|a|unit|B/op||r|1|007|k|a b|name|Y-8||",
		"||||r|1||better|x|unit|s||a|better|lower|r|NaN|1|name|X|units|m||s|||1|s|||",
		"k|v|k|w||u|ns|b|c|u|sec|b|d||s|X Y|0|1|s||s|X|0|1|||s||-3|-0|s|||c|A|v|s|X|1|1|s|||c|k|a\r|s|X|1|1e400|s|||",
		"||||r|1|1|sub1|x=y|sub2|z|x|w|unit|s||r|1|1|name|X|gomaxprocs|8|a=b|c|unit|s||r|1|1|z|1|a|2|unit|s||" +
			"r|1|1|a|1|a|2|unit|s||",
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, asRecords bool) {
		in := script{rest: text}
		var header Header
		header.Config = traceid.FromPairs(in.pairs()...)
		for _, p := range in.pairs() {
			header.Units = append(header.Units, UnitMetadata{Unit: "s", Key: p.Key, Value: p.Value})
		}
		var out bytes.Buffer
		w := NewWriter(&out, header)
		var want []string
		var config []traceid.Param
		for in.rest != "" {
			switch in.next() {
			case "u":
				w.WriteUnit(UnitMetadata{Unit: in.next(), Key: in.next(), Value: in.next()})
			case "c":
				config = in.pairs()
			case "s":
				res := &Result{Name: in.next(), Iterations: in.int(), Config: config}
				for _, p := range in.pairs() {
					number, _ := strconv.ParseFloat(p.Key, 64)
					res.Values = append(res.Values, Value{number, p.Value})
				}
				if !asRecords && w.WriteResult(res) == nil {
					if res.Config == nil {
						res.Config = header.Config
					}
					want = append(want, describeResult(res))
				}
			case "r":
				number, _ := strconv.ParseFloat(in.next(), 64)
				rec := &format.Record{Value: number, Attrs: traceid.Params{{Key: attrIterations, Value: in.next()}}}
				if rec.Attrs[0].Value == "" {
					rec.Attrs = nil
				}
				rec.Params = in.pairs()
				if asRecords && w.Write(rec) == nil {
					want = append(want, describeRecord(rec))
				}
			}
		}
		if err := w.Close(); err != nil {
			return // an error in the header
		}
		for e := range Format().Validate(bytes.NewReader(out.Bytes()), format.Options{Name: "out"}) {
			if e.Severity != format.Warning {
				t.Fatalf("%v\nwritten: %q", e, out.String())
			}
		}
		var got []string
		if asRecords {
			for rec, err := range NewReader(&out).Records() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, describeRecord(rec))
			}
		} else {
			for res, err := range NewReader(&out).Results() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, describeResult(res))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-written +read):\n%s", diff)
		}
	})
}

// A script is a sequence of fields.
type script struct{ rest string }

func (s *script) next() string {
	field, rest, _ := strings.Cut(s.rest, "|")
	s.rest = rest
	return field
}

func (s *script) int() int {
	n, _ := strconv.Atoi(s.next())
	return n
}

// pairs returns the pairs before the next one with an empty key.
func (s *script) pairs() (pairs []traceid.Param) {
	for {
		p := traceid.Param{Key: s.next()}
		if p.Key == "" {
			return pairs
		}
		p.Value = s.next()
		pairs = append(pairs, p)
	}
}

func describeResult(res *Result) string {
	return fmt.Sprintf("%q %d %v %q", res.Name, res.Iterations, res.Values, traceid.FromPairs(res.Config...))
}

// describeRecord returns the text of a record without the metadata of its unit, which may come
// from other records.
func describeRecord(rec *format.Record) string {
	n, ok := rec.Attrs.Get(attrIterations)
	if !ok {
		n = "1"
	}
	return fmt.Sprintf("%q = %v (%s)", rec.Params, rec.Value, n)
}
