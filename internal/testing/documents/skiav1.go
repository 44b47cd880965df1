package documents

import "slices"

// skiav1 makes a file of the Skia Perf format, version 1.
func skiav1(g *generator, d *document) {
	header := object{
		{"version", literal("1")},
		{"git_hash", g.pick(g.hash(), g.hash(), "CP:"+string(g.integer(6)))},
	}
	header = slices.Concat(header,
		g.maybe(25, member{"issue", string(g.integer(7))}, member{"patchset", string(g.integer(2))}),
		g.maybe(80, member{"key", g.strings(8)}),
		g.maybe(40, member{"links", g.links(g)}))

	results := array{}
	shapes := g.shapes(1 + g.Below(4))
	for left := g.size - size(header); left > 0 || len(results) == 0; {
		shape := shapes[min(g.Below(len(shapes)), g.Below(len(shapes)))].generator(g)
		results = append(results, g.skiav1Result(shape, len(results)))
		left -= size(results[len(results)-1])
	}
	g.json(d, set(g.shuffled(append(header, member{"results", results}))))
}

// skiav1Result returns the i-th result. It has the structure of the shape.
func (g *generator) skiav1Result(shape *generator, i int) set {
	key := object{{"test", g.unique(i)}}
	for k := range shape.Below(5) {
		key = append(key, member{shape.key(k), g.string()})
	}
	if shape.Chance(40) {
		key = append(key, member{"units", []string{"ms", "bytes", "1/s", ""}[g.Below(4)]})
	}
	if shape.Chance(20) {
		key = append(key, member{"improvement_direction", []string{"up", "down", "sideways"}[g.Below(3)]})
	}
	result := object{{"key", set(shape.shuffled(key))}}
	if shape.Chance(40) {
		return set(shape.shuffled(append(result, member{"measurement", g.number()})))
	}

	groups := object{}
	for k := range 1 + shape.Below(3) {
		groups = append(groups, member{[]string{"stat", "config", "memory"}[k], g.singles(shape)})
	}
	if shape.Chance(5) {
		groups = append(groups, member{"nothing", array{}})
	}
	return set(shape.shuffled(append(result, member{"measurements", groups})))
}

// singles returns single measurements in a group.
func (g *generator) singles(shape *generator) array {
	singles := array{}
	for k := range 1 + shape.Below(5) {
		value := []string{"min", "max", "mean", "std_dev", "count"}[k]
		if g.Chance(g.odd) {
			value = g.unique(k)
		}
		single := object{{"value", value}, {"measurement", g.number()}}
		if shape.Chance(15) {
			single = append(single, member{"links", g.links(shape)})
		}
		singles = append(singles, set(shape.shuffled(single)))
	}
	return singles
}

// links returns links. The shape chooses their names.
func (g *generator) links(shape *generator) set {
	return times[set](shape.Below(4), func(i int) member {
		return member{shape.key(i), "https://ci.example.com/" + g.name() + "/" + string(g.integer(6))}
	})
}
