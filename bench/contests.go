package main

import "perfdata/bench/workload"

// A contest is a document that several contestants read or write.
type contest struct {
	format, workload string
	yardstick        string // the contestant with which the others are compared
	ended            bool   // a document without its last byte is an error
	results          int    // in the document if the flag is 100,000
	document         func(results int) *workload.Document
	contestants      func(d *workload.Document) ([]contestant, error)
}

// contests lists all contests, by format.
var contests = []contest{
	{
		format: "skiav1", workload: "indented", yardstick: goJSON, ended: true, results: 100_000,
		document:    func(results int) *workload.Document { return workload.NewSkia(results, workload.Indent) },
		contestants: reading(skiaContestants),
	},
	{
		format: "skiav1", workload: "compact", yardstick: goJSON, ended: true, results: 100_000,
		document:    func(results int) *workload.Document { return workload.NewSkia(results, "") },
		contestants: reading(skiaContestants),
	},
	{
		format: "skiav1", workload: "mixed", yardstick: goJSON, ended: true, results: 100_000,
		document:    func(results int) *workload.Document { return workload.NewMixedSkia(results, workload.Indent) },
		contestants: reading(skiaContestants),
	},
	{
		format: "nanolegacy", workload: "indented", yardstick: goJSON, ended: true, results: 100_000,
		document:    func(results int) *workload.Document { return workload.NewNanolegacy(results, workload.Indent) },
		contestants: reading(nanolegacyContestants),
	},
	{
		format: "nanolegacy", workload: "compact", yardstick: goJSON, ended: true, results: 100_000,
		document:    func(results int) *workload.Document { return workload.NewNanolegacy(results, "") },
		contestants: reading(nanolegacyContestants),
	},
	{
		format: "nanolegacy", workload: "with samples", yardstick: goJSON, ended: true, results: 100_000,
		document:    func(results int) *workload.Document { return workload.NewSampledNanolegacy(results, workload.Indent) },
		contestants: reading(nanolegacyContestants),
	},
	{
		format: "nanolegacy", workload: "mixed", yardstick: goJSON, ended: true, results: 100_000,
		document:    func(results int) *workload.Document { return workload.NewMixedNanolegacy(results, workload.Indent) },
		contestants: reading(nanolegacyContestants),
	},
	{
		format: "benchfmt", workload: "names ten times", yardstick: xperfReader, results: 400_000,
		document:    func(results int) *workload.Document { return workload.NewGoBench(results, 10) },
		contestants: reading(goBenchReaders),
	},
	{
		format: "benchfmt", workload: "names once", yardstick: xperfReader, results: 400_000,
		document:    func(results int) *workload.Document { return workload.NewGoBench(results, 1) },
		contestants: reading(goBenchReaders),
	},
	{
		format: "benchfmt", workload: "writing, names once", yardstick: xperfWriter, results: 400_000,
		document:    func(results int) *workload.Document { return workload.NewGoBench(results, 1) },
		contestants: goBenchWriters,
	},
	{
		format: "keyval", workload: "iterations", yardstick: keyvalYardstick, results: 300_000,
		document:    workload.NewKeyval,
		contestants: reading(keyvalContestants),
	},
	{
		format: "perun", workload: "today's layout", yardstick: goJSON, ended: true, results: 100,
		document:    func(results int) *workload.Document { return workload.NewPerunTypes(results, "") },
		contestants: reading(perunContestants),
	},
	{
		format: "perun", workload: "today's layout, indented", yardstick: goJSON, ended: true, results: 100,
		document:    func(results int) *workload.Document { return workload.NewPerunTypes(results, workload.Indent) },
		contestants: reading(perunContestants),
	},
	{
		format: "perun", workload: "snapshots", yardstick: goJSON, ended: true, results: 50_000,
		document:    func(results int) *workload.Document { return workload.NewPerunSnapshots(results, "") },
		contestants: reading(perunContestants),
	},
	{
		format: "perun", workload: "snapshots, indented", yardstick: goJSON, ended: true, results: 5000,
		document:    func(results int) *workload.Document { return workload.NewPerunSnapshots(results, workload.Indent) },
		contestants: reading(perunContestants),
	},
}

// reading adapts a function of the number of records to a contest.
func reading(contestants func(records int) []contestant) func(*workload.Document) ([]contestant, error) {
	return func(d *workload.Document) ([]contestant, error) { return contestants(d.Records()), nil }
}

// scale returns the number of results in the document, given the value of the flag.
func (c *contest) scale(results int) int { return max(1, int(int64(results)*int64(c.results)/100_000)) }
