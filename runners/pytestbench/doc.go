// Package pytestbench reads the JSON of pytest-benchmark, which it writes with the options
// --benchmark-json=FILE, --benchmark-save=NAME and --benchmark-autosave. The source of the rules is
// ionelmc/pytest-benchmark, src/pytest_benchmark/plugin.py, stats.py and utils.py.
//
//	{
//	  "machine_info": {"node": "vm", "cpu": {"brand": "AMD EPYC"}, ...},
//	  "commit_info": {"id": "553811bb...", "time": "2026-11-22T11:06:07+00:00", "dirty": false, "branch": "main", ...},
//	  "benchmarks": [
//	    {
//	      "group": null, "name": "test_fib[5]", "fullname": "test_x.py::test_fib[5]",
//	      "params": {"n": 5}, "param": "5", "extra_info": {}, "options": {"timer": "perf_counter", ...},
//	      "stats": {"min": 1.2e-06, "mean": 1.3e-06, ..., "data": [1.3e-06, 1.2e-06, ...], "iterations": 100}
//	    }, ...
//	  ],
//	  "datetime": "2026-11-22T11:08:50.287254", "version": "3.2.2"
//	}
//
// Each round of a benchmark becomes a record, with the time of one iteration:
//
//	{"n": "5", "name": "test_x.py::test_fib", "unit": "s"}  1.3e-06
//
//	member                     becomes
//	fullname (else name)       param name, without [PARAM] if the params say the same
//	group                      param group
//	params                     params; objects and arrays as JSON
//	stats.data                 records, in s
//	stats.mean, median, min,   records with their name as the param stat, in s, if there are no data,
//	max, stddev                or if Reader.Summaries is set
//	stats.iterations           attr iterations
//	options                    attrs with the prefix "options."
//	extra_info                 attrs; objects and arrays as JSON
//	machine_info               attrs, nested ones with names joined by dots; arrays are dropped
//	commit_info.id             the commit, unless it is unversioned or unknown
//	commit_info.time           attr commit-time
//	commit_info.dirty, branch  attrs
//	datetime, version          attrs
//	other stats, commit_info,  dropped
//	cprofile
//
// A value of params that differs from run to run, or that is the same for different values, must
// not be the only difference between two benchmarks. So the name stays whole, with [PARAM], if one
// of the values is null, an empty string, or an object that Python's JSON cannot represent. The
// last is written as its repr, "UNSERIALIZABLE[<Tree object at 0x7f31c08>]", with its address: it
// becomes an attr. The name also stays whole where a file has no params, as versions before 3.0
// write it. Benchmarks whose params differ in their type only, such as 1 and "1", are not told
// apart.
//
// Times are in s, and better if lower: a timer that measures something else, such as an option may
// name, has no unit in the file. The runner leaves out a benchmark whose function raised an
// exception. A test that failed after its benchmark, such as by an assertion about the result,
// cannot be told from others in the file. A file of 0 bytes is what versions before 4.0 write if no
// benchmark ran.
package pytestbench
