// Package dotnetbench reads the JSON of BenchmarkDotNet's JsonExporter, all of its variants: full,
// brief, and either of them compressed. The source of the rules is dotnet/BenchmarkDotNet,
// JsonExporterBase.cs and the classes that it writes.
//
//	{
//	  "Title": "Sort-20260315-231008",
//	  "HostEnvironmentInfo": {"OsVersion": "Windows 11", "LogicalCoreCount": 16, ...},
//	  "Benchmarks": [
//	    {
//	      "DisplayInfo": "Sort.Quick: ShortRun(IterationCount=3) [N=100, Order=up]",
//	      "Namespace": "Example", "Type": "Sort", "Method": "Quick", "MethodTitle": "Quick",
//	      "Parameters": "N=100&Order=up", "FullName": "Example.Sort.Quick(N: 100, Order: \"up\")",
//	      "Statistics": {"OriginalValues": [76.5, ...], "Min": 76.5, "Median": 77.5, ...},
//	      "Memory": {"Gen0Collections": 184, ..., "BytesAllocatedPerOperation": 368},
//	      "Measurements": [
//	        {"IterationMode": "Workload", "IterationStage": "Result", "Operations": 8, "Nanoseconds": 612}, ...
//	      ],
//	      "Metrics": [{"Value": 368, "Descriptor": {"Id": "Allocated Memory", "Unit": "B", ...}}, ...]
//	    }, ...
//	  ]
//	}
//
// Each measurement of the stage Result becomes a record, with the time of one operation:
//
//	{"IterationCount": "3", "N": "100", "Order": "up", "job": "ShortRun", "name": "Example.Sort.Quick",
//	  "unit": "ns"}  76.5
//
//	member                           becomes
//	FullName, or else Namespace,     param name, without what follows the method
//	Type and Method
//	Parameters                       params
//	the job in DisplayInfo           param job, if its author has named it; its characteristics are params
//	Properties, in old files         params, except Auto, Default and Host
//	Measurements                     records: Nanoseconds / Operations of the iteration mode Workload and
//	                                 the stage Result (in old files of the mode Result); others are dropped
//	Statistics.OriginalValues        records, if there are no measurements
//	Min, Mean, Median, Max,          records with the param stat, if there are no single values either:
//	StandardDeviation, Percentiles   min, mean, median, max, stddev, p25, ...; P0, P50 and P100 are dropped
//	Metrics                          records: Descriptor.Id is the param metric, with Descriptor.Unit
//	Memory                           records with the metrics that a MemoryDiagnoser has in Metrics, if it
//	                                 is not there: Allocated Memory, and Gen0Collects to Gen2Collects,
//	                                 which are the collections of 1000 operations
//	Title, HostEnvironmentInfo       attrs; the names of nested ones are joined by dots
//	HardwareIntrinsics               attr
//	MethodTitle, if it is another    attr
//	ShortInfo, other statistics      dropped: they are derived
//
// OriginalValues repeats the values of the measurements. Less time is better; for a metric, its
// Descriptor says whether less or more is. BenchmarkDotNet writes an empty string for NaN and
// infinities, and did not quote them before version 0.13; they are errors. A benchmark without
// Statistics has failed; the file does not say why.
//
// BenchmarkDotNet joins the parameters with & and the characteristics of a job with a comma, and
// escapes neither: a part without = belongs to the value before it. It shortens the values of
// Parameters to 20 characters. If it has done that, the name is the whole FullName, which has the
// values, and the parameters are not params: otherwise, two cases could be taken for repetitions of
// one.
package dotnetbench
