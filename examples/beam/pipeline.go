package main

import (
	"cmp"
	"context"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/filter"

	"perfdata/ingest"
	"perfdata/traceid"
)

// The elements of the pipeline. Beam encodes their exported fields.
type (
	// A place is what a measurement is of. An issue or a patchset makes it a place of its own, so
	// that a change under review never replaces values of the mainline. So does the file of a
	// measurement without a commit, which is Run: no other file replaces it.
	place struct{ Trace, Commit, Run, Issue, Patchset string }

	// A measurement is one of a place.
	measurement struct {
		Hour, Path           string // of its file; the hour is in hourLayout, or empty
		N                    int64  // numbers the repetitions in the file
		Value                float64
		Unit, Better         string
		Offset               int64
		Params, Attrs, Links []traceid.Param
	}

	// A row is a measurement with its place.
	row struct {
		Place       place
		Measurement measurement
	}

	// A part is a Parquet file of the output.
	part struct {
		Table string // mainline or trials
		Day   string // YYYY-MM-DD, or empty
		Shard int64
	}

	// An outcome is what became of an input file.
	outcome struct {
		Path         string
		Measurements int64
		Error        string // empty unless the file failed
	}
)

// hourLayout is the form of hours. Sorted as text, they are in the order of time, and files
// without an hour are the oldest.
const hourLayout = "2006-01-02T15"

func init() {
	register.Function4x1(match)
	register.Function4x1(parse)
	register.DoFn3x0[place, func(*measurement) bool, func(part, row)](&newestFn{})
	register.DoFn4x1[context.Context, part, func(*row) bool, func(int64), error](&writeFn{})
	register.DoFn4x1[context.Context, []byte, func(*outcome) bool, func(*int64) bool, error](&reportFn{})
	register.Emitter1[string]()
	register.Emitter1[outcome]()
	register.Emitter1[int64]()
	register.Emitter2[place, measurement]()
	register.Emitter2[part, row]()
	register.Iter1[measurement]()
	register.Iter1[row]()
	register.Iter1[outcome]()
	register.Iter1[int64]()
}

// build makes the pipeline. Its result does not depend on the order of the files, nor on how the
// runner divides the work.
func build(s beam.Scope, patterns []string, out string, shards int) {
	names, missing := beam.ParDo2(s, match, beam.CreateList(s, patterns))

	// Several patterns may match a file. Distinct also lets other workers take the names.
	measurements, outcomes := beam.ParDo2(s, parse, filter.Distinct(s, names))

	rows := beam.ParDo(s, &newestFn{Shards: int64(shards)}, beam.GroupByKey(s, measurements))
	written := beam.ParDo(s, &writeFn{Out: out, Shards: int64(shards)}, beam.GroupByKey(s, rows))

	// It is the last step, because it reads what the others return.
	beam.ParDo0(s, &reportFn{Out: out}, beam.Impulse(s),
		beam.SideInput{Input: beam.Flatten(s, missing, outcomes)}, beam.SideInput{Input: written})
}

// match emits the names of the files that a pattern matches, and of all files in the folders that
// it matches. A bucket does not have folders, but its patterns may have **.
func match(ctx context.Context, pattern string, emit func(string), fail func(outcome)) error {
	fsys, err := filesystem.New(ctx, pattern)
	if err != nil {
		return err
	}
	defer fsys.Close()
	names, err := fsys.List(ctx, pattern)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		fail(outcome{Path: pattern, Error: "no such file"})
	}

	for _, name := range names {
		if strings.Contains(pattern, "://") {
			emit(name)
			continue
		}

		dir, root := filepath.Split(filepath.Clean(name))
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			dir, root = name, "."
		}
		for f, err := range ingest.Walk(os.DirFS(filepath.Clean(dir)), root, ingest.WalkOptions{Order: ingest.ByPath}) {
			path := filepath.ToSlash(filepath.Join(dir, f.Path))
			if err != nil {
				fail(outcome{Path: path, Error: err.Error()})
			} else {
				emit(path)
			}
		}
	}
	return nil
}

// parse emits the measurements of a file, all or none. The measurements of a file with any fault
// are not emitted, so it keeps them until the file was read to its end.
func parse(ctx context.Context, name string, emit func(place, measurement), report func(outcome)) error {
	fsys, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer fsys.Close()
	spool, err := newSpool()
	if err != nil {
		return err
	}
	defer spool.close()

	file := ingest.File{Path: name, Open: func(ctx context.Context) (io.ReadCloser, error) {
		return fsys.OpenRead(ctx, name)
	}}
	file.Hour, _ = ingest.HourOf(name)
	var result ingest.Report
	options := ingest.RunOptions{Workers: 1, Strict: true, Report: func(r ingest.Report) { result = r }}
	one := func(yield func(ingest.File, error) bool) { yield(file, nil) }
	if _, err := ingest.Run(ctx, one, spool, options); err != nil {
		return err // the context was canceled
	}

	switch {
	case spool.err != nil:
		return spool.err // the file is not at fault, so the runner tries again
	case result.Err != nil:
		report(outcome{Path: name, Error: result.Err.Error()})
		return nil
	}
	report(outcome{Path: name, Measurements: int64(result.Content.Records)})
	return spool.each(emit)
}

// newestFn keeps the measurements of the newest file of each place: the one with the latest hour,
// or with the last path in the same hour. All repetitions are of one file, so that two runs are
// not mixed. It holds them in memory.
type newestFn struct{ Shards int64 }

func (fn *newestFn) ProcessElement(p place, all func(*measurement) bool, emit func(part, row)) {
	var m measurement
	var newest []measurement
	for all(&m) {
		if len(newest) > 0 {
			c := cmp.Or(strings.Compare(m.Hour, newest[0].Hour), strings.Compare(m.Path, newest[0].Path))
			if c < 0 {
				continue
			}
			if c > 0 {
				newest = newest[:0]
			}
		}
		newest = append(newest, m)
	}

	to := part{Table: "mainline"}
	if p.Issue != "" || p.Patchset != "" {
		to.Table = "trials"
	}
	to.Day, _, _ = strings.Cut(newest[0].Hour, "T")
	hash := fnv.New64a()
	hash.Write([]byte(p.Trace))
	to.Shard = int64(hash.Sum64() % uint64(fn.Shards))
	for _, m := range newest {
		emit(to, row{p, m})
	}
}
