// Package ghbench reads the history that github-action-benchmark keeps of a project's benchmarks,
// dev/bench/data.js of its branch gh-pages, or the file that the option external-data-json-path
// names; and the custom JSON that it takes. The source of the rules is
// benchmark-action/github-action-benchmark, src/write.ts and src/extract.ts.
//
//	window.BENCHMARK_DATA = {
//	  "lastUpdate": 1764000000000,
//	  "repoUrl": "https://github.com/acme/rover",
//	  "entries": {
//	    "Go Benchmark": [
//	      {
//	        "commit": {"id": "3a1f09c6", "timestamp": "2025-11-24T15:59:00Z",
//	                   "url": "https://github.com/acme/rover/commit/3a1f09c6", ...},
//	        "date": 1764000000000,
//	        "tool": "go",
//	        "benches": [
//	          {"name": "BenchmarkDrive", "value": 325, "unit": "ns/op", "extra": "500 times\n8 procs"}, ...
//	        ]
//	      }, ...
//	    ], ...
//	  }
//	}
//
// The file of external-data-json-path is the same without the assignment. A semicolon may follow an
// assigned document. Each bench becomes a record, with the commit of its entry:
//
//	{"name": "BenchmarkDrive", "suite": "Go Benchmark", "tool": "go", "unit": "ns/op"}  325
//
//	member                     becomes
//	the name in entries        param suite
//	commit.id                  Record.Commit
//	commit.timestamp           attr commit-time
//	commit.url                 link commit
//	other members of commit    dropped: the repository has them
//	date                       attr, as in RFC 3339, or the text that other programs write
//	tool                       param
//	benches: name              param
//	  value                    the value, which may be a number in a string
//	  unit                     param unit, up to the first tab
//	  range                    attr
//	  extra                    its lines "key: value", and key=value of the tool julia, are attrs; its other
//	                           lines, and those that repeat a key, are joined by ", " in the attr extra
//	lastUpdate, repoUrl        dropped: they are in the last entry
//
// # The results of one run
//
// A program of any kind gives its results to github-action-benchmark, with the tools
// customBiggerIsBetter and customSmallerIsBetter, as an array of benches:
//
//	[{"name": "Free memory", "unit": "Megabytes", "value": 150, "range": "3", "extra": "Page size: 4096"}, ...]
//
// They become the same as the benches of an entry, but have no suite, tool, commit or date, because
// the file lacks them. It does not say whether less or more is better, except by the unit of a
// rate.
//
// # Order
//
// The entries of a suite come in the order of its runs. This is also the order of the commits,
// because the times of commits may come from their authors or from a fork. A commit that was run
// twice has repetitions.
//
// # Better
//
// For a rate, higher is better, whatever the tool. The unit of a rate ends in /s, /sec or /second,
// is a rate to package unit, or is ops. Otherwise, the tool decides: customBiggerIsBetter,
// benchmarkjs and pytest are better if higher, and all others if lower, except with go and jmh,
// whose results are of many kinds.
//
// # Departures from github-action-benchmark
//
//  1. With the tool go, it takes the rest of a line for the unit of its first value, which is another one
//     with each run: "ns/op\t 344 B/op\t 3 allocs/op". Here, the unit is ns/op, and the others are records
//     with the same name. Since version 1.18, each value is a bench of its own, too, called "NAME - UNIT".
//     That is the record then, with NAME as the name, and the first value is not read twice.
//  2. It stores the value 0 for a benchmark of Google Benchmark that failed, which shows in its 0 iterations,
//     and no value for one that has none. These are errors. Rows of complexity, _BigO and _RMS, which have
//     no value, are dropped, and counted by Reader.Skipped.
//  3. It stores a coefficient of variation of Google Benchmark in a unit of time. Here, the unit is 1.
package ghbench
