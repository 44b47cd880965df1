package format_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"perfdata/format"
	"perfdata/skiav1"
)

// A tolerant program continues after recoverable errors, and reports them.
func ExampleError() {
	const file = `{"version":1,"git_hash":"abc","results":[
  {"key":{"test":"a"},"measurement":1},
  {"key":{"test":"b"},"measurement":"n/a"},
  {"key":{"test":"c"},"measurement":3}
]}`
	r := skiav1.NewReader(strings.NewReader(file))
	r.Name = "run.json"
	for rec, err := range r.Records() {
		if e, ok := errors.AsType[*format.Error](err); ok && e.Severity == format.Recoverable {
			fmt.Println(e)
			fmt.Println("line", e.Line, "path", e.Path)
			continue
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rec.TraceID(), rec.Value)
	}
	// Output:
	// ,test=a, 1
	// run.json:3:37: results.1.measurement: Invalid type. Expected: number, given: string
	// line 3 path results.1.measurement
	// ,test=c, 3
}

// Tolerant separates the recoverable errors from errors that end the reading.
func ExampleTolerant() {
	const file = `{"version":1,"git_hash":"abc","results":[
  {"key":{"test":"a"},"measurement":1},
  {"key":{"test":"b"},"measurement":"n/a"},
  {"key":{"test":"c"},"measurement":3}
]}`
	r := skiav1.NewReader(strings.NewReader(file))
	r.Name = "run.json"
	report := func(e *format.Error) { fmt.Println("left out:", e) }
	for rec, err := range format.Tolerant(r.Records(), report) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rec.TraceID(), rec.Value)
	}
	// Output:
	// ,test=a, 1
	// left out: run.json:3:37: results.1.measurement: Invalid type. Expected: number, given: string
	// ,test=c, 3
}

// A service sets limits for uploads that are lower than the defaults.
func ExampleLimits() {
	r := skiav1.NewReader(strings.NewReader(`{"version":1,"git_hash":"abc",` +
		`"results":[{"key":{"a":"a value that is too long"},"measurement":1}]}`))
	r.Limits = format.Limits{MaxDepth: 16, MaxStringBytes: 20}
	for _, err := range r.Records() {
		fmt.Println(err)
	}
	// Output:
	// 1:54: results.0.key.a: bytes of one string: more than 20 (Limits.MaxStringBytes)
}

// Any Writer takes any Reader's records.
func ExampleCollect() {
	in := skiav1.NewReader(strings.NewReader(`{"version":1,"git_hash":"abc","results":[{"key":{"test":"b"},` +
		`"measurement":2},{"key":{"test":"a"},"measurement":1}]}`))
	recs, err := format.Collect(in.Records())
	if err != nil {
		fmt.Println(err)
		return
	}
	var w format.Writer = skiav1.NewWriter(os.Stdout, skiav1.Header{GitHash: "abc"})
	for _, rec := range slices.Backward(recs) {
		if err := w.Write(rec); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"version":1,"git_hash":"abc","results":[
	// {"key":{},"measurements":{"test":[{"value":"a","measurement":1},{"value":"b","measurement":2}]}}
	// ]}
}
