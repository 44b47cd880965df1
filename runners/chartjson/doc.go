// Package chartjson reads results-chart.json, in which Chromium's benchmarks wrote their results
// before Skia Perf's format and histograms: with the flag --output-format=chartjson. The source of
// the rules is catapult, tracing/tracing/value/convert_chart_json.html and
// dashboard/dashboard/add_point.py.
//
//	{
//	  "format_version": "1.0",
//	  "benchmark_name": "smoothness.top_25",
//	  "charts": {
//	    "warm@@frame_time": {
//	      "http://example.com": {
//	        "type": "list_of_scalar_values", "values": [16.7, 16.6], "std": 0.1,
//	        "units": "ms", "improvement_direction": "down"
//	      },
//	      "summary": {"type": "scalar", "value": 16.65, "units": "ms"}
//	    }
//	  }
//	}
//
// Tests of ChromeOS, in Autotest and Tast, write the charts alone, without what is around them.
// Each value of a trace becomes a record:
//
//	{"benchmark": "smoothness.top_25", "label": "warm", "name": "frame_time", "story": "http://example.com",
//	  "unit": "ms"}  16.7
//
//	member                          becomes
//	benchmark_name                  param benchmark
//	name of a chart                 param name; what is before @@ is the param label
//	name of a trace, but summary    param story: summary is the chart's own
//	values, value                   records, in units; null is a recoverable error with none_value_reason
//	buckets of a histogram          a record of their geometric mean, with stat=geomean
//	improvement_direction           Record.Better: down is lower, up is higher; WebRTC writes it at the
//	                                end of the units, as in ms_smallerIsBetter
//	label                           attr: it says which run this was
//	page_id, interaction_record     attrs
//	std, interval, name,            dropped: they are made from the values, or repeat names
//	description, format_version,
//	trace_rerun_options
//	traces of type trace            dropped, and counted by Reader.Skipped: they are links to recordings
//
// A chart of a benchmark that failed has null values. Python writes NaN and Infinity, too.
package chartjson
