// Package series is about the commits of results, and their order.
//
// The hash of a commit does not say when it was made, and a commit may be measured late: in a
// bisection, or when results are added for the past. So the order of the values of a trace comes
// from elsewhere, in this order of preference:
//
//   - [ByList]: the list of the repository's commits, which the caller gives.
//   - [ByNumber]: the numbers of the commits, if each has one, as in CP:727901 of Skia.
//   - [ByTime]: the times of the commits, if each has one, as the configuration line commit-time of
//     Go benchmarks gives it.
//   - [BySource]: the hours and paths of the files that name the commits, and the position in the
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
// A line has the hash of a commit and those of its parents, separated by blanks. After it may
// follow, each after a tab, the time in seconds since 1970, the author, and the subject. All lines
// have the same of these.
//
// The parents say whether a list begins with the newest commit or the oldest. Without parents, a
// list with times begins with the newest unless the times say otherwise, as git log prints it; a
// list of hashes begins with the oldest, as git rev-list --reverse prints it.
//
// Lines that end with CR LF, and empty lines, are read too. What else does not fit is an error with
// its position, as is a commit that is listed twice, or an empty list. A hash may be any name of
// letters, digits, and the characters . _ : + - / @, of at most 256 bytes; in a line of several
// hashes and nothing else, all are hex digits. Invalid UTF-8 and zero bytes in an author or a subject
// become U+FFFD.
//
// A list has at most 5,000,000 commits and 1 GiB, and a line at most 64 KiB. Without subjects, a
// commit takes about 200 bytes of memory.
package series
