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

// rows returns an array of results of a few shapes, for a document of which other members take the
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
