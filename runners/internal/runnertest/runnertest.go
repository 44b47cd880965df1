// Package runnertest has the tests that every format of a runner must pass. Only tests import it.
package runnertest

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/rows"
	"perfdata/internal/testing/corpus"
	"perfdata/internal/testing/documents"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
	"perfdata/runners"
	"perfdata/traceid"
)

// Read returns the records and errors of a document as text.
func Read(spec *rows.Spec, in io.Reader) []string { return formattest.Whole(rows.New(in, spec)) }

// Check reads the files in every way that must not matter, and truncated at every byte.
func Check(t *testing.T, spec *rows.Spec, files map[string]string) {
	info := rows.FormatOf(spec)
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			CheckWays(t, spec, file)
			formattest.CheckValidate(t, info, file)
			formattest.CheckStops(info, file)

			// Truncated at every byte, or at some if the document is long.
			full := Read(spec, strings.NewReader(file))
			end := len(strings.TrimRight(file, " \r\n;")) // it is whole without its last newline
			for n := 0; n < end; n += 1 + len(file)/quick.Of(8000, 250) {
				if whole := len(strings.TrimRight(file[:n], " \r\n")); spec.Shape == rows.InLines && file[whole] == '\n' {
					continue // the lines before are a document
				}
				got := Read(spec, formattest.Stream(file[:n]))
				formattest.CheckTruncated(t, fmt.Sprintf("%d bytes", n), got, full)
			}
		})
	}
	t.Run("Reset", func(t *testing.T) {
		formattest.CheckReset(t, files, func(in io.Reader) *runners.Reader { return rows.New(in, spec) })
	})
}

// Documents returns documents of the format, made by the tables of its Spec, and another one.
func Documents(spec *rows.Spec, own string) map[string]string {
	files := map[string]string{"own": own}
	for seed := range uint64(4) {
		files[fmt.Sprintf("generated %d", seed)] = string(documents.Valid(rows.FormatOf(spec), 4*seed, 300))
	}
	return files
}

// CheckWays reads a document in every way that must not matter.
func CheckWays(t testing.TB, spec *rows.Spec, file string) {
	t.Helper()
	slow := *spec
	slow.Slow = true
	want := Read(&slow, strings.NewReader(file))
	for way, source := range formattest.Sources {
		if got := Read(spec, source(file)); !formattest.SameReading(got, want) {
			t.Fatalf("%s (-slow path, seekable +%s):\n%s", way, way, cmp.Diff(want, got))
		}
	}
	for rec, err := range rows.New(strings.NewReader(file), spec).Records() {
		if err != nil {
			formattest.CheckError(t, file, err)
			continue
		}
		if got, want := string(rec.AppendTraceID(nil)), rec.Params.ID(); got != want {
			t.Fatalf("AppendTraceID: %s, want %s", got, want)
		}
	}
}

// Fuzz compares the ways of reading with each other.
func Fuzz(f *testing.F, spec *rows.Spec, files map[string]string) {
	for _, file := range files {
		if len(file) < 20_000 {
			f.Add(file)
		}
	}
	info := rows.FormatOf(spec)
	f.Fuzz(func(t *testing.T, in string) {
		CheckWays(t, spec, in)
		formattest.CheckValidate(t, info, in)
		info.Detect([]byte(in))
	})
}

// An answer is what another program makes of a file.
type answer struct {
	File    string
	Records int
	Errors  int
	SHA256  string   // of the lines of all records
	First   []string // the first lines
}

// RealFile returns one of the files of other projects. It skips the test if that is absent.
func RealFile(t *testing.T, folder, name string) string {
	t.Helper()
	return formattest.ReadFile(t, corpus.Shared(t, "runners", folder), name)
}

// Answers compares the records of real files, in a folder of such files, with the answers that the script
// oracle.py computed.
func Answers(t *testing.T, spec *rows.Spec, folder string) {
	AnswersAbout(t, "answers.jsonl", folder, func(t *testing.T, path string) format.Reader {
		var in io.Reader = strings.NewReader(formattest.ReadFile(t, path))
		if strings.HasSuffix(path, ".gz") {
			var err error
			if in, err = gzip.NewReader(in); err != nil {
				t.Fatal(err)
			}
		}
		return rows.New(in, spec)
	})
}

// AnswersAbout is Answers for a file of answers, about what open reads at a path.
func AnswersAbout(
	t *testing.T, answers, folder string, open func(t *testing.T, path string) format.Reader,
) {
	dir := corpus.Shared(t, "runners", folder)
	for line := range strings.Lines(formattest.ReadFile(t, "testdata", answers)) {
		var want answer
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		t.Run(want.File, func(t *testing.T) {
			got, hash := answer{File: want.File, First: []string{}}, sha256.New()
			for rec, err := range open(t, filepath.Join(dir, want.File)).Records() {
				if err != nil {
					got.Errors++
					continue
				}
				line := Line(rec)
				if got.Records++; got.Records <= 3 {
					got.First = append(got.First, line)
				}
				io.WriteString(hash, line+"\n")
			}
			got.SHA256 = fmt.Sprintf("%x", hash.Sum(nil))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-oracle +got):\n%s", diff)
			}
		})
	}
}

// Line returns a record as a line of text, as the scripts do: the bits of the value, so that no two
// ways to print a number matter.
func Line(rec *format.Record) string {
	pairs := func(b []byte, ps traceid.Params) []byte {
		for _, p := range ps {
			b = append(append(append(append(b, p.Key...), '='), p.Value...), ',')
		}
		return b
	}
	b := fmt.Appendf(pairs(nil, rec.Params), "|%016x|%s|%s|%s|%d|", math.Float64bits(rec.Value), rec.Unit, rec.Better,
		rec.Commit, rec.Repetition)
	return string(pairs(append(pairs(b, rec.Attrs), '|'), rec.Links))
}

// Show returns a function that reads a document, for tables of records and errors.
func Show(spec *rows.Spec) func(io.Reader) []string {
	return func(in io.Reader) []string { return formattest.All(rows.New(in, spec)) }
}
