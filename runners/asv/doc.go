// Package asv reads the folder of results of airspeed velocity, which its configuration calls
// results_dir: many commits of a project, on one or more machines. The source of the rules is
// airspeed-velocity/asv, asv/results.py and docs/source/dev.rst.
//
//	results/
//	    benchmarks.json              the benchmarks, by name
//	    MACHINE/machine.json         the machine
//	    MACHINE/HASH-ENV.json        the results of a commit in an environment, by name of the benchmark
//
//	{
//	  "commit_hash": "008854c40772...", "date": 1646911546000, "env_name": "virtualenv-py3.10", "python": "3.10",
//	  "params": {"machine": "mbp", "cpu": "Apple M1", ...}, "requirements": {}, "env_vars": {},
//	  "result_columns": ["result", "params", "version", ..., "stats_q_25", "stats_q_75", ..., "samples", "profile"],
//	  "results": {"suite.time_sort": [[0.25, 0.5], [["10", "20"]], "9da5ad0b5cfe", ...], ...},
//	  "version": 2
//	}
//
// A row of results has a result for each combination of the benchmark's parameters, in their order,
// and becomes records:
//
//	{"env": "virtualenv-py3.10", "n": "10", "name": "suite.time_sort", "unit": "seconds"}  0.25
//
//	member                           becomes
//	the name of the benchmark        param name
//	env_name, or else the file's     param env
//	  name after the hash
//	params of the row                params, as spelled; their names are param_names of benchmarks.json,
//	                                   or param1 and so on
//	unit in benchmarks.json          param unit; if it is missing, the name decides: seconds for time_, bytes
//	                                   for mem_ and peakmem_, and otherwise unit
//	samples                          records, in their order
//	result                           without samples: the record; it has stat=median if there are statistics
//	stats_q_25, stats_q_75,          without samples, or with Summaries: records with stat=q_25, q_75, ci_99_a
//	  stats_ci_99_a, stats_ci_99_b   and ci_99_b
//	commit_hash, date                the commit, and attr commit-time
//	params of the file               attrs: machine, cpu, and so on
//	python, requirements, env_vars,  attrs, objects as JSON
//	version of the benchmark
//	all others, such as profile      dropped
//
// In layout 1, a row is a number, a list, or an object with result, samples, stats and params, and
// the versions are in benchmark_version.
//
// A result that is null failed or is missing: a recoverable error. One that is NaN was skipped, and
// a row of another version than that in benchmarks.json, or of a benchmark that is not there, is
// out of date: warnings, counted by Reader.Skipped. Of time, memory and peakmemory, lower is
// better; of others, the folder does not say it.
//
// Several machines differ in the attr machine. A warning says so: the option Promote makes it a
// param. Departure: a file that is not JSON, lacks its commit or is of another machine is an error;
// the source logs it.
package asv
