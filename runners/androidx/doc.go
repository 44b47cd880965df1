// Package androidx reads the JSON of AndroidX's Microbenchmark and Macrobenchmark, which they write
// to PACKAGE-benchmarkData.json. The source of the rules is androidx/androidx,
// benchmark/benchmark-common, json/BenchmarkData.kt, and for versions before 2024 ResultWriter.kt.
//
//	{
//	  "context": {"build": {"model": "Pixel 5", "version": {"sdk": 30}, ...}, "cpuCoreCount": 8, ...},
//	  "benchmarks": [
//	    {
//	      "name": "scroll[size=10]", "params": {"size": "10"}, "className": "com.example.ScrollBenchmark",
//	      "metrics": {"startupMs": {"minimum": 1, "maximum": 3, "median": 2, "runs": [3, 1, 2]}},
//	      "sampledMetrics": {"frameDurationCpuMs": {"P50": 5, "P90": 6, "runs": [[5, 6], [5]]}},
//	      "warmupIterations": 0, "repeatIterations": 3, "thermalThrottleSleepSeconds": 0
//	    }, ...
//	  ]
//	}
//
// Each number of runs becomes a record:
//
//	{"class": "com.example.ScrollBenchmark", "metric": "startupMs", "name": "scroll", "size": "10", "unit": "ms"}  3
//
//	member                           becomes
//	className                        param class
//	name                             param name, without [...] at its end if params has what it says
//	params                           params
//	metrics, sampledMetrics          records with that param metric
//	  runs                           their values; in sampledMetrics, a list for each iteration, whose
//	                                 number from 0 is the attr iteration
//	  minimum, maximum, median,      dropped, unless there are no runs: param stat
//	  P50, P90, P95, P99
//	totalRunTimeNs, warmupIterations, attrs
//	repeatIterations,
//	thermalThrottleSleepSeconds
//	context                          attrs, such as build.model and payload.KEY
//	profilerOutputs                  dropped
//
// The end of a metric's name says its unit: Ns, Us, Ms, Kb, Bytes and Percent are ns, us, ms, Kb,
// bytes and %. Other metrics, such as counts, have none. The format says neither the commit nor
// whether less or more is better. The oldest files have no params and no sampledMetrics.
//
// Departures: a test that failed is not in the file, so it is not an error. A metric whose list of
// runs is empty is one, because no version of the source writes it.
package androidx
