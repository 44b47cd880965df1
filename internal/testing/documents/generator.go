package documents

import (
	"fmt"
	"strconv"

	"perfdata/internal/testing/plausible"
)

// A generator makes the choices of one document.
type generator struct {
	plausible.Random
	odd  int // percentage of texts and numbers that are unusual
	size int // of the document to make, in bytes

	length int // of the arrays of numbers of a runner's result

	reorder func(set) // changes the order of its members; nil to keep it
}

func newGenerator(seed uint64, size int) *generator {
	g := &generator{Random: plausible.Random(seed), size: size}
	g.odd = [...]int{0, 2, 10, 40}[g.Below(4)]
	return g
}

// pick returns one of the texts.
func (g *generator) pick(texts ...string) string { return plausible.Pick(&g.Random, texts) }

// maybe returns the members, in the given percentage of calls, or none.
func (g *generator) maybe(percent int, members ...member) object {
	if g.Chance(percent) {
		return members
	}
	return nil
}

// A shape is what several results of a document have in common.
type shape struct{ random plausible.Random }

// shapes returns n shapes.
func (g *generator) shapes(n int) []shape {
	return times[[]shape](n, func(int) shape { return shape{plausible.Random(g.Uint64())} })
}

// times returns n elements, which one makes in their order.
func times[S ~[]E, E any](n int, one func(i int) E) S {
	all := make(S, n)
	for i := range all {
		all[i] = one(i)
	}
	return all
}

// generator returns a generator that makes the same choices each time.
func (s shape) generator(g *generator) *generator {
	return &generator{Random: s.random, odd: g.odd, size: g.size}
}

// name returns a name such as tests and functions have.
func (g *generator) name() string { return string(plausible.AppendName(nil, &g.Random)) }

// key returns the i-th name of an object, which differs from the others.
func (g *generator) key(i int) string {
	if g.Chance(g.odd) {
		return g.oddText() + strconv.Itoa(i)
	}
	return plausible.Word(&g.Random) + "_" + strconv.Itoa(i)
}

// string returns a text.
func (g *generator) string() string {
	if g.Chance(g.odd) {
		return g.oddText()
	}
	return g.name()
}

// unique returns the i-th text, which differs from the others, in canonical trace IDs too.
func (g *generator) unique(i int) string { return fmt.Sprintf("%s_%d", g.string(), i) }

// oddText returns a text that a parser may fail to read, or to write.
func (g *generator) oddText() string {
	switch g.Below(3) {
	case 0:
		return g.pick("", " ", "a b", " a ", "a,b", "a=b", "a;b", "a:b", "a/b", "<&>", "%s", "$1", "null", "0", "NaN", "_")
	case 1:
		return g.pick("é", "日本語", "😀", "\u0301a", "\u2028", "\ufeff", "\ufffd", "\U0010ffff", "ß\u00a0", "\u007f")
	}
	text := []rune(g.name())
	for range 1 + g.Below(3) {
		text[g.Below(len(text))] = plausible.Pick(&g.Random, []rune("\"\\/\b\f\n\r\t\x00\x1f'{}[]:,#é😀"))
	}
	return string(text)
}

// number returns a number within the range of a float32.
func (g *generator) number() literal {
	if g.Chance(g.odd) {
		return literal(g.pick("0", "-0", "0.0", "-0.0e-0", "1E+2", "1e-7", "1.50", "-1", "3.4e38", "-3.4E+38", "1e-300",
			"5e-324", "1e-400", "0.1000000000000000055511151231257827", "123456789012345678901234567890", "9007199254740993",
			"1.7976931348623157e-308", "0.00000000000000000000000000000000000000000000000000001"))
	}
	sign := ""
	if g.Chance(5) {
		sign = "-"
	}
	return literal(sign + string(plausible.AppendNumber(nil, &g.Random)))
}

// hash returns a commit.
func (g *generator) hash() string { return string(plausible.AppendHex(nil, &g.Random, 40)) }

// integer returns an integer of up to the given number of digits.
func (g *generator) integer(digits int) literal {
	return literal(plausible.AppendInteger(nil, &g.Random, digits))
}
