package documents

import (
	"strings"

	"perfdata/internal/jsontree"
	"perfdata/internal/rows"
	"perfdata/internal/testing/plausible"
)

// ofSpec returns what makes documents of a runner's format, by the tables of members of its Spec.
func ofSpec(spec *rows.Spec) func(g *generator, d *document) {
	return func(g *generator, d *document) {
		spec := spec
		if spec.Other != nil && g.Chance(50) {
			spec = spec.Other
		}

		switch {
		case len(spec.Sections) > 0:
			g.object(d, spec)
		case spec.Shape == rows.InLines:
			for i, row := range g.results(0, spec.Row) {
				if i > 0 {
					d.text = append(d.text, '\n')
				}
				g.json(d, row)
			}
		default:
			g.json(d, g.together(spec, 0))
		}
	}
}

// object makes a document that is an object, perhaps of a script.
func (g *generator) object(d *document, spec *rows.Spec) {
	var members object
	section := g.pick(spec.Sections...)
	for i, m := range spec.Head {
		if m.Type.Sample.Needed || g.Chance(80) {
			members = append(members, member{m.Name, g.of(g, m.Type, len(spec.Sections)+i)})
		}
	}

	members = append(members, member{section, g.together(spec, size(members))})

	script := spec.Variable != "" && g.Chance(50)
	if script {
		d.text = append(d.text, spec.Variable+" = "...)
	}
	g.json(d, set(g.shuffled(members)))
	if script && g.Chance(30) {
		d.text = append(d.text, ';')
	}
}

// together returns results in their shape, for a document whose other members take the bytes.
func (g *generator) together(spec *rows.Spec, bytes int) any {
	results := func(share int) array { return g.results(g.size-(g.size-bytes)/share, spec.Row) }
	switch spec.Shape {
	case rows.ByName:
		list := results(1)
		return times[object](len(list), func(i int) member { return member{g.unique(i), list[i]} })
	case rows.InGroups:
		n := 1
		if g.size > 1000 {
			n += g.Below(2)
		}
		return times[object](n, func(i int) member { return member{g.unique(i), results(n)} })
	}
	return results(1)
}

// results returns an array of results of a few shapes, for a document whose other members take the
// bytes.
func (g *generator) results(bytes int, t *jsontree.Type) array {
	rows := array{}
	shapes := g.shapes(1 + g.Below(4))
	for left := g.size - bytes; left > 0 || len(rows) == 0; {
		shape := shapes[min(g.Below(len(shapes)), g.Below(len(shapes)))].generator(g)
		g.length = 1 + g.Below(4)
		rows = append(rows, g.of(shape, t, len(rows)))
		left -= size(rows[len(rows)-1])
	}
	return rows
}

// of returns the i-th value of a type. The shape decides what several results have in common: which
// members they have, and in which order.
func (g *generator) of(shape *generator, t *jsontree.Type, i int) any {
	switch has := t.Kinds; {
	case has&jsontree.Packed != 0:
		return times[array](g.length, func(int) any { // as long as the others of the result
			if texts := t.Sample.Texts; len(texts) > 0 {
				return literal(g.pick(texts...))
			}
			return g.number()
		})
	case has&jsontree.Strings != 0 && has&jsontree.Objects == 0 &&
		(has&jsontree.Written != 0 || has&jsontree.Numbers == 0):
		return g.textOf(shape, t.Sample, i)
	case len(t.Sample.Texts) > 0:
		return literal(shape.pick(t.Sample.Texts...))
	case has&jsontree.Raw != 0:
		return g.anything(1)
	case has&jsontree.Numbers != 0:
		return g.number()
	case has&jsontree.Objects != 0:
		return g.objectOf(shape, t, i)
	case has&jsontree.Arrays != 0:
		return times[array](1+shape.Below(2), func(i int) any { return g.of(shape, t.Elements, i) })
	}
	return literal(g.pick("true", "false"))
}

// textOf is of for a text, or null.
func (g *generator) textOf(shape *generator, s jsontree.Sample, i int) any {
	text := g.string()
	switch {
	case len(s.Texts) > 0:
		text = shape.pick(s.Texts...)
		if text[0] != '"' {
			return literal(text)
		}
		text = text[1 : len(text)-1]
	case s.Unique:
		text = g.unique(i)
	}
	if s.Part != "" && shape.Chance(30) {
		for range 1 + shape.Below(3) {
			text += strings.ReplaceAll(s.Part, "$", plausible.Word(&shape.Random))
		}
	}
	return text
}

// objectOf is of for an object.
func (g *generator) objectOf(shape *generator, t *jsontree.Type, i int) any {
	members := object{}
	for _, m := range t.Members {
		if m.Type.Sample.Needed || shape.Chance(70) {
			members = append(members, member{m.Name, g.of(shape, m.Type, i)})
		}
	}
	if t.Others == nil {
		return set(shape.shuffled(members))
	}

	n := shape.Below(4)
	if t.Sample.Needed && len(t.Members) == 0 {
		n++
	}
	for i := range n {
		others := t.Others
		if others == t { // it nests, without an end
			others = jsontree.Text
		}
		members = append(members, member{shape.unique(i), g.of(shape, others, i)})
	}
	return shape.shuffled(members)
}
