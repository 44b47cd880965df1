package compare_test

import (
	"fmt"
	"strings"

	"perfdata"
	"perfdata/format"
	"perfdata/series"
	"perfdata/series/compare"
)

// Two files are compared: any format will do.
func Example() {
	files := []string{
		"BenchmarkSort 1 101 ns/op\nBenchmarkSort 1 102 ns/op\nBenchmarkSort 1 103 ns/op\nBenchmarkSort 1 104 ns/op\n",
		"BenchmarkSort 1 121 ns/op\nBenchmarkSort 1 122 ns/op\nBenchmarkSort 1 123 ns/op\nBenchmarkSort 1 124 ns/op\n",
	}
	var all series.Collector
	for column, text := range files {
		r, err := perfdata.NewReader(strings.NewReader(text), "")
		if err != nil {
			fmt.Println(err)
			return
		}
		var placer series.Placer
		for rec, err := range r.Records() {
			if err != nil {
				fmt.Println(err)
				continue
			}
			at, err := placer.Place(rec)
			if err == nil {
				err = all.Add(at, column)
			}
			if err != nil {
				fmt.Println(err)
			}
		}
	}

	report := compare.NewComparer(compare.DefaultOptions()).Compare(all.Series(), compare.Rule{})
	for _, row := range report.Rows {
		fmt.Printf("%s %s: %.3f, from %.3f to %.3f, p=%.3f\n", row.Series.Trace, row.Verdict, row.Ratio, row.Lo, row.Hi, row.P)
	}
	// Output: ,name=Sort,unit=ns_op, worse: 1.195, from 1.163 to 1.228, p=0.029
}

func ExampleComparer_Samples() {
	comparer := compare.NewComparer(compare.DefaultOptions())
	r := comparer.Samples([]float64{10, 11, 10}, []float64{14, 15, 14}, format.Lower, false)
	fmt.Printf("%s: ratio %.2f, needs %d values\n", r.Verdict, r.Ratio, r.Needed)
	// Output: unknown: ratio 1.40, needs 4 values
}
