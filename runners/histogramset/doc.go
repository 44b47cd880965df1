// Package histogramset reads Chromium's HistogramSets, the JSON that its benchmarks write with
// --output-format=histograms. The source of the rules is catapult, tracing/tracing/value/histogram.py;
// which diagnostics are params follows Skia Perf's converter (google/skia-buildbot,
// perf/go/perfresults).
//
//	[
//	  {"type": "GenericSet", "guid": "5b76decd", "values": ["load:news"]},
//	  {
//	    "name": "frame_time", "unit": "ms_smallerIsBetter", "sampleValues": [16.5, 17],
//	    "running": [2, 17, 2.8, 16.75, 16.5, 33.5, 0.125], "diagnostics": {"stories": "5b76decd"}
//	  }
//	]
//
// Each sample becomes a record:
//
//	{"name": "frame_time", "story": "load:news", "unit": "ms"}  16.5
//
//	member                            becomes
//	name                              param name
//	unit                              param unit, without the direction at its end:
//	  _smallerIsBetter, -             Record.Better is lower
//	  _biggerIsBetter, +              Record.Better is higher
//	sampleValues                      records; null is a recoverable error
//	running, if there are no samples  records with stat: mean, min, max and stddev
//	diagnostics benchmarks, stories,  params benchmark, story, architecture and os; several values are
//	  architectures, osNames          joined by commas
//	other diagnostics of type         attrs, with the name of the diagnostic
//	  GenericSet and DateRange
//	numNans                           a recoverable error: these samples were not numbers
//	other diagnostics, binBoundaries, dropped: they are made from the samples, or explain them
//	  allBins, summaryOptions,
//	  description
//
// A diagnostic is part of a histogram, or shared: then it comes before the histogram that has its
// guid, as in all files that catapult writes. A histogram without samples was not measured: it is
// counted by Reader.Skipped.
package histogramset
