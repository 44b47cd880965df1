package check_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"perfdata/benchfmt"
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
		fmt.Printf("%g after %g: %v\n", r.New.Median, r.Old.Median, r.Verdict)
	}
	// Output:
	// 104 after 100.5: same
	// 107 after 100.5: within noise
	// 130 after 100.5: worse
}

// A file is judged against the history in another one, in the order of its commits.
func ExampleChecker_Series() {
	history, results := "", "commit: new\nBenchmarkSort 100 133 ns/op\n"
	for commit, value := range []float64{100, 103, 98, 101, 102, 99, 104, 100} {
		history += fmt.Sprintf("commit: c%d\nBenchmarkSort 100 %g ns/op\n", commit, value)
	}
	var a series.Answer
	for side, text := range []string{series.Old: history, series.New: results} {
		records := benchfmt.NewReader(strings.NewReader(text)).Records()
		if err := a.Ask(context.Background(), side, &series.Question{}, &series.Records{All: records}); err != nil {
			log.Fatal(err)
		}
	}
	a.Sort()

	var c check.Checker
	accept := func(*series.Series) (first int, reason string) { return 0, "" }
	rows, _ := c.Series(a.Series(), a.Commits, accept)
	for _, r := range rows {
		fmt.Println(r.Series.Trace, r.Verdict)
	}
	// Output:
	// ,name=Sort,unit=ns_op, worse
}
