package hostile

import "strings"

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
