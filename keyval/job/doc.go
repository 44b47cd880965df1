// Package job reads the results folder of an Autotest job, as the reference's parser does:
//
//	status.log, or status      which tests ran, and how they ended
//	keyval                     attributes of the job
//	host_keyvals/HOST          attributes of the host
//	SUBDIR/keyval              attributes of a test
//	SUBDIR/results/keyval      iterations of a test, in the format of package keyval
//	.autoserv_execute          how the job as a whole ended
//
// Every file except the status log may be missing. For jobs of several machines, .autoserv_execute
// is in a folder above. Then host_keyvals is read there, and the attributes of the job are merged
// from all folders up to there: an upper folder overrides a lower one, except for hostname. If no
// folder has .autoserv_execute, the job's own folder is the uppermost.
//
// The paths in a status log are not trusted: a path that leads out of the folder is an error. A
// file system that follows symbolic links, as os.DirFS does, may still leave the folder; that of
// os.Root does not.
//
// # The results database
//
// Autotest's TKO parser copies these files to a database. Each test of a job is a row of
// tko_tests, with an index, test_idx. A performance value is a row of tko_iteration_result, and an
// attribute of an iteration is a row of tko_iteration_attributes:
//
//	test_idx   Test, as Reader.Tests yields them
//	iteration  keyval.Iteration.Index
//	attribute  the first 30 characters of keyval.Keyval.Key
//	value      keyval.Keyval.Value, as a float32; or the attribute's text
//
// The view tko_perf_view_2 joins these with the test, the job and the machine. It calls the last
// two columns iteration_key and iteration_value.
//
// # Departures from the reference
//
// The rules come from the behavior of Autotest: its TKO parser, version 1, and its status logs.
// The deliberate differences, which are numbered together with package keyval's, are:
//
//	K7  A job folder without .autoserv_execute in it or above it is treated as the uppermost, so
//	    that its host_keyvals are read. The reference then reads none.
//	K8  A fault in one file of a job folder is an error, and the rest is read: an unknown status,
//	    a malformed time, a path that leads out of the folder. The reference gives up on the job,
//	    or reads files outside the folder. Blanks and other bytes around the number in timestamp=
//	    make a malformed time; the reference strips blanks.
//	K9  Status logs of version 0 are read like logs of version 1. The kernels that were booted are
//	    not read.
//	K11 The reasons of one test take up to 16 KiB; later ones are left out, with an error.
//	K12 A CLIENT_JOB, or another test without a subdir, that is still RUNNING when the status log
//	    ends has the host's attributes. In the reference it has none.
//	K13 A reason has no carriage return at its end, a test that was aborted without a reason has
//	    an empty one, and SERVER_JOB has no subdir. In the reference these are the carriage
//	    return, None and ----.
//	K14 All carriage returns and NUL bytes are dropped from lines of a status log, which serial
//	    consoles leave there. The reference drops only the pair of both, and keeps the others in
//	    reasons and names.
package job
