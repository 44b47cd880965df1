package documents

import "strconv"

// keyval makes perf keyvals.
func keyval(g *generator, d *document) {
	shape := shape{g.Random}
	lineEnd := g.pick("\n", "\n", "\n", "\r\n", " \n")
	for i := 0; len(d.text) < g.size || len(d.text) == 0; i++ {
		if i > 0 {
			d.text = append(d.text, lineEnd...)
			for g.Chance(3) {
				d.text = append(d.text, lineEnd...)
			}
		}
		if g.Chance(5) {
			shape.random = g.Random // another test
		}
		g.iteration(d, shape.generator(g), lineEnd)
	}
	if g.Chance(10) {
		d.text = append(d.text, lineEnd...)
	}
}

// iteration appends an iteration, with the keys of the shape.
func (g *generator) iteration(d *document, shape *generator, lineEnd string) {
	for k := range shape.Below(3) {
		start := len(d.text)
		d.add(keyvalKey, shape.keyvalKey(k))
		d.add(keyvalTag, "{attr}")
		d.add(keyvalEqual, "=")
		d.add(keyvalAttr, g.pick("lumpy", "R99-14469.8.0", g.name(), "a=b", "a b", "", "{perf}=1", "é"))
		d.text = append(d.text, lineEnd...)
		d.mark(keyvalLine, start)
	}

	n := 1 + shape.Below(8)
	if g.Chance(5) {
		n = g.Below(n + 1) // an iteration that failed early
	}
	for k := range n {
		start := len(d.text)
		d.add(keyvalKey, shape.keyvalKey(10+k))
		d.add(keyvalTag, shape.pick("{perf}", "{perf}", "{perf}", ""))
		d.add(keyvalEqual, "=")
		d.add(keyvalNumber, g.keyvalNumber(shape))
		d.text = append(d.text, lineEnd...)
		d.mark(keyvalLine, start)
	}
}

// keyvalKey returns the i-th key of an iteration.
func (g *generator) keyvalKey(i int) string {
	return g.pick("ms_", "fps_", "bytes.", "watts-", "_", "0") + g.name() + strconv.Itoa(i)
}

// keyvalNumber returns a number, or a mean and deviation if the shape has them.
func (g *generator) keyvalNumber(shape *generator) string {
	switch {
	case shape.Chance(15):
		return g.pick(string(g.integer(5)), "1.5", "0.25", "3.") + "+-" + g.pick(string(g.integer(2)), "0", "0.125")
	case g.Chance(g.odd):
		return g.pick("inf", "-Infinity", "NaN", "nan", "+1.5", ".5", "5.", "1E5", "1e-400", " 1 ", "007", "-0", "\t1")
	}
	return string(g.number())
}
