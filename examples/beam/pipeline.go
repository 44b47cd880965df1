package main

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"perfdata/format"
	"perfdata/ingest"
)

// The elements of the pipeline, besides blocks. Beam encodes their exported fields. A day is
// YYYY-MM-DD, or empty for files without an hour.
type (
	// A listed is a file to be read, or a path that could not be listed.
	listed struct{ Path, Error string }

	// A part is one of the parts in which a day is written. Each has the traces of a range of keys.
	part struct {
		Day           string
		Shard, Shards int64
	}

	// Counts are added up for each day.
	counts struct {
		Files        int64 `json:"files"`  // whose measurements were read
		Failed       int64 `json:"failed"` // that contributed nothing
		Measurements int64 `json:"measurements"`
		Written      int64 `json:"written"` // of the measurements, the newest of the day
		Parts        int64 `json:"parts"`   // files with measurements
	}
)

func init() {
	register.DoFn3x1[context.Context, string, func(string), error](&hoursFn{})
	register.DoFn3x1[context.Context, string, func(int64, listed), error](&listFn{})
	register.DoFn5x1[
		context.Context, int64, func(*listed) bool, func(string, []byte), func(string, counts), error,
	](&parseFn{})
	register.DoFn4x1[string, []byte, func(*string, *counts) bool, func(part, []byte), error](&splitFn{})
	register.DoFn4x1[context.Context, part, func(*[]byte) bool, func(string, counts), error](&writeFn{})
	register.DoFn4x1[context.Context, string, counts, func(counts), error](&dayFn{})
	register.DoFn3x1[context.Context, []byte, func(*counts) bool, error](&summaryFn{})
	register.Function2x1(addCounts)
	register.Emitter1[string]()
	register.Emitter1[counts]()
	register.Emitter2[int64, listed]()
	register.Emitter2[string, []byte]()
	register.Emitter2[string, counts]()
	register.Emitter2[part, []byte]()
	register.Iter1[listed]()
	register.Iter1[[]byte]()
	register.Iter1[counts]()
	register.Iter2[string, counts]()
}

// Options configure a run.
type options struct {
	out         string
	first, last time.Time // days; zero for all files that the patterns match
	rows        int64     // in a part, about
	retry       retry
}

// build makes the pipeline. Its result does not depend on the order of the files, nor on how the
// runner divides the work. No step sees all files or all measurements on one worker: a step that
// groups does so by day, or by the hash of a path or a trace.
func build(s beam.Scope, patterns []string, o options) {
	listings := beam.CreateList(s, patterns)
	byDay := !o.first.IsZero()
	if byDay {
		listings = beam.ParDo(s, &hoursFn{First: o.first.Unix(), Last: o.last.Unix()}, listings)
	}

	// Reshuffle and GroupByKey let all workers take a share.
	files := beam.ParDo(s, &listFn{Hours: byDay, Retry: o.retry}, beam.Reshuffle(s, listings))
	blocks, read := beam.ParDo2(s, &parseFn{Retry: o.retry}, beam.GroupByKey(s, files))

	sizes := beam.SideInput{Input: beam.CombinePerKey(s, addCounts, read)}
	parts := beam.ParDo(s, &splitFn{Rows: o.rows}, blocks, sizes)
	written := beam.ParDo(s, &writeFn{Out: o.out, Retry: o.retry}, beam.GroupByKey(s, parts))

	days := beam.CombinePerKey(s, addCounts, beam.Flatten(s, read, written))
	done := beam.ParDo(s, &dayFn{Out: o.out, Retry: o.retry}, days)
	beam.ParDo0(s, &summaryFn{Out: o.out, Retry: o.retry}, beam.Impulse(s), beam.SideInput{Input: done})
}

func addCounts(a, b counts) counts {
	return counts{
		Files: a.Files + b.Files, Failed: a.Failed + b.Failed, Measurements: a.Measurements + b.Measurements,
		Written: a.Written + b.Written, Parts: a.Parts + b.Parts,
	}
}

// hourDirs is the form of the directories of an hour.
const hourDirs = "2006/01/02/15"

// hoursFn emits the directories of the hours of some days.
type hoursFn struct{ First, Last int64 } // days, in seconds

func (fn *hoursFn) ProcessElement(_ context.Context, root string, emit func(string)) error {
	for at := fn.First; at < fn.Last+24*3600; at += 3600 {
		emit(strings.TrimRight(root, "/") + "/" + time.Unix(at, 0).UTC().Format(hourDirs))
	}
	return nil
}

// listFn emits the files that a pattern matches, and all files in the folders that it matches. A
// bucket does not have folders, but its patterns may have **.
type listFn struct {
	Hours bool // the patterns are directories of hours, which need not exist
	Retry retry
}

// fileGroups is the number of groups of files. A worker reads a group at a time, so that it is also
// what is read again after a fault. Of 100 million files, a group has 1500.
const fileGroups = 1 << 16

func (fn *listFn) ProcessElement(ctx context.Context, pattern string, emit func(int64, listed)) error {
	send := func(path, fault string) {
		hash := fnv.New64a()
		hash.Write([]byte(path))
		emit(int64(hash.Sum64()%fileGroups), listed{path, fault})
	}
	remote := strings.Contains(pattern, "://")
	if remote && fn.Hours {
		pattern += "/**"
	}
	names, err := fn.list(ctx, pattern)
	if err != nil {
		return err
	}
	if len(names) == 0 && !fn.Hours {
		send(pattern, "no such file")
	}

	for _, name := range names {
		if remote {
			send(name, "")
			continue
		}
		dir, root := filepath.Split(filepath.Clean(name))
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			dir, root = name, "."
		}
		for f, err := range ingest.Walk(os.DirFS(filepath.Clean(dir)), root, ingest.WalkOptions{Order: ingest.ByPath}) {
			path, fault := filepath.ToSlash(filepath.Join(dir, f.Path)), ""
			if mayPass(err) {
				return err
			}
			if err != nil {
				fault = err.Error()
			}
			send(path, fault)
		}
	}
	return nil
}

func (fn *listFn) list(ctx context.Context, pattern string) (names []string, err error) {
	fsys, err := filesystem.New(ctx, pattern)
	if err != nil {
		return nil, err
	}
	defer fsys.Close()
	err = fn.Retry.do(ctx, func() error {
		names, err = fsys.List(ctx, pattern)
		return err
	})
	return names, err
}

// filesAtOnce is the number of files that a worker reads at the same time: a bucket takes some 30 ms
// to open a file, and a file of 100 measurements 1 ms of CPU time.
const filesAtOnce = 16

// parseFn emits the measurements of the files of a group, in blocks, and the files that failed. A
// file with any fault contributes nothing else.
type parseFn struct {
	Retry retry
	packer
}

func (fn *parseFn) ProcessElement(
	ctx context.Context, _ int64, group func(*listed) bool, emit func(string, []byte), count func(string, counts),
) error {
	var files []listed
	for f := (listed{}); group(&f); {
		files = append(files, f)
	}
	// Several patterns may match a file.
	slices.SortFunc(files, func(a, b listed) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Error, b.Error))
	})
	files = slices.CompactFunc(files, func(a, b listed) bool { return a.Path == b.Path })

	sink := &sink{packer: &fn.packer, emit: emit, counts: make(map[string]counts)}
	fsys, err := filesystem.New(ctx, files[0].Path)
	if err != nil {
		return err
	}
	defer fsys.Close()
	each := func(yield func(ingest.File, error) bool) {
		for _, f := range files {
			if f.Error != "" {
				sink.fail(f.Path, f.Error)
				continue
			}
			file := ingest.File{Path: f.Path, Open: func(ctx context.Context) (io.ReadCloser, error) {
				return fsys.OpenRead(ctx, f.Path)
			}}
			file.Hour, _ = ingest.HourOf(f.Path)
			if !yield(file, nil) {
				return
			}
		}
	}

	var passing error // of a file that is not at fault, so the runner tries again
	_, err = ingest.Run(ctx, each, sink, ingest.RunOptions{
		Workers: filesAtOnce, Strict: true, Retries: fn.Retry.Times, Backoff: fn.Retry.Backoff,
		Report: func(r ingest.Report) {
			if mayPass(r.Err) {
				passing = r.Err
			} else if r.Err != nil {
				sink.fail(r.File.Path, r.Err.Error())
			}
		},
	})
	if err := errors.Join(err, passing); err != nil {
		return err
	}
	for day, c := range sink.counts {
		count(day, c)
	}
	return nil
}

// mayPass reports whether another attempt may succeed, as ingest.Report has it.
func mayPass(err error) bool {
	if err == nil || format.IsFinal(err) {
		return false
	}
	for _, cause := range []error{ingest.ErrRefused, ingest.ErrLayout, fs.ErrNotExist, fs.ErrPermission, fs.ErrInvalid} {
		if errors.Is(err, cause) {
			return false
		}
	}
	return true
}

// dayOf returns the day of a path, or "".
func dayOf(path string) string {
	hour, ok := ingest.HourOf(path)
	if !ok {
		return ""
	}
	return hour.Format(time.DateOnly)
}

// splitFn divides the blocks of each day into parts, by the size of the day.
type splitFn struct {
	Rows int64
	packer

	shards map[string]int64
	parts  map[part]*block
	bytes  int // in parts
}

// maxSplit is how much a worker holds of parts before it emits them, in bytes.
const maxSplit = 64 << 20

func (fn *splitFn) StartBundle(func(*string, *counts) bool, func(part, []byte)) {
	fn.shards, fn.parts, fn.bytes = nil, make(map[part]*block), 0
}

func (fn *splitFn) ProcessElement(
	day string, packed []byte, sizes func(*string, *counts) bool, emit func(part, []byte),
) error {
	if fn.shards == nil {
		fn.shards = make(map[string]int64)
		var day string
		for c := (counts{}); sizes(&day, &c); {
			fn.shards[day] = max(1, (c.Measurements+c.Failed+fn.Rows-1)/fn.Rows)
		}
	}
	shards := fn.shards[day]
	if shards == 1 {
		emit(part{day, 0, 1}, packed)
		return nil
	}

	keys := make(map[string]uint64) // the first 8 bytes
	same := func(s string) string { return s }
	return fn.read(packed, same, func(r *row) {
		text := cmp.Or(r.Texts[textTrace], r.Texts[textPath]) // a failed file has no trace
		key, ok := keys[text]
		if !ok {
			key = keyOf(text).high()
			keys[text] = key
		}
		shard, _ := bits.Mul64(key, uint64(shards)) // key / 2^64 * shards
		fn.add(part{day, int64(shard), shards}, r, emit)
	})
}

func (fn *splitFn) add(to part, r *row, emit func(part, []byte)) {
	b := fn.parts[to]
	if b == nil {
		b = new(block)
		fn.parts[to] = b
	}
	before := len(b.bytes)
	b.add(r)
	fn.bytes += len(b.bytes) - before
	switch {
	case b.full():
		fn.bytes -= len(b.bytes)
		emit(to, withChange("", "", fn.take(b)))
	case fn.bytes > maxSplit:
		fn.flush(emit)
	}
}

func (fn *splitFn) FinishBundle(_ func(*string, *counts) bool, emit func(part, []byte)) {
	fn.flush(emit)
}

func (fn *splitFn) flush(emit func(part, []byte)) {
	for to, b := range fn.parts {
		if b.rows > 0 {
			emit(to, withChange("", "", fn.take(b)))
		}
	}
	clear(fn.parts)
	fn.bytes = 0
}
