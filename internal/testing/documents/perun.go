package documents

import (
	"slices"
	"strconv"
)

// perun makes a profile of Perun, in one of its layouts.
func perun(g *generator, d *document) {
	tools := func() array { return times[array](g.Below(3), func(int) any { return g.tool() }) }
	profile := slices.Concat(
		g.maybe(70, member{"origin", g.hash()}),
		object{{"header", g.perunHeader()}, {"collector_info", g.tool()}, {"postprocessors", tools()}},
		g.maybe(20, member{"chunks", g.anything(2)}),
		g.maybe(20, member{"machine", object(g.strings(3))}))

	layouts := []func(*generator) object{(*generator).types, (*generator).snapshots, (*generator).global}
	profile = append(profile, layouts[min(g.Below(len(layouts)), g.Below(len(layouts)+1))](g)...)
	g.json(d, set(g.shuffled(profile)))
}

func (g *generator) perunHeader() set {
	units := set{}
	for _, name := range []string{"mixed(time delta)", "memory", "time"} {
		if g.Chance(50) {
			units = append(units, member{name, g.pick("us", "B", "ms")})
		}
	}
	header := object{
		{"type", g.pick("time", "memory", "mixed")},
		{"units", units},
		{"cmd", g.pick("./sll", "", g.string())},
		{"workload", g.pick("input.txt", "", g.string())},
	}
	return set(g.shuffled(append(header, g.maybe(70, member{"args", g.pick("", "-O2 -g", g.string())})...)))
}

// tool returns a collector or postprocessor.
func (g *generator) tool() set {
	return set(g.shuffled(object{{"name", "trace" + g.pick("", g.name())}, {"params", g.anything(3)}}))
}

// types returns the members of the layout that Perun writes.
func (g *generator) types() object {
	resources, entries := object{}, object{}
	shapes := g.shapes(1 + g.Below(3))
	for left := g.size - 300; left > 0 || len(entries) == 0; {
		shape := shapes[g.Below(len(shapes))].generator(g)
		name := g.unique(len(entries))
		columns := object{}
		rows := 1 + g.Below(1+g.Below(1+max(left, 0)/20))
		for _, field := range []string{"amount", "structure-unit-size", "address", "timestamp", "exclusive"} {
			if field == "amount" || shape.Chance(30) {
				columns = append(columns, member{field, g.column(rows)})
			}
		}
		resources = append(resources, member{name, set(shape.shuffled(columns))})

		fields := g.persistent(shape)
		fields = append(fields, shape.maybe(60, member{"snapshot", literal(strconv.Itoa(g.Below(20)))})...)
		fields = append(fields, shape.maybe(60, member{"time", "0.5s"})...)
		entries = append(entries, member{name, set(shape.shuffled(fields))})
		left -= size(columns) + size(fields) + 60
	}
	return append(object{{"resources", resources}, {"resource_type_map", set(g.shuffled(entries))}},
		g.maybe(80, member{"models", g.models()})...)
}

// column returns an array of numbers.
func (g *generator) column(rows int) array {
	integers := g.Chance(50)
	return times[array](rows, func(int) any {
		if number := g.number(); !integers {
			return number
		}
		return g.integer(10)
	})
}

// snapshots returns the member of the layout of the specification.
func (g *generator) snapshots() object {
	snapshots := array{}
	for left := g.size - 300; left > 0 || len(snapshots) == 0; {
		s := g.snapshot(min(left, 100+g.Below(2000)))
		left -= size(s)
		snapshots = append(snapshots, s)
	}
	return object{{"snapshots", snapshots}}
}

// snapshot returns a snapshot of about n bytes.
func (g *generator) snapshot(n int) set {
	resources := array{}
	shapes := g.shapes(1 + g.Below(2))
	for left := n; left > 0 || len(resources) == 0; {
		shape := shapes[g.Below(len(shapes))].generator(g)
		resource := append(object{{"amount", g.integer(6)}}, g.persistent(shape)...)
		resource = append(resource, shape.maybe(50, member{"address", g.integer(10)})...)
		resource = append(resource, shape.maybe(10, member{shape.key(0), g.anything(3)})...)
		resources = append(resources, set(shape.shuffled(resource)))
		left -= size(resource)
	}
	s := object{{"time", "0.025000"}, {"resources", resources}}
	return set(g.shuffled(append(s, g.maybe(50, member{"models", g.models()})...)))
}

// global returns a profile with the region global.
func (g *generator) global() object {
	s := g.snapshot(g.size - 300)
	if g.Chance(50) {
		return object{{"global", s}}
	}
	i := slices.IndexFunc(s, func(m member) bool { return m.name == "resources" })
	return object{{"global", s[i].value}}
}

// persistent returns the fields of a resource that do not vary.
func (g *generator) persistent(shape *generator) object {
	fields := object{{"type", shape.pick("mixed", "memory", "time")}}
	if shape.Chance(50) {
		fields = append(fields, member{"uid", g.string()})
	} else {
		fields = append(fields, member{"uid", g.frame()})
	}
	fields = append(fields, shape.maybe(70, member{"subtype", shape.pick("time delta", "malloc", "free")})...)
	if shape.Chance(40) {
		trace := times[array](g.Below(5), func(int) any { return object(g.frame()) })
		fields = append(fields, member{"trace", trace})
	}
	return fields
}

// frame returns a frame of a trace.
func (g *generator) frame() set {
	return set{{"source", "../src/" + g.string()}, {"function", g.string()}, {"line", g.integer(4)}}
}

func (g *generator) models() array {
	coefficient := func(i int) any { return object{{"name", "b" + strconv.Itoa(i)}, {"value", g.number()}} }
	return times[array](g.Below(4), func(int) any {
		coefficients := times[array](1+g.Below(3), coefficient)
		return g.shuffled(object{
			{"uid", g.string()},
			{"model", g.pick("constant", "linear", "logarithmic", "quadratic", "power", "exponential", "regressogram")},
			{"r_square", g.number()},
			{"coeffs", coefficients},
			{"x_start", literal("0")},
			{"x_end", g.integer(5)},
			{"method", "full"},
		})
	})
}
