package compare_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"perfdata"
	"perfdata/format"
	"perfdata/series"
	"perfdata/series/compare"
)

// Two files are compared: any format will do.
func Example() {
	var a series.Answer
	for side, text := range []string{
		series.Old: "BenchmarkSort 1 101 ns/op\nBenchmarkSort 1 102 ns/op\nBenchmarkSort 1 103 ns/op\nBenchmarkSort 1 104 ns/op\n",
		series.New: "BenchmarkSort 1 121 ns/op\nBenchmarkSort 1 122 ns/op\nBenchmarkSort 1 123 ns/op\nBenchmarkSort 1 124 ns/op\n",
	} {
		r, err := perfdata.NewReader(strings.NewReader(text), "")
		if err != nil {
			log.Fatal(err)
		}
		file := &series.Records{IsHistory: r.Format.IsHistory, All: r.Records()}
		if err := a.Ask(context.Background(), side, &series.Question{}, file); err != nil {
			log.Fatal(err)
		}
	}
	a.Sort()

	report := compare.NewComparer(compare.DefaultOptions()).Compare(a.Series(), compare.Rule{})
	for _, row := range report.Rows {
		fmt.Printf("%s %s: %.3f, from %.3f to %.3f, p=%.3f\n", row.Series.Trace, row.Verdict, row.Ratio,
			row.Estimate.Lo, row.Estimate.Hi, row.P)
	}
	// Output: ,name=Sort,unit=ns_op, worse: 1.195, from 1.163 to 1.228, p=0.029
}

func ExampleComparer_Samples() {
	comparer := compare.NewComparer(compare.DefaultOptions())
	r := comparer.Samples([]float64{10, 11, 10}, []float64{14, 15, 14}, format.Lower, false)
	fmt.Printf("%s: ratio %.2f, needs %d values\n", r.Verdict, r.Ratio, r.Needed)
	// Output: unknown: ratio 1.40, needs 4 values
}
