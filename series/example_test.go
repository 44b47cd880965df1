package series_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"perfdata/benchfmt"
	"perfdata/series"
)

// Files are asked as databases are: which commits, and which series.
func ExampleAnswer() {
	const results = `commit: 3f2a9c1
BenchmarkSort 100 21 ns/op
BenchmarkSort 100 23 ns/op
commit: 7cd9055
BenchmarkSort 100 31 ns/op
`
	var a series.Answer
	file := &series.Records{Name: "new.txt", All: benchfmt.NewReader(strings.NewReader(results)).Records()}
	if err := a.Ask(context.Background(), series.Old, &series.Question{Until: "3f2a"}, file); err != nil {
		log.Fatal(err)
	}
	a.Sort()
	for _, s := range a.Series() {
		for _, sample := range s.Samples(series.Old) {
			fmt.Println(s.Trace, a.Commits[sample.Commit].Hash, sample.Values)
		}
	}
	// Output:
	// ,name=Sort,unit=ns_op, 3f2a9c1 [21 23]
}
