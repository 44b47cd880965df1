// Package perfdata opens files in the formats that exchange performance results. In every format, a
// measurement becomes a record with params, a value and links, and has a canonical trace ID.
//
// This package detects the format of a file, decompresses gzip, zstd and zlib, and decodes UTF-16
// that begins with a byte order mark. It also opens the results folder of an Autotest job, and
// target/criterion of Criterion.rs. A program that reads one known format uses the package of that
// format:
//
//   - perfdata/skiav1, the Skia Perf format, version 1
//   - perfdata/nanolegacy, the legacy format of Skia Perf, as written by nanobench
//   - perfdata/benchfmt, the Go benchmark data format
//   - perfdata/keyval, Autotest perf keyvals
//   - perfdata/perun, Perun profiles
//   - the packages below perfdata/runners, what benchmark runners write, such as Google Benchmark, JMH
//     and hyperfine
//
// The records and the interfaces that all formats share are in perfdata/format, trace IDs and
// queries in perfdata/traceid, and units in perfdata/unit. Package perfdata/convert converts between
// the formats, and package perfdata/ingest reads trees of files into a store.
package perfdata
