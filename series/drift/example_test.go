package drift_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"perfdata/benchfmt"
	"perfdata/series"
	"perfdata/series/drift"
	"perfdata/traceid"
)

func ExampleCollector() {
	var c drift.Collector
	c.File(series.Old, "monday.json")
	c.Add(traceid.Of("test", "Sort", "device_version", "none"), 10)
	c.Add(traceid.Of("test", "Hash", "device_version", "none"), 20)
	c.File(series.New, "tuesday.json")
	c.Add(traceid.Of("test", "Sort", "device_version", "11"), 10)
	c.Add(traceid.Of("test", "Hash", "device_version", "11"), 21)

	r := c.Report()
	fmt.Println(r.Vanished, r.Appeared, r.HasDrifted())
	fmt.Println(r.Changed.Key, r.Changed.From, r.Changed.To, r.Changed.Traces)
	// Output:
	// 2 2 true
	// device_version none 11 2
}

// Series that were asked for anyway, here of two files, need not be collected once more.
func ExampleOfSeries() {
	var a series.Answer
	for side, text := range []string{
		series.Old: "goos: linux\nBenchmarkSort 100 21 ns/op\nBenchmarkHash 100 7 ns/op\n",
		series.New: "goos: linux\nBenchmarkSort 100 21 ns/op\nBenchmarkHashes 100 7 ns/op\n",
	} {
		file := &series.Records{All: benchfmt.NewReader(strings.NewReader(text)).Records()}
		if err := a.Ask(context.Background(), side, &series.Question{}, file); err != nil {
			log.Fatal(err)
		}
	}
	values := func(s *series.Series, side int) []float64 { return s.AppendSide(nil, side) }
	r, err := drift.OfSeries(a.Series(), []string{"old.txt", "new.txt"}, values)
	if err != nil {
		log.Fatal(err)
	}
	for _, reason := range r.Reasons() {
		fmt.Println(reason.Text)
	}
	// Output:
	// renamed: name Hash is now Hashes
}
