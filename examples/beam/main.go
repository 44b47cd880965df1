// Command beam ingests result files as an Apache Beam pipeline, on one machine or many: it parses
// files of any format, keeps the newest measurements of each trace at each commit, and writes them
// as Parquet files, partitioned by day.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
)

func main() {
	out := flag.String("out", "", "the folder to write, or a gs:// URL: it must be empty")
	shards := flag.Int("shards", 1, "the number of Parquet files for each day: as many machines write at the same time")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: beam -out FOLDER [-shards N] [flags of Beam] FILE|FOLDER|PATTERN...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if *runners.Runner == "" {
		log.SetupLogging("warn", "text") // Prism, the default, runs in this process
	}
	beam.Init() // does not return on a worker
	if *out == "" || *shards < 1 || flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	os.Exit(run(context.Background(), flag.Args(), *out, *shards, os.Stdout, os.Stderr))
}

// run returns the exit status: 1 if some files failed, 2 if the result is not complete.
func run(ctx context.Context, patterns []string, out string, shards int, stdout, stderr io.Writer) int {
	out = strings.TrimRight(out, "/")
	err := checkEmpty(ctx, out)
	if err == nil {
		p := beam.NewPipeline()
		build(p.Root(), patterns, out, shards)
		err = beamx.Run(ctx, p)
	}
	if err == nil && *jobopts.Async {
		fmt.Fprintf(stdout, "submitted; %s/%s is written at the end\n", out, summaryName)
		return 0
	}

	var sum summary
	if err == nil {
		sum, err = readSummary(ctx, out)
	}
	if err != nil {
		fmt.Fprintln(stderr, "beam:", err)
		return 2
	}
	fmt.Fprintf(stdout, "read %d files with %d measurements; wrote %d of them, the newest, to %d Parquet files\n",
		sum.Files, sum.Measurements, sum.Written, sum.Parts)
	if sum.Failed > 0 {
		fmt.Fprintf(stderr, "files that failed and contributed nothing: %d, see %s/%s\n", sum.Failed, out, failedName)
		return 1
	}
	return 0
}

// checkEmpty returns an error if the output folder has files. Files of another run would be read
// as if they belonged to this one.
func checkEmpty(ctx context.Context, out string) error {
	fsys, err := filesystem.New(ctx, out)
	if err != nil {
		return err
	}
	defer fsys.Close()
	names, err := fsys.List(ctx, out+"/**") // in a folder, ** matches as * does
	if err == nil && len(names) > 0 {
		err = fmt.Errorf("%s is not empty: it has %s", out, names[0])
	}
	return err
}

func readSummary(ctx context.Context, out string) (sum summary, err error) {
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
