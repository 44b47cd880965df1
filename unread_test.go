package perfdata_test

import (
	"errors"
	"strings"
	"testing"

	"perfdata"
	"perfdata/format"
)

// What other programs write is named, with what to do, and taken for no format.
func TestUnread(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{
			"Google Benchmark CSV", "name,iterations,real_time,cpu_time,time_unit,bytes_per_second\n\"BM_A\",1,2,3,ns,\n",
			"the CSV of Google Benchmark: want its JSON, with the option --benchmark_format=json",
		},
		{
			"Google Benchmark", "Benchmark     Time     CPU   Iterations\n--------------\nBM_A    1 ns    1 ns    3\n",
			"the output of Google Benchmark: want its JSON, with the option --benchmark_format=json",
		},
		{
			"BenchmarkDotNet CSV", "Method;Job;AnalyzeLaunchVariance;Mean;Error\nSum;Job-ABC;False;1,5 ns;0,1 ns\n",
			"the CSV of BenchmarkDotNet: want its JSON, with the option --exporters json",
		},
		{
			"hyperfine CSV", "command,mean,stddev,median,user,system,min,max\ntrue,1,,1,0,0,1,1\n",
			"the CSV of hyperfine: want its JSON, with the option --export-json",
		},
		{
			"hyperfine Markdown", "| Command | Mean [ms] | Min [ms] |\n|:---|---:|---:|\n",
			"the Markdown of hyperfine: want its JSON, with the option --export-json",
		},
		{
			"hyperfine", "Benchmark 1: true\n  Time (mean ± σ):  1 ms ± 0 ms\n  Range (min … max):  1 ms … 2 ms\n",
			"the output of hyperfine: want its JSON, with the option --export-json",
		},
		{
			"JMH", "Benchmark      Mode  Cnt  Score   Error  Units\nA.b  thrpt    5  1.5 ± 0.1  ops/s\n",
			"the output of JMH: want its JSON, with the option -rf json",
		},
		{
			"libtest", "running 1 test\ntest a::b ... bench:       3,161 ns/iter (+/- 975)\n",
			"the output of Rust's libtest, which is not read",
		},
		{
			"Criterion.rs", "fib 20                  time:   [26.029 us 26.251 us 26.505 us]\n",
			"the output of Criterion.rs: want its folder target/criterion, or what " +
				"cargo criterion --message-format=json writes",
		},
		{"Benchmark.js", "fib(10) x 1,431,759 ops/sec ±0.74% (93 runs sampled)\n", "the output of Benchmark.js, which is not read"},
		{
			"Perfherder", `{"framework":{"name":"talos"},"suites":[{"name":"a","subtests":[]}]}`,
			"Perfherder data, which is not read",
		},
		{
			"sample.json of Criterion.rs", `{"sampling_mode":"Linear","iters":[1,2],"times":[3,4]}`,
			"a part of a result of Criterion.rs: want the folder target/criterion that it is in",
		},
		{
			"benchmark.json of Criterion.rs", `{"group_id":"g","function_id":null,"full_id":"g","directory_name":"g"}`,
			"a part of a result of Criterion.rs: want the folder target/criterion that it is in",
		},
		{
			"estimates.json of Criterion.rs", `{"mean":{"confidence_interval":{},"point_estimate":1.5,"standard_error":0}}`,
			"a part of a result of Criterion.rs: want the folder target/criterion that it is in",
		},
		{
			"a commit of asv", `{"commit_hash":"abc","env_name":"py","result_columns":["result"],"results":{"a":[[1]]},"version":2}`,
			"the results of one commit of asv: want the folder results that it is in, with benchmarks.json",
		},
		{
			"nanobench", `{"results":[{"title":"t","name":"a","unit":"op","batch":1,"epochs":11}]}`,
			"the JSON of nanobench, which is not read",
		},
		{
			"an old Vitest", `{"numTotalTestSuites":1,"numTotalTests":1,"testResults":{"":[{"name":"top","hz":1}]}}`,
			"the JSON of Vitest before version 1, which is not read",
		},
		{"a list of Google Benchmark", `{"benchmarks":[{"name":"BM_A"}]}`, "a list of benchmarks, without results"},
		{
			"another object", `{"a":{"b":{"value":"x"}}}`,
			"unknown format: a JSON object without any known member, such as version, gitHash or resources",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := perfdata.NewReader(strings.NewReader(test.in), "x")
			if want := "x:1:1: " + test.want; !errors.Is(err, format.ErrUnknown) || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}
