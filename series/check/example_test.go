package check_test

import (
	"fmt"

	"perfdata/format"
	"perfdata/series/check"
)

func Example() {
	history := []float64{100, 103, 98, 101, 102, 99, 104, 100}
	var c check.Checker
	for _, value := range []float64{104, 130} {
		r := c.Judge([]check.Series{{History: history, New: []float64{value}, Better: format.Lower}})[0]
		fmt.Printf("%g after %g: %v\n", r.After, r.Before, r.Verdict)
	}
	// Output:
	// 104 after 100.5: same
	// 130 after 100.5: worse
}
