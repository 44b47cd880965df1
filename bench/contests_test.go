package bench

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdata/bench/workload"
)

var (
	size    = flag.Float64("size", 2e6, "`bytes` of a document")
	cpuTime = flag.Bool("cpu-time", false,
		"compare the CPU time of this process and its children instead of wall time, for a busy machine")
	writeDir = flag.String("write", "", "write the inputs of all contests to this `folder`")
)

// An input is what the contestants of a contest read: a document, or many small files.
type input struct {
	files   [][]byte
	names   []string // of the files, if contestants go by them
	size    int64
	records int // in all files
}

// A contestant reads or writes whole files. Records is 0 if it does not count them.
type contestant struct {
	name    string
	run     func(file []byte) (records int, err error)
	missing string // why it cannot run here; empty if it can

	// runAll takes the place of run if it is not nil: it runs on all files of an input.
	runAll func(files [][]byte) (records int, err error)
}

// A contest is an input and the contestants that run on it.
type contest struct {
	format, workload string
	yardstick        string // the contestant with which the others are compared
	reading          bool   // what the contestants read is a document that is invalid without its last byte
	input            func(tb testing.TB, size float64) *input
	contestants      func(testing.TB, *input) []contestant
}

// document returns the input of a contest: a document that is a share of the size.
func document(d *workload.Document, share float64) func(testing.TB, float64) *input {
	return func(_ testing.TB, size float64) *input {
		doc, records := d.WithSize(int64(share * size)).Bytes()
		return newInput([][]byte{doc}, records)
	}
}

func newInput(files [][]byte, records int) *input {
	in := &input{files: files, records: records}
	for _, file := range files {
		in.size += int64(len(file))
	}
	return in
}

// always adapts contestants that do not depend on the input.
func always(contestants func() []contestant) func(testing.TB, *input) []contestant {
	return func(testing.TB, *input) []contestant { return contestants() }
}

// The names of contests that targets refer to.
const (
	indented  = "indented"
	compact   = "compact"
	varied    = "varied shapes"
	smallPipe = "7 MB, which fits into MaxSpoolMemory"
	small     = "files of 6 KB"
	namesOnce = "names once"
	namesTen  = "names ten times"
	keyvals   = "iterations"
	types     = "today's layout"
	opened    = "trace IDs, with perfdata.Open"
	writing   = "writing"
)

// contests returns all contests, by format.
func contests() []contest {
	skia := func(name string, d *workload.Document) contest {
		return contest{"skiav1", name, goJSON, true, document(d, 1), always(skiaReaders)}
	}
	legacy := func(name string, d *workload.Document) contest {
		return contest{"nanolegacy", name, goJSON, true, document(d, 1), always(nanolegacyReaders)}
	}
	profile := func(name string, d *workload.Document) contest {
		return contest{"perun", name, goJSON, true, document(d, 1), always(perunReaders)}
	}
	goBench := func(name string, count int) contest {
		return contest{"benchfmt", name, xperfReader, false, document(workload.NewGoBench(count), 1), always(goBenchReaders)}
	}

	all := []contest{
		skia(indented, workload.NewSkia(workload.Indented)),
		skia(compact, workload.NewSkia(workload.Compact)),
		skia(varied, workload.NewVariedSkia(workload.Compact)),
		skia("shapes in random order, harder than real files", workload.NewShuffledSkia(workload.Compact)),
		skia("links of each measurement's own", workload.NewLinkedSkia(workload.Compact)),
		{"skiav1", smallPipe, goJSON, true, atMost7MB, always(skiaReaders)},
		{"skiav1", small, goJSON, true, smallFiles(workload.SkiaFiles), always(skiaReaders)},

		legacy(indented, workload.NewNanolegacy(workload.Indented, false)),
		legacy(compact, workload.NewNanolegacy(workload.Compact, false)),
		legacy("with samples", workload.NewNanolegacy(workload.Indented, true)),

		goBench(namesTen, 10),
		goBench(namesOnce, 1),

		{"keyval", keyvals, bufioScanner, false, document(workload.NewKeyval(), 1), always(keyvalReaders)},

		profile(types, workload.NewPerunTypes(workload.Python)),
		profile("today's layout, indented", workload.NewPerunTypes(workload.PythonIndented)),
		profile("snapshots", workload.NewPerunSnapshots(workload.Python)),
		profile("snapshots, indented", workload.NewPerunSnapshots(workload.PythonIndented)),
	}
	for _, f := range []struct {
		name, writer string
		document     *workload.Document
	}{
		{"skiav1", goJSONMarshal, workload.NewVariedSkia(workload.Compact)},
		{"nanolegacy", goJSONMarshal, workload.NewNanolegacy(workload.Indented, false)},
		{"benchfmt", xperfWriter, workload.NewGoBench(1)},
		{"keyval", keyvalAppending, workload.NewKeyval()},
		{"perun", goJSONMarshal, workload.NewPerunTypes(workload.Python)},
	} {
		// The contests that hold all records in memory have a quarter of the size.
		all = append(all,
			contest{f.name, opened, readOpen, false, document(f.document, 1), always(openers)},
			contest{f.name, writing, f.writer, false, document(f.document, 0.25), writers(f.name)},
			contest{f.name, converting, readingTwice, false, document(f.document, 0.25), converters(f.name)})
	}
	all = append(all, runnerContests()...)
	all = append(all, ingestions()...)
	all = append(all, printings()...)
	return append(all, corpusContests()...)
}

func atMost7MB(tb testing.TB, size float64) *input {
	return document(workload.NewSkia(workload.Compact), 1)(tb, min(size, 7e6))
}

// smallFiles returns 2,000 files if the size is 40 MB, and proportionally more or fewer.
func smallFiles(files func(n int) ([][]byte, int)) func(testing.TB, float64) *input {
	return func(_ testing.TB, size float64) *input { return newInput(files(int(max(1, size/20_000)))) }
}

// runOnce runs a contestant on all files. It fails if the contestant counts other records than the
// input has.
func runOnce(tb testing.TB, c contestant, in *input) {
	tb.Helper()
	runAll := c.runAll
	if runAll == nil {
		runAll = c.runEach
	}
	records, err := runAll(in.files)
	if err != nil {
		tb.Fatalf("%s: %v", c.name, err)
	}
	if records != 0 && records != in.records {
		tb.Fatalf("%s: %d records, want %d", c.name, records, in.records)
	}
}

// runEach runs a contestant on one file after the other.
func (c *contestant) runEach(files [][]byte) (records int, err error) {
	for _, file := range files {
		n, err := c.run(file)
		if err != nil {
			return 0, err
		}
		records += n
	}
	return records, nil
}

// each runs do for each contestant of each contest, the yardstick first, because benchstat compares
// the others with the first.
func each[T interface {
	testing.TB
	Run(string, func(T)) bool
}](t T, size float64, do func(t T, c *contest, one contestant, in *input)) {
	for _, c := range contests() {
		t.Run("format="+c.format+"/of="+c.workload, func(t T) {
			in := c.input(t, size)
			all := c.contestants(t, in)
			first := slices.IndexFunc(all, func(one contestant) bool { return one.name == c.yardstick })
			if first < 0 {
				t.Fatal("no contestant is called ", c.yardstick)
			}
			all[0], all[first] = all[first], all[0]
			for _, one := range all {
				t.Run("by="+one.name, func(t T) {
					if one.missing != "" {
						t.Skip(one.missing)
					}
					do(t, &c, one, in)
				})
			}
		})
	}
}

func TestContestants(t *testing.T) {
	each(t, 100_000, func(t *testing.T, c *contest, one contestant, in *input) {
		// Two runs, because some reuse their memory.
		for range 2 {
			runOnce(t, one, in)
		}
		// go-json's Token does not check the structure.
		if c.reading && one.name != "go-json Decoder.Token" {
			file := in.files[0]
			if _, err := one.run(file[:len(file)-len("}")]); err == nil {
				t.Error("no error in a document without its end")
			}
		}
	})
}

func BenchmarkContests(b *testing.B) {
	each(b, *size, func(b *testing.B, _ *contest, one contestant, in *input) {
		b.SetBytes(in.size)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for b.Loop() {
			runOnce(b, one, in)
		}
		runtime.ReadMemStats(&after)
		mallocs := float64(after.Mallocs-before.Mallocs) / float64(b.N)
		b.ReportMetric(mallocs/float64(in.records), "allocs/record")
		b.ReportMetric(mallocs/float64(len(in.files)), "allocs/file")
	})
}

// With -write, the inputs are written, for other programs.
func TestWrite(t *testing.T) {
	if *writeDir == "" {
		t.Skip("no -write")
	}
	for _, c := range contests() {
		t.Run(c.format+" "+c.workload, func(t *testing.T) {
			name := strings.ReplaceAll(c.format+"-"+c.workload, " ", "_")
			if err := os.WriteFile(filepath.Join(*writeDir, name), c.input(t, *size).files[0], 0o666); err != nil {
				t.Error(err)
			}
		})
	}
}

// scanTo returns the error of next other than the end.
func scanTo[Token any](next func() (Token, error)) error {
	for {
		if _, err := next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

var started = time.Now()

// now returns the time that contests are measured by.
func now() time.Duration {
	if *cpuTime {
		if t := cpuUsed(); t > 0 {
			return t
		}
	}
	return time.Since(started)
}
