// Package keyval reads, writes and validates Autotest perf keyvals: text files in which a test reports, for each of its
// iterations, what it measured.
//
//	host{attr}=lumpy
//	fps_WebGLAquarium{perf}=59.8
//	ms_page_load{perf}=412.25+-3.5
//
//	host{attr}=lumpy
//	fps_WebGLAquarium{perf}=60.1
//	ms_page_load{perf}=398+-2
//
// These are six measurements. Each is a record with the params key and iteration, and the iteration's attributes as its
// attrs, host=lumpy:
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
// A keyval is a line. White space around it doesn't count.
//
//	key{perf}=number           a performance value
//	key{perf}=mean+-deviation  two: of key, and of key with _dev behind it
//	key{attr}=text             an attribute of the iteration, wherever in it the line stands
//	key=number                 untyped, as of old: a performance value
//
// What stands before the first = is the key, with a tag in braces if there is one; the value may have more of them. A number
// is what Python's float takes: decimal with or without sign, point and exponent, inf, infinity and nan in any case. Mean
// and deviation are digits, perhaps with a point. Of keys that an iteration repeats, the last one wins, at the place of
// the first.
//
// Every blank line ends an iteration, also one without keyvals. Iterations are counted from 1, those without keyvals too.
// The last one needs no blank line behind it.
//
// By convention a key begins with the unit. Keys are made of letters, digits and . - _: the [Writer] writes no others,
// the [Reader] takes whatever stands there, and [Validate] reports it.
//
// # Beyond the file
//
// The file doesn't tell which test measured, or on which machine. Who reads it gives the [Reader] such things as Params. A
// [Job] knows them: it reads all of a job's results folder, with the status log that lists its tests.
//
// The attributes of a job, a test and a host stand in plain keyval files, of key=text and comments: see [ReadPlain].
//
// # Writing
//
// A benchmark runner appends an iteration to a file each time it has measured, with [AppendIteration], or writes a whole
// file with [Writer.WriteIteration]. A [TAPReport] reports the same in the Test Anything Protocol. [Writer.Write]
// takes records of any origin, if they have no params but those that the format has.
//
// # The results database
//
// Autotest's TKO parser brings all this to a database. Each test of a job is a row of tko_tests, with an index, test_idx.
// A performance value is a row of tko_iteration_result, and an attribute of an iteration one of tko_iteration_attributes:
//
//	test_idx   Test, as Job.Tests yields them
//	iteration  Iteration.Index
//	attribute  Keyval.Key, at most 30 characters of it
//	value      Keyval.Value, as a float32; or the attribute's text
//
// The view tko_perf_view_2 joins that with the test, the job and the machine, and calls the last two of these
// iteration_key and iteration_value.
//
// # Departures from the reference
//
// The sources of the rules are the specification, "Perf Keyvals" of the Chromium project, and the behaviour of Autotest:
// the TKO parser, version 1, the keyval functions of its client, and its status logs. This package departs from them
// on purpose:
//
//	K1  A number out of the range of float64, such as 1e999, is a recoverable error. The reference makes it an infinity.
//	K2  Bytes that aren't UTF-8 are a recoverable error, as are lines longer than Limits.MaxLineBytes, also if they are
//	    blank. The reference takes both.
//	K3  A byte order mark of UTF-8 at the beginning is passed over. The reference makes it a part of the first key.
//	K4  What follows a deviation, and an exponent in a mean or deviation (1e5+-2), is a recoverable error. The reference
//	    ignores it, or takes 1e5+-2 for 100000 and 2, as its pattern's point stands for any character.
//	K5  In plain keyval files, blank lines and lines with nothing but a comment are passed over, and a line that is no
//	    keyval is left out with an error. The reference refuses the file.
//	K6  Values of plain keyval files are text as it stands there. The reference makes numbers of some: of 1.50, 1.5.
//	K7  A job's folder without .autoserv_execute, in which no folder above has it either, is taken for the uppermost,
//	    so that its host_keyvals count. The reference then reads none.
//	K8  What is wrong in one file of a job's folder is an error, and the rest is read: an unknown status, a time that is no
//	    number, a path that leads out of the folder. The reference gives up on the job, or reads what is elsewhere.
//	K9  Status logs of version 0 are read as those of version 1. The kernels that were booted aren't read.
//	K10 AppendIteration ends a line, or an iteration, that the file ends in without a line end or blank line. The
//	    reference writes behind it.
//	K11 The reasons of one test take up to 16 KiB; those that follow are left out, with an error.
//	K12 A CLIENT_JOB that is still RUNNING when the status log ends has the host's attributes. In the reference it has none.
//	K13 A reason has no carriage return at its end, a test that was aborted without a reason has the empty one, and SERVER_JOB
//	    has no subdir. In the reference these are the carriage return, None and ----.
package keyval
