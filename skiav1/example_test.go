package skiav1_test

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"perfdata/format"
	"perfdata/skiav1"
	"perfdata/traceid"
)

const file = `{
  "version": 1,
  "git_hash": "cd5...663",
  "key": {"config": "8888", "arch": "x86"},
  "results": [
    {"key": {"test": "one_measurement", "units": "s"}, "measurement": 123.4},
    {"key": {"test": "none", "units": "s"}},
    {"key": {"test": "draw_a_circle", "units": "ms"}, "measurements": {
      "stat": [{"value": "min", "measurement": 1.2}, {"value": "max", "measurement": 2.4}]
    }}
  ],
  "links": {"details": "https://example.com/run"}
}`

// A service reads all sound measurements, and logs the faulty ones.
func ExampleReader() {
	r := skiav1.NewReader(strings.NewReader(file))
	r.Name = "run.json"
	r.Limits.MaxDepth = 16
	h, err := r.Header()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h.GitHash, h.Links)
	for rec, err := range r.Records() {
		if e, ok := errors.AsType[*format.Error](err); ok && e.Severity == format.Recoverable {
			fmt.Println("left out:", e)
			continue
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rec.TraceID(), rec.Value)
	}
	// Output:
	// cd5...663 [{details https://example.com/run}]
	// ,arch=x86,config=8888,test=one_measurement,units=s, 123.4
	// left out: run.json:7:5: results.1: missing number: measurement or measurements is required
	// ,arch=x86,config=8888,stat=min,test=draw_a_circle,units=ms, 1.2
	// ,arch=x86,config=8888,stat=max,test=draw_a_circle,units=ms, 2.4
}

// A service that stores values by trace ID needs no other string of a record.
func ExampleReader_Records_ids() {
	r := skiav1.NewReader(strings.NewReader(file))
	var id []byte
	for rec, err := range r.Records() {
		if err != nil {
			continue
		}
		id = rec.AppendTraceID(id[:0])
		fmt.Printf("%s %v\n", id, rec.Value)
	}
	// Output:
	// ,arch=x86,config=8888,test=one_measurement,units=s, 123.4
	// ,arch=x86,config=8888,stat=min,test=draw_a_circle,units=ms, 1.2
	// ,arch=x86,config=8888,stat=max,test=draw_a_circle,units=ms, 2.4
}

// A benchmark runner writes a line for each benchmark.
func ExampleWriter() {
	machine := traceid.Of("arch", "x86")
	w := skiav1.NewWriter(os.Stdout, skiav1.Header{GitHash: "cd5...663", Key: machine})
	w.Limits.MaxUniqueTraces = 1_000_000
	params := traceid.Merge(machine, traceid.Of("test", "encode", "units", "ms"))
	if err := w.Write(&format.Record{Params: params, Value: 12.75}); err != nil {
		fmt.Println(err)
	}
	decode := traceid.Merge(machine, traceid.Of("test", "decode"))
	for i, stat := range []string{"min", "max"} { // these become one result
		params := traceid.Merge(decode, traceid.Of("stat", stat))
		if err := w.Write(&format.Record{Params: params, Value: float64(i + 1)}); err != nil {
			fmt.Println(err)
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"version":1,"git_hash":"cd5...663","key":{"arch":"x86"},"results":[
	// {"key":{"test":"encode","units":"ms"},"measurement":12.75},
	// {"key":{"test":"decode"},"measurements":{"stat":[{"value":"min","measurement":1},{"value":"max","measurement":2}]}}
	// ]}
}

// An instance of Skia Perf ingests the branches that it is configured for, and stores a result
// without a number as 0.
func ExampleReader_branches() {
	for _, branch := range []string{"main", "beta"} {
		r := skiav1.NewReader(strings.NewReader(`{"version":1,"git_hash":"abc","key":{"branch":"` + branch +
			`"},"results":[{"key":{"test":"encode"}}]}`))
		r.Branches = []string{"main"}
		r.MissingAsZero = true
		for rec, err := range r.Records() {
			if errors.Is(err, format.ErrSkipped) {
				fmt.Println("skipped:", err)
				continue
			}
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println(rec.TraceID(), rec.Value)
		}
	}
	// Output:
	// ,branch=main,test=encode, 0
	// skipped: 1:1: key.branch: "beta" is not one of the branches ["main"]
}

func ExampleHeader_CommitNumber() {
	fmt.Println(skiav1.Header{GitHash: "CP:727901"}.CommitNumber())
	fmt.Println(skiav1.Header{GitHash: "7cd9055"}.CommitNumber())
	// Output:
	// 727901 <nil>
	// 0 git_hash "7cd9055" is not a commit number, such as CP:727901
}

func ExampleFormat_validate() {
	const invalid = `{
  "version": 1,
  "results": [
    {"measurement": "fast"}
  ]
}`
	for e := range skiav1.Format().Validate(strings.NewReader(invalid), format.Options{Name: "run.json"}) {
		fmt.Println(e)
	}
	// Output:
	// run.json:1:1: (root): git_hash is required
	// run.json:4:5: results.0: key is required
	// run.json:4:21: results.0.measurement: Invalid type. Expected: number, given: string
}
