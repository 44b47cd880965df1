package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// A target is how fast a contestant must be, relative to another one in the same contest.
type target struct {
	workload        string // as the table describes it
	format, contest string
	contestant      string
	reference       string
	least           float64 // ratio of speeds; 0: nothing is required
	aim             float64 // what would be better than required; 0: nothing
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
var targets = []target{
	{"Skia v1, indented, InOrder", "skiav1", indented, readInOrder, goJSON, 5, 0},
	{"Skia v1, compact, InOrder", "skiav1", compact, readInOrder, goJSON, 5, 0},
	{"Skia v1, varied shapes, InOrder", "skiav1", varied, readInOrder, goJSON, 4, 0},
	{"Skia v1, indented, InOrder", "skiav1", indented, readInOrder, simdjsonName, 0, 0.8},
	{"Skia v1, compact, InOrder", "skiav1", compact, readInOrder, simdjsonName, 0, 0.8},
	{"Skia v1, varied shapes, InOrder", "skiav1", varied, readInOrder, simdjsonName, 0, 0.8},
	{"Skia v1, indented, every trace ID appended to a buffer", "skiav1", indented, readIDs, goJSON, 3.5, 0},
	{"Skia v1, compact, every trace ID appended to a buffer", "skiav1", compact, readIDs, goJSON, 3.3, 0},
	{"Skia v1, varied shapes, every trace ID appended to a buffer", "skiav1", varied, readIDs, goJSON, 2.6, 0},
	{"Skia v1, indented, from a pipe", "skiav1", indented, readPipe, goJSON, 2.8, 0},
	{"Skia v1, compact, from a pipe", "skiav1", compact, readPipe, goJSON, 2.8, 0},
	{"Skia v1, varied shapes, from a pipe", "skiav1", varied, readPipe, goJSON, 2.2, 0},
	{"Skia v1 from a pipe, up to MaxSpoolMemory", "skiav1", smallPipe, readPipe, readDefault, 0.9, 0},

	{"2,000 files of 6 KB, InOrder", "skiav1", small, readInOrder, goJSON, 1.3, 0},
	{"2,000 files of 6 KB, default", "skiav1", small, readDefault, goJSON, 1.2, 0},
	{"2,000 files of 6 KB, from a pipe", "skiav1", small, readPipe, goJSON, 1.2, 0},
	{"2,000 files of 6 KB, with trace IDs", "skiav1", small, readIDs, goJSON, 0.9, 0},
	{"2,000 files of 6 KB, InOrder with Reset", "skiav1", small, readInOrder + " with Reset", goJSON, 3, 0},
	{"2,000 files of 6 KB, default with Reset", "skiav1", small, readDefault + " with Reset", goJSON, 3, 0},

	{"legacy, InOrder", "nanolegacy", indented, readInOrder, goJSON, 6, 0},
	{"legacy, from a pipe", "nanolegacy", indented, readPipe, goJSON, 3.3, 0},
	{"legacy, with trace IDs", "nanolegacy", indented, readIDs, goJSON, 4, 0},

	{"Go benchmarks, names once", "benchfmt", namesOnce, readDefault, xperfReader, 2, 0},
	{"Go benchmarks, names ten times", "benchfmt", namesTen, readDefault, xperfReader, 2.5, 0},
	{"Go benchmarks, names once, with trace IDs", "benchfmt", namesOnce, readDefaultID, xperfReader, 0.8, 0},
	{"Go benchmarks, names ten times, with trace IDs", "benchfmt", namesTen, readDefaultID, xperfReader, 1, 0},

	{"keyvals", "keyval", keyvals, readDefault, keyvalYardstick, 0.6, 0},

	{"Perun, today's layout, numbers of 1 to 17 digits", "perun", types, readDefault, goJSON, 2.2, 3},
	{"Perun, the same, from a pipe", "perun", types, readPipe, goJSON, 1.8, 0},

	{"Google Benchmark", "googlebench", realFiles, readDefault, goJSON, 3, 0},
	{"hyperfine", "hyperfine", realFiles, readDefault, goJSON, 3, 0},
	{"JMH", "jmh", realFiles, readDefault, goJSON, 3, 0},
	{"github-action-benchmark", "ghbench", realFiles, readDefault, goJSON, 3, 0},
	{"pytest-benchmark", "pytestbench", realFiles, readDefault, goJSON, 3, 0},
	{"vitest", "vitest", realFiles, readDefault, goJSON, 3, 0},
	{"BenchmarkDotNet", "dotnetbench", realFiles, readDefault, goJSON, 3, 0},
	{"Chromium chart JSON", "chartjson", realFiles, readDefault, goJSON, 3, 0},
	{"Chromium HistogramSet", "histogramset", realFiles, readDefault, goJSON, 3, 0},
	{"Criterion.rs, a folder", "criterion", smallFolder, readDefault, goJSON, 1.2, 0},

	{"ingesting 40 MB of Skia v1", "skiav1", ingesting, ingesting, readAndHash, 0.6, 0},
	{"ingesting 40 MB of Go benchmarks", "benchfmt", ingesting, ingesting, readAndHash, 0.6, 0},
	{"ingesting 2,000 files of 6 KB of Skia v1", "skiav1", ingestingSmall, ingesting, readAndHash, 0.6, 0},
	{"ingesting 2,000 files of 6 KB of Go benchmarks", "benchfmt", ingestingSmall, ingesting, readAndHash, 0.6, 0},

	{"records --as jsonl, 40 MB of Skia v1", "skiav1", printing, printRecords + "jsonl", readAndWriteAgain + "jsonl", 0.5, 0},
	{"records --as csv, 40 MB of Skia v1", "skiav1", printing, printRecords + "csv", readAndWriteAgain + "csv", 0.5, 0},
	{"records --as jsonl, 40 MB of Go benchmarks", "benchfmt", printing, printRecords + "jsonl", readAndWriteAgain + "jsonl", 0.5, 0},
	{"records --as csv, 40 MB of Go benchmarks", "benchfmt", printing, printRecords + "csv", readAndWriteAgain + "csv", 0.5, 0},

	{"Skia v1, every trace ID, with perfdata.Open", "skiav1", opened, readOpenID, readOpen, 0.65, 0},
	{"legacy, every trace ID, with perfdata.Open", "nanolegacy", opened, readOpenID, readOpen, 0.65, 0},
	{"Go benchmarks, every trace ID, with perfdata.Open", "benchfmt", opened, readOpenID, readOpen, 0.65, 0},
	{"keyvals, every trace ID, with perfdata.Open", "keyval", opened, readOpenID, readOpen, 0.65, 0},
	{"Perun, every trace ID, with perfdata.Open", "perun", opened, readOpenID, readOpen, 0.65, 0},
	{"converting Skia v1 to Go benchmarks", "skiav1", converting, "to benchfmt", readingAndWriting + "benchfmt", 0.5, 0},
	{"converting Go benchmarks to Skia v1", "benchfmt", converting, "to skiav1", readingAndWriting + "skiav1", 0.5, 0},

	{"writing Skia v1 from records", "skiav1", writing, "perfdata Write", goJSONMarshal, 1.5, 0},
}

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

// printTargets holds the contests that the targets of a format need, or of all formats if it is
// empty, and prints the table in Markdown. Unless memory is 0, it also measures the memory of
// reading documents of that size and, if wanted, of the tool with hostile inputs.
func printTargets(out io.Writer, format string, size, memory int64, rounds int, hostile bool) error {
	fmt.Fprintf(out, "%s, documents of %g MB\n\n", machine(rounds), float64(size)/1e6)
	fmt.Fprintln(out, "| workload | reference | now | at least | reached | MB/s |\n| --- | --- | --- | --- | --- | --- |")
	results, err := holdTargets(format, size, rounds)
	if err != nil {
		return err
	}

	for _, t := range targets {
		if r := results[[2]string{t.format, t.contest}]; r != nil {
			t.print(out, r)
		}
	}

	for _, a := range allocating {
		if r := results[[2]string{a.format, a.contest}]; r != nil {
			n, most, per := float64(r.scores[a.contestant].mallocs)/float64(r.in.records), mostPerRecord, "record"
			if a.contest == small {
				n, most, per = float64(r.scores[a.contestant].mallocs)/float64(len(r.in.files)), mostPerFile, "file"
			}
			fmt.Fprintf(out, "| allocations: %s, %s, %s | | %.3f a %s | under %g | %s | |\n",
				a.format, a.contest, a.contestant, n, per, most, yes(n < most))
		}
	}

	if memory > 0 {
		if err := printPeaks(out, format, memory); err != nil {
			return err
		}
	}
	if hostile {
		return printHostile(out)
	}
	return nil
}

// holdTargets holds the contests of targets, with only the contestants that they name. The key of
// a result is the format and the contest.
func holdTargets(format string, size int64, rounds int) (map[[2]string]*result, error) {
	results := map[[2]string]*result{}
	for _, c := range contests() {
		if format != "" && format != c.format {
			continue
		}
		var names []string
		for _, t := range targets {
			if t.format == c.format && t.contest == c.workload {
				names = append(names, t.contestant, t.reference)
			}
		}
		if len(names) == 0 {
			continue
		}
		r, err := c.hold(size, rounds, func(name string) bool { return slices.Contains(names, name) })
		if errors.Is(err, errAbsent) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", c.format, c.workload, err)
		}
		results[[2]string{c.format, c.workload}] = r
	}

	return results, nil
}

func (t *target) print(out io.Writer, r *result) {
	s, reference := r.scores[t.contestant], r.scores[t.reference]
	if reference == nil {
		fmt.Fprintf(out, "| %s | %s | not measured | %s | | |\n", t.workload, t.reference, t.bound())
		return
	}
	now := s.speedup(reference)
	reached := ""
	if t.least > 0 {
		reached = yes(now >= t.least)
	}
	fmt.Fprintf(out, "| %s | %s | %.2f | %s | %s | %.0f |\n",
		t.workload, t.reference, now, t.bound(), reached, float64(r.in.size)/1e6/s.median().Seconds())
}

// bound returns what the ratio must be.
func (t *target) bound() string {
	switch {
	case t.least == 0 && t.aim == 0:
		return "-"
	case t.least == 0:
		return fmt.Sprintf("aim: %g", t.aim)
	case t.aim == 0:
		return fmt.Sprintf("%g", t.least)
	}
	return fmt.Sprintf("%g; aim: %g", t.least, t.aim)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "**no**"
}

// printPeaks prints the rows about the memory of reading large documents.
func printPeaks(out io.Writer, format string, size int64) error {
	const most = 64 // MiB
	all, err := peaks(format, size)
	if err != nil {
		return err
	}
	for _, s := range streams(format) {
		f := all[s.name]
		fmt.Fprintf(out, "| memory, %.1f GiB: %s | | %.0f MiB | under %d MiB | %s | |\n",
			float64(f.size)/(1<<30), s.name, float64(f.peak)/(1<<20), most, yes(f.peak < most<<20))
	}
	return nil
}
