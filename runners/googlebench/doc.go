// Package googlebench reads the JSON of Google Benchmark, which its programs write with the flag
// --benchmark_format=json or --benchmark_out=FILE. The source of the rules is google/benchmark,
// src/json_reporter.cc and docs/user_guide.md.
//
//	{
//	  "context": {"date": "2026-11-22T11:05:54+00:00", "num_cpus": 2, ...},
//	  "benchmarks": [
//	    {
//	      "name": "BM_Copy/n:8/repeats:3", "run_name": "BM_Copy/n:8/repeats:3", "run_type": "iteration",
//	      "repetitions": 3, "repetition_index": 0, "threads": 1, "iterations": 1000000,
//	      "real_time": 30.9, "cpu_time": 2.67, "time_unit": "ns", "bytes_per_second": 2.9e9
//	    }, ...
//	  ]
//	}
//
// A row becomes a record for real_time, one for cpu_time, and one for each counter:
//
//	{"metric": "real_time", "n": "8", "name": "BM_Copy", "unit": "ns"}  30.9
//
//	member                           becomes
//	run_name (name in old files)     param name, without the parts below
//	  its parts /KEY:VALUE           params
//	  iterations:N, repeats:N,       attrs: they are settings of the run
//	  min_time:S, min_warmup_time:S,
//	  real_time, manual_time,
//	  process_time
//	threads, if it is above 1        param threads
//	real_time, cpu_time              records with that param metric, in time_unit
//	other numbers                    records: counters, whose metric is their name
//	allocs_per_iter, max_bytes_used, records of the memory manager
//	total_allocated_bytes,
//	net_heap_growth
//	aggregate_name                   param stat
//	repetition_index                 Record.Repetition, from 1
//	iterations, label                attrs
//	error_occurred, error_message    a recoverable error
//	skipped, skip_message            a warning
//	context                          attrs, nested ones as JSON
//	the indices, repetitions,        dropped
//	run_type, aggregate_unit
//	rows of big_o and rms            dropped, and counted by Reader.Skipped
//
// A counter that is called like a member of the row, such as iterations, is a duplicate member: a
// recoverable error, as it is not read.
//
// The aggregates of a benchmark are left out if its repetitions came before them. The unit of a
// percentage, such as cv, is 1. Files of versions before 1.5 have no run_name and no run_type:
// there, a name that ends in _mean, _median, _stddev or _cv names an aggregate, and one that ends
// in _BigO or _RMS names a complexity.
//
// The rates bytes_per_second and items_per_second are better if higher, and the results of a memory
// manager if lower. Whether other counters are, the file does not say. A file of 0 bytes is what the
// runner writes if no benchmark matches its filter.
package googlebench
