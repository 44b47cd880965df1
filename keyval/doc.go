// Package keyval reads, writes and validates Autotest perf keyvals: text files in which a test
// reports the measurements of each of its iterations.
//
//	host{attr}=lumpy
//	fps_WebGLAquarium{perf}=59.8
//	ms_page_load{perf}=412.25+-3.5
//
//	host{attr}=lumpy
//	fps_WebGLAquarium{perf}=60.1
//	ms_page_load{perf}=398+-2
//
// These are six measurements. Each is a record with the params key and iteration, and with the
// attributes of its iteration, host=lumpy, as attrs:
//
//	,iteration=1,key=fps_WebGLAquarium, = 59.8
//	,iteration=1,key=ms_page_load, = 412.25
//	,iteration=1,key=ms_page_load_dev, = 3.5
//	,iteration=2,key=fps_WebGLAquarium, = 60.1
//	,iteration=2,key=ms_page_load, = 398
//	,iteration=2,key=ms_page_load_dev, = 2
//
// # Lines
//
// A keyval is a line. White space around it is ignored.
//
//	key{perf}=number           a performance value
//	key{perf}=mean+-deviation  two values: of key, and of key with the suffix _dev
//	key{attr}=text             an attribute of the whole iteration, wherever its line is
//	key=number                 a performance value, in an old notation: the line is untyped
//
// The key is the text before the first =, without a tag in braces. The value may contain more =. A
// number is anything that Python's float accepts: a decimal with or without sign, point and
// exponent; or inf, infinity or nan in any case. Mean and deviation consist of digits, and perhaps
// a point. If an iteration repeats a key, its last value is used, at the position of the first.
//
// A blank line ends an iteration, even an empty one. Iterations are counted from 1, including
// empty ones. The last iteration needs no blank line after it.
//
// By convention, a key begins with the unit. Keys consist of letters, digits and . - _. The
// [Writer] rejects other keys, the [Reader] accepts them, and validation reports them.
//
// # Outside the file
//
// The file names neither the test nor the machine: pass them to the [Reader] as Params. Package
// perfdata/keyval/job reads the whole results folder of a job, with the status log that lists its
// tests, and sets these params.
//
// The attributes of a job, a test and a host are in plain keyval files, with lines of key=text and
// comments: see [ReadPlain].
//
// # Writing
//
// A benchmark runner appends an iteration to a file after each run, with [AppendIteration], or
// writes a whole file with [Writer.WriteIteration]. The Writer of [TAP] reports the same in the
// Test Anything Protocol. [Writer.Write] takes records of any origin, if the format can hold all of
// their params.
//
// # Conversion
//
// Package perfdata/convert makes the key of a measurement of another format of three of its params:
// the test, which is the param key, name, test or uid, the first that it has; all other params, as
// in the name of a Go benchmark; and after a point the param sub_result, unit or units. Each
// character that a key cannot hold becomes _. So with pkg: example.com/sort,
//
//	BenchmarkSort/digits/n=10-8 100 1.5 ns/op
//	Sort_digits_n_10_pkg_example.com_sort-8.ns_op{perf}=1.5
//
// Not in the key are params that the header of the input gives to all measurements, except pkg; and
// improvement_direction. These and the commit become attributes. Two series with the same key become
// one, which is a loss. The n-th repetition of a key goes to iteration n.
//
// # Departures from the reference
//
// The rules come from the specification, "Perf Keyvals" of the Chromium project, and from the
// behavior of Autotest: its TKO parser, version 1, and the keyval functions of its client. The
// deliberate differences are these, and more in package perfdata/keyval/job:
//
//	K1  A number out of the range of float64, such as 1e999, is a recoverable error. The reference
//	    makes it an infinity.
//	K2  Invalid UTF-8 is a recoverable error, as is a line longer than Limits.MaxLineBytes, even a
//	    blank one. The reference accepts both.
//	K3  A UTF-8 byte order mark at the beginning is skipped. The reference makes it part of the
//	    first key.
//	K4  Text after a deviation, and an exponent in a mean or deviation (1e5+-2), is a recoverable
//	    error. The reference ignores the text, and reads 1e5+-2 as 100000 and 2, because its
//	    pattern's point matches any character.
//	K5  In plain keyval files, blank lines and lines with only a comment are skipped, and a line
//	    that is not a keyval is left out with an error. The reference rejects the file.
//	K6  Values of plain keyval files are text, verbatim. The reference converts some to numbers:
//	    1.50 becomes 1.5.
//	K10 AppendIteration first completes a last line or iteration that lacks its line end or blank
//	    line. The reference appends to the unfinished line or iteration.
package keyval
