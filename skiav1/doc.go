// Package skiav1 reads, writes and validates the Skia Perf format, version 1: a JSON file with the measurements
// that were taken of one commit.
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
// The members of the document make its [Header], except the last:
//
//	version   the number 1
//	git_hash  the commit, or CP: and a commit number
//	issue     the code review's id, if what was measured is a change under review
//	patchset  the patchset's id within the issue
//	key       params of all measurements, from name to value
//	links     links of all measurements, from name to URL
//	results   an array of results
//
// A result has a key, and either measurement, a number, or measurements: from a param's name to an array of single
// measurements, each of which has value, the param's value, measurement, the number, and perhaps links of its own.
//
// # Reading
//
// A [Reader] takes what an ingester takes. A measurement's params are the file's key, overridden by the result's
// key, overridden by the param that measurements names. Its links are the file's, overridden by its own. If
// measurements has any name, measurement is ignored; a name with an empty array yields nothing. Members that the
// format doesn't have are ignored, null counts as absent, and a result without a key has the file's params only. A
// single measurement without a value has the empty one. Records come in the order of the file. A file without any
// measurement is read without error and yields none.
//
// [Validate] is stricter, and kinder: it reports all that is wrong with a file. [Schema] is what it checks of the
// published schema.
//
// # Writing
//
// A [Writer] writes records as they come, and joins those that differ in one param. A benchmark runner has
// [Writer.WriteMeasurement] and [Writer.WriteMeasurements].
//
// # Storing
//
// Skia Perf finds files by where they are stored: see StoragePath in package perfdata/ingest.
//
// # Departures from the reference
//
// The source of the rules is the specification, "The Skia Perf Format", and the behaviour of Skia Perf's ingest parser
// (go.skia.org/infra/perf/go/ingest), from which this package departs on purpose:
//
//	S1  A result or single measurement that holds no number is a recoverable error. The reference stores a false 0;
//	    Reader.MissingAsZero does too.
//	S2  Members' names are matched exactly. The reference ignores case, so that "Key" is a key for it.
//	S3  A repeated member is an error. For the reference, the last one wins, and what the first one said is lost.
//	S4  Values are float64. The reference keeps float32, and refuses the whole file if one overflows that.
//	S5  Data after the document is an error. The reference doesn't look.
//	S6  A measurement without any param is a recoverable error, as it has no trace. The reference keeps it without a name.
//	S7  Bytes that aren't UTF-8 are an error; the reference replaces them. An escaped lone surrogate, such as \ud800, is read as
//	    U+FFFD, as by the reference.
//	S8  null as a value in key or links is treated as absent. For the reference, it is an empty string, which makes another trace.
//	S9  A version that is written 1.0 or 1e0 is accepted, as JSON Schema's integer is, and Validate warns of it. The
//	    reference refuses the file.
//	S10 A measurement of a wrong type beside measurements is a recoverable error, and the measurements are read. The
//	    reference refuses the file.
//	S11 NaN, Infinity, -Infinity, nan, inf or -inf in place of a measurement's number is a recoverable error of that
//	    measurement. Anywhere else it ends the reading, as all else does that isn't JSON. The reference refuses the file.
//
// Where two params' names become equal in the canonical trace id, package traceid's rule T1 decides.
package skiav1
