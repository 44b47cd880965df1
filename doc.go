// Package perfdata opens files of the formats in which performance results are exchanged. Every
// measurement becomes one kind of record, with params, a value and links, and has one canonical
// trace ID, whichever format it came from.
//
// This package detects the format of a file, decompresses gzip, zstd and zlib, and decodes UTF-16
// that begins with a byte order mark. It also opens the results folder of an Autotest job. A
// program that knows its format uses the package of that format:
//
//   - perfdata/skiav1, the Skia Perf format, version 1
//   - perfdata/nanolegacy, the Skia Perf legacy format, of nanobench
//   - perfdata/benchfmt, the Go benchmark data format
//   - perfdata/keyval, Autotest perf keyvals
//   - perfdata/perun, Perun profiles
//
// The records and the interfaces that all formats share are in perfdata/format, and trace IDs and
// queries in perfdata/traceid. Package perfdata/convert converts between the formats.
package perfdata
