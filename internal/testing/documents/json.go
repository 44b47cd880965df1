package documents

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"perfdata/internal/testing/plausible"
)

// The values of a JSON document are objects, sets, arrays, strings, and literals: numbers, true,
// false and null as they are spelled. A set is an object whose members have no order: in another
// order, they have the same meaning.
type (
	object  []member
	set     object
	array   []any
	literal string

	member struct {
		name  string
		value any
	}
)

// A style is how a JSON document is spelled.
type style struct {
	newline string // empty: everything is on one line
	indent  string
	comma   string
	colon   string
	ragged  int // percentage of the places for white space that have some of any kind
	escapes int // of strings: fewEscapes and so on
}

// What is escaped in strings.
const (
	fewEscapes  = iota // only what must be escaped
	asciiOnly          // also everything that is not ASCII, as Python does
	manyEscapes        // one character in four
)

// style returns a style that a program or a person may use.
func (g *generator) style() style {
	styles := []style{
		{comma: ",", colon: ":"},
		{newline: "\n", indent: "  ", comma: ",", colon: ": "},
		{comma: ", ", colon: ": ", escapes: asciiOnly},
		{newline: "\n", indent: "    ", comma: ",", colon: ": ", escapes: asciiOnly},
		{newline: "\r\n", indent: "\t", comma: ",", colon: " : ", escapes: manyEscapes},
		{comma: ",", colon: ":", ragged: 10, escapes: manyEscapes},
		{newline: "\n", comma: ",", colon: ":", ragged: 60},
	}
	// Half of all documents have one of the two styles that most programs use.
	return styles[min(g.Below(len(styles)), g.Below(2*len(styles)))]
}

// renderer writes a JSON document, and marks its parts.
type renderer struct {
	*document
	*generator
	style style
	depth int
}

// json appends a JSON document.
func (g *generator) json(d *document, v any) {
	r := renderer{document: d, generator: g, style: g.style()}
	if g.reorder != nil {
		v = g.reordered(v)
	}
	r.value(v)
	if g.Chance(50) {
		r.text = append(r.text, '\n')
	}
}

func (r *renderer) value(v any) {
	start := len(r.text)
	switch v := v.(type) {
	case set:
		r.value(object(v))
	case object:
		r.list('{', '}', len(v), func(i int) {
			start := len(r.text)
			r.string(v[i].name)
			r.mark(jsonName, start)
			r.space()
			r.add(jsonColon, r.style.colon)
			r.space()
			r.value(v[i].value)
			r.mark(jsonMember, start)
		})
		r.mark(jsonObject, start)
	case array:
		r.list('[', ']', len(v), func(i int) {
			start := len(r.text)
			r.value(v[i])
			r.mark(jsonElement, start)
		})
		r.mark(jsonArray, start)
	case literal:
		r.add(jsonLiteral, string(v))
	case string:
		r.string(v)
		r.mark(jsonString, start)
	}
}

// list writes the n items of an object or array.
func (r *renderer) list(open, end byte, n int, item func(int)) {
	r.text = append(r.text, open)
	r.depth++
	for i := range n {
		start := len(r.text)
		if i > 0 {
			r.add(jsonComma, r.style.comma)
		}
		r.line()
		item(i)
		if i > 0 && open == '{' {
			r.mark(jsonRemovable, start)
		}
		r.space()
	}
	r.depth--
	if n > 0 {
		r.line()
	}
	r.text = append(r.text, end)
}

// line begins a line, if the style has lines.
func (r *renderer) line() {
	r.text = append(r.text, r.style.newline...)
	for range r.depth {
		r.text = append(r.text, r.style.indent...)
	}
	r.space()
}

// space writes white space of any kind, in the styles that have it.
func (r *renderer) space() {
	if r.style.ragged > 0 && r.Chance(r.style.ragged) {
		r.text = append(r.text, r.pick(" ", "  ", "\t", "\n", "\r\n", "\n\n\t ", "\r")...)
	}
}

func (r *renderer) string(s string) {
	r.text = append(r.text, '"')
	for _, c := range s {
		many := r.style.escapes == manyEscapes && r.Chance(25)
		isEscaped, short := c < ' ' || c == '"' || c == '\\' || many, -1
		if isEscaped {
			short = strings.IndexRune("\"\\/\b\f\n\r\t", c)
		}
		switch {
		case short >= 0 && !(many && r.Chance(50)):
			r.text = append(r.text, '\\', `"\/bfnrt`[short])
		case isEscaped || r.style.escapes == asciiOnly && c >= utf8.RuneSelf:
			format := r.pick(`\u%04x`, `\u%04X`)
			if high, low := utf16.EncodeRune(c); high != utf8.RuneError {
				r.text = fmt.Appendf(r.text, format, high)
				c = low
			}
			r.text = fmt.Appendf(r.text, format, c)
		default:
			r.text = utf8.AppendRune(r.text, c)
		}
	}
	r.text = append(r.text, '"')
}

// size returns about how many bytes a value takes in a document.
func size(v any) int {
	n := 2
	switch v := v.(type) {
	case set:
		return size(object(v))
	case object:
		for _, m := range v {
			n += len(m.name) + 4 + size(m.value)
		}
	case array:
		for _, item := range v {
			n += 1 + size(item)
		}
	case literal:
		n = len(v)
	case string:
		n += len(v)
	}
	return n
}

// reordered returns a value with the members of its sets in another order.
func (g *generator) reordered(v any) any {
	switch v := v.(type) {
	case set:
		g.reorder(v)
		return g.reordered(object(v))
	case object:
		for i := range v {
			v[i].value = g.reordered(v[i].value)
		}
	case array:
		for i := range v {
			v[i] = g.reordered(v[i])
		}
	}
	return v
}

// shuffled returns the members in the usual order, half of the time, or else in any order.
func (g *generator) shuffled(o object) object {
	if !g.Chance(50) {
		shuffle(&g.Random, o)
	}
	return o
}

func shuffle[T any](r *plausible.Random, items []T) {
	for i := len(items) - 1; i > 0; i-- {
		k := r.Below(i + 1)
		items[i], items[k] = items[k], items[i]
	}
}

// anything returns a value of any type, not deeper than depth.
func (g *generator) anything(depth int) any {
	n := 6
	if depth > 0 {
		n = 8
	}

	switch g.Below(n) {
	case 0:
		return literal(g.pick("null", "true", "false"))
	case 1, 2:
		return g.number()
	case 6:
		return times[object](g.Below(4), func(i int) member { return member{g.key(i), g.anything(depth - 1)} })
	case 7:
		return times[array](g.Below(5), func(int) any { return g.anything(depth - 1) })
	}
	return g.string()
}

// strings returns a set of up to n strings.
func (g *generator) strings(n int) set {
	return set(g.shuffled(times[object](g.Below(n+1), func(i int) member { return member{g.key(i), g.string()} })))
}
