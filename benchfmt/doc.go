// Package benchfmt reads, writes and validates the Go benchmark data format: the text that "go test -bench" prints,
// and that other benchmark runners print too.
//
//	goos: linux
//	pkg: compress/flate
//	Unit ns/op better=lower
//	BenchmarkDecode/text=digits/level=speed/size=1e4-8   100   154125 ns/op   64.88 MB/s
//
// These are two measurements. With the params of the first sorted by key, they are
//
//	,gomaxprocs=8,goos=linux,level=speed,name=Decode,pkg=compress_flate,size=1e4,text=digits,unit=ns_op, = 154125
//	,gomaxprocs=8,goos=linux,level=speed,name=Decode,pkg=compress_flate,size=1e4,text=digits,unit=MB_s, = 64.88
//
// # Lines
//
// A file is a sequence of lines of UTF-8, of which three kinds mean something:
//
//	configuration   key ":" [blanks value]
//	result          "Benchmark" name space iterations {space value space unit}
//	unit metadata   "Unit" space unit {space key "=" value}
//
// A configuration line's key begins with a lower case letter and has no space and no upper case letter. It counts for
// the results that follow, until the key gets another value; the empty value deletes it. A result has at least one value.
// Space is any white space of Unicode. A line that is a benchmark's name and nothing else is passed over, as is every line of
// another kind: a test's output has many.
//
// Unit metadata says something about a unit, wherever it stands: better=higher or better=lower, and assume=exact or
// assume=nothing. A Reader gives it to the records that come after it. ns/op and sec/op, for instance, are the same
// unit here, and a key's value, once set, stays.
//
// # Records
//
// A [Reader] gives a record for each value. Its params are the configuration, and
//
//	name        the name up to the first slash
//	k           the value of each part /k=v of the name
//	sub1, ...   the other parts of the name, in their order
//	gomaxprocs  the number behind the name's last dash
//	unit        the unit
//
// where each overrides a key of the configuration. A part of the name with the key of another param above, or of
// an earlier part, counts as one of the others, so that nothing is lost. Its attrs are iterations, and the unit's metadata.
//
// [Reader.Results] gives whole result lines instead. Package perfdata/benchfmt/xperf converts those to and from the
// type of golang.org/x/perf/benchfmt; [Results] makes them of any format's records.
//
// # go test -json
//
// The events of "go test -json" (or test2json) are recognised line by line and read as the text that they carry. Each package has
// a configuration of its own. A fault in the text is reported at the event in which its line began, with the package
// as the path.
//
// # Writing
//
// A [Writer] takes records or results. Between records and names it goes the way back: see [Writer].
//
// # Departures from the reference
//
// The source of the rules is the proposal "Go Benchmark Data Format" (golang.org/design/14313-benchmark-format), and the
// behaviour of golang.org/x/perf/benchfmt, against which the tests hold the Reader on every input. It departs from that
// on purpose:
//
//	B1  In a line that means something, bytes that aren't UTF-8 are a recoverable error; if it is a configuration line, its
//	    key has no value then. The reference takes them as they are.
//	B2  Lines may be as long as Limits.MaxLineBytes; a longer one is a recoverable error. The reference ends the reading
//	    at 64 KiB.
//	B3  With Reader.Tidy, every value in ns is converted to sec. The reference leaves those that are 0 or infinite in ns, so
//	    that a measurement has another unit when it is 0.
//	B4  Events of "go test -json" are read. For the reference, they are lines of no meaning.
//	B5  A byte order mark is passed over, and UTF-16 is refused. For the reference, the first line, or every line, has no
//	    meaning then.
//	B6  The unit metadata "param" names the param in which records have the unit, instead of unit; param= stands for none. A
//	    Writer writes it for records of other formats, so that they are read back equal. For the reference, it is metadata
//	    like any other.
//	B7  Of a number of iterations that is too large and malformed, the one fault or the other is named.
package benchfmt
