package change_test

import (
	"context"
	"fmt"
	"log"
	"slices"
	"strings"

	"perfdata/benchfmt"
	"perfdata/format"
	"perfdata/series"
	"perfdata/series/change"
	"perfdata/traceid"
)

// The values of one benchmark, commit by commit: it became slower at the eleventh, and one run of
// it was disturbed.
func Example() {
	values := []float64{
		101, 99, 100, 102, 98, 100, 101, 99, 100, 101,
		112, 110, 111, 109, 111, 112, 250, 110, 111, 113, 110, 112,
	}
	var finder change.Finder
	for _, p := range finder.Find(values) {
		switch p.Kind {
		case change.Step:
			fmt.Printf("a step at %d (%d to %d) from %g to %g, %+.1f%%\n",
				p.Index, p.Lo, p.Hi, p.Before, p.After, 100*(p.Ratio-1))
		case change.Trend:
			fmt.Printf("a trend from %d to %d\n", p.Lo, p.Hi)
		case change.Outlier:
			fmt.Printf("an outlier at %d: %g\n", p.Index, p.After)
		}
	}
	// Output:
	// a step at 10 (10 to 10) from 100 to 111, +11.0%
	// an outlier at 16: 250
}

// Two benchmarks became slower at the same commit: one finding, named by the params that they
// have in common.
func ExampleFindings() {
	var finder change.Finder
	var all []change.Found
	for _, test := range []string{"encode", "decode"} {
		var values []float64
		for i := range 40 {
			v := 100 + float64(i*7%5)
			if i >= 25 {
				v *= 1.2
			}
			values = append(values, v)
		}
		all = append(all, change.Found{
			Params: traceid.Of("arch", "arm", "test", test),
			Better: format.Lower,
			Points: slices.Clone(finder.Find(values)),
		})
	}
	findings, _ := change.Findings(all, 0.05, 0.05)
	for _, f := range findings {
		fmt.Printf("%d series worse with %s since commit %d: %+.0f%%\n", f.Worse, f.Params.ID(), f.At, 100*(f.Ratio-1))
	}
	// Output:
	// 2 series worse with ,arch=arm, since commit 25: +20%
}

// The repetitions of a commit are one sample: their spread says how far its median may be off.
func ExampleFinder_FindSamples() {
	history := ""
	for commit := range 20 {
		for repetition := range 3 {
			value := 100 + repetition*2 + commit*7%3
			if commit >= 12 {
				value += 30
			}
			history += fmt.Sprintf("commit: c%02d\nBenchmarkSort 100 %d ns/op\n", commit, value)
		}
	}
	var a series.Answer
	file := &series.Records{All: benchfmt.NewReader(strings.NewReader(history)).Records()}
	if err := a.Ask(context.Background(), series.Old, &series.Question{}, file); err != nil {
		log.Fatal(err)
	}
	a.Sort()
	var finder change.Finder
	for _, s := range a.Series() {
		samples := s.Samples(series.Old)
		for _, p := range finder.FindSamples(samples) {
			fmt.Printf("%s: a %v at %s: %+.0f%%\n", s.Trace, p.Kind, a.Commits[p.Index].Hash, 100*(p.Ratio-1))
		}
	}
	// Output:
	// ,name=Sort,unit=ns_op,: a step at c12: +29%
}
