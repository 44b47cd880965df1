package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"perfdata/bench/workload"
	"perfdata/format"
	"perfdata/ingest"
	"perfdata/series"
)

// The names of the contestants of ingestion.
const (
	readAndHash = "perfdata default with trace IDs, and SHA-256"
	ingesting   = "ingest.Run"

	ingestingSmall = ingesting + ", " + small // the contest
)

// ingestions returns the contests of ingestion: a large file, and many small ones.
func ingestions() []contest {
	large := func(format string, d *workload.Document) contest {
		return contest{format, ingesting, readAndHash, false, document(d, 1), ingesters(format, false)}
	}
	small := func(format string, files func(n int) ([][]byte, int)) contest {
		in := func(size int64) (*input, error) { return newInput(files(int(max(1, size/20_000)))), nil }
		return contest{format, ingestingSmall, readAndHash, false, in, ingesters(format, true)}
	}
	return []contest{
		large("skiav1", workload.NewSkia(workload.Indented)),
		large("benchfmt", workload.NewGoBench(1)),
		small("skiav1", workload.SkiaFiles),
		small("benchfmt", workload.GoBenchFiles),
	}
}

// ingesters returns a contestant that ingests the files, from disk, into a sink that does nothing,
// and the reference: a Reader with every trace ID appended, and the SHA-256 of the same bytes,
// which it opens and reads if opened is set.
func ingesters(format string, opened bool) func(*input) ([]contestant, error) {
	newReader := map[string]func(io.Reader, way) resetter{"skiav1": newSkiaReader, "benchfmt": newGoBenchReader}[format]
	return func(in *input) ([]contestant, error) {
		dir, err := os.MkdirTemp("", "perfdata-bench-*")
		if err != nil {
			return nil, err
		}
		var names []string
		for i, file := range in.files {
			name := fmt.Sprintf("%05d", i)
			names = append(names, filepath.Join(dir, name))
			if err := os.WriteFile(names[i], file, 0o600); err != nil {
				return nil, errors.Join(err, os.RemoveAll(dir))
			}
		}

		reference := func(files [][]byte) (records int, err error) {
			var ids idAppender
			for i, file := range files {
				if opened {
					if file, err = os.ReadFile(names[i]); err != nil {
						return records, err
					}
				}
				n, err := readRecords(newReader(bytes.NewReader(file), way{}), ids.append)
				if err != nil {
					return records, err
				}
				sha256.Sum256(file)
				records += n
			}
			return records, nil
		}
		return []contestant{
			{name: readAndHash, runAll: reference, elsewhere: otherThreads()},
			{
				name: ingesting, elsewhere: otherThreads(), close: func() error { return os.RemoveAll(dir) },
				runAll: func([][]byte) (int, error) { return ingestDir(dir) },
			},
		}, nil
	}
}

// ingestDir ingests the files of a folder, one after the other.
func ingestDir(dir string) (records int, err error) {
	options := ingest.RunOptions{Workers: 1, Report: func(r ingest.Report) { err = errors.Join(err, r.Err) }}
	files := ingest.Walk(os.DirFS(dir), ".", ingest.WalkOptions{Order: ingest.ByPath})
	summary, failure := ingest.Run(context.Background(), files, discard{}, options)
	return summary.Records, errors.Join(err, failure)
}

// discard is a Sink that does nothing.
type discard struct{}

func (discard) Begin(context.Context, ingest.Source) (ingest.Batch, error) { return discard{}, nil }
func (discard) WantsSHA256() bool                                          { return false }
func (discard) Add(*series.Point) error                                    { return nil }
func (discard) Commit(format.Header, ingest.Content) error                 { return nil }
func (discard) Rollback() error                                            { return nil }

// otherThreads returns a function that returns the CPU time that other threads of this process
// spent since its last call: by workers and by garbage collection.
func otherThreads() func() time.Duration {
	last := time.Duration(0)
	return func() time.Duration {
		thread, _ := threadTime()
		all, ok := processTime()
		if !ok {
			return 0
		}
		spent := all - thread - last
		last = all - thread
		return spent
	}
}
