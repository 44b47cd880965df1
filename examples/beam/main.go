// Command beam ingests result files as an Apache Beam pipeline, on one machine or many: it parses
// files of any format, keeps the newest measurements of each trace at each commit and day, and writes
// them as Parquet files, partitioned by day.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"perfdata/ingest"
)

func main() {
	o := options{retry: retry{Times: 5, Backoff: time.Second}}
	flag.StringVar(&o.out, "out", "", "the folder to write, or a gs:// URL")
	days := flag.String("days", "", "read only these days, DAY or FIRST..LAST: arguments are folders of YYYY/MM/DD/HH")
	flag.Int64Var(&o.rows, "rows", 1<<20, "the measurements in a Parquet file, about: a day with more has several")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr,
			"usage: beam -out FOLDER [-days DAY|FIRST..LAST] [-rows N] [flags of Beam] FILE|FOLDER|PATTERN...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if *runners.Runner == "" {
		log.SetupLogging("warn", "text") // Prism, the default, runs in this process
	}
	beam.Init() // does not return on a worker
	err := o.setDays(*days)
	if err != nil {
		fmt.Fprintln(os.Stderr, "beam: -days:", err)
	}
	if err != nil || o.out == "" || o.rows < 1 || flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	os.Exit(run(context.Background(), flag.Args(), o, os.Stdout, os.Stderr))
}

// setDays parses DAY or FIRST..LAST.
func (o *options) setDays(text string) (err error) {
	if text == "" {
		return nil
	}
	first, last, isRange := strings.Cut(text, "..")
	if !isRange {
		last = first
	}
	if o.first, err = time.Parse(time.DateOnly, first); err != nil {
		return err
	}
	if o.last, err = time.Parse(time.DateOnly, last); err != nil {
		return err
	}
	if o.last.Before(o.first) {
		return fmt.Errorf("%s is before %s", last, first)
	}
	return nil
}

// run returns the exit status: 1 if some files failed, 2 if the result is not complete.
func run(ctx context.Context, patterns []string, o options, stdout, stderr io.Writer) int {
	o.out = strings.TrimRight(o.out, "/")
	err := check(ctx, patterns, o)
	if err == nil {
		p := beam.NewPipeline()
		build(p.Root(), patterns, o)
		err = beamx.Run(ctx, p)
	}
	if err == nil && *jobopts.Async {
		fmt.Fprintf(stdout, "submitted; %s/%s is written at the end\n", o.out, summaryName)
		return 0
	}

	var sum counts
	if err == nil {
		sum, err = readSummary(ctx, o.out)
	}
	if err != nil {
		fmt.Fprintln(stderr, "beam:", err)
		return 2
	}
	fmt.Fprintf(stdout, "read %d files with %d measurements; ", sum.Files, sum.Measurements)
	fmt.Fprintf(stdout, "wrote %d of them, the newest of each day, to %d Parquet files\n", sum.Written, sum.Parts)
	if sum.Failed > 0 {
		fmt.Fprintf(stderr, "files that failed and contributed nothing: %d, see %s/%s\n", sum.Failed, o.out, failedTable)
		return 1
	}
	return 0
}

// check returns an error if the output has files of the days, or without days, any. Files of another
// run would be read as if they belonged to this one.
func check(ctx context.Context, patterns []string, o options) error {
	fsys, err := filesystem.New(ctx, o.out)
	if err != nil {
		return err
	}
	defer fsys.Close()
	for _, pattern := range []string{"/*", "/*/*/*"} {
		names, err := fsys.List(ctx, o.out+pattern)
		if err != nil {
			return err
		}
		for _, name := range names {
			if o.first.IsZero() {
				return fmt.Errorf("%s is not empty: it has %s", o.out, name)
			}
			if _, day, ok := strings.Cut(name, "/day="); ok && o.has(day[:min(len(day), len(time.DateOnly))]) {
				return fmt.Errorf("%s has files of that day already, such as %s: delete them first", o.out, name)
			}
		}
	}

	// Files would be of the day of the first directories of an hour.
	for _, root := range patterns {
		if _, ok := ingest.HourOf(strings.TrimRight(root, "/") + "/file"); ok && !o.first.IsZero() {
			return fmt.Errorf("%s has the directories of an hour: -days takes the folder above the years", root)
		}
	}
	return nil
}

// has reports whether the run writes a day.
func (o *options) has(day string) bool {
	return day >= o.first.Format(time.DateOnly) && day <= o.last.Format(time.DateOnly)
}

func readSummary(ctx context.Context, out string) (sum counts, err error) {
	fsys, err := filesystem.New(ctx, out)
	if err != nil {
		return sum, err
	}
	defer fsys.Close()
	text, err := filesystem.Read(ctx, fsys, out+"/"+summaryName)
	if err != nil {
		return sum, err
	}
	return sum, json.Unmarshal(text, &sum)
}
