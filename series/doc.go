// Package series is about the series of results: which records are values of one series, at which
// commits, and in which order.
//
// # Points
//
// A [Point] is a record and its place. A [Placer] makes the points of a file, or of a set of files,
// one after another:
//
//	var placer series.Placer
//	for rec, err := range r.Records() {
//		...
//		at, err := placer.Place(rec)
//	}
//
// The record alone decides about its series and commit: other records change nothing.
//
//   - The identity of the series is the params without commit, commit-time and date, or those that
//     [Placer.NotIdentity] lists, and without the number of the repetition. The trace ID of the
//     identity names the series.
//   - The commit is the record's, or else the param commit.
//   - The number of the repetition is the one that the format gives: the record's Repetition, which
//     a param iteration may spell. Without it, it is a param repetition that is a decimal integer
//     from 1 to 999999999, without a sign and zeros before it. In other formats, iteration is a param
//     like any other, and repetition=warm always is.
//   - The direction is the record's, or else the one that its unit implies: see package unit.
//
// Repetitions without numbers are numbered from 1, for each series and commit, in the order of the
// records. A number that is not greater than the last one, such as the number of the first
// repetition in the next file of a set, is not used: such a record is the next repetition. So two
// files of a commit with repetitions 1 to 3 have six.
//
// # Questions
//
// A [Question] says which measurements are wanted: of which series, at which commits, of which trial. An
// [Answer] has them as series, with their commits in order, whatever the [Source] is: a file answers by
// being read, and a database, such as *Store of package perfdata/store, by reading the rows of the question only,
// with its own order of commits. What compares and judges series asks so.
//
// # Order of commits
//
// The hash of a commit does not say when it was made, and a commit may be measured late: in a
// bisection, or when results are added for the past. So the order of the values of a trace comes
// from elsewhere, in this order of preference:
//
//   - list: the list of the repository's commits, which the caller gives.
//   - number: the numbers of the commits, if each has one, as in CP:727901 of Skia.
//   - history: the order that the format of a file defines, which holds the results of many
//     commits, as that of [perfdata/runners/ghbench] does.
//   - time: the times of the commits, if each has one, as the configuration line commit-time of
//     Go benchmarks gives it.
//   - source: the hours and paths of the files that name the commits, and the position in the
//     file. This is a guess: a file may be written long after its commit.
//
// Commits are never ordered by hash. [Sort] sorts commits so, and returns the [Order] that it used,
// so that programs can show it.
//
// # Lists of commits
//
// [ReadCommits] reads a list as git prints it. Either of
//
//	git log --topo-order --format='%H %P%x09%ct%x09%an%x09%s'
//	git rev-list --reverse HEAD
//
// will do; the first also gives the time, author and subject of each commit:
//
//	3a1f09c6 7cd9055e	1785492000	Ann	png: decode rows in place
//	7cd9055e 	1785405600	Ann	png: add benchmarks
//
// A line has the hashes of a commit and of its parents, separated by blanks. Then follow, each
// after a tab and each optional, the time in seconds since 1970, the author, and the subject. All
// lines have the same fields.
//
// The parents say whether a list begins with the newest commit or the oldest. Without parents, a
// list with times begins with the newest unless the times say otherwise, as git log prints it; a
// list of hashes begins with the oldest, as git rev-list --reverse prints it.
//
// Lines that end with CR LF, and empty lines, are also read. Any other deviation is an error with
// its position, and so are a commit that is listed twice and an empty list. A hash may be any name
// of letters, digits, and the characters . _ : + - / @, of at most 256 bytes; in a line of several
// hashes and nothing else, all are hex digits. Invalid UTF-8 and zero bytes in an author or a
// subject become U+FFFD.
//
// A list has at most 5,000,000 commits and 1 GiB, and a line at most 64 KiB. Without subjects, a
// commit takes about 200 bytes of memory.
package series
