// Package skiav1 reads, writes and validates the Skia Perf format, version 1: a JSON file with
// the measurements of one commit.
//
//	{
//	    "version": 1,
//	    "git_hash": "cd5...663",
//	    "key": {"config": "8888", "arch": "x86"},
//	    "results": [
//	        {
//	            "key": {"test": "a_test_with_just_a_single_measurement", "units": "s"},
//	            "measurement": 123.4
//	        },
//	        {
//	            "key": {"test": "draw_a_circle", "units": "ms"},
//	            "measurements": {
//	                "stat": [
//	                    {"value": "min", "measurement": 1.2},
//	                    {"value": "max", "measurement": 2.4}
//	                ]
//	            }
//	        }
//	    ],
//	    "links": {"details": "https://example.com/a-link-to-details-about-this-test-run"}
//	}
//
// These are three measurements, of the traces
//
//	,arch=x86,config=8888,test=a_test_with_just_a_single_measurement,units=s, = 123.4
//	,arch=x86,config=8888,stat=min,test=draw_a_circle,units=ms, = 1.2
//	,arch=x86,config=8888,stat=max,test=draw_a_circle,units=ms, = 2.4
//
// # Members
//
// All members of the document except the last are its [Header]:
//
//	version   the number 1
//	git_hash  the commit, or CP: and a commit number
//	issue     ID of the code review, if a change under review was measured
//	patchset  ID of the patchset within the issue
//	key       params of all measurements, from name to value
//	links     links of all measurements, from name to URL
//	results   an array of results
//
// A result has a key, and either measurement, a number, or measurements, an object from the name
// of a param to an array of single measurements. A single measurement has value, the value of
// that param; measurement, the number; and optionally links.
//
// # Reading
//
// A [Reader] accepts what an ingester accepts. A measurement's params are the file's key,
// overridden by the result's key, overridden by the param that measurements names. Its links are
// the file's, overridden by its own. If measurements has any name, measurement is ignored; a name
// with an empty array yields nothing. Unknown members are ignored, null means that the member is
// absent, and a result without a key has only the file's params. The value of a single
// measurement is empty if it is absent. Records come in the order of the file. A file without any
// measurement is read without error and yields none.
//
// The Unit of a record is its param unit, or else units. Better is [format.Higher] if its param
// improvement_direction is up, and [format.Lower] if it is down. Commit is the git_hash.
//
// A program that needs the trace ID of each record gets it fastest from
// [format.Record.AppendTraceID].
//
// Validation is stricter, and reports every error of a file. The published schema that it checks is
// in the file schema.json beside this package's source, for editors and other tools.
//
// # Writing
//
// A [Writer] writes records in the order in which they come, and joins records that differ in one
// param into one result.
//
// # Storing
//
// Skia Perf finds files by where they are stored: see MakePath in package perfdata/ingest.
//
// # Conversion
//
// Package perfdata/convert names a measurement of another format by its params, with their keys and
// values:
//
//	BenchmarkSort/n=10-8 100 1.5 ns/op
//	{"key":{"gomaxprocs":"8","n":"10","name":"Sort","unit":"ns/op"},"measurement":1.5}
//
// Params that the header of the input gives to all measurements become the file's key, and common
// links its links. A file has each trace once, so the second and later repetitions have the param
// repetition. better=lower of a Go benchmark becomes improvement_direction=down.
//
// # Departures from the reference
//
// The source of the rules is the specification, "The Skia Perf Format", and the behavior of Skia
// Perf's ingest parser (go.skia.org/infra/perf/go/ingest). This package deliberately departs from
// the parser:
//
//	S1  A result or single measurement without a number is a recoverable error. The reference
//	    stores a false 0; Reader.MissingAsZero does too. A result or single measurement that is
//	    not an object, or has a member of a wrong type, is a recoverable error too: it is left out.
//	    The reference refuses the file.
//	S2  Members' names are matched exactly. The reference ignores case, so "Key" is a key for it.
//	S3  A duplicate member is an error. The reference keeps the last one.
//	S4  Values are float64. The reference keeps float32, and refuses the whole file if a value
//	    overflows it.
//	S5  Data after the document is an error. The reference ignores it.
//	S6  A measurement without any param is a recoverable error, because it has no trace. The
//	    reference keeps it without a name.
//	S7  Bytes that are not UTF-8 are an error; the reference replaces them. An escaped lone
//	    surrogate, such as \ud800, is read as U+FFFD, as by the reference.
//	S8  null as a value in key or links means that the member is absent. For the reference, it is
//	    an empty string, which makes another trace.
//	S9  A version that is written 1.0 or 1e0 is accepted, as JSON Schema's integer is, and
//	    Validate warns about it. The reference refuses the file.
//	S10 If measurements is present, a measurement of a wrong type is a recoverable error, and the
//	    measurements are read. The reference refuses the file.
//	S11 NaN, Infinity, -Infinity, nan, inf or -inf in place of a measurement's number is a
//	    recoverable error of that measurement. Anywhere else it ends the reading, as other syntax
//	    errors do. The reference refuses the file.
//	S12 Package perfdata skips a UTF-8 byte order mark before the document, and its Validate warns
//	    about it. The reference refuses the file, and so does this package's Reader.
//	S13 A commit number consists of digits that follow CP: at the beginning of git_hash. The
//	    reference also takes CP:-1, CP:+1, and text before CP:.
//	S14 A number with more than 800 digits before its point is read to the nearest float64. The
//	    reference, like strconv, can be wrong by powers of ten.
//
// If two params' names become equal in the canonical trace ID, package traceid's rule T1 decides.
package skiav1
