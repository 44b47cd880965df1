package store_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"

	"perfdata/benchfmt"
	"perfdata/ingest"
	"perfdata/series"
	"perfdata/series/check"
	"perfdata/store"
	"perfdata/traceid"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, filepath.Join(dir, "perf.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	// All files of a tree: the folder of a bucket, for example.
	files := ingest.Walk(os.DirFS("../testdata"), "skiav1", ingest.WalkOptions{Order: ingest.ByPath})
	summary, err := s.Ingest(ctx, files, store.IngestOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(summary.Failed, "file failed")

	q, err := traceid.ParseQuery("arch=x86&stat=min&test=~circle")
	if err != nil {
		log.Fatal(err)
	}
	for series, err := range s.Query(ctx, q, store.Range{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(series.ID)
		for _, p := range series.Points {
			links, err := s.Links(ctx, store.Trial{}, series.ID, p)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(p.Commit, p.Value, links)
		}
	}
	for source, err := range s.Sources(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		if source.Err != "" {
			fmt.Println(source.Path, "failed")
		}
	}
	// Output:
	// 1 file failed
	// ,arch=x86,config=8888,stat=min,test=draw_a_circle,units=ms,
	// cd5...663 1.2 [{details https://example.com/a-link-to-details-about-this-test-run}]
	// skiav1/invalid.json failed
}

// A database and a file answer one question: the history of the series that the file has, and then
// they are judged.
func ExampleStore_Ask() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, filepath.Join(dir, "perf.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	history := ""
	for commit, value := range []float64{100, 103, 98, 101, 102, 99, 104, 100} {
		history += fmt.Sprintf("commit: c%d\nBenchmarkSort 100 %g ns/op\nBenchmarkHash 100 7 ns/op\n", commit, value)
	}
	if r := s.Upload(ctx, strings.NewReader(history), store.Upload{Name: "history.txt"}); r.Err != nil {
		log.Fatal(r.Err)
	}

	var a series.Answer
	results := benchfmt.NewReader(strings.NewReader("commit: c8\nBenchmarkSort 100 133 ns/op\n")).Records()
	if err := a.Ask(ctx, series.New, &series.Question{}, &series.Records{All: results}); err != nil {
		log.Fatal(err)
	}
	_, query, err := a.Shared(series.New)
	if err != nil {
		log.Fatal(err)
	}
	if err := a.Ask(ctx, series.Old, &series.Question{Queries: []*traceid.Query{query}}, s); err != nil {
		log.Fatal(err)
	}
	a.Sort()

	var c check.Checker
	rows, _ := c.Series(a.Series(), a.Commits, func(*series.Series) (int, string) { return 0, "" })
	for _, r := range rows {
		fmt.Println(r.Series.Trace, r.Verdict, "than", r.Old.N, "commits")
	}
	// Output:
	// ,name=Sort,unit=ns_op, worse than 8 commits
}

// An upload whose name is not a path in the storage layout gets one.
func ExampleStore_Upload() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, filepath.Join(dir, "perf.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	upload := strings.NewReader("commit: 7cd9055\nBenchmarkEncode 100 5123 ns/op\n")
	report := s.Upload(ctx, upload, store.Upload{Name: "bench.txt"})
	if report.Err != nil {
		log.Fatal(report.Err)
	}
	_, hasHour := ingest.HourOf(report.File.Path)
	fmt.Println(report.Content.Records, "measurement stored, path with an hour:", hasHour)

	set, err := s.ParamSet(ctx, store.Trial{})
	if err != nil {
		log.Fatal(err)
	}
	for key, values := range set.All() {
		fmt.Println(key, values)
	}
	// Output:
	// 1 measurement stored, path with an hour: true
	// name [Encode]
	// unit [ns_op]
}

// The newest values of all traces, and the changes from one commit to another.
func ExampleStore_Ask_changes() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, filepath.Join(dir, "perf.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for name, text := range map[string]string{
		"2026/01/02/03/a.txt": "commit: c1\nBenchmarkDraw 1 100 ns/op\nBenchmarkFill 1 50 ns/op\n",
		"2026/01/02/04/b.txt": "commit: c2\nBenchmarkDraw 1 110 ns/op\nBenchmarkFill 1 51 ns/op\n",
	} {
		if report := s.Upload(ctx, strings.NewReader(text), store.Upload{Name: name}); report.Err != nil {
			log.Fatal(report.Err)
		}
	}

	for one, err := range s.Query(ctx, nil, store.Range{Newest: true}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(one.ID, one.Points[0].Commit, one.Points[0].Value, one.Unit)
	}

	answer := series.Answer{Charset: s.Charset()}
	between := series.Question{Commits: []string{"c1", "c2"}}
	err = answer.Each(ctx, &between, s, func(one *series.Series) error {
		before := series.Median(one.AppendSide(nil, series.Old))
		after := series.Median(one.AppendSide(nil, series.New))
		if change := after/before - 1; math.Abs(change) >= 0.05 {
			fmt.Printf("%s %v -> %v: %+.0f%%\n", one.Trace, before, after, 100*change)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// ,name=Draw,unit=ns_op, c2 110 ns/op
	// ,name=Fill,unit=ns_op, c2 51 ns/op
	// ,name=Draw,unit=ns_op, 100 -> 110: +10%
}
