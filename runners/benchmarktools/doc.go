// Package benchmarktools reads the JSON of Julia's BenchmarkTools, which its function save writes,
// one of its objects alone, as JSON.print writes it, and the files of PkgBenchmark, where that JSON
// is a text. The sources of the rules are JuliaCI/BenchmarkTools.jl, src/serialization.jl, and
// JuliaCI/PkgBenchmark.jl, src/benchmarkresults.jl.
//
//	[
//	  {"Julia": "1.7.2", "BenchmarkTools": "1.0.0"},
//	  [
//	    ["BenchmarkGroup", {"tags": [], "data": {"sort": ["BenchmarkGroup", {"tags": ["fast"], "data": {
//	      "ints": ["Trial", {
//	        "params": ["Parameters", {"evals": 10, "samples": 10000, ...}],
//	        "times": [308.0, 310.5], "gctimes": [0.0, 0.0], "memory": 400, "allocs": 5
//	      }]
//	    }}]}}]
//	  ]
//	]
//
//	{"benchmarkgroup": "[{\"Julia\":\"1.7.2\",...", "commit": "6a4e...", "name": "Sort", ...}
//
// The types may begin with BenchmarkTools. The results of a Trial become records:
//
//	{"metric": "time", "name": "sort/ints", "unit": "ns"}  308
//
//	member                           becomes
//	the keys of nested groups        param name, joined by /
//	times, gctimes                   records, with the param metric time or gctime, in ns for one evaluation
//	memory, allocs                   records, memory in bytes
//	time, gctime of a TrialEstimate  records with stat=estimate, as memory and allocs are there: the file does
//	                                 not say whether it is the minimum, the median or another one
//	params                           attrs, such as params.evals
//	tags of the innermost group      attr, as JSON
//	  that has some
//	Julia, BenchmarkTools            attrs
//	name of PkgBenchmark             attr package
//	commit                           the commit, if it is a hash; the attr dirty if it is "dirty"
//	date, julia_commit, vinfo,       attrs, benchmarkconfig as JSON
//	benchmarkconfig
//
// Parameters alone (tune.json), a TrialRatio, a TrialJudgement and a TagFilter have no
// measurements: a warning. Infinities are null, which is not a value. The format does not say
// whether less or more is better.
//
// Departures: a key that is another Julia value than a text, such as a tuple, is the text that
// Julia wrote. Each object is one result, so a file of more than Limits.MaxResultBytes is refused,
// and the text of PkgBenchmark has Limits.MaxStringBytes. Files of versions before 0.1 (type_uuid)
// are not recognized.
package benchmarktools
