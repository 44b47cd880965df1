package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// The names of the files that reportFn writes.
const (
	failedName  = "failed.jsonl"
	summaryName = "summary.json"
)

// A summary counts what was read and written.
type summary struct {
	Files        int64 `json:"files"`  // whose measurements were read
	Failed       int64 `json:"failed"` // that contributed nothing
	Measurements int64 `json:"measurements"`
	Written      int64 `json:"written"` // of the measurements, the newest
	Parts        int64 `json:"parts"`   // Parquet files
}

// A failure is a line of failed.jsonl.
type failure struct {
	Path  string `json:"path"`
	Error string `json:"error"`
}

// reportFn lists the files that failed, by path, and writes the summary, when all parts were written.
type reportFn struct{ Out string }

func (fn *reportFn) ProcessElement(
	ctx context.Context, _ []byte, outcomes func(*outcome) bool, written func(*int64) bool,
) error {
	var sum summary
	var rows int64
	for written(&rows) {
		sum.Parts++
		sum.Written += rows
	}

	var failed []failure
	var o outcome
	for outcomes(&o) {
		if o.Error != "" {
			failed = append(failed, failure{o.Path, o.Error})
			continue
		}
		sum.Files++
		sum.Measurements += o.Measurements
	}
	slices.SortFunc(failed, func(a, b failure) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Error, b.Error))
	})
	failed = slices.Compact(failed) // two patterns may match a folder that cannot be read
	sum.Failed = int64(len(failed))

	if err := writeJSON(ctx, fn.Out+"/"+failedName, failed); err != nil {
		return err
	}
	return writeJSON(ctx, fn.Out+"/"+summaryName, []summary{sum})
}

// writeJSON writes a file with a line for each value.
func writeJSON[T any](ctx context.Context, name string, values []T) error {
	return writeFile(ctx, name, func(w io.Writer) error {
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
func writeFile(ctx context.Context, name string, write func(io.Writer) error) error {
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
