// Package gungraun reads the JSON of Gungraun, formerly iai-callgrind: the file summary.json of a
// benchmark, and the output with the option --output-format=json or pretty-json, where text is
// among the documents. The source of the rules is gungraun/gungraun, the schemas summary.v1 to
// summary.v7 and runner/summary.rs.
//
//	{
//	  "version": "6", "module_path": "my_bench::group::fib", "id": "n_30", "kind": "LibraryBenchmark",
//	  "profiles": [
//	    {
//	      "tool": "Callgrind",
//	      "summaries": {
//	        "parts": [...],
//	        "total": {
//	          "summary": {"Callgrind": {"Ir": {"metrics": {"Both": [{"Int": 1734}, {"Int": 1800}]}}, ...}},
//	          "regressions": []
//	        }
//	      }
//	    }, ...
//	  ]
//	}
//
// Each new value of a total becomes a record:
//
//	{"id": "n_30", "metric": "Ir", "name": "my_bench::group::fib", "tool": "Callgrind"}  1734
//
//	member                           becomes
//	module_path                      param name
//	id                               param id
//	tool                             param tool; that of callgrind_summary is Callgrind
//	the metric                       param metric; unit % if it ends in Rate, and bytes if in Bytes
//	  Left, the first of Both,       records: the new values, as numbers or as {"Int": N} and {"Float": N}, or with
//	  new                            a unit as {"value": N, "unit": U}
//	  Right, the second of Both, old dropped: values of an earlier run
//	regressions                      warnings
//	kind, details, description,      attrs
//	group, baselines, benchmark_exe,
//	benchmark_file, package_dir,
//	project_root
//	function_name, parts, segments,  dropped
//	diffs, paths of files
//
// Where the values are depends on the version: in profiles[].data.total.metrics of version 7, in
// profiles[].summaries.total.summary of 4 to 6, and before in
// callgrind_summary.callgrind_run.total.summary and tool_summaries[].summaries.total (3), and in
// callgrind_summary.summaries[].events (1 and 2), where the other tools have only numbers of
// errors, error_summary, and texts, which are dropped. Any other version is a recoverable error.
//
// A tool without new values is a warning. The format has no commit, machine, repetitions and
// direction.
//
// Departures: a line of text that begins with { is taken for a document, because the runner's own
// output has none. The schemas have no start time and no durations, so there are none here.
package gungraun
