package perfdatatest

import "slices"

// googlebench makes a file of Google Benchmark.
func googlebench(g *generator, d *document) {
	context := object{{"date", "2026-11-22T11:05:54+00:00"}, {"num_cpus", g.integer(2)}, {"load_avg", array{g.number(), g.number()}}}
	for i := range g.Below(5) {
		context = append(context, member{g.key(i), g.anything(2)})
	}
	rows := g.rows(size(context), func(shape *generator, i int) object {
		name := g.unique(i)
		if shape.Chance(30) {
			name += "/n:" + string(g.integer(3))
		}
		row := slices.Concat(object{{"name", name}},
			shape.maybe(80, member{"run_name", name}, member{"run_type", "iteration"}),
			shape.maybe(80, member{"repetitions", literal("1")}, member{"repetition_index", literal("0")}, member{"threads", g.integer(1)}),
			object{{"iterations", g.integer(8)}, {"real_time", g.number()}, {"cpu_time", g.number()}},
			shape.maybe(90, member{"time_unit", shape.pick("ns", "us", "ms", "s")}),
			shape.maybe(20, member{"bytes_per_second", g.number()}),
			shape.maybe(10, member{"label", g.string()}))
		for k := range shape.Below(3) {
			row = append(row, member{"counter_" + shape.key(k), g.number()})
		}
		return shape.shuffled(row)
	})
	g.json(d, g.shuffled(object{{"context", g.shuffled(context)}, {"benchmarks", rows}}))
}

// hyperfine makes a file of hyperfine, with one run of each command.
func hyperfine(g *generator, d *document) {
	rows := g.rows(0, func(shape *generator, i int) object {
		time := g.number()
		row := slices.Concat(
			object{{"command", g.unique(i)}, {"mean", time}, {"stddev", literal("null")}, {"median", time}},
			object{{"user", g.number()}, {"system", g.number()}, {"min", time}, {"max", time}, {"times", array{time}}},
			shape.maybe(30, member{"memory_usage_byte", array{g.integer(9)}}),
			shape.maybe(80, member{"exit_codes", array{literal("0")}}))
		if shape.Chance(30) {
			parameters := object{}
			for k := range 1 + shape.Below(3) {
				parameters = append(parameters, member{"p" + shape.key(k), g.string()})
			}
			row = append(row, member{"parameters", parameters})
		}
		return shape.shuffled(row)
	})
	g.json(d, object{{"results", rows}})
}

// jmh makes a file of JMH, with one iteration of each benchmark.
func jmh(g *generator, d *document) {
	metric := func() object {
		score := g.number()
		return object{{"score", score}, {"scoreUnit", g.pick("ops/s", "ms/op", "MB/sec")},
			{"scorePercentiles", object{{"0.0", score}, {"100.0", score}}}, {"rawData", array{array{score}}}}
	}
	g.json(d, g.rows(0, func(shape *generator, i int) object {
		row := object{{"jmhVersion", "1.37"}, {"benchmark", g.unique(i)}, {"mode", shape.pick("thrpt", "avgt", "ss")},
			{"threads", literal("1")}, {"forks", literal("1")}, {"jdkVersion", shape.string()}}
		if shape.Chance(30) {
			params := object{}
			for k := range 1 + shape.Below(3) {
				params = append(params, member{"p" + shape.key(k), g.string()})
			}
			row = append(row, member{"params", params})
		}
		secondary := object{}
		for k := range shape.Below(3) {
			secondary = append(secondary, member{shape.unique(k), metric()})
		}
		return shape.shuffled(append(row, member{"primaryMetric", metric()}, member{"secondaryMetrics", secondary}))
	}))
}

// pytestbench makes a file of pytest-benchmark, with a few rounds of each benchmark.
func pytestbench(g *generator, d *document) {
	machine := object{{"node", g.name()}, {"cpu", object{{"count", g.integer(2)}, {"brand", g.string()}}}}
	for i := range g.Below(4) {
		machine = append(machine, member{g.key(i), g.anything(2)})
	}

	commit := object{{"id", g.hash()}, {"time", "2026-11-22T11:06:07+00:00"}, {"dirty", literal("false")}, {"branch", g.string()}}
	rows := g.rows(size(machine), func(shape *generator, i int) object {
		name := g.unique(i)
		data := array{}
		for range g.Below(4) {
			data = append(data, g.number())
		}
		stats := slices.Concat(object{{"min", g.number()}, {"max", g.number()}, {"mean", g.number()}, {"rounds", g.integer(2)}},
			shape.maybe(80, member{"median", g.number()}, member{"outliers", "1;2"}),
			shape.maybe(50, member{"data", data}), shape.maybe(80, member{"iterations", g.integer(3)}))
		row := object{{"group", literal("null")}, {"name", name}, {"fullname", "tests/test_x.py::" + name}}
		if shape.Chance(40) {
			row = append(row, member{"params", object{{"p" + shape.key(0), g.number()}, {"q", object{{"x", g.string()}}}}},
				member{"param", g.string()})
		}
		row = slices.Concat(row, shape.maybe(50, member{"extra_info", g.strings(2)}),
			shape.maybe(50, member{"options", object{{"timer", "perf_counter"}, {"warmup", literal("false")}}}))
		return shape.shuffled(append(row, member{"stats", shape.shuffled(stats)}))
	})
	g.json(d, g.shuffled(object{{"machine_info", g.shuffled(machine)}, {"commit_info", commit}, {"benchmarks", rows},
		{"datetime", "2026-11-22T11:08:50.287254"}, {"version", "5.1.0"}}))
}

// vitest makes a file of Vitest.
func vitest(g *generator, d *document) {
	g.json(d, object{{"files", g.rows(0, func(shape *generator, i int) object {
		file := g.unique(i)
		groups := array{}
		for k := range 1 + shape.Below(3) {
			benchmarks := array{}
			for n := range 1 + shape.Below(3) {
				benchmarks = append(benchmarks, shape.shuffled(slices.Concat(
					object{{"id", string(g.integer(6))}, {"name", g.unique(n)}, {"rank", g.integer(1)}, {"samples", array{}}},
					object{{"min", g.number()}, {"max", g.number()}, {"hz", g.number()}, {"mean", g.number()}},
					shape.maybe(80, member{"p75", g.number()}, member{"p99", g.number()}, member{"median", g.number()}),
					shape.maybe(80, member{"sampleCount", g.integer(5)}))))
			}
			groups = append(groups, object{{"fullName", file + " > " + g.unique(k)}, {"benchmarks", benchmarks}})
		}
		return shape.shuffled(object{{"filepath", "/home/dev/" + file}, {"groups", groups}})
	})}})
}

// dotnetbench makes a file of BenchmarkDotNet.
func dotnetbench(g *generator, d *document) {
	host := object{{"BenchmarkDotNetVersion", "0.13.1"}, {"LogicalCoreCount", g.integer(2)}}
	for i := range g.Below(3) {
		host = append(host, member{g.key(i), g.anything(1)})
	}

	rows := g.rows(size(host), func(shape *generator, i int) object {
		method := g.unique(i)
		row := object{{"DisplayInfo", "Sort." + method + ": DefaultJob"}, {"Namespace", "Acme"}, {"Type", "Sort"}, {"Method", method},
			{"MethodTitle", method}, {"Parameters", shape.pick("", "n=5", "n=5&kind=a")}}
		values := array{}
		for range 1 + g.Below(4) {
			values = append(values, g.number())
		}
		row = append(row, member{"Statistics", slices.Concat(
			shape.maybe(70, member{"OriginalValues", values}), object{{"Min", g.number()}, {"Mean", g.number()}, {"Median", g.number()}},
			shape.maybe(50, member{"Percentiles", object{{"P0", g.number()}, {"P95", g.number()}}}))})
		if shape.Chance(50) {
			row = append(row, member{"Memory", object{{"Gen0Collections", literal("1")}, {"TotalOperations", literal("1024")},
				{"BytesAllocatedPerOperation", g.integer(6)}}})
		}
		if shape.Chance(50) {
			measurements := array{}
			for range 1 + g.Below(3) {
				measurements = append(measurements, object{{"IterationMode", "Workload"}, {"IterationStage", g.pick("Result", "Warmup")},
					{"LaunchIndex", literal("1")}, {"Operations", literal("4")}, {"Nanoseconds", g.integer(8)}})
			}
			row = append(row, member{"Measurements", measurements})
		}
		return shape.shuffled(row)
	})
	g.json(d, g.shuffled(object{{"Title", g.string()}, {"HostEnvironmentInfo", host}, {"Benchmarks", rows}}))
}

// histogramset makes a HistogramSet, whose first histograms are shared diagnostics.
func histogramset(g *generator, d *document) {
	shared := array{}
	for i := range 1 + g.Below(3) {
		shared = append(shared, object{{"type", "GenericSet"}, {"guid", string(g.integer(3)) + "-" + string(rune('a'+i))},
			{"values", array{g.string()}}})
	}
	rows := g.rows(size(shared), func(shape *generator, i int) object {
		samples := array{}
		for range 1 + g.Below(4) {
			samples = append(samples, g.number())
		}
		mean := g.number()
		guid := shared[shape.Below(len(shared))].(object)[1].value
		return shape.shuffled(slices.Concat(
			object{{"name", g.unique(i)}, {"unit", shape.pick("ms_smallerIsBetter", "count", "score+", "ms-")}},
			shape.maybe(70, member{"sampleValues", samples}),
			object{{"running", array{literal("1"), mean, literal("null"), mean, mean, mean, literal("0")}}},
			shape.maybe(80, member{"diagnostics", object{{"stories", guid},
				{"osNames", object{{"type", "GenericSet"}, {"values", array{g.string()}}}}}})))
	})
	g.json(d, slices.Concat(shared, rows))
}

// chartjson makes a results-chart.json.
func chartjson(g *generator, d *document) {
	charts := object{}
	for _, traces := range g.rows(0, func(shape *generator, _ int) object {
		traces := object{}
		for k := range 1 + shape.Below(3) {
			values := array{}
			for range 1 + g.Below(4) {
				values = append(values, g.number())
			}
			trace := object{{"type", "list_of_scalar_values"}, {"values", values}, {"std", g.number()}}
			if shape.Chance(30) {
				trace = object{{"type", "scalar"}, {"value", g.number()}}
			}
			trace = slices.Concat(trace, object{{"units", shape.pick("ms", "bytes", "runs/s")}},
				shape.maybe(60, member{"improvement_direction", shape.pick("up", "down")}),
				shape.maybe(30, member{"page_id", g.integer(3)}))
			traces = append(traces, member{g.unique(k), shape.shuffled(trace)})
		}
		return traces
	}) {
		charts = append(charts, member{g.unique(len(charts)), traces})
	}
	g.json(d, g.shuffled(object{{"format_version", "1.0"}, {"benchmark_name", g.string()}, {"charts", charts}}))
}

// ghbench makes a history of github-action-benchmark, as a script or as a JSON document.
func ghbench(g *generator, d *document) {
	entries := object{}
	suites := 1
	if g.size > 1000 {
		suites += g.Below(2)
	}
	for i := range suites {
		entries = append(entries, member{g.unique(i), g.rows(g.size-g.size/suites, func(shape *generator, _ int) object {
			tool := shape.pick("go", "cargo", "pytest", "googlecpp", "julia", "customSmallerIsBetter")
			benches := array{}
			for k := range 1 + shape.Below(4) {
				benches = append(benches, shape.shuffled(g.bench(shape, tool, k)))
			}
			commit := slices.Concat(object{{"id", g.hash()}, {"message", g.string()}, {"url", g.url()}},
				shape.maybe(80, member{"timestamp", "2026-11-22T11:06:07+01:00"}, member{"author", object{{"name", "dev"}}}))
			return shape.shuffled(object{
				{"commit", shape.shuffled(commit)}, {"date", g.integer(13)}, {"tool", tool}, {"benches", benches},
			})
		})})
	}

	script := g.Chance(50)
	if script {
		d.text = append(d.text, "window.BENCHMARK_DATA = "...)
	}
	g.json(d, g.shuffled(object{{"lastUpdate", g.integer(13)}, {"repoUrl", g.url()}, {"entries", entries}}))
	if script && g.Chance(30) {
		d.text = append(d.text, ';')
	}
}

// bench returns the k-th bench of an entry.
func (g *generator) bench(shape *generator, tool string, k int) object {
	value, unit := any(g.number()), shape.pick("ns/op", "ns/iter", "iter/sec", "ms", "ops")
	if shape.Chance(10) {
		value = string(g.number())
	}
	if tool == "go" && shape.Chance(50) {
		unit += "\t " + string(g.integer(4)) + " B/op\t " + string(g.integer(2)) + " allocs/op"
	}

	extra := ""
	for i := range shape.Below(4) {
		extra += shape.key(i) + ": " + g.string() + "\n"
	}
	if shape.Chance(20) {
		extra += g.string()
	}
	return slices.Concat(object{{"name", g.unique(k)}, {"value", value}, {"unit", unit}},
		shape.maybe(50, member{"range", "± " + string(g.number())}), shape.maybe(80, member{"extra", extra}))
}

// criterion makes messages of cargo-criterion.
func criterion(g *generator, d *document) {
	for i, message := range g.rows(0, func(shape *generator, i int) object {
		times, counts := array{}, array{}
		if shape.Chance(80) {
			for range 1 + g.Below(6) {
				times, counts = append(times, g.number()), append(counts, "1"+g.integer(4))
			}
		}

		row := slices.Concat(object{{"reason", "benchmark-complete"}, {"id", g.unique(i)}, {"report_directory", g.string()}},
			object{{"iteration_count", counts}, {"measured_values", times}, {"unit", "ns"}},
			shape.maybe(50, member{"throughput", array{
				object{{"per_iteration", g.integer(5)}, {"unit", shape.pick("bytes", "elements")}},
			}}))
		for _, stat := range []string{"typical", "mean", "median"} {
			row = append(row, member{stat, object{{"estimate", g.number()}, {"lower_bound", g.number()}, {"unit", "ns"}}})
		}
		row = slices.Concat(row, shape.maybe(50, member{"slope", object{{"estimate", g.number()}, {"unit", "ns"}}}),
			shape.maybe(80, member{"change", literal("null")}))
		return shape.shuffled(row)
	}) {
		if i > 0 {
			d.text = append(d.text, '\n')
		}
		g.json(d, message)
		if g.Chance(10) {
			d.text = append(d.text, '\n')
			g.json(d, object{{"reason", "group-complete"}, {"group_name", g.string()}, {"benchmarks", array{g.string()}}})
		}
	}
}

// rows returns an array of results of a few shapes, for a document whose other members take the
// bytes.
func (g *generator) rows(bytes int, row func(shape *generator, i int) object) array {
	rows := array{}
	shapes := g.shapes(1 + g.Below(4))
	for left := g.size - bytes; left > 0 || len(rows) == 0; {
		shape := shapes[min(g.Below(len(shapes)), g.Below(len(shapes)))]
		rows = append(rows, row(shape.generator(g), len(rows)))
		left -= size(rows[len(rows)-1])
	}
	return rows
}
