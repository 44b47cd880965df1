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
