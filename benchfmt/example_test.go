package benchfmt_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/perf/benchproc"

	"perfdata/benchfmt"
	"perfdata/benchfmt/xperf"
	"perfdata/format"
	"perfdata/skiav1"
	"perfdata/traceid"
)

const output = `goos: linux
goarch: amd64
pkg: codec
BenchmarkEncode/size=1024-8         	  500000	      2405 ns/op	 425.78 MB/s
BenchmarkEncode/size=65536-8        	    8000	    151228 ns/op	 433.36 MB/s
PASS
`

func ExampleReader() {
	r := benchfmt.NewReader(strings.NewReader(output))
	r.Name = "bench.txt"
	for rec, err := range r.Records() {
		if err != nil {
			fmt.Println(err) // a *format.Error; the line is left out, and reading goes on
			continue
		}
		fmt.Println(rec.TraceID(), rec.Value)
	}
	// Output:
	// ,goarch=amd64,gomaxprocs=8,goos=linux,name=Encode,pkg=codec,size=1024,unit=ns_op, 2405
	// ,goarch=amd64,gomaxprocs=8,goos=linux,name=Encode,pkg=codec,size=1024,unit=MB_s, 425.78
	// ,goarch=amd64,gomaxprocs=8,goos=linux,name=Encode,pkg=codec,size=65536,unit=ns_op, 151228
	// ,goarch=amd64,gomaxprocs=8,goos=linux,name=Encode,pkg=codec,size=65536,unit=MB_s, 433.36
}

// A service that stores values by trace ID needs no other string of a record.
func ExampleReader_Records_ids() {
	r := benchfmt.NewReader(strings.NewReader(output))
	var id []byte
	for rec, err := range r.Records() {
		if err != nil {
			fmt.Println(err)
			continue
		}
		id = rec.AppendTraceID(id[:0])
		fmt.Printf("%s %v\n", id, rec.Value)
	}
	// Output:
	// ,goarch=amd64,gomaxprocs=8,goos=linux,name=Encode,pkg=codec,size=1024,unit=ns_op, 2405
	// ,goarch=amd64,gomaxprocs=8,goos=linux,name=Encode,pkg=codec,size=1024,unit=MB_s, 425.78
	// ,goarch=amd64,gomaxprocs=8,goos=linux,name=Encode,pkg=codec,size=65536,unit=ns_op, 151228
	// ,goarch=amd64,gomaxprocs=8,goos=linux,name=Encode,pkg=codec,size=65536,unit=MB_s, 433.36
}

// One Reader reads many small files without new memory for each.
func ExampleReader_Reset() {
	files := map[string]string{
		"a.txt": "BenchmarkEncode 1 2405 ns/op\n",
		"b.txt": "BenchmarkDecode 1 1802 ns/op\n",
	}
	r := benchfmt.NewReader(nil)
	for _, name := range []string{"a.txt", "b.txt"} {
		r.Reset(strings.NewReader(files[name]))
		r.Name = name
		for rec, err := range r.Records() {
			if err != nil {
				fmt.Println(err)
				continue
			}
			fmt.Println(name, rec.TraceID(), rec.Value)
		}
	}
	// Output:
	// a.txt ,name=Encode,unit=ns_op, 2405
	// b.txt ,name=Decode,unit=ns_op, 1802
}

// A benchmark runner prints results while it runs.
func ExampleWriter_WriteResult() {
	w := benchfmt.NewWriter(os.Stdout, benchfmt.Header{
		Config: traceid.FromMap(map[string]string{"goos": "linux", "commit": "7cd9055"}),
		Units:  []benchfmt.UnitMetadata{{Unit: "hit-rate", Key: "better", Value: "higher"}},
	})
	for _, keys := range []int{1000, 1_000_000} {
		err := w.WriteResult(&benchfmt.Result{
			Name:       fmt.Sprintf("Get/keys=%d", keys),
			Iterations: 5000,
			Values:     []benchfmt.Value{{Value: 294.1, Unit: "ns/op"}, {Value: 0.9981, Unit: "hit-rate"}},
		})
		if err == nil {
			err = w.Flush()
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// goos: linux
	// commit: 7cd9055
	//
	// Unit hit-rate better=higher
	// BenchmarkGet/keys=1000 5000 294.1 ns/op 0.9981 hit-rate
	// BenchmarkGet/keys=1000000 5000 294.1 ns/op 0.9981 hit-rate
}

// The output of "go test -bench" is converted to a file for Skia Perf, and back for benchstat.
func Example_skia() {
	in := benchfmt.NewReader(strings.NewReader(output))
	h, err := in.Header()
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	skia := skiav1.NewWriter(&file, skiav1.Header{GitHash: "7cd9055", Key: h.Config})
	for rec, err := range in.Records() {
		if err == nil {
			without := *rec
			without.Attrs = nil // the format can't hold the number of iterations
			err = skia.Write(&without)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := skia.Close(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(file.String())

	back := skiav1.NewReader(&file)
	key, err := back.Header()
	if err != nil {
		fmt.Println(err)
		return
	}
	w := benchfmt.NewWriter(os.Stdout, benchfmt.Header{Config: key.Key})
	for rec, err := range back.Records() {
		if err == nil {
			err = w.Write(rec)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"version":1,"git_hash":"7cd9055","key":{"goarch":"amd64","goos":"linux","pkg":"codec"},"results":[
	// {"key":{"gomaxprocs":"8","name":"Encode","size":"1024"},"measurements":{"unit":[{"value":"ns/op","measurement":2405},{"value":"MB/s","measurement":425.78}]}},
	// {"key":{"gomaxprocs":"8","name":"Encode","size":"65536"},"measurements":{"unit":[{"value":"ns/op","measurement":151228},{"value":"MB/s","measurement":433.36}]}}
	// ]}
	// goos: linux
	// goarch: amd64
	// pkg: codec
	//
	// BenchmarkEncode/size=1024-8 1 2405 ns/op 425.78 MB/s
	// BenchmarkEncode/size=65536-8 1 151228 ns/op 433.36 MB/s
}

// In base units, results of runners that print other units can be compared.
func ExampleReader_tidy() {
	r := benchfmt.NewReader(strings.NewReader("BenchmarkEncode 100 2500 ns/op 425.78 MB/s\n"))
	r.Tidy = true
	for rec, err := range r.Records() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rec.Value, rec.Unit)
	}
	// Output:
	// 2.5e-06 sec/op
	// 4.2578e+08 B/s
}

// A filter keeps some results, with the metadata of their units.
func ExampleReader_Results() {
	const file = "Unit hit-rate better=higher\nBenchmarkGet 10 0.9 hit-rate\nBenchmarkPut 10 0.1 hit-rate\n"
	r := benchfmt.NewReader(strings.NewReader(file))
	w := benchfmt.NewWriter(os.Stdout, benchfmt.Header{})
	units := 0
	for res, err := range r.Results() {
		for _, u := range r.Units()[units:] {
			err = errors.Join(err, w.WriteUnit(u))
			units++
		}
		if err == nil && res.Name == "Get" {
			err = w.WriteResult(res)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Unit hit-rate better=higher
	// BenchmarkGet 10 0.9 hit-rate
}

func ExampleFormat_validate() {
	const output = "BenchmarkEncode 100 fast ns/op\nBenchmarkDecode 100 12 ns/op\n"
	for e := range benchfmt.Format().Validate(strings.NewReader(output), format.Options{Name: "bench.txt"}) {
		fmt.Println(e)
	}
	// Output:
	// bench.txt:1:21: value "fast" is not a number
}

// The packages of x/perf work on the measurements of any format.
func ExampleResults() {
	const file = `{"version":1,"git_hash":"7cd9055","key":{"arch":"x86"},"results":[
{"key":{"test":"encode","units":"ns"},"measurement":1250},
{"key":{"test":"decode","units":"ns"},"measurement":310}]}`
	in := skiav1.NewReader(strings.NewReader(file))
	var parser benchproc.ProjectionParser
	projection, err := parser.Parse("arch,/test", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	arch := traceid.FromMap(map[string]string{"arch": "x86"})
	for res, err := range benchfmt.Results(benchfmt.Header{Config: arch}, in.Records()) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		perf := xperf.Result(res)
		fmt.Println(projection.Project(perf), perf.Values[0].Value, perf.Values[0].Unit)
	}
	// Output:
	// arch:x86 /test:encode 1.25e-06 sec
	// arch:x86 /test:decode 3.1e-07 sec
}
