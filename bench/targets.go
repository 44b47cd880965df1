package main

import (
	"fmt"
	"io"
	"slices"
)

// A target is what the library must reach in a contest, relative to a contestant.
type target struct {
	workload        string // as the table describes it
	format, contest string
	contestant      string
	reference       string
	least           float64 // ratio of speeds; 0: nothing is required
	aim             float64 // better than required; 0: none
	mostPerFile     float64 // allocations; 0: not measured
	mostPerRecord   float64 // allocations; 0: not measured
}

// targets lists the rows of the table, by contest.
func targets() []target {
	const (
		inOrder   = "perfdata InOrder"
		byDefault = "perfdata default"
		pipe      = "perfdata from a pipe"
		ids       = "perfdata InOrder with trace IDs"
	)
	var all []target
	for _, c := range []struct {
		contest            string
		inOrder, ids, pipe float64
	}{
		{indented, 5, 3.5, 2.8},
		{compact, 5, 3.3, 2.8},
		{varied, 4, 2.6, 2.2},
	} {
		name := "Skia v1, " + c.contest
		all = append(all,
			target{workload: name + ", InOrder", format: "skiav1", contest: c.contest, contestant: inOrder, reference: goJSON, least: c.inOrder, mostPerRecord: 0.05},
			target{workload: name + ", InOrder", format: "skiav1", contest: c.contest, contestant: inOrder, reference: simdjsonName, aim: 0.8},
			target{workload: name + ", with every trace ID appended to a buffer", format: "skiav1", contest: c.contest, contestant: ids, reference: goJSON, least: c.ids},
			target{workload: name + ", from a pipe", format: "skiav1", contest: c.contest, contestant: pipe, reference: goJSON, least: c.pipe},
		)
	}
	read := func(workload, format, contest, contestant, reference string, least float64) {
		all = append(all, target{workload: workload, format: format, contest: contest, contestant: contestant, reference: reference, least: least})
	}
	read("Skia v1 from a pipe, up to MaxSpoolMemory", "skiav1", smallPipe, pipe, byDefault, 0.9)

	files := "files of 6 KB, "
	read(files+"InOrder", "skiav1", small, inOrder, goJSON, 1.3)
	all[len(all)-1].mostPerFile = 25
	read(files+"default", "skiav1", small, byDefault, goJSON, 1.2)
	read(files+"from a pipe", "skiav1", small, pipe, goJSON, 1.2)
	read(files+"with trace IDs", "skiav1", small, ids, goJSON, 0.9)
	read(files+"InOrder with Reset", "skiav1", small, inOrder+" with Reset", goJSON, 2)
	read(files+"default with Reset", "skiav1", small, byDefault+" with Reset", goJSON, 0)

	read("legacy, InOrder", "nanolegacy", indented, inOrder, goJSON, 6)
	all[len(all)-1].mostPerRecord = 0.05
	read("legacy, from a pipe", "nanolegacy", indented, pipe, goJSON, 3.3)
	read("legacy, with trace IDs", "nanolegacy", indented, ids, goJSON, 4)

	read("Go benchmarks, names once", "benchfmt", namesOnce, byDefault, xperfReader, 2)
	read("Go benchmarks, names once, with trace IDs", "benchfmt", namesOnce, byDefault+" with trace IDs", xperfReader, 0.8)
	read("Go benchmarks, names ten times", "benchfmt", namesTen, byDefault, xperfReader, 2.5)
	all[len(all)-1].mostPerRecord = 0.05
	read("Go benchmarks, names ten times, with trace IDs", "benchfmt", namesTen, byDefault+" with trace IDs", xperfReader, 1)

	read("keyvals", "keyval", keyvals, byDefault, keyvalYardstick, 0.6)
	all[len(all)-1].mostPerRecord = 0.05

	read("Perun, today's layout", "perun", types, byDefault, goJSON, 2.2)
	all[len(all)-1].aim = 3
	all[len(all)-1].mostPerRecord = 0.05
	read("Perun, today's layout, from a pipe", "perun", types, pipe, goJSON, 1.8)

	read("writing Skia v1 from records", "skiav1", writing, "perfdata Write", goJSONMarshal, 1.5)
	return all
}

// printTargets holds the contests that the targets of a format need, or of all formats if it is
// empty, and prints the table in Markdown. Unless memory is 0, it also measures the memory of
// reading documents of that size and, if wanted, of the tool with hostile inputs.
func printTargets(out io.Writer, format string, size, memory int64, rounds int, hostile bool) error {
	fmt.Fprintf(out, "%s, documents of %g MB\n\n", machine(rounds), float64(size)/1e6)
	fmt.Fprintln(out, "| workload | reference | now | at least | reached | MB/s |\n| --- | --- | --- | --- | --- | --- |")
	all := targets()
	for _, c := range contests() {
		of := slices.DeleteFunc(slices.Clone(all), func(t target) bool { return t.format != c.format || t.contest != c.workload })
		if len(of) == 0 || format != "" && format != c.format {
			continue
		}
		r, err := c.hold(size, rounds, func(name string) bool {
			return slices.ContainsFunc(of, func(t target) bool { return name == t.contestant || name == t.reference })
		})
		if err != nil {
			return fmt.Errorf("%s, %s: %w", c.format, c.workload, err)
		}
		for _, t := range of {
			t.print(out, r)
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
	fmt.Fprintf(out, "| %s | %s | %.2f | %s | %s | %.0f |\n", t.workload, t.reference, now, t.bound(), reached, float64(r.in.size)/1e6/s.median().Seconds())

	if t.mostPerRecord > 0 {
		n := float64(s.mallocs) / float64(r.in.records)
		fmt.Fprintf(out, "| %s, allocations a record | | %.3f | at most %g | %s | |\n", t.workload, n, t.mostPerRecord, yes(n <= t.mostPerRecord))
	}
	if t.mostPerFile > 0 {
		n := float64(s.mallocs) / float64(len(r.in.files))
		fmt.Fprintf(out, "| %s, allocations a file | | %.1f | at most %g | %s | |\n", t.workload, n, t.mostPerFile, yes(n <= t.mostPerFile))
	}
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
		fmt.Fprintf(out, "| memory, %.1f GiB: %s | | %.0f MiB | at most %d MiB | %s | |\n", float64(f.size)/(1<<30), s.name,
			float64(f.peak)/(1<<20), most, yes(f.peak <= most<<20))
	}
	return nil
}
