// Package nanolegacy reads, writes and validates the Skia Perf legacy format, which nanobench writes: a JSON file
// with the measurements that were taken of one commit.
//
//	{
//	    "gitHash": "fe4a4029a080bc955e9588d05a6cd9eb490845d4",
//	    "key": {"arch": "x86", "gpu": "GTX660", "model": "ShuttleA", "os": "Ubuntu12"},
//	    "options": {"system": "UNIX"},
//	    "results": {
//	        "DeferredSurfaceCopy_discardable_640_480": {
//	            "8888": {
//	                "ms": 2.223606
//	            },
//	            "gpu": {
//	                "wall_time_ms": 0.11,
//	                "gpu_time_ms": 0.87,
//	                "options": {"GL_VENDOR": "NVIDIA Corporation", "source_type": "bench"}
//	            }
//	        }
//	    }
//	}
//
// These are three measurements, of the traces
//
//	,arch=x86,config=8888,gpu=GTX660,model=ShuttleA,os=Ubuntu12,sub_result=ms,test=DeferredSurfaceCopy_discardable_640_480, = 2.223606
//	,arch=x86,config=gpu,gpu=GTX660,model=ShuttleA,os=Ubuntu12,sub_result=wall_time_ms,test=DeferredSurfaceCopy_discardable_640_480, = 0.11
//	,arch=x86,config=gpu,gpu=GTX660,model=ShuttleA,os=Ubuntu12,sub_result=gpu_time_ms,test=DeferredSurfaceCopy_discardable_640_480, = 0.87
//
// all with the attr system=UNIX, and the last two also with their own options. The first one's [LegacyKey] is
//
//	x86:8888:GTX660:ShuttleA:Ubuntu12:DeferredSurfaceCopy_discardable_640_480:ms
//
// # Members
//
// All members of the document except the last make its [Header]:
//
//	gitHash        the commit
//	issue          the code review's id, if what was measured is a change under review
//	patchset       the patchset's id within the issue
//	source         where the data came from
//	patch_storage  the code review system
//	key            params of all measurements, from name to value
//	options        what is recorded with all measurements, from name to value
//	results        the tests, from name to what each has
//
// All except results are strings, or objects of strings. A test is an object from a configuration's name to a result.
// A result is an object from a sub-result's name to a number, with two special members: options, an object of
// anything, which is recorded with the result, and samples, an array of numbers. The sub-result min_ms is the least
// of the samples.
//
// # Options
//
// There are two rules for options.
//
// By the specification's, the default, a measurement's params are the file's key, overridden by the params test,
// config and sub_result: the names on its path. Its attrs are the file's options, overridden by its result's.
//
// By the ingest rule, which Skia Perf follows when it stores a file, and with [Reader].OptionsAsParams, options are
// params: the file's key is overridden by test and config, these by the file's options, these by the
// result's options that are strings and whose names don't begin with GL_, and these by sub_result. The other options
// of the result are attrs.
//
// If an option of a result is not a string, the attr is its JSON text, without white space: 8, true or [16,32].
//
// # Reading
//
// A [Reader] accepts what an ingester accepts. Members of the document that are not part of the format are ignored.
// null means that the member is absent, except as a sub-result or sample, where a number is required. Records come in
// the order of the file. A file without any measurement is read without error and yields none.
//
// [Reader.Records] iterates over the measurements, or [Reader.Samples] over the samples. Each reads the whole file and
// keeps nothing of it: to get both, read the file twice, with two Readers. Each reports the faults of what it yields;
// [Validate] reports all.
//
// # Writing
//
// A [Writer] writes records as they come, if the records of each test come together, and within a test the records of
// each configuration; with Gather, in any order. A benchmark runner has [Writer.WriteMeasurement] and [Writer.WriteSamples].
//
// # Departures from the reference
//
// The source of the rules is the specification, "The Skia Perf Format" in its legacy form, and the behavior of Skia
// Perf's ingest parser (go.skia.org/infra/perf/go/ingest), from which this package departs on purpose:
//
//	N1  A sub-result or sample that is not a number, or is out of float64's range, options that are not an object,
//	    and samples that are not an array are recoverable errors: these are left out, and the rest of the result is
//	    kept. The reference silently leaves out values of a wrong type, fails on samples that are not an array, and
//	    refuses a file with a number out of range.
//	N2  A test or result that is not an object is a recoverable error. The reference refuses the file.
//	N3  Options are attrs by default, as the specification says. The reference follows the ingest rule; so does
//	    Reader.OptionsAsParams.
//	N4  By the ingest rule, too, options that do not become params are attrs. The reference drops them.
//	N5  Members' names are matched exactly. The reference ignores the case of the document's members, so that "Key"
//	    is a key for it.
//	N6  A duplicate key is an error. The reference keeps the last value.
//	N7  null in the key or in the file's options means that the member is absent. For the reference, it is an empty string.
//	N8  Values are float64. The reference keeps float32, in which what is too large becomes an infinity.
//	N9  Data after the document is an error. The reference doesn't look.
//	N10 Bytes that aren't UTF-8 are an error; the reference replaces them. An escaped lone surrogate, such as \ud800,
//	    is read as U+FFFD, as by the reference.
//	N11 Samples come result by result. Where several results have the same trace, because options or changed
//	    characters make them equal, the reference keeps the samples of one result.
//	N12 The document null is an error. The reference reads nothing and reports nothing.
//	N13 NaN, Infinity, -Infinity, nan, inf or -inf in place of a sub-result or sample is a recoverable error: that
//	    number is left out. Anywhere else it ends the reading, as other syntax errors do. The reference refuses the file.
//
// Where two params' names become equal in the canonical trace id, package traceid's rule T1 decides.
package nanolegacy
