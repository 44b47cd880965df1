// Package ingest reads trees of result files into a store: [Walk] lists the files of a tree in the
// order in which they were written, and [Run] parses them in parallel and passes their measurements
// to the caller's [Sink], all or nothing per file.
//
//	files := ingest.Walk(os.DirFS("/srv/results"), ".", ingest.WalkOptions{})
//	summary, err := ingest.Run(ctx, files, sink, ingest.RunOptions{Report: report})
//
// # The storage layout
//
// The Skia Perf Format ("Storage") says where files are stored:
//
//	gs://<bucket>/<one or more directories>/YYYY/MM/DD/HH/<zero or more directories>/<unique name>.json
//
// The hour is when the file was written, in UTC. It is not when its data was measured. For example,
// a file that was written at 22:17 on August 23, 2018 may be
//
//	gs://skia-perf/nano-json-v1/2018/08/23/22/Android-Clang/7989dad6.json
//
// The rest of the path has no meaning: the file says what was measured, where, and at which
// commit. [MakePath] and [ParsePath] write and read such paths.
//
// The hour decides which of two files is newer. If both have the same measurement, that of the
// newer file replaces that of the older one. So a file is never changed in place: to correct it,
// write another one, in the present hour.
//
// # Walking
//
// [Walk] works on any [io/fs.FS]: a folder, a zip file, a bucket. It merges the trees of several
// programs, such as nano-json-v1 and nano-json-v2, by hour. It can be limited to some hours and
// paths, and resumed after a file. The iteration yields an error for a path that does not fit the
// layout, and for a directory that cannot be read: nothing is left out silently.
//
// # Running
//
// [Run] reads files of any format, compressed or not, as [perfdata.Opener] does. It guarantees:
//
//   - All or nothing. A file that is truncated, that cannot be read to its end, or that changes
//     while it is read is rolled back, and reported with the error.
//   - Nothing is left out silently. A faulty measurement or line does not cost the rest of its file:
//     it is left out, counted in Report.Faults, and reported. Skia Perf, for example, ignores a
//     text among the numbers of a legacy file. A file in which everything is faulty fails. With
//     [RunOptions.Strict], a file with any fault fails.
//   - Canceling leaves nothing. When the context is canceled, reads fail, the files in progress
//     are rolled back, and Run returns after its goroutines have ended.
//   - The result does not depend on the order in which files arrive and workers finish. A Sink is
//     told the hour and path of each file, by which it decides which one is newer.
//   - What is stored is what was read. The SHA-256 that Commit is given, if the Sink wants it, is
//     that of the bytes that were parsed. So a Sink can skip a file that it has, and refuse other
//     content under its path.
//   - Nothing is missed after an interruption. [Report.Checkpoint] is a file before which none is left to be
//     done, whatever the order in which workers finish: resume with it as [WalkOptions.After]. A file
//     that failed for a reason that may pass holds it. With [RunOptions.Retries], such a file is read
//     again first.
//   - A Sink that knows its files ([Deduplicator]) is asked before a file is opened.
//   - Memory is bounded, for each worker, by the Limits of the Opener: reading takes what the
//     package of the format documents, and the series of a file up to 100 MiB, with the default
//     MaxUniqueTraces. A file with more series fails.
//
// # Points
//
// A Sink takes points: a measurement with its series, its commit, and the number of its repetition.
// A [series.Placer] makes them of the records of a file; package series has the rules, to which
// [RunOptions] add. A Sink takes each point when it is read, and none waits for the end of the
// file. Repetitions are numbered from 1 in each file, so twelve lines that
// "go test -bench . -count 6" prints at two commits,
//
//	commit: 7cd9055
//	BenchmarkSort-8   5000   294.1 ns/op
//	BenchmarkSort-8   5000   292.7 ns/op
//	...
//
// are one series with two commits, and six numbered values at each.
package ingest
