package peers_test

import (
	"fmt"

	"perfdata/series/change/peers"
)

// The same values by two methods: one looks for steps in windows, and the other fits one to the middle.
func ExampleEDivisive() {
	values := []float64{100, 101, 99, 100, 102, 100, 112, 110, 111, 112, 110, 111}
	var otava peers.EDivisive
	for _, p := range otava.Find(values) {
		fmt.Printf("a step at %d from %.1f to %.1f\n", p.Index, p.Before, p.After)
	}
	skia := peers.StepFit{Method: peers.CohenStep, Interesting: 2, MinDeviation: 0.001}
	var floats []float32
	for _, v := range values {
		floats = append(floats, float32(v))
	}
	fit := skia.Fit(floats)
	fmt.Printf("%s, %.1f standard deviations\n", fit.Status, -fit.Size)
	// Output:
	// a step at 6 from 100.3 to 111.0
	// High, 11.1 standard deviations
}
