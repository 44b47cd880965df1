package hostile

import (
	"fmt"
	"strings"
)

const (
	benchHead = `{"context":{"a":"b"},"benchmarks":[`
	benchTail = `]}`
)

// googleBenchmark returns the Generators of Google Benchmark's files. The formats of other runners are
// read with the same machinery.
func googleBenchmark() []Generator {
	of := func(name, head, tail string, item func(int) string) Generator {
		return inputs("googlebench "+name, "googlebench", benchHead+head, tail+benchTail, ",", item)
	}
	context := func(name, head, tail string, item func(int) string) Generator {
		return inputs("googlebench "+name, "googlebench", `{"context":{`+head,
			tail+`},"benchmarks":[{"name":"a","real_time":1}]}`, ",", item)
	}

	return []Generator{
		of("empty rows", ``, ``, same(`{}`)).each(),
		of("scalar rows", ``, ``, same(`0`)).each(),
		of("rows with faults", ``, ``, same(`{"name":"a","real_time":[],"cpu_time":{},"time_unit":1}`)).each(),
		of("different counters in each row", ``, ``, named(`{"name":"a","$":1,"x$":1}`)).each(),
		of("different parts in each name", ``, ``, named(`{"name":"a/$:1","real_time":1}`)).each(),
		of("names", ``, ``, named(`{"name":"$","real_time":1}`)).eachTrace(),
		of("counters", `{"name":"a",`, `}`, named(`"$":1`)),
		of("counters that are none", `{"name":"a",`, `}`, named(`"$":"x"`)),
		of("counters that are not numbers", `{"name":"a",`, `}`, named(`"$":NaN`)),
		of("parts of a name", `{"real_time":1,"name":"a`, `"}`, named(`/$:1`)),
		of("nested members", `{"name":"a","x":[`, `]}`,
			same(strings.Repeat("[", 990)+strings.Repeat("]", 990))),
		inputs("googlebench blanks", "googlebench", benchHead, `{"name":"a","real_time":1}`+benchTail, "\n",
			same(strings.Repeat(" ", 999))),
		context("attrs", ``, ``, named(`"$":"x"`)),
		context("long attrs", ``, ``, named(`"$":"`+strings.Repeat("x", 100_000)+`"`)),
		context("empty values in an attr", `"a":[`, `]`, same(`{}`)),
		inputs("googlebench context last", "googlebench", `{"benchmarks":[`, `],"context":{"a":"b"}}`, ",",
			named(`{"name":"$","real_time":1}`)),
	}
}

// benchmarkAction returns the Generators of github-action-benchmark's histories, whose results are large.
func benchmarkAction() []Generator {
	const head, tail = `window.BENCHMARK_DATA = {"entries":{"S":[`, `]}};`
	of := func(name, begin, end string, item func(int) string) Generator {
		return inputs("ghbench "+name, "ghbench", head+begin, end+tail, ",", item)
	}
	var lines strings.Builder
	for i := range 500 {
		fmt.Fprintf(&lines, `$-%d: v\n`, i)
	}

	return []Generator{
		of("empty entries", ``, ``, same(`{}`)).each(),
		of("empty benches", `{"benches":[`, `]}`, same(`{}`)),
		of("entries of faulty benches", ``, ``, same(`{"benches":[{},1,{"name":"a","value":"x"}]}`)).each(),
		of("benches in an entry", `{"tool":"go","benches":[`, `]}`, named(`{"name":"$","value":1,"unit":"u"}`)),
		of("commits", ``, ``, named(`{"commit":{"id":"$"},"benches":[{"name":"a","value":1}]}`)).each(),
		of("attrs that repeat", ``, ``,
			same(`{"benches":[{"name":"a","value":1,"extra":"`+strings.Repeat(`k: v\n`, 500)+`"}]}`)).each(),
		of("different attrs", ``, ``, named(`{"benches":[{"name":"a","value":1,"extra":"`+lines.String()+`"}]}`)).each(),
		of("values in a line", ``, ``, same(`{"tool":"go","benches":[{"name":"a","value":1,"unit":"ns/op\t`+
			strings.Repeat(" 1 u", 200_000)+`"}]}`)).each(),
		of("faults in a line", ``, ``, same(`{"tool":"go","benches":[{"name":"`+strings.Repeat("n", 1_000_000)+
			`","value":1,"unit":"ns/op\t`+strings.Repeat(" x u", 200_000)+`"}]}`)).each(),
		of("lines", ``, ``, same(`{"benches":[{"name":"a","value":1,"extra":"`+list(100_000, named(`$: v\n`))+`"}]}`)),
		inputs("ghbench suites", "ghbench", `{"entries":{`, `}}`, ",", named(`"$":[]`)),
	}
}

// criterion returns the Generators of Criterion.rs's messages.
func criterion() []Generator {
	const head = `{"reason":"benchmark-complete","id":"a","unit":"ns","iteration_count":[`
	return []Generator{
		inputs("criterion empty messages", "criterion", ``, ``, "\n", same(`{}`)).each(),
		inputs("criterion messages", "criterion", ``, ``, "\n",
			named(`{"reason":"benchmark-complete","id":"$","iteration_count":[1],"measured_values":[1]}`)).eachTrace(),
		inputs("criterion samples", "criterion", head, `]}`, ",", same(`1`)),
		inputs("criterion faulty samples", "criterion", head, `]}`, ",", same(`{}`)),
		inputs("criterion throughputs", "criterion", `{"reason":"benchmark-complete","id":"a","throughput":[`, `]}`, ",", same(`{}`)),
	}
}

// hyperfineRuns returns the Generators of hyperfine's files.
func hyperfineRuns() []Generator {
	of := func(name, head, tail string, item func(int) string) Generator {
		return inputs("hyperfine "+name, "hyperfine", `{"results":[`+head, tail+`]}`, ",", item)
	}
	return []Generator{
		of("commands", ``, ``, named(`{"command":"$","times":[1]}`)).eachTrace(),
		of("times", `{"command":"a","times":[`, `]}`, same(`1`)),
		of("times that are none", `{"command":"a","times":[`, `]}`, same(`{}`)),
		of("failed runs", `{"command":"a","times":[1],"exit_codes":[`, `]}`, same(`1`)),
		of("parameters", `{"command":"a","times":[1],"parameters":{`, `}}`, named(`"$":"x"`)),
		of("other parameters in each result", ``, ``, named(`{"command":"a","mean":1,"parameters":{"$":"x"}}`)).each(),
	}
}

// jmhResults returns the Generators of JMH's files.
func jmhResults() []Generator {
	of := func(name, head, tail string, item func(int) string) Generator {
		return inputs("jmh "+name, "jmh", `[`+head, tail+`]`, ",", item)
	}
	const begin = `{"benchmark":"a","mode":"avgt","primaryMetric":{"scoreUnit":"s","score":1,`
	return []Generator{
		of("benchmarks", ``, ``, named(`{"benchmark":"$","mode":"avgt","primaryMetric":{"rawData":[[1]]}}`)).eachTrace(),
		of("empty results", ``, ``, same(`{}`)).each(),
		of("forks", begin+`"rawData":[`, `]}}`, same(`[]`)),
		of("iterations", begin+`"rawData":[[`, `]]}}`, same(`1`)),
		of("iterations without a value", begin+`"rawData":[[`, `]]}}`, same(`"NaN"`)),
		of("histogram", begin+`"rawDataHistogram":[[[`, `]]]}}`, same(`[1,1000000]`)),
		of("percentiles", begin+`"scorePercentiles":{`, `}}}`, named(`"$":1`)),
		of("params", begin+`"rawData":[[1]]},"params":{`, `}}`, named(`"$":"x"`)),
		of("secondary metrics", begin+`"rawData":[[1]]},"secondaryMetrics":{`, `}}`, named(`"$":{"score":1}`)),
	}
}

// pytestBenchmark returns the Generators of pytest-benchmark's files.
func pytestBenchmark() []Generator {
	of := func(name, head, tail string, item func(int) string) Generator {
		return inputs("pytestbench "+name, "pytestbench", `{"machine_info":{},"benchmarks":[`+head, tail+`]}`, ",", item)
	}
	const begin = `{"fullname":"a","stats":{"data":[1]},`
	return []Generator{
		of("benchmarks", ``, ``, named(`{"fullname":"$","stats":{"data":[1]}}`)).eachTrace(),
		of("empty benchmarks", ``, ``, same(`{}`)).each(),
		of("data", `{"fullname":"a","stats":{"data":[`, `]}}`, same(`1`)),
		of("data that are none", `{"fullname":"a","stats":{"data":[`, `]}}`, same(`NaN`)),
		of("params", begin+`"params":{`, `}}`, named(`"$":"x"`)),
		of("extra info", begin+`"extra_info":{`, `}}`, named(`"$":{}`)),
		of("other options in each benchmark", ``, ``, named(begin+`"options":{"$":1}}`)).each(),
		inputs("pytestbench machine", "pytestbench", `{"machine_info":{`, `},"benchmarks":[]}`, ",", named(`"$":{"a":1}`)),
	}
}

// vitestFiles returns the Generators of Vitest's files.
func vitestFiles() []Generator {
	of := func(name, head, tail string, item func(int) string) Generator {
		return inputs("vitest "+name, "vitest", `{"files":[`+head, tail+`]}`, ",", item)
	}
	const begin = `{"filepath":"/a","groups":[`
	return []Generator{
		of("files", ``, ``, named(`{"filepath":"/$","groups":[{"fullName":"$","benchmarks":[{"name":"a","mean":1}]}]}`)).eachTrace(),
		of("groups", begin, `]}`, same(`{}`)),
		of("benchmarks", begin+`{"benchmarks":[`, `]}]}`, named(`{"name":"$","mean":1}`)),
		of("benchmarks that threw", begin+`{"benchmarks":[`, `]}]}`, same(`{"name":"a"}`)),
		of("faulty benchmarks", begin+`{"benchmarks":[`, `]}]}`, same(`{"name":1,"mean":"x"}`)),
		of("samples", begin+`{"benchmarks":[{"name":"a","samples":[`, `]}]}]}`, same(`1`)),
		inputs("vitest tasks", "vitest", `[`, `]`, ",", named(`{"name":"$","result":{"latency":{"mean":1}}}`)).eachTrace(),
	}
}

// dotNetBenchmark returns the Generators of BenchmarkDotNet's files.
func dotNetBenchmark() []Generator {
	of := func(name, head, tail string, item func(int) string) Generator {
		return inputs("dotnetbench "+name, "dotnetbench", `{"HostEnvironmentInfo":{},"Benchmarks":[`+head, tail+`]}`, ",", item)
	}
	const begin = `{"Method":"a",`
	const measurement = `{"IterationMode":"Workload","IterationStage":"Result","Operations":1,"Nanoseconds":1}`
	return []Generator{
		of("benchmarks", ``, ``, named(`{"Method":"$","Statistics":{"Mean":1}}`)).eachTrace(),
		of("failed benchmarks", ``, ``, same(`{"Method":"a"}`)).each(),
		of("measurements", begin+`"Measurements":[`, `]}`, same(measurement)),
		of("measurements without operations", begin+`"Measurements":[`, `]}`, same(strings.Replace(measurement, `ns":1`, `ns":0`, 1))),
		of("values", begin+`"Statistics":{"OriginalValues":[`, `]}}`, same(`1`)),
		of("metrics", begin+`"Statistics":{"Mean":1},"Metrics":[`, `]}`, named(`{"Value":1,"Descriptor":{"Id":"$"}}`)),
		of("parameters", `{"Statistics":{"Mean":1},"Method":"a","Parameters":"b=1`, `"}`, named(`&$=1`)),
		of("parts of a parameter", `{"Statistics":{"Mean":1},"Method":"a","Parameters":"b=1`, `"}`, same(`&`)),
		inputs("dotnetbench host", "dotnetbench", `{"HostEnvironmentInfo":{`, `},"Benchmarks":[]}`, ",", named(`"$":1`)),
	}
}

// histogramSets returns the Generators of HistogramSets.
func histogramSets() []Generator {
	of := func(name, head, tail string, item func(int) string) Generator {
		return inputs("histogramset "+name, "histogramset", `[`+head, tail+`]`, ",", item)
	}
	const begin = `{"name":"a","unit":"ms","sampleValues":[1],`
	return []Generator{
		of("histograms", ``, ``, named(`{"name":"$","unit":"ms","sampleValues":[1]}`)).eachTrace(),
		of("shared diagnostics", ``, ``, named(`{"type":"GenericSet","guid":"$","values":["a"]}`)).each(),
		of("samples", `{"name":"a","unit":"ms","sampleValues":[`, `]}`, same(`1`)),
		of("samples that are null", `{"name":"a","unit":"ms","sampleValues":[`, `]}`, same(`null`)),
		of("diagnostics", begin+`"diagnostics":{`, `}}`, named(`"$":{"type":"GenericSet","values":["a"]}`)),
		of("values of a diagnostic", begin+`"diagnostics":{"stories":{"type":"GenericSet","values":[`, `]}}}`, same(`"a"`)),
		of("bins", begin+`"allBins":{`, `}}`, named(`"$":[1]`)),
	}
}

// charts returns the Generators of Chromium's chart JSON.
func charts() []Generator {
	of := func(name, head, tail string, item func(int) string) Generator {
		return inputs("chartjson "+name, "chartjson", `{"benchmark_name":"a","charts":{`+head, tail+`}}`, ",", item)
	}
	return []Generator{
		of("charts", ``, ``, named(`"$":{"summary":{"value":1}}`)).eachTrace(),
		of("empty charts", ``, ``, named(`"$":{}`)),
		of("stories", `"a":{`, `}`, named(`"$":{"value":1}`)),
		of("failed stories", `"a":{`, `}`, named(`"$":{"value":null,"none_value_reason":"failed"}`)),
		of("values", `"a":{"b":{"values":[`, `]}}`, same(`1`)),
		of("values that are null", `"a":{"b":{"values":[`, `]}}`, same(`null`)),
		of("buckets", `"a":{"b":{"buckets":[`, `]}}`, same(`{"low":1,"high":2,"count":1}`)),
	}
}
