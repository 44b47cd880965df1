package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"maps"
	"regexp"
	"slices"
	"testing/fstest"
	"time"

	"perfdata/format"
	"perfdata/ingest"
	"perfdata/series"
)

func ExampleMakePath() {
	written := time.Date(2018, 8, 23, 22, 17, 4, 0, time.UTC)
	path, err := ingest.MakePath("skia-perf/nano-json-v1", written, "Android-Clang/7989dad6.json")
	fmt.Println(path, err)

	dir, hour, name, err := ingest.ParsePath(path)
	fmt.Println(dir, hour, name, err)
	// Output:
	// gs://skia-perf/nano-json-v1/2018/08/23/22/Android-Clang/7989dad6.json <nil>
	// skia-perf/nano-json-v1 2018-08-23 22:00:00 +0000 UTC Android-Clang/7989dad6.json <nil>
}

func ExampleHourOf() {
	fmt.Println(ingest.HourOf("nano-json-v1/2018/08/23/22/Android-Clang/7989dad6.json"))
	fmt.Println(ingest.HourOf("nano-json-v1/README"))
	// Output:
	// 2018-08-23 22:00:00 +0000 UTC true
	// 0001-01-01 00:00:00 +0000 UTC false
}

// bucket is a tree in the storage layout. Any fs.FS will do: os.DirFS, a zip.Reader, a bucket.
var bucket = fstest.MapFS{
	"nano/2024/01/02/04/b.json": {Data: []byte(
		`{"version":1,"git_hash":"b","results":[{"key":{"test":"draw"},"measurement":12}]}`)},
	"nano/2024/01/02/03/a.json": {Data: []byte(
		`{"version":1,"git_hash":"a","results":[{"key":{"test":"draw"},"measurement":11}]}`)},
	"nano/2024/01/02/05/c.json": {Data: []byte(
		`{"version":1,"git_hash":"c","results":[{"key":{"test":"dr`)},
	"nano/README": {},
}

func ExampleWalk() {
	for f, err := range ingest.Walk(bucket, "nano", ingest.WalkOptions{}) {
		if errors.Is(err, ingest.ErrLayout) {
			fmt.Println(err)
			continue
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(f.Path, f.Size)
	}
	// Output:
	// walk nano/README: no directories YYYY/MM/DD/HH before the name
	// nano/2024/01/02/03/a.json 81
	// nano/2024/01/02/04/b.json 81
	// nano/2024/01/02/05/c.json 57
}

// A printer is a Sink that prints its records. It is for one worker.
type printer struct{}

func (printer) Begin(_ context.Context, src ingest.Source) (ingest.Batch, error) {
	return &printed{path: src.Path, values: make(map[string]float64)}, nil
}

func (printer) WantsSHA256() bool { return true }

type printed struct {
	path   string
	values map[string]float64
}

func (p *printed) Add(at *series.Point) error {
	p.values[fmt.Sprintf("%s at %s, %d", at.Trace, at.Commit, at.N)] = at.Record.Value
	return nil
}

func (p *printed) Commit(_ format.Header, content ingest.Content) error {
	fmt.Printf("%s: %d measurements, SHA-256 %.4x...\n", p.path, content.Records, content.SHA256)
	for _, key := range slices.Sorted(maps.Keys(p.values)) {
		fmt.Println(key, "=", p.values[key])
	}
	return nil
}

func (p *printed) Rollback() error { return nil }

func ExampleRun() {
	files := ingest.Walk(bucket, "nano", ingest.WalkOptions{Accept: regexp.MustCompile(`\.json$`)})
	summary, err := ingest.Run(context.Background(), files, printer{}, ingest.RunOptions{
		Workers: 1, // so that the order of the output does not change
		Report: func(r ingest.Report) {
			if r.Err != nil {
				fmt.Println("failed:", r.File.Path)
			}
		},
	})
	fmt.Printf("%+v %v\n", summary, err)
	// Output:
	// nano/2024/01/02/03/a.json: 1 measurements, SHA-256 f0c10802...
	// ,test=draw, at a, 1 = 11
	// nano/2024/01/02/04/b.json: 1 measurements, SHA-256 e2383d29...
	// ,test=draw, at b, 1 = 12
	// failed: nano/2024/01/02/05/c.json
	// {Files:2 Skipped:0 Records:2 Faults:0 Failed:1 Checkpoint:nano/2024/01/02/05/c.json} <nil>
}
