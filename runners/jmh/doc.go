// Package jmh reads the JSON of JMH, the Java Microbenchmark Harness, which it writes with the
// options
// -rf json -rff FILE. The source of the rules is openjdk/jmh, JSONResultFormat.java, and the classes of
// its results. kotlinx-benchmark writes the same with fewer members.
//
//	[
//	  {
//	    "jmhVersion": "1.37", "benchmark": "org.example.Sort.sort", "mode": "avgt", "threads": 1,
//	    "forks": 2, "jvm": "/usr/bin/java", "jvmArgs": ["-Xmx1g"], ..., "params": {"size": "100"},
//	    "primaryMetric": {
//	      "score": 1.5, "scoreError": 0.1, "scoreConfidence": [1.4, 1.6],
//	      "scorePercentiles": {"0.0": 1.4, "50.0": 1.5, ..., "100.0": 1.6},
//	      "scoreUnit": "us/op", "rawData": [[1.4, 1.5], [1.5, 1.6]]
//	    },
//	    "secondaryMetrics": {"gc.count": {"score": 3.0, ..., "rawData": [[0.0, 1.0], [1.0, 1.0]]}}
//	  }, ...
//	]
//
// Each number of rawData, which has an array for each fork, becomes a record:
//
//	{"mode": "avgt", "name": "org.example.Sort.sort", "size": "100", "unit": "us/op"}  1.4
//
//	member                        becomes
//	benchmark                     param name
//	mode                          param mode
//	threads, if it is above 1     param threads
//	params                        params
//	a metric's scoreUnit          param unit
//	a name in secondaryMetrics    param metric
//	rawData                       records
//	score                         a record with the param stat, if there is no rawData: mean for the
//	                              primary metric; score for others, which may be a sum or a maximum
//	scorePercentiles              likewise, with the stats min, p90, ..., max; the 50th is median
//	jmhVersion, forks, jvm,       attrs
//	jdkVersion, vmName,
//	vmVersion, jvmArgs (as JSON)
//	warmup..., measurement...     attrs: Iterations, Time and BatchSize
//	scoreError, scoreConfidence   dropped: they are derived
//	rawDataHistogram              dropped: see below
//	secondary metrics with the    dropped: they are the text or the file of a profiler, which is not in
//	unit "---"                    the file
//
// Mode sample has no rawData, but a histogram of each iteration, rawDataHistogram, from which JMH
// computes the percentiles: there, the statistics are the records. The same holds with the property
// jmh.json.rawData=false. JMH writes "NaN", "+INF" and "-INF" as strings.
//
// For the primary metric, higher is better in mode thrpt, and lower in the modes avgt, sample and
// ss. For other metrics, the file does not say whether less or more is better. A benchmark that
// failed in all forks is absent from the file, and one that failed in some has fewer arrays; the
// file does not tell.
package jmh
