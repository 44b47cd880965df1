package documents

import "slices"

// nanolegacy makes a file of the Skia Perf legacy format.
func nanolegacy(g *generator, d *document) {
	header := slices.Concat(
		g.maybe(90, member{"gitHash", g.hash()}),
		g.maybe(20, member{"issue", string(g.integer(7))}, member{"patchset", string(g.integer(2))}),
		g.maybe(20, member{"source", g.string()}, member{"patch_storage", "gerrit"}),
		g.maybe(80, member{"key", g.strings(8)}),
		g.maybe(50, member{"options", g.strings(4)}),
		g.maybe(10, member{"max_rss_mb", g.anything(3)}))

	tests := object{}
	shapes := g.shapes(1 + g.Below(4))
	for left := g.size - size(header); left > 0 || len(tests) == 0; {
		shape := shapes[min(g.Below(len(shapes)), g.Below(len(shapes)))].generator(g)
		test := g.legacyTest(shape)
		tests = append(tests, member{g.unique(len(tests)), test})
		left -= size(tests[len(tests)-1].value) + 30
	}
	g.json(d, set(g.shuffled(append(header, member{"results", tests}))))
}

// legacyTest returns the configurations of a test.
func (g *generator) legacyTest(shape *generator) object {
	test := object{}
	for _, config := range []string{"8888", "gpu", "nonrendering"}[:shape.Below(4)] {
		result := object{}
		for k := range shape.Below(4) {
			name := []string{"min_ms", "median_ms", "bytes"}[k]
			if shape.Chance(shape.odd) {
				name = shape.unique(k)
			}
			result = append(result, member{name, g.number()})
		}

		if shape.Chance(60) {
			options := times[set](shape.Below(4), func(k int) member {
				name := shape.pick("", "GL_") + shape.key(k)
				if g.Chance(10) {
					return member{name, g.anything(2)}
				}
				return member{name, g.string()}
			})
			result = append(result, member{"options", options})
		}

		if shape.Chance(25) {
			samples := times[array](g.Below(12), func(int) any { return g.number() })
			result = append(result, member{"samples", samples})
		}
		test = append(test, member{config, shape.shuffled(result)})
	}
	return test
}
