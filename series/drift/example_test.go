package drift_test

import (
	"fmt"

	"perfdata/series/drift"
	"perfdata/traceid"
)

func ExampleCollector() {
	var c drift.Collector
	c.File(drift.Old, "monday.json")
	c.Add(traceid.Of("test", "Sort", "device_version", "none"), 10)
	c.Add(traceid.Of("test", "Hash", "device_version", "none"), 20)
	c.File(drift.New, "tuesday.json")
	c.Add(traceid.Of("test", "Sort", "device_version", "11"), 10)
	c.Add(traceid.Of("test", "Hash", "device_version", "11"), 21)

	r := c.Report()
	fmt.Println(r.Vanished, r.Appeared, r.HasDrifted())
	fmt.Println(r.Changed.Key, r.Changed.From, r.Changed.To, r.Changed.Traces)
	// Output:
	// 2 2 true
	// device_version none 11 2
}
