package check_test

import (
	"fmt"

	"perfdata/format"
	"perfdata/series"
	"perfdata/series/check"
)

func Example() {
	var history []series.Sample
	for commit, value := range []float64{100, 103, 98, 101, 102, 99, 104, 100} {
		history = append(history, series.Sample{Commit: commit, Values: []float64{value}})
	}
	var c check.Checker
	for _, value := range []float64{104, 107, 130} {
		r := c.Judge([]check.Input{{
			History: history,
			New:     []series.Sample{{Values: []float64{value}}},
			Better:  format.Lower,
		}})[0]
		fmt.Printf("%g after %g: %v\n", r.After, r.Before, r.Verdict)
	}
	// Output:
	// 104 after 100.5: same
	// 107 after 100.5: within noise
	// 130 after 100.5: worse
}
