package main

import (
	"errors"
	"time"

	"perfdata/bench/workload"
)

// An input is what the contestants of a contest read: a document, or many small files.
type input struct {
	files   [][]byte
	names   []string // of the files, if contestants go by them
	size    int64
	records int // in all files
}

// A contestant reads or writes whole files.
type contestant struct {
	name    string
	run     func(file []byte) (records int, err error) // records is 0 if it does not count them
	missing string                                     // why it cannot run here; empty if it can

	// runAll takes the place of run if it is not nil: it runs on all files of an input.
	runAll func(files [][]byte) (records int, err error)

	// elsewhere returns the CPU time that another process or thread spent since the last call. It may
	// be nil, and so may close.
	elsewhere func() time.Duration
	close     func() error
}

// A contest is an input and the contestants that run on it.
type contest struct {
	format, workload string
	yardstick        string // the contestant with which the others are compared
	reading          bool   // what the contestants read is a document that is invalid without its last byte
	input            func(size int64) (*input, error)
	contestants      func(*input) ([]contestant, error)
}

// errAbsent says that an input is not on this machine. Its contest is skipped.
var errAbsent = errors.New("not found")

// document returns the input of a contest: a document that is a share of the size.
func document(d *workload.Document, share float64) func(int64) (*input, error) {
	return func(size int64) (*input, error) {
		doc, records := d.WithSize(int64(share * float64(size))).Bytes()
		return newInput([][]byte{doc}, records), nil
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
func always(contestants func() []contestant) func(*input) ([]contestant, error) {
	return func(*input) ([]contestant, error) { return contestants(), nil }
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
		return contest{"skiav1", name, goJSON, true, document(d, 1), always(skiaContestants)}
	}
	legacy := func(name string, d *workload.Document) contest {
		return contest{"nanolegacy", name, goJSON, true, document(d, 1), always(nanolegacyContestants)}
	}
	profile := func(name string, d *workload.Document) contest {
		return contest{"perun", name, goJSON, true, document(d, 1), always(perunContestants)}
	}
	goBench := func(name string, count int) contest {
		d := workload.NewGoBench(count)
		return contest{"benchfmt", name, xperfReader, false, document(d, 1), always(goBenchReaders)}
	}
	all := []contest{
		skia(indented, workload.NewSkia(workload.Indented)),
		skia(compact, workload.NewSkia(workload.Compact)),
		skia(varied, workload.NewVariedSkia(workload.Compact)),
		skia("shapes in random order, harder than real files", workload.NewShuffledSkia(workload.Compact)),
		skia("links of each measurement's own", workload.NewLinkedSkia(workload.Compact)),
		{"skiav1", smallPipe, goJSON, true, limited(7e6, workload.NewSkia(workload.Compact)), always(skiaContestants)},
		{"skiav1", small, goJSON, true, smallFiles, always(skiaContestants)},

		legacy(indented, workload.NewNanolegacy(workload.Indented, false)),
		legacy(compact, workload.NewNanolegacy(workload.Compact, false)),
		legacy("with samples", workload.NewNanolegacy(workload.Indented, true)),

		goBench(namesTen, 10),
		goBench(namesOnce, 1),

		{"keyval", keyvals, keyvalYardstick, false, document(workload.NewKeyval(), 1), always(keyvalContestants)},

		profile(types, workload.NewPerunTypes(workload.Python)),
		profile("today's layout, indented", workload.NewPerunTypes(workload.PythonIndented)),
		profile("snapshots", workload.NewPerunSnapshots(workload.Python)),
		profile("snapshots, indented", workload.NewPerunSnapshots(workload.PythonIndented)),
	}
	for _, d := range []struct {
		format string
		doc    *workload.Document
	}{
		{"skiav1", workload.NewVariedSkia(workload.Compact)},
		{"nanolegacy", workload.NewNanolegacy(workload.Indented, false)},
		{"benchfmt", workload.NewGoBench(1)},
		{"keyval", workload.NewKeyval()},
		{"perun", workload.NewPerunTypes(workload.Python)},
	} {
		all = append(all, contest{d.format, opened, readOpen, false, document(d.doc, 1), always(openers)})
	}
	all = append(all, runnerContests()...)
	all = append(all, writers()...)
	all = append(all, conversions()...)
	all = append(all, ingestions()...)
	all = append(all, printings()...)
	return append(all, corpusContests()...)
}

// limited returns the input of a contest: a document of the size or, if it is smaller, the limit.
func limited(limit int64, d *workload.Document) func(int64) (*input, error) {
	return func(size int64) (*input, error) { return document(d, 1)(min(size, limit)) }
}

// smallFiles returns 2,000 files if the size is 40 MB, and proportionally more or fewer.
func smallFiles(size int64) (*input, error) {
	return newInput(workload.SkiaFiles(int(max(1, size/20_000)))), nil
}
