package documents

// benchmarktools makes results of BenchmarkTools.jl. The table of the format does not say what a document is: an
// object is an array of its type and its members.
func benchmarktools(g *generator, d *document) {
	group := func(value func() any) object {
		o := object{}
		for left := g.size; left > 0 || len(o) == 0; {
			v := value()
			o = append(o, member{g.unique(len(o)), v})
			left -= size(v)
		}
		return o
	}
	settings := func() object { return object{{"evals", g.number()}, {"seconds", g.number()}} }
	parameters := func() any { return array{"Parameters", set(settings())} }
	trial := func() any {
		return array{"Trial", set{
			{"allocs", g.number()}, {"memory", g.number()}, {"times", array{g.number(), g.number()}},
			{"gctimes", array{g.number(), g.number()}}, {"params", array{"Parameters", settings()}},
		}}
	}
	estimates := func() any {
		estimate := set{{"time", g.number()}, {"gctime", g.number()}, {"memory", g.number()}, {"allocs", g.number()}}
		return array{"BenchmarkGroup", set{{"data", object{{"a", array{"TrialEstimate", estimate}}}}}}
	}

	versions := set{{"Julia", "1.7"}, {"BenchmarkTools", "1.0"}}
	switch g.Below(3) {
	case 0:
		members := set{{"data", group(trial)}, {"tags", array{"a"}}}
		g.json(d, array{versions, array{array{"BenchmarkGroup", members}}})
	case 1:
		g.json(d, array{"BenchmarkTools.BenchmarkGroup", set{{"tags", array{}}, {"data", group(estimates)}}})
	case 2:
		g.json(d, array{versions, array{array{"BenchmarkGroup", set{{"data", group(parameters)}}}}})
	}
}
