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
// all with the attr system=UNIX, and the last two with those of their own options. The first one's [LegacyKey] is
//
//	x86:8888:GTX660:ShuttleA:Ubuntu12:DeferredSurfaceCopy_discardable_640_480:ms
//
// # Members
//
// The members of the document make its [Header], but for the last:
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
// All are strings, or objects of strings, but for results. A test is an object from a configuration's name to a
// result. A result is an object from a sub-result's name to a number, with two members that mean something else:
// options, an object of anything, which is recorded with the result, and samples, an array of numbers, the single
// measurements of which the sub-result min_ms is the least.
//
// # Options
//
// There are two rules for options.
//
// By the specification's, the default, a measurement's params are the file's key, overridden by the params test,
// config and sub_result, which are the names under which it stands. Its attrs are the file's options, overridden by
// its result's.
//
// By the ingest rule, which Skia Perf follows when it stores a file, and with [Reader].OptionsAsParams, options are
// params: the file's key is overridden by test and config, these by the file's options, these by those of the
// result's options that are strings and don't have names that begin with GL_, and these by sub_result. The other
// options of the result are attrs.
//
// An option of a result that is no string is, as an attr, its JSON text, without white space: 8, true or [16,32].
//
// # Reading
//
// A [Reader] takes what an ingester takes. Members that the document has and the format doesn't are ignored. null
// counts as absent, but as a sub-result or sample, where it is no number. Records come in the order of the file. A
// file without any measurement is read without error and yields none.
//
// [Reader.Records] iterates over the measurements, or [Reader.Samples] over the samples: each walks over the whole
// file and keeps nothing of it, so that who wants both reads the file twice, with two Readers. Each reports the
// faults of what it would have yielded, and [Validate] reports all.
//
// # Writing
//
// A [Writer] writes records as they come, if those of a test come together, and those of a configuration of it; or
// in any order, with Gather. A benchmark runner has [Writer.WriteMeasurement] and [Writer.WriteSamples].
//
// # Departures from the reference
//
// The source of the rules is the specification, "The Skia Perf Format" in its legacy form, and the behaviour of Skia
// Perf's ingest parser (go.skia.org/infra/perf/go/ingest), from which this package departs on purpose:
//
//	N1  A sub-result or sample that is no number, or is out of float64's range, options that are no object, and
//	    samples that are no array are recoverable errors: these are left out, and the rest of the result is kept.
//	    The reference leaves out what is of a wrong type without telling its caller, fails on samples that are no
//	    array, and refuses a file with a number out of range.
//	N2  A test or result that is no object is a recoverable error. The reference refuses the file.
//	N3  Options are attrs by default, as the specification says. The reference follows the ingest rule; so does
//	    Reader.OptionsAsParams.
//	N4  Options that are no params are attrs also by the ingest rule. The reference drops them.
//	N5  Members' names are matched exactly. The reference ignores the case of the document's members, so that "Key"
//	    is a key for it.
//	N6  A repeated member is an error. For the reference, the last one wins, and what the first one said is lost.
//	N7  null in the key or in the file's options counts as absent. For the reference, it is an empty string.
//	N8  Values are float64. The reference keeps float32, in which what is too large becomes an infinity.
//	N9  Data after the document is an error. The reference doesn't look.
//	N10 Bytes that aren't UTF-8 are an error; the reference replaces them. An escaped lone surrogate, such as \ud800,
//	    is read as U+FFFD, as by the reference.
//	N11 Samples come result by result. Where several results have the same trace, because options or changed
//	    characters make them equal, the reference keeps those of one of them.
//	N12 The document null is an error. The reference reads nothing and reports nothing.
//	N13 NaN, Infinity, -Infinity, nan, inf or -inf in place of a sub-result or sample is a recoverable error, and that
//	    is left out. Anywhere else it ends the reading, as all else does that isn't JSON. The reference refuses the file.
//
// Where two params' names become equal in the canonical trace id, package traceid's rule T1 decides.
package nanolegacy
