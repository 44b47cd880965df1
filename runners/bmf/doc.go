// Package bmf reads Bencher Metric Format, the JSON that Bencher's adapter json takes. The source
// of the rules is bencherdev/bencher, services/console/public/bmf.json, lib/bencher_adapter,
// adapter_results.rs, and lib/bencher_json, metric/mod.rs and measure/built_in.rs.
//
//	{
//	  "my_benchmark": {
//	    "latency": {"value": 88.0, "lower_value": 87.42, "upper_value": 88.88},
//	    "throughput": {"value": 5.55}
//	  }, ...
//	}
//
// Each measure becomes a record:
//
//	{"metric": "latency", "name": "my_benchmark", "unit": "ns"}  88
//
//	member                           becomes
//	the benchmark                    param name, whole
//	the measure                      param metric, as it is spelled: a name, a slug or a UUID
//	value                            the record, without stat: the format does not say what it is
//	lower_value, upper_value         attrs
//
// Bencher's measures latency, throughput, build-time and file-size have the units ns, ops/s, s and
// B, also if they are spelled as Bencher shows them, such as Build Time. Others have none. The
// format has no commit, machine, repetitions, direction and version.
//
// A measure without a value, one whose value is not a number, and one that a benchmark has twice
// are recoverable errors.
//
// Departures: a benchmark that comes twice has the records of both, in order; Bencher takes the
// last one. A file is recognized only if all measures at its beginning have a value.
package bmf
