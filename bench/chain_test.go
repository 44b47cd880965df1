package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"perfdata/bench/workload"
	"perfdata/format"
	"perfdata/ingest"
	"perfdata/series"
)

// The contests of ingesting, and of printing all records of a file, and their contestants.
const (
	readAndHash    = "perfdata default with trace IDs, and SHA-256"
	ingesting      = "ingest.Run"
	ingestingSmall = ingesting + ", " + small // the contest

	printing          = "printing"
	printRecords      = "perfdata records --as "               // the name of a form follows
	readAndWriteAgain = "perfdata default, and writing again " // the same
)

// ingestions returns the contests of ingestion: a large file, and many small ones.
func ingestions() []contest {
	return []contest{
		{"skiav1", ingesting, readAndHash, false, document(workload.NewSkia(workload.Indented), 1), ingesters("skiav1", false)},
		{"benchfmt", ingesting, readAndHash, false, document(workload.NewGoBench(1), 1), ingesters("benchfmt", false)},
		{"skiav1", ingestingSmall, readAndHash, false, smallFiles(workload.SkiaFiles), ingesters("skiav1", true)},
		{"benchfmt", ingestingSmall, readAndHash, false, smallFiles(workload.GoBenchFiles), ingesters("benchfmt", true)},
	}
}

// ingesters returns a contestant that ingests the files, from disk, into a sink that does nothing,
// and the reference: a Reader with every trace ID appended, and the SHA-256 of the same bytes,
// which it opens and reads if opened is set.
func ingesters(name string, opened bool) func(testing.TB, *input) []contestant {
	return func(tb testing.TB, in *input) []contestant {
		dir := tb.TempDir()
		var names []string
		for i, file := range in.files {
			names = append(names, filepath.Join(dir, fmt.Sprintf("%05d", i)))
			if err := os.WriteFile(names[i], file, 0o600); err != nil {
				tb.Fatal(err)
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
				n, err := readRecords(newReader(name, bytes.NewReader(file), way{}), ids.append)
				if err != nil {
					return records, err
				}
				sha256.Sum256(file)
				records += n
			}
			return records, nil
		}
		ingestAll := func([][]byte) (int, error) { return ingestDir(dir) }
		return []contestant{{name: readAndHash, runAll: reference}, {name: ingesting, runAll: ingestAll}}
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

// printings returns the contests of printing every record with the tool, from a file into a file.
func printings() []contest {
	print := func(name string, d *workload.Document) contest {
		return contest{name, printing, readAndWriteAgain + "jsonl", false, document(d, 1), printers(name)}
	}
	return []contest{
		print("skiav1", workload.NewSkia(workload.Indented)),
		print("benchfmt", workload.NewGoBench(1)),
	}
}

// printers returns a contestant for each form: the tool, as a user runs it. The reference is to read
// the document, and to write the same bytes that the tool writes.
func printers(name string) func(testing.TB, *input) []contestant {
	return func(tb testing.TB, in *input) (all []contestant) {
		dir := tb.TempDir()
		buildTool(tb, filepath.Join(dir, "perfdata"))
		if err := os.WriteFile(filepath.Join(dir, "in"), in.files[0], 0o600); err != nil {
			tb.Fatal(err)
		}
		for _, form := range []string{"jsonl", "csv"} {
			print := func([]byte) (int, error) {
				cmd := exec.Command("./perfdata", "records", "--as", form, "-o", form, "in")
				cmd.Dir = dir
				if text, err := cmd.CombinedOutput(); err != nil {
					return 0, fmt.Errorf("%v: %w\n%s", cmd.Args, err, text)
				}
				return 0, nil
			}
			_, err := print(nil)
			text, readErr := os.ReadFile(filepath.Join(dir, form))
			if err := errors.Join(err, readErr); err != nil {
				tb.Fatal(err)
			}

			again := func(file []byte) (int, error) {
				n, err := readRecords(newReader(name, bytes.NewReader(file), way{}), nil)
				return n, errors.Join(err, writeAgain(filepath.Join(dir, "again"), text))
			}
			all = append(all, contestant{name: printRecords + form, run: print},
				contestant{name: readAndWriteAgain + form, run: again})
		}
		return all
	}
}

// writeAgain writes a file in pieces of 64 KB.
func writeAgain(name string, text []byte) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	for len(text) > 0 && err == nil {
		piece := text[:min(64<<10, len(text))]
		text = text[len(piece):]
		_, err = f.Write(piece)
	}
	return errors.Join(err, f.Close())
}

// buildTool builds the command-line tool.
func buildTool(tb testing.TB, name string) {
	tb.Helper()
	if text, err := exec.Command("go", "build", "-C", "..", "-o", name, "./cmd/perfdata").CombinedOutput(); err != nil {
		tb.Fatalf("building the tool: %v\n%s", err, text)
	}
}
