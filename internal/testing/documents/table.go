package documents

import (
	"encoding/json"
	"strings"
)

// tableOf makes tables whose cells are separated by the text, or JSON lines if it is empty.
func tableOf(separator string) func(g *generator, d *document) {
	return func(g *generator, d *document) {
		titles := []string{
			"id", "trace", "n", "value", "commit", "unit", "better", "params", "attrs", "links", "size", "param:unit",
		}
		if separator != "" {
			d.text = append(d.text, strings.Join(titles, separator)+"\n"...)
		}
		style := style{comma: g.pick(",", ", "), colon: g.pick(":", " : "), escapes: g.Below(3)}
		shapes := g.shapes(1 + g.Below(3))
		for rows := 0; rows == 0 || len(d.text) < g.size; rows++ {
			shape := shapes[g.Below(len(shapes))].generator(g)
			pairs := func(percent int) object {
				o := object{}

				for i := 0; i < 4 && shape.Chance(percent); i++ {
					o = append(o, member{shape.unique(i), g.string()})
				}
				return o
			}
			row := object{
				{"id", g.string()}, {"trace", literal("null")}, {"n", g.integer(3) + "1"}, {"value", g.number()},
				{"commit", shape.hash()}, {"unit", g.string()}, {"better", shape.pick("lower", "higher")},
				{"params", append(pairs(70), member{"name", g.name()})}, {"attrs", pairs(40)}, {"links", pairs(20)},
				{"size", g.integer(2)}, {"param:unit", g.string()},
			}

			if separator == "" {
				r := renderer{document: d, generator: g, style: style}
				r.value(g.shuffled(row))
			} else {
				g.row(d, row, separator)
			}
			d.text = append(d.text, g.pick("\n", "\n", "\r\n")...)
		}
	}
}

// row appends a row of cells.
func (g *generator) row(d *document, row object, separator string) {
	escape := strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`, `\`, `\\`).Replace
	if separator == "," {
		escape = func(s string) string {
			if strings.ContainsAny(s, ",\"\r\n") || g.Chance(20) {
				return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
			}
			return s
		}
	}

	for i, m := range row {
		if i > 0 {
			d.add(tableSeparator, separator)
		}
		switch v := m.value.(type) {
		case literal:
			if v == "null" {
				v = ""
			}
			start := len(d.text)
			if d.text = append(d.text, v...); m.name == "value" {
				d.mark(tableNumber, start)
			}
		case string:
			d.text = append(d.text, escape(v)...)
		case object:
			pairs := map[string]string{}
			for _, p := range v {
				pairs[p.name], _ = p.value.(string)
			}
			text, _ := json.Marshal(pairs) // strings only
			d.add(tableMap, escape(string(text)))
		}
	}
}

// tableFaults are the faults in tables of cells.
var tableFaults = []fault{
	{"byte order mark of UTF-16", onlyDocument, insert(0, byteOrderMark)},
	{"malformed number", []kind{tableNumber}, become(malformed...)},
	{"number out of range", []kind{tableNumber}, become(outOfRange...)},
	{"missing number", []kind{tableNumber}, become("")},
	{"missing separator", []kind{tableSeparator}, become("")},
	{"two separators", []kind{tableSeparator}, twice("")},
	{"malformed map", []kind{tableMap}, become("[]", "{", "1", "null", "x")},
	{"text after a map", []kind{tableMap}, insert(-1, "x", "{}")},
	{"invalid UTF-8", []kind{tableMap}, notUTF8},
}
