// Package perfdata reads and writes the file formats in which performance results travel. Every measurement becomes
// one kind of record, with params, a value and links, and has one canonical trace id, whichever format it came
// from.
//
// This package detects formats and opens files of any. A program that knows its format uses that package:
//
//   - perfdata/skiav1, the Skia Perf format, version 1
//   - perfdata/nanolegacy, the Skia Perf legacy format, of nanobench
//   - perfdata/benchfmt, the Go benchmark data format
//   - perfdata/keyval, Autotest perf keyvals
//   - perfdata/perun, Perun profiles
//
// The records and the interfaces that all formats share are in perfdata/format, trace ids and queries in
// perfdata/traceid.
package perfdata
