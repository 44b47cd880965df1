// Package vitest reads the JSON of Vitest's benchmarks, and the results of tinybench, on which they
// are built. The sources of the rules are vitest-dev/vitest before version 5,
// packages/vitest/src/node/reporters/benchmark/json-formatter.ts and
// packages/vitest/src/runtime/runners/benchmark.ts; the types of version 5 (TestBenchmarkTask) and
// what its JSON reporter writes; and tinylibs/tinybench, src/types.ts and src/task.ts.
//
// # Vitest before version 5
//
// "vitest bench --outputJson FILE" writes:
//
//	{
//	  "files": [
//	    {
//	      "filepath": "/home/dev/bench/a.bench.js",
//	      "groups": [
//	        {
//	          "fullName": "a.bench.js > sort > nested",
//	          "benchmarks": [
//	            {
//	              "id": "-1736406860_0_2_0", "name": "inner", "rank": 1, "samples": [], "sampleCount": 92771,
//	              "min": 0.00015, "max": 1.296, "hz": 4638544.9, "mean": 0.000216, "p75": 0.00018, ...
//	            }, ...
//
// As Vitest leaves the samples empty, a benchmark usually becomes a record for each statistic:
//
//	{"file": "a.bench.js", "group": "sort > nested", "name": "inner", "stat": "mean", "unit": "ms"}  0.000216
//
//	member                         becomes
//	fullName, up to the first " > "  param file
//	fullName, what follows it      param group
//	filepath                       attr
//	name                           param name
//	samples                        records, in ms
//	mean, median, min, max, p75,   records with their name as the param stat, in ms, if there are no
//	p99, p995, p999                samples, or if Reader.Summaries is set
//	sampleCount                    attr
//	hz, period, rank, and other    dropped: derived from these
//	statistics, id
//
// # Vitest 5
//
// A benchmark is part of a test, and "vitest bench --reporter=json --outputFile=FILE" writes:
//
//	{
//	  "testResults": [
//	    {
//	      "name": "/home/dev/bench/a.bench.js",
//	      "assertionResults": [
//	        {
//	          "fullName": "sort nested", "status": "passed", "failureMessages": [],
//	          "benchmarks": [
//	            {
//	              "name": "sort > nested",
//	              "tasks": [{"name": "inner", "latency": {"mean": 0.000216, "p50": 0.00018, ...}, ...}, ...]
//
//	member                         becomes
//	name of the file, its base     param file: the report does not say where the project begins
//	name
//	name of the file               attr filepath
//	name of benchmarks             param group: the suites and the test
//	name of a task                 param name
//	latency                        as that of tinybench, below
//	status, failureMessages,       a recoverable error, if a test or all of a file failed; benchmarks of
//	message                        the test that have numbers are records
//	fromStore                      if true, the task is dropped: an earlier run measured it
//	throughput, period, totalTime, dropped: derived, or about the tests
//	rank, and others
//
// If files of a project have the same base name, make filepath a param: perfdata.Options.Promote,
// or the tool's --promote filepath.
//
// # Tinybench
//
// Tinybench has no file of its own. Programs write its tasks as JSON:
//
//	[{"name": "a", "result": {"state": "completed", "latency": {"mean": 0.000218, "p50": 0.00012, ...}, ...}}, ...]
//
//	member                         becomes
//	name                           param name
//	result.latency                 its members become the same as a Vitest benchmark's
//	  p50                          records with the param stat median
//	  samplesCount                 attr sampleCount
//	result.state, runtime,         attrs
//	runtimeVersion,
//	timestampProviderName
//	result.throughput, period      dropped: derived from latency
//	result.error                   a recoverable error
//
// In older results the statistics are members of result itself, or of the task.
//
// # In all of them
//
// Before version 5, the file is the path from the root of the project: it tells a/index.bench.js
// and b/index.bench.js apart, which its base name does not. If fullName does not begin with the end
// of filepath, the file is the base name of filepath, and all of fullName is the group.
//
// A benchmark without numbers threw an error, which is not in Vitest's file, or did not run. A file
// without benchmarks is a warning. Samples are sorted by both runners: their order is not that of the
// measurements. All times are better if lower.
package vitest
