// Package hyperfine reads the JSON of hyperfine, which it writes with the option --export-json
// FILE. The source of the rules is sharkdp/hyperfine, src/benchmark/benchmark_result.rs and
// src/export/json.rs.
//
//	{
//	  "results": [
//	    {
//	      "command": "sleep 0.001", "mean": 0.0026, "stddev": 0.0009, "median": 0.0023,
//	      "user": 0.0007, "system": 0.0002, "min": 0.0021, "max": 0.0043,
//	      "times": [0.0023, 0.0043, 0.0021], "memory_usage_byte": [1900544, 1896448, 1892352],
//	      "exit_codes": [0, 0, 0], "parameters": {"n": "1"}
//	    }, ...
//	  ]
//	}
//
// Each run of a command becomes a record with its time, and one with its memory:
//
//	{"metric": "time", "n": "1", "name": "sleep 0.001", "unit": "s"}  0.0023
//
//	member                   becomes
//	command                  param name
//	parameters               params
//	parameter                param parameter: versions before 1.11 have the value alone
//	times                    records with the param metric time, in s
//	memory_usage_byte        records with the param metric memory, in B
//	user, system             records with these metrics and the param stat mean, in s
//	mean, median, min, max,  records with the param metric time and their name as the param stat, if
//	stddev                   there are no times, or if Reader.Summaries is set
//	exit_codes               decides which runs failed
//
// A run failed if its exit code is not 0, or null because a signal ended it. Each failed run is a
// recoverable error, and has no records. Statistics of a command with failed runs include these, so
// they are errors, too: even user and system, which the file has only as means. The setting
// keep-failed, which is Reader.KeepFailed, yields all of these as records: some programs, such as
// grep and diff, exit with 1 on purpose. Without exit codes, which versions before 1.12 do not
// write, no run is known to have failed. A file of 0 bytes is what the runner writes if its first
// command fails.
//
// Lists of different lengths are an error if their values cannot be assigned to runs.
//
// Times are better if lower. Of memory, the format does not say it.
package hyperfine
