// Package nanolegacy reads, writes and validates the Skia Perf legacy format, which nanobench
// writes: a JSON file with the measurements of one commit.
//
//	{
//	    "gitHash": "fe4a4029a080bc955e9588d05a6cd9eb490845d4",
//	    "key": {"arch": "x86", "gpu": "GTX660", "os": "Ubuntu12"},
//	    "options": {"system": "UNIX"},
//	    "results": {
//	        "DeferredSurfaceCopy": {
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
//	,arch=x86,config=8888,gpu=GTX660,os=Ubuntu12,sub_result=ms,test=DeferredSurfaceCopy, = 2.223606
//	,arch=x86,config=gpu,gpu=GTX660,os=Ubuntu12,sub_result=wall_time_ms,test=DeferredSurfaceCopy, = 0.11
//	,arch=x86,config=gpu,gpu=GTX660,os=Ubuntu12,sub_result=gpu_time_ms,test=DeferredSurfaceCopy, = 0.87
//
// All have the attr system=UNIX, and the last two have their own options too. The [LegacyKey] of
// the first is
//
//	x86:8888:GTX660:Ubuntu12:DeferredSurfaceCopy:ms
//
// # Members
//
// All members of the document except the last are its [Header]:
//
//	gitHash        the commit
//	issue          ID of the code review, if a change under review was measured
//	patchset       ID of the patchset within the issue
//	source         where the data came from
//	patch_storage  the code review system
//	key            params of all measurements, from name to value
//	options        options of all measurements, from name to value
//	results        the tests, from name to test
//
// All except results are strings, or objects of strings. A test is an object from a
// configuration's name to a result. A result is an object from a sub-result's name to a number,
// with two special members: options, an object with values of any type, which describes the
// result, and samples, an array of numbers. The sub-result min_ms is the least of the samples.
//
// # Options
//
// There are two rules for options.
//
// By the specification's rule, the default, a measurement's params are the file's key, overridden
// by the params test, config and sub_result: the names on its path. Its attrs are the file's
// options, overridden by its result's options.
//
// By the ingest rule, options are params. Skia Perf follows this rule when it stores a file; to
// follow it, set [Reader].OptionsAsParams. The file's key is overridden by test and config, then
// by the file's options, then by the result's options that are strings and whose names do not
// begin with GL_, then by sub_result. The other options of the result are attrs.
//
// If an option of a result is not a string, the attr is its JSON text, without white space: 8,
// true or [16,32].
//
// # Reading
//
// A [Reader] accepts what an ingester accepts. Unknown members of the document are ignored. null
// means that the member is absent, except as a sub-result or sample, where a number is required.
// Records come in the order of the file. A file without any measurement is read without error and
// yields none.
//
// The Unit of a record is its param unit, or else units. Without them it is the sub-result, if that
// is a unit of package unit, such as ms or bytes; min, a statistic, is none. The unit of
// sub-results such as min_ms is ms. Better is [format.Higher] if the param improvement_direction is
// up, and [format.Lower] if it is down. Commit is the gitHash.
//
// [Reader.Records] iterates over the measurements, or [Reader.Samples] over the samples. Each
// reads the whole file and keeps none of it: to get both, read the file twice, with two Readers.
// Each reports the errors of what it yields; validation reports all.
//
// # Writing
//
// A [Writer] writes records in the order in which they come, if the records of each test, and
// within a test the records of each configuration, are consecutive. Package perfdata/convert writes
// records in any order. [Writer.WriteSamples] writes the samples of a benchmark runner.
//
// # Conversion
//
// Package perfdata/convert names a measurement of another format by three of its params:
//
//   - the test is the param test, name, key or uid, the first that it has, or else measurement;
//   - the configuration is the param config, and all other params as in the name of a Go benchmark:
//     positional ones first, then key=value by key, and gomaxprocs last; or else default;
//   - the sub-result is the param sub_result, unit or units, or else value.
//
// So with pkg: example.com/sort,
//
//	BenchmarkSort/digits/n=10-8 100 1.5 ns/op
//	"Sort":{"digits/n=10/pkg=example.com/sort-8":{"ns/op":1.5}}
//
// Not in the configuration are params that the header of the input gives to all measurements,
// except pkg; and improvement_direction. Common params of the input's header become the file's key,
// and others options, to be read with OptionsAsParams. Repetitions become samples. The measurement
// is the first of them, or if it is min_ms, the least. A measurement whose options differ from the
// options of its test and configuration is left out.
//
// # Departures from the reference
//
// The source of the rules is the specification, "The Skia Perf Format" in its legacy form, and
// the behavior of Skia Perf's ingest parser (go.skia.org/infra/perf/go/ingest). This package
// deliberately departs from the parser:
//
//	N1  A sub-result or sample that is not a number, or is out of float64's range, an option with a
//	    number out of that range, options that are not an object, and samples that are not an
//	    array are recoverable errors: these are left out, and the rest of the result is kept. The
//	    reference silently leaves out values of a wrong type, fails on samples that are not an
//	    array, and refuses a file with a number out of range.
//	N2  A test or result that is not an object is a recoverable error. The reference refuses the file.
//	N3  Options are attrs by default, as the specification says. The reference follows the ingest
//	    rule; so does Reader.OptionsAsParams.
//	N4  By the ingest rule, too, options that do not become params are attrs. The reference drops them.
//	N5  Members' names are matched exactly. The reference ignores the case of the document's
//	    members, so "Key" is a key for it.
//	N6  A duplicate key is an error. The reference keeps the last value.
//	N7  null in the key or in the file's options means that the member is absent. For the
//	    reference, it is an empty string.
//	N8  Values are float64. The reference keeps float32, in which a large value becomes an infinity.
//	N9  Data after the document is an error. The reference ignores it.
//	N10 Bytes that are not UTF-8 are an error; the reference replaces them. An escaped lone
//	    surrogate, such as \ud800, is read as U+FFFD, as by the reference.
//	N11 Samples come result by result. If several results have the same trace, because options or
//	    changed characters make them equal, the reference keeps the samples of one result.
//	N12 The document null is an error. The reference reads nothing and reports nothing.
//	N13 NaN, Infinity, -Infinity, nan, inf or -inf in place of a sub-result or sample is a
//	    recoverable error: that number is left out. Anywhere else it ends the reading, as other
//	    syntax errors do. The reference refuses the file.
//	N14 Package perfdata skips a UTF-8 byte order mark before the document, and its Validate warns
//	    about it. The reference refuses the file, and so does this package's Reader.
//	N15 A number with more than 800 digits before its point is read to the nearest float64. The
//	    reference, like strconv, can be wrong by powers of ten.
//	N16 If the options of a result are config and sub_result, among others, its samples belong to the
//	    measurement of its test that they name. A Writer writes samples of other sub-results than
//	    min_ms so, in a result of their own, because the format has only samples of min_ms. To the
//	    reference they are samples of min_ms.
//
// If two params' names become equal in the canonical trace ID, package traceid's rule T1 decides.
package nanolegacy
