package hostile

import "strings"

// goBench returns the kinds of the Go benchmark format.
func goBench() []kind {
	event := func(output string) string { return `{"Action":"output","Package":"p$","Output":"` + output + `"}` }
	const lines, long = "«\n|", "«1000000|x»"
	return []kind{
		{"bench packages with a split line", whole, lines + event(long) + "\n" + event(`\n`) + "»"},
		{"bench packages with half a line", whole, lines + event(long) + "»"},
		{"bench packages with a long name", whole, lines + event("Benchmark"+long+` 1 1 ns/op\n`) + "»"},
		{"bench packages with a split name", whole,
			lines + event("Benchmark"+long) + "\n" + event(` 1 1 ns/op\n`) + "»"},
		{"bench packages with a configuration", whole, lines + event(`a: b\n`) + "»"},

		{"bench unit metadata", whole, "«\n|Unit u$ better=higher»"},
		{"bench units", few, "«\n|BenchmarkX 1 1 u$»"},
		{"bench long units", whole, "«\n|BenchmarkX 1 1 u$«10000|x»»"},
		{"bench configuration", whole, "«\n|k$: v»"},
		{"bench configuration that changes", each, "«\n|k$%999: v$\nBenchmarkX 1 1 ns/op»"},
		{"bench configuration that grows at its front", few, "«990\n|z$: v»\n«\n|a: v$\na:»"},

		{"bench values", each, "«\n|BenchmarkX 1 «100000 |1 u$»»"},
		{"bench values of one unit", each, "«\n|BenchmarkX 1«250000| 1 u»»"},
		{"bench names of many parts", each, "«\n|BenchmarkX/q$«990|/$» 1 1 ns/op»"},
		{"bench unit metadata in one line", whole, "«\n|Unit u «100000 |k$=v»»"},
		{"bench faults", each, "«\n|BenchmarkX 1 x»"},
		{"bench one line", whole, "«|xxxxxxxxxx»"},
	}
}

// keyvals are the kinds of Autotest's keyvals.
var keyvals = []kind{
	{"keyval keys", whole, "«\n|$=1»\n"},
	{"keyval long values", whole, "«\n|$=«100000|1»»\n"},
	{"keyval keys of iterations", whole, "«\n|«17\n|$k$${perf}=1»\n»\n"},
	{"keyval attributes", few, "«\n|«-999\n|k${attr}=$$»»\n"},
	{"keyval attributes of iterations", each, "«\n|«-999\n|k${attr}=$$»\nx{perf}=1\n»\n"},
	{"keyval blank lines", each, "«\n|»\n"},
	{"keyval faults", each, "«\n|x»\n"},
	{"keyval one key", few, "«\n|x=1»\n"},
	{"keyval many traces", traces, "«\n|k$=1\n»\n"},
	{"keyval small iterations after a large one", few, "«1000\n|$=1»\n\n«\n|a=1$\nb=1+-1\n»\n"},
}

// jsonLines are the kinds of tables of JSON lines.
var jsonLines = []kind{
	{"jsonl different params", traces, "«\n|{\"value\":1,\"params\":{\"p$\":\"$\"}}»\n"},
	{"jsonl many params", each, "«\n|{\"value\":1,\"params\":{«900,|\"$\":\"$\"»}}»\n"},
	{"jsonl a trace without params", each, "«\n|{\"value\":1,\"params\":{\"a\":\"$\"},\"trace\":\",b=$,\"}»\n"},
	{"jsonl members", whole, `{"value":1,«,|"$":1»}`},
	{"jsonl params of one row", whole, `{"value":1,"params":{"a":"b"«|,"$":1»}}`},
	{"jsonl nested arrays", whole, `{"value":1,"params":«|[»}`},
	{"jsonl one text", whole, `{"value":1,"commit":"«|\n\u00e9»"}`},
	{"jsonl faults", each, "«\n|{\"value\":»\n"},
}

// tables returns the kinds of tables with the separator, which is a semicolon here.
func tables(name, separator string) []kind {
	all := []kind{
		{"different params", each, "value;params\n«\n|1;{}»\n"},
		{"titles", whole, "value;params«;|$»\n"},
		{"cells", whole, "value;params\n1«;|$»\n"},
		{"one cell", whole, `value;params` + "\n" + `1;«|\t»` + "\n"},
		{"one object", whole, "value;params\n1;{«,|\"$\":1»}\n"},
		{"faults", each, "value;params\n«\n|x»\n"},
	}
	if separator == "," {
		all = append(all,
			kind{"many params", each, "value;params\n«\n|1;\"{«900,|\"\"$\"\":\"\"$\"\"»}\"»\n"},
			kind{"quotes without an end", whole, "value;params\n1;\"«\n|x»\n"},
			kind{"quotes", whole, "value;params\n1;\"«|\"\"»\"\n"},
		)
	}
	for i := range all {
		all[i].Name, all[i].text = name+" "+all[i].Name, strings.ReplaceAll(all[i].text, ";", separator)
	}
	return all
}
