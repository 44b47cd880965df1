package bench

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// A target is how fast a contestant must be, relative to another one in the same contest.
type target struct {
	workload        string // as benchmarks name it
	format, contest string
	contestant      string
	reference       string
	least           float64 // ratio of speeds
}

const (
	readInOrder   = "perfdata InOrder"
	readDefault   = "perfdata default"
	readPipe      = "perfdata from a pipe"
	readIDs       = "perfdata InOrder with trace IDs"
	readDefaultID = "perfdata default with trace IDs"
	readOpen      = "perfdata.Open"
	readOpenID    = "perfdata.Open with trace IDs"
)

// targets are the rows of the table about speed.
var targets = slices.Concat([]target{
	{"Skia v1, indented, InOrder", "skiav1", indented, readInOrder, goJSON, 5},
	{"Skia v1, compact, InOrder", "skiav1", compact, readInOrder, goJSON, 5},
	{"Skia v1, varied shapes, InOrder", "skiav1", varied, readInOrder, goJSON, 4},
	{"Skia v1, indented, every trace ID appended to a buffer", "skiav1", indented, readIDs, goJSON, 3.5},
	{"Skia v1, compact, every trace ID appended to a buffer", "skiav1", compact, readIDs, goJSON, 3.3},
	{"Skia v1, varied shapes, every trace ID appended to a buffer", "skiav1", varied, readIDs, goJSON, 2.6},
	{"Skia v1, indented, from a pipe", "skiav1", indented, readPipe, goJSON, 2.8},
	{"Skia v1, compact, from a pipe", "skiav1", compact, readPipe, goJSON, 2.8},
	{"Skia v1, varied shapes, from a pipe", "skiav1", varied, readPipe, goJSON, 2.2},
	{"Skia v1 from a pipe, up to MaxSpoolMemory", "skiav1", smallPipe, readPipe, readDefault, 0.9},

	{"2,000 files of 6 KB, InOrder", "skiav1", small, readInOrder, goJSON, 1.3},
	{"2,000 files of 6 KB, default", "skiav1", small, readDefault, goJSON, 1.2},
	{"2,000 files of 6 KB, from a pipe", "skiav1", small, readPipe, goJSON, 1.2},
	{"2,000 files of 6 KB, with trace IDs", "skiav1", small, readIDs, goJSON, 0.9},
	{"2,000 files of 6 KB, InOrder with Reset", "skiav1", small, readInOrder + " with Reset", goJSON, 3},
	{"2,000 files of 6 KB, default with Reset", "skiav1", small, readDefault + " with Reset", goJSON, 3},

	{"legacy, InOrder", "nanolegacy", indented, readInOrder, goJSON, 6},
	{"legacy, from a pipe", "nanolegacy", indented, readPipe, goJSON, 3.3},
	{"legacy, with trace IDs", "nanolegacy", indented, readIDs, goJSON, 4},

	{"Go benchmarks, names once", "benchfmt", namesOnce, readDefault, xperfReader, 2},
	{"Go benchmarks, names ten times", "benchfmt", namesTen, readDefault, xperfReader, 2.5},
	{"Go benchmarks, names once, with trace IDs", "benchfmt", namesOnce, readDefaultID, xperfReader, 0.8},
	{"Go benchmarks, names ten times, with trace IDs", "benchfmt", namesTen, readDefaultID, xperfReader, 1},

	{"keyvals", "keyval", keyvals, readDefault, bufioScanner, 0.6},

	{"Perun, today's layout, numbers of 1 to 17 digits", "perun", types, readDefault, goJSON, 2.2},
	{"Perun, the same, from a pipe", "perun", types, readPipe, goJSON, 1.8},

	{"ingesting 40 MB of Skia v1", "skiav1", ingesting, ingesting, readAndHash, 0.6},
	{"ingesting 40 MB of Go benchmarks", "benchfmt", ingesting, ingesting, readAndHash, 0.6},
	{"ingesting 2,000 files of 6 KB of Skia v1", "skiav1", ingestingSmall, ingesting, readAndHash, 0.6},
	{"ingesting 2,000 files of 6 KB of Go benchmarks", "benchfmt", ingestingSmall, ingesting, readAndHash, 0.6},

	{"records --as jsonl, 40 MB of Skia v1", "skiav1", printing, printRecords + "jsonl", readAndWriteAgain + "jsonl", 0.5},
	{"records --as csv, 40 MB of Skia v1", "skiav1", printing, printRecords + "csv", readAndWriteAgain + "csv", 0.5},
	{"records --as jsonl, 40 MB of Go benchmarks", "benchfmt", printing, printRecords + "jsonl", readAndWriteAgain + "jsonl", 0.5},
	{"records --as csv, 40 MB of Go benchmarks", "benchfmt", printing, printRecords + "csv", readAndWriteAgain + "csv", 0.5},

	{"Skia v1, every trace ID, with perfdata.Open", "skiav1", opened, readOpenID, readOpen, 0.65},
	{"legacy, every trace ID, with perfdata.Open", "nanolegacy", opened, readOpenID, readOpen, 0.65},
	{"Go benchmarks, every trace ID, with perfdata.Open", "benchfmt", opened, readOpenID, readOpen, 0.65},
	{"keyvals, every trace ID, with perfdata.Open", "keyval", opened, readOpenID, readOpen, 0.65},
	{"Perun, every trace ID, with perfdata.Open", "perun", opened, readOpenID, readOpen, 0.65},
	{"converting Skia v1 to Go benchmarks", "skiav1", converting, "to benchfmt", readingAndWriting + "benchfmt", 0.5},
	{"converting Go benchmarks to Skia v1", "benchfmt", converting, "to skiav1", readingAndWriting + "skiav1", 0.5},

	{"writing Skia v1 from records", "skiav1", writing, "perfdata Write", goJSONMarshal, 1.5},
}, runnerTargets())

// The most allocations of a reader.
const (
	mostPerRecord = 0.05 // in a document
	mostPerFile   = 25   // of 6 KB
)

// allocating are the rows about allocations: a contest of each format, and its reader.
var allocating = []struct{ format, contest, contestant string }{
	{"skiav1", indented, readInOrder},
	{"skiav1", varied, readInOrder},
	{"skiav1", small, readInOrder},
	{"skiav1", small, readDefault},
	{"nanolegacy", indented, readInOrder},
	{"benchfmt", namesOnce, readDefault},
	{"keyval", keyvals, readDefault},
	{"perun", types, readDefault},
}

// BenchmarkTargets runs the contestant and the reference of each target in turns, so that other load
// on the machine affects both. It reports the ratio of their speeds, and how much of the target that
// is: 1 or more is enough. Allocations are reported in the same way.
func BenchmarkTargets(b *testing.B) {
	eachOfTargets(b, *size, func(b *testing.B, c contest, in *input, all map[string]contestant) {
		for _, t := range targets {
			if t.format != c.format || t.contest != c.workload {
				continue
			}
			b.Run(t.workload+", by "+t.reference, func(b *testing.B) {
				one, reference := all[t.contestant], all[t.reference]
				timed(b, one, in)
				timed(b, reference, in)
				var spent, other time.Duration
				for b.Loop() {
					other += timed(b, reference, in)
					spent += timed(b, one, in)
				}
				ratio := other.Seconds() / spent.Seconds()
				b.ReportMetric(ratio, "x-reference")
				b.ReportMetric(ratio/t.least, "x-target")
				b.ReportMetric(float64(in.size)*float64(b.N)/1e6/spent.Seconds(), "MB/s")
				b.ReportMetric(0, "ns/op") // of both together
			})
		}

		for _, a := range allocating {
			if a.format != c.format || a.contest != c.workload {
				continue
			}
			b.Run("allocations, "+c.workload+", "+a.contestant, func(b *testing.B) {
				n, most, unit := in.records, mostPerRecord, "allocs/record"
				if a.contest == small {
					n, most, unit = len(in.files), mostPerFile, "allocs/file"
				}
				runOnce(b, all[a.contestant], in)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for b.Loop() {
					runOnce(b, all[a.contestant], in)
				}
				runtime.ReadMemStats(&after)
				got := float64(after.Mallocs-before.Mallocs) / float64(b.N*n)
				b.ReportMetric(got, unit)
				b.ReportMetric(most/got, "x-target")
			})
		}
	})
}

// timed runs a contestant, and returns the time that it takes.
func timed(tb testing.TB, c contestant, in *input) time.Duration {
	tb.Helper()
	runtime.GC()
	began := now()
	runOnce(tb, c, in)
	return now() - began
}

// eachOfTargets runs do for each contest that targets refer to, with its contestants by name.
func eachOfTargets[T interface {
	testing.TB
	Run(string, func(T)) bool
}](t T, size float64, do func(T, contest, *input, map[string]contestant)) {
	for _, c := range contests() {
		if !slices.ContainsFunc(targets, func(t target) bool { return t.format == c.format && t.contest == c.workload }) {
			continue
		}
		t.Run("format="+c.format+"/of="+c.workload, func(t T) {
			in := c.input(t, size)
			all := make(map[string]contestant)
			for _, one := range c.contestants(t, in) {
				all[one.name] = one
			}
			do(t, c, in, all)
		})
	}
}

// Every target names a contest and two of its contestants.
func TestTargets(t *testing.T) {
	named := make(map[[2]string]bool)
	for _, c := range contests() {
		named[[2]string{c.format, c.workload}] = true
	}
	for _, want := range targets {
		if !named[[2]string{want.format, want.contest}] {
			t.Errorf("no contest %s, %s", want.format, want.contest)
		}
	}
	eachOfTargets(t, 10_000, func(t *testing.T, c contest, _ *input, all map[string]contestant) {
		check := func(format, workload string, names ...string) {
			for _, name := range names {
				if _, ok := all[name]; !ok && format == c.format && workload == c.workload {
					t.Errorf("%s, %s has no contestant %q", format, workload, name)
				}
			}
		}
		for _, want := range targets {
			check(want.format, want.contest, want.contestant, want.reference)
		}
		for _, a := range allocating {
			check(a.format, a.contest, a.contestant)
		}
	})
}
