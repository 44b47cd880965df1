// Package criterion reads the results of Criterion.rs, in two forms: the messages of
//
//	cargo criterion --message-format=json
//
// and the folder target/criterion, which cargo bench writes. The source of the rules is
// bheisler/cargo-criterion, src/message_formats/json.rs, and bheisler/criterion.rs,
// src/analysis/mod.rs.
//
// Messages are JSON, one a line:
//
//	{"reason":"benchmark-complete","id":"fib/20","iteration_count":[54,108],"measured_values":[984700.0,1967300.0],
//	 "unit":"ns","throughput":[],"typical":{"estimate":18341.8,"unit":"ns",...},"mean":{...},"median":{...},...}
//	{"reason":"group-complete","group_name":"fib","benchmarks":["fib/20"],"report_directory":"..."}
//
// In the folder, each benchmark has a folder new with the files of its last run. The folder base
// beside it has the results of an earlier run, or of a baseline, and is not read:
//
//	target/criterion/fib/20/new/benchmark.json   {"group_id":"fib","function_id":"20","value_str":null,...}
//	target/criterion/fib/20/new/sample.json      {"sampling_mode":"Linear","iters":[54.0,...],"times":[984700.0,...]}
//	target/criterion/fib/20/new/estimates.json   {"mean":{"point_estimate":18296.7,...},"median":{...},"slope":{...},...}
//
// Each sample becomes a record: its time, divided by its number of iterations.
//
//	{"name": "fib/20", "unit": "ns"}  18235.185185185186
//
//	message                           file             becomes
//	id                                benchmark.json:  param name: the parts are joined by slashes. Without
//	                                  group_id,        them it is full_id, or the path of the folder
//	                                  function_id,
//	                                  value_str
//	measured_values, iteration_count  sample.json:     a record for each pair
//	                                  times, iters
//	typical, mean, median, slope      estimates.json:  records with the param stat, if there are no samples
//	                                  mean, median,
//	                                  slope
//	unit                              always ns        param unit
//	throughput                        throughput       attr, such as "1024 bytes" an iteration
//	                                  sampling_mode    attr
//	median_abs_dev                    median_abs_dev,  dropped: they are derived from the samples
//	                                  std_dev
//	change, report_directory          title,           dropped
//	                                  directory_name
//
// Lower is better: so Criterion.rs says whether a benchmark has improved. Messages that hold no
// measurements, such as group-complete, are counted by Reader.Skipped.
//
// Old versions write Mean for mean, and sample.json as an array of both lists. They have no
// benchmark.json, or one without a group.
//
// # Departures from Criterion.rs
//
//  1. An id of more than 100 bytes is cut off in messages, and ends with three dots. It is read as it is.
//  2. The files of the folder do not say the unit of a measurement that the benchmark's author defines. It
//     is read as ns.
package criterion
