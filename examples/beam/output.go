package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// The folders of the output. Each has a folder for each day.
const (
	mainlineTable = "mainline"
	trialsTable   = "trials"
	tracesTable   = "traces"
	failedTable   = "failed" // files, as JSON lines
	daysTable     = "days"   // a summary of each day that is done
)

const summaryName = "summary.json"

// noDay is how Hive, Spark, DuckDB and others name the partition of NULL.
const noDay = "__HIVE_DEFAULT_PARTITION__"

// dayFolder returns the folder of a day.
func dayFolder(out, table, day string) string {
	return fmt.Sprintf("%s/%s/day=%s", out, table, cmp.Or(day, noDay))
}

// name returns the name of a file of the part.
func (p part) name(out, table, extension string) string {
	return fmt.Sprintf("%s/part-%05d-of-%05d.%s", dayFolder(out, table, p.Day), p.Shard, p.Shards, extension)
}

// dayFn writes the summary of a day, when all its parts were written.
type dayFn struct {
	Out   string
	Retry retry
}

func (fn *dayFn) ProcessElement(ctx context.Context, day string, c counts, emit func(counts)) error {
	err := writeJSON(ctx, fn.Retry, dayFolder(fn.Out, daysTable, day)+"/"+summaryName, []counts{c})
	emit(c)
	return err
}

// summaryFn writes the summary of the run, when all days were written.
type summaryFn struct {
	Out   string
	Retry retry
}

func (fn *summaryFn) ProcessElement(ctx context.Context, _ []byte, days func(*counts) bool) error {
	var sum counts
	for c := (counts{}); days(&c); {
		sum = addCounts(sum, c)
	}
	return writeJSON(ctx, fn.Retry, fn.Out+"/"+summaryName, []counts{sum})
}

// A failure is a line about a file that failed.
type failure struct {
	Path  string `json:"path"`
	Error string `json:"error"`
}

// writeJSON writes a file with a line for each value.
func writeJSON[T any](ctx context.Context, again retry, name string, values []T) error {
	return writeFile(ctx, again, name, func(w io.Writer) error {
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false)
		for _, v := range values {
			if err := enc.Encode(v); err != nil {
				return err
			}
		}
		_, err := text.WriteTo(w)
		return err
	})
}

// writeFile writes a file under another name beside it, and renames it when it is whole. A runner
// may do so again after a failure, or on two machines at the same time.
func writeFile(ctx context.Context, again retry, name string, write func(io.Writer) error) error {
	return again.do(ctx, func() error { return writeOnce(ctx, name, write) })
}

func writeOnce(ctx context.Context, name string, write func(io.Writer) error) error {
	fsys, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer fsys.Close()
	slash := strings.LastIndexByte(name, '/') + 1
	temporary := name[:slash] + "_" + name[slash:] + "." + rand.Text()

	out, err := fsys.OpenWrite(ctx, temporary)
	if err != nil {
		return err
	}
	err = write(out)
	if f, ok := out.(interface{ Sync() error }); ok && err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, out.Close())

	if err == nil {
		err = filesystem.Rename(ctx, fsys, temporary, name)
	}
	if r, ok := fsys.(filesystem.Remover); ok && err != nil {
		r.Remove(ctx, temporary) // the first error says more
	}
	return err
}

// A retry says how often a request to a file system is repeated. The first repetition waits for
// Backoff, and each following one twice as long.
type retry struct {
	Times   int
	Backoff time.Duration
}

func (r retry) do(ctx context.Context, request func() error) error {
	err := request()
	for i := range r.Times {
		if !mayPass(err) || ctx.Err() != nil {
			break
		}
		select {
		case <-time.After(r.Backoff << i):
		case <-ctx.Done():
		}
		err = request()
	}
	return err
}
