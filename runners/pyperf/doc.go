// Package pyperf reads the JSON of pyperf, which its programs and pyperformance write with the
// option -o, often compressed. The source of the rules is psf/pyperf, pyperf/_bench.py and
// pyperf/_metadata.py.
//
//	{
//	  "benchmarks": [
//	    {
//	      "metadata": {"name": "telco", "loops": 64},
//	      "runs": [
//	        {"metadata": {"calibrate_loops": 64}, "warmups": [[64, 0.0064]]},
//	        {"metadata": {"date": "2018-01-09 14:24:27"}, "values": [0.0062, 0.0061], "warmups": [[64, 0.0064]]}, ...
//	      ]
//	    }, ...
//	  ],
//	  "metadata": {"hostname": "apu", "unit": "second", ...},
//	  "version": "1.0"
//	}
//
// Each number of values becomes a record:
//
//	{"name": "telco", "unit": "second"}  0.0062
//
//	member                           becomes
//	metadata of a run, of its        attrs, of which the innermost one is taken; tags as JSON
//	benchmark, and of all
//	  name                           param name
//	  unit                           param unit; second if there is none
//	  commit_id, commit_date         the commit, and attr commit-time
//	values (samples before 0.9.6)    records, in the order of the runs
//	warmups                          dropped
//	runs without values              dropped, and counted by Reader.Skipped: they calibrate
//	version                          dropped
//
// A value is for one iteration: the runner has divided it by the loops. It must be a number above
// 0, as in the reference's source; anything else is a recoverable error, and so is a run without
// values and without warmups. The format does not say whether less or more is better. In versions
// before 0.9.6, metadata is called common_metadata.
//
// Departures: the source refuses a file whose metadata have values of the wrong type, and one of an
// unknown version, whole. Here such metadata are attrs, and what a later version adds is skipped.
package pyperf
