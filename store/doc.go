// Package store is a results database: it keeps the measurements of files of any format, and
// returns the values of each trace over the commits.
//
//	s, err := store.Open(ctx, "perf.db")
//	defer s.Close()
//	files := ingest.Walk(os.DirFS("results"), ".", ingest.WalkOptions{})
//	summary, err := s.Ingest(ctx, files, store.IngestOptions{})
//	q, err := traceid.ParseQuery("arch=x86&test=~^draw_")
//	for series, err := range s.Query(ctx, q, store.Range{}) {
//		...
//	}
//
// The database is a file of SQLite, without a server and without C, or PostgreSQL: see [Open].
// Several processes may use either at the same time, and several machines PostgreSQL. Writers
// take turns, for the time of a Commit.
//
// Several goroutines may read while others write. [Options] bound the connections of readers, so
// that queries of any number take neither much memory nor the connections of writers. An error
// whose cause is [ErrUnavailable] says that the database is away: the same call may succeed later.
//
// # What is stored
//
// All of a file or nothing: [Store.Begin] returns an [ingest.Batch], which collects records in
// memory, and from 16 MiB on in a temporary file. Its Commit writes them in one transaction. After
// it returns, they survive a power failure. Batches that wait for the writer share a transaction,
// in which each still is all or nothing. A faulty measurement is left out of its file, and
// [Store.Sources] counts it; with ingest.RunOptions.Strict, it makes the file fail.
//
// For each record, the store keeps all of its fields: the trace, the params as they are spelled,
// the commit, the number of the repetition, the value as float64, the unit and direction, the
// attrs, the links, and the offset; and of its file, the path, hour, SHA-256, format, run, and the
// commit of the header. In texts, invalid UTF-8 becomes U+FFFD, and so does a zero byte in a unit.
// [Store.Query] returns series of values, and [Store.Measurements] everything. [Store.Sources]
// lists all files, including files that failed, with the reason.
//
// # Questions
//
// [Store.Query] selects traces by their params, and a [Range] their values by commits. [Store.Ask]
// answers the questions of package series, such as what changed from one commit to another.
// [Store.ParamSet] has the params that can be asked for. [Store.Export] has everything by day, and
// says which days have changed. All of them hold a part of their answer in memory only.
//
// # Trace IDs
//
// Trace IDs have _ in place of some characters: characters outside the default charset, or the
// ones that [Options] name when the database is created, since an instance of Skia Perf can be
// configured with another charset. The database records that, and refuses other trace IDs, which
// would name a series twice: see [ErrOtherCharset].
//
// # Newest wins
//
// Files belong to runs. A file is a run of its own, unless [IngestOptions] name one: the files of
// a run add up, so that shards of a job, or repeated uploads, are one measurement. If several runs
// have measurements of a trace at a commit, queries return the measurements of the newest run: the
// one whose newest file has the latest hour in its path, or the last path in the same hour. The
// order in which the files were stored does not matter, and to store a file again changes nothing.
// (The Skia Perf Format, "Notes", for files.) So several processes may store the same tree, and a
// process that was killed may begin again.
//
//   - All repetitions of a trace at a commit come from one run, so that two runs are not mixed.
//     Those of the files of a run are numbered one after another, the oldest file first.
//   - Older values are kept. After [Store.Delete] removes the newer file, they
//     are visible again. To delete all versions, select measurements by commit or query.
//   - Where files spell the params of a trace differently, as in "a b" and "a_b", the newest file
//     of a [Trace] decides.
//   - The content of a path does not change: other content is the error [ErrOtherContent]. With
//     NewVersions of [IngestOptions], other content under a path without an hour, such as a bench.txt
//     that a job writes at each commit, is a newer file instead. Its path sorts by the time of arrival,
//     as that of an upload. So does equal content at another commit, as the Opener names it. A
//     growing history replaces itself.
//   - Measurements of a change under review, which have an issue or a patchset, are stored apart:
//     see [Trial].
//   - The path of an [Upload] sorts by the time of arrival, so that a correction wins. An upload
//     that is repeated is stored once, and one may replace a file with all that it said.
//
// A measurement without a commit makes its file fail, unless [IngestOptions] give the commit, or
// allow it. Then it is kept for each run, with the hour of the run, and hides no other.
//
// # Order of commits
//
// Values are ordered by their commits, and never by the hashes of these. [Store.SetCommits] takes
// the list of a repository's commits, as git prints it:
//
//	list, err := series.ReadCommits(os.Stdin, "git log")
//	summary, err := s.SetCommits(ctx, "", list)
//
// A commit that is measured late takes the place that the list gives it. Without a list, the
// numbers or times of the commits decide, and else the hours and paths of the files, which is a
// guess: [Store.Commits] has the rules, and says which of them it used, as each [Trace] does.
// Commits that a list lacks are placed among the others. A hash may be abbreviated in the files.
//
// # Retention
//
// [Store.Delete] deletes files or measurements by path, run, age, commit and query, and
// [Store.Vacuum] then the names that nothing uses, and frees space. [Store.Backup] copies a
// database of SQLite while it is used.
//
// # Tables
//
// The tables are in tables.go. Measurements are packed, so that they take a few bytes each, and
// SQL alone cannot read them: use this package, or [Store.Dump].
//
// # Damage
//
// What an answer depends on is covered by checksums, which are verified where it is read: each
// page of a file of SQLite, and on both databases each row of measurements, of what files say of
// them, and of the names of traces, commits and params. Where they do not match, the error is
// [ErrDamaged], and there is no answer. Other programs that write a file of SQLite damage it.
//
// That no row is missing follows from the pages. PostgreSQL may have no checksums of them: its
// cluster has some if it was made so, by initdb --data-checksums. So on both databases, the store
// counts rows, and compares the numbers where a question would not notice that one is missing: of
// row groups for each group of traces in a block of commits, and for each file at a commit; of the
// commits of a file, and the traces of a param; and of names, files, settings and listed commits
// for the whole table. [Store.Check] compares all of them.
package store
