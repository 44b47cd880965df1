// Package benchfmt reads, writes and validates the Go benchmark data format: the text that "go
// test -bench" and other benchmark runners print.
//
//	goos: linux
//	pkg: flate
//	Unit ns/op better=lower
//	BenchmarkDecode/text=digits/size=1e4-8   100   154125 ns/op   64.88 MB/s
//
// These are two measurements. With the first one's params sorted by key, their trace IDs and
// values are
//
//	,gomaxprocs=8,goos=linux,name=Decode,pkg=flate,size=1e4,text=digits,unit=ns_op, = 154125
//	,gomaxprocs=8,goos=linux,name=Decode,pkg=flate,size=1e4,text=digits,unit=MB_s, = 64.88
//
// # Lines
//
// A file is UTF-8 text. Three kinds of lines have a meaning:
//
//	configuration   key ":" [blanks value]
//	result          "Benchmark" name space iterations {space value space unit}
//	unit metadata   "Unit" space unit {space key "=" value}
//
// The key of a configuration line begins with a lower case letter and contains no space and no
// upper case letter. It applies to the results that follow, until the key is set again; an empty
// value deletes the key. A result has at least one value. Space is any Unicode white space. All
// other lines are skipped: test output has many of them. A line that contains only a benchmark's
// name is skipped too. Lines of "go test" that say what failed are errors: see departure B11.
//
// Unit metadata describes a unit: better=higher or better=lower, and assume=exact or
// assume=nothing. A [Reader] adds it to the records that follow. All spellings of a unit share
// their metadata, such as ns/op and sec/op, and a key that is set cannot be changed.
//
// # Records
//
// A [Reader] yields a record for each value. Its params are the configuration, and
//
//	name        the name up to the first slash
//	k           the value of each part /k=v of the name
//	sub1, ...   the other parts of the name, in order
//	gomaxprocs  the number after the name's last dash
//	unit        the unit
//
// These override the configuration. A part of the name whose key is one of these, or the key of an
// earlier part, is read as one of the other parts, so that nothing is lost. The record's attrs are
// iterations and the metadata of the unit.
//
// A program that needs the trace ID of each record gets it fastest from
// [format.Record.AppendTraceID].
//
// [Reader.Results] yields whole result lines instead. Package perfdata/benchfmt/xperf converts
// them to and from the type of golang.org/x/perf/benchfmt; [Results] makes Results from records of
// any format.
//
// # go test -json
//
// Events of "go test -json" (or test2json) are recognized line by line, and read as the text that
// they carry. Each package has a configuration of its own. A fault in the text is reported at the
// event in which its line began, with the package as the path.
//
// # Writing
//
// A [Writer] takes records or results. It reverses the mapping from names to params. This package's
// Reader and the reference's read its output equally; the reference's also reads two values of one
// unit on a line, and names that begin in lower case.
//
// # Conversion
//
// Package perfdata/convert names a measurement of another format by its params: name is the first
// part of the name, and the others follow it as key=value, by key. Params that the header of the
// input gives to all measurements become configuration. unit, or units with unit metadata, is the
// unit:
//
//	{"version":1,"key":{"arch":"x86"},"results":[{"key":{"test":"Sort","n":"10","units":"ms"},"measurement":1.5}]}
//
//	arch: x86
//	Unit ms param=units
//	Benchmark/n=10/test=Sort 1 1.5 ms
//
// The param name is split at its slashes, as a name that is read is: A/8 is the name A with sub1=8.
// A name that begins with Benchmark is written once.
// A character that neither can hold becomes _, and so does white space in the param name.
// improvement_direction becomes unit metadata.
//
// # Departures from the reference
//
// The rules come from the proposal "Go Benchmark Data Format"
// (golang.org/design/14313-benchmark-format) and from the behavior of golang.org/x/perf/benchfmt,
// against which the Reader is differentially tested. The deliberate differences are:
//
//	B1  In a line that has a meaning, invalid UTF-8 is a recoverable error; if it is a
//	    configuration line, its key is deleted. The reference accepts any bytes.
//	B2  Lines may be as long as Limits.MaxLineBytes; a longer one is a recoverable error. The
//	    reference stops reading at a line of 64 KiB.
//	B3  With Reader.Tidy, every value in ns is converted to sec. The reference leaves 0 and
//	    infinities in ns, so that the unit of a measurement depends on its value.
//	B4  Events of "go test -json" are read. To the reference, they are lines without a meaning.
//	B5  A byte order mark is skipped, and UTF-16 is an error. To the reference, the first line, or
//	    every line, has no meaning then.
//	B6  The unit metadata "param" names the param in which records have the unit, instead of unit;
//	    with param= they have none. A Writer writes it for records of other formats, so that they
//	    are read back equal. To the reference, it is metadata like any other.
//	B7  If a number of iterations is both too large and malformed, either fault may be reported.
//	B8  As in the reference, and against the proposal: a benchmark's name may begin in lower case
//	    or be empty, and a value may have digit separators (1_0) or be hexadecimal (0x1p3). Validate
//	    warns about the first such name. A number of iterations has digits only, and perhaps a sign.
//	B9  Unit metadata in events of "go test -json" belongs to the stream, so it applies to the
//	    packages that follow too. The configuration belongs to its package.
//	B10 A value with more than 800 digits before its point is read to the nearest float64. The
//	    reference, like strconv, can be wrong by powers of ten.
//	B11 What failed is a recoverable error, because its results are missing: a benchmark, in a line
//	    "--- FAIL: BenchmarkX", and a package, in a line of "FAIL", a tab and its name, unless one of
//	    its benchmarks or tests was named before. A failed test is a warning of Validate, and a
//	    skipped benchmark is no fault. To the reference, these lines have no meaning; both report a
//	    name with "--- FAIL:" or "panic:" after it.
package benchfmt
