package store_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"perfdata/ingest"
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

// The newest values of all traces, and what changed from one commit to another.
func ExampleStore_Diff() {
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

	for one, err := range s.Newest(ctx, store.Trial{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(one.ID, one.Points[0].Commit, one.Points[0].Value, one.Unit)
	}
	for c, err := range s.Diff(ctx, "c1", "c2", store.DiffOptions{Threshold: 0.05}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %v -> %v: %.2f times\n", c.Trace.ID, c.Old, c.New, c.Ratio())
	}
	// Output:
	// ,name=Draw,unit=ns_op, c2 110 ns/op
	// ,name=Fill,unit=ns_op, c2 51 ns/op
	// ,name=Draw,unit=ns_op, 100 -> 110: 1.10 times
}
