package formattest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"perfdata/traceid"
)

// A Gen generates the inputs of a fuzz target from bytes. Each choice uses one byte, as long as
// there are any.
//
// It can also write JSON documents with parts that resemble each other, to exercise fast paths.
// Within Vary, the structure is that of one of three shapes, except for at most one choice, and
// only the values are chosen by the bytes.
type Gen struct {
	data []byte
	seed [3]uint64 // of the shapes
	out  strings.Builder

	shape  uint64 // state of the current shape; 0 outside of Vary
	choice int    // choices made for it
	change int    // the choice that is left to the bytes
}

// Seeds are interesting inputs for a Gen.
var Seeds = []string{
	"",
	"abcdef" + strings.Repeat("\x00\x01\x02\x03", 20),
	"\x01\x02\x03\x04\x05\x06" + strings.Repeat("\x00\x00\x07\x03\x01\x04\x01\x05\x09\x02\x06", 20),
	"\x11\x22\x33\x44\x55\x66\x01\x01\x01" + strings.Repeat("\x00\x81\x92\xa3\x07\x03\x01\x04\x01\x05\x09\x02\x06", 30),
	"ghijkl" + strings.Repeat("\x01\x10\x00\x20\x02\x30", 40),
}

// NewGen returns a Gen that uses data for its choices.
func NewGen(data []byte) *Gen {
	g := &Gen{data: data}
	for i := range g.seed {
		g.seed[i] = uint64(g.next())<<8 | uint64(g.next()) + 1
	}
	return g
}

// Done reports whether all bytes are used.
func (g *Gen) Done() bool { return len(g.data) == 0 }

// Peek returns the next byte without using it.
func (g *Gen) Peek() byte {
	if g.Done() {
		return 0
	}
	return g.data[0]
}

func (g *Gen) next() byte {
	b := g.Peek()
	if !g.Done() {
		g.data = g.data[1:]
	}
	return b
}

// value chooses one of n values.
func (g *Gen) value(n int) int { return int(g.next()) % n }

// N chooses a number below n. Within Vary, it is a choice of the structure.
func (g *Gen) N(n int) int {
	if g.shape == 0 {
		return g.value(n)
	}
	g.choice++
	g.shape = g.shape*6364136223846793005 + 1442695040888963407
	if g.choice == g.change {
		return g.value(n)
	}
	return int(g.shape >> 33 % uint64(n))
}

// Vary calls write, whose choices of the structure are made by a shape.
func (g *Gen) Vary(write func()) {
	g.shape, g.choice, g.change = g.seed[g.value(len(g.seed))], 0, 0
	if b := g.next(); b >= 128 {
		g.change = int(b - 127)
	}
	write()
	g.shape = 0
}

// String returns the document written so far.
func (g *Gen) String() string { return g.out.String() }

// JSON writes text verbatim.
func (g *Gen) JSON(text string) *Gen {
	g.out.WriteString(text)
	return g
}

// space writes white space, or none.
func (g *Gen) space() { g.JSON([...]string{"", "", "", "", " ", "\n  ", "\t\r"}[g.N(7)]) }

// Or calls write, or occasionally writes any other value.
func (g *Gen) Or(write func()) {
	if g.N(30) == 0 {
		g.Anything()
	} else {
		write()
	}
}

// Anything writes a value of any kind, occasionally malformed JSON.
func (g *Gen) Anything() {
	if !g.broken(`NaN`, `nan`, `-inf`, `Infinity`, `nul`, `+1`, `x`, `{"a":1,"a":2}`) {
		values := []string{
			`null`, `null`, `true`, `false`, `1`, `-2.50`, `""`, `"s"`, `[]`, `{}`,
			`[1,[],{"a":null}]`, `{"a":1,"b":[{}]}`,
		}
		g.JSON(values[g.value(len(values))])
	}
}

// broken occasionally writes one of the texts, which are malformed JSON. It reports whether it
// did.
func (g *Gen) broken(texts ...string) bool {
	if g.next() != 255 {
		return false
	}
	g.JSON(texts[g.value(len(texts))])
	return true
}

// AnyNumber writes a number, or occasionally text that looks like one.
func (g *Gen) AnyNumber() {
	values := []string{
		`1`, `2`, `3`, `40`, `1.5`, `2.25`, `-0`, `-7`, `1e3`, `1E-3`, `0.1`, `123456789.123`, `1e300`,
		`12345678901234567890`, `1e999`, `-1e999`, `1234567890123456`, `null`, `"1"`, `NaN`, `-Infinity`, `inf`, `nan`,
	}
	if !g.broken(`01`, `1.`, `-`, `1e`, `--1`, `Nan`) {
		g.JSON(g.rather(values))
	}
}

// rather returns one of the texts. Later ones are rarer.
func (g *Gen) rather(texts []string) string {
	return texts[min(g.value(len(texts)), g.value(len(texts)), g.value(len(texts)))]
}

// AnyString writes a string, or occasionally another value.
func (g *Gen) AnyString() {
	values := []string{
		`"a"`, `"b"`, `"ab"`, `""`, `"v0"`, `"é"`, `"a b"`, `"0123456789"`, `"\u0041"`, `"\n"`,
		`"01234567890123456"`, `"\ud800"`, `null`, `1`, `{}`,
	}
	if !g.broken("\"\xff\"", "\"\x01\"", `"`) {
		g.JSON(g.rather(values))
	}
}

// Strings writes an object of strings. Its names begin with prefix.
func (g *Gen) Strings(prefix string) *Gen {
	g.Object(func(member func(name string, write func())) {
		for i := range g.N(5) {
			member(fmt.Sprint(prefix, i), g.AnyString)
		}
	})
	return g
}

// Array writes an array of up to n elements. Outside of Vary, it writes at least n, and more while
// there are bytes.
func (g *Gen) Array(n int, write func()) *Gen {
	g.JSON("[")
	if g.shape != 0 {
		n = g.N(n + 1)
	}
	for i := 0; i < n || g.shape == 0 && !g.Done() && i < 100; i++ {
		if i > 0 {
			g.JSON(",")
		}
		g.space()
		write()
		g.space()
	}
	return g.JSON("]")
}

// Object writes an object of the members that list adds, perhaps in reverse order, with some left
// out, or with a duplicate.
func (g *Gen) Object(list func(member func(name string, write func()))) {
	type member struct {
		name  string
		write func()
	}
	var members []member
	list(func(name string, write func()) {
		if g.N(12) > 0 {
			members = append(members, member{name, write})
		}
	})

	if n := len(members); n > 1 {
		if g.N(6) == 0 {
			slices.Reverse(members)
		}
		if g.N(150) == 0 {
			members = append(members, members[g.N(n)])
		}
	}

	g.JSON("{")
	for i, m := range members {
		if i > 0 {
			g.JSON(",")
		}
		g.space()
		if g.N(40) == 0 && m.name != "" {
			g.JSON(fmt.Sprintf(`"\u%04x%s"`, m.name[0], m.name[1:]))
		} else {
			g.JSON(`"` + m.name + `"`)
		}

		g.space()
		g.JSON(":")
		g.space()
		m.write()
		g.space()
	}
	g.JSON("}")
}

// Text returns a string to give to a Writer.
func (g *Gen) Text() string {
	values := []string{
		"a", "b", "c", "", "test", "a b", "a_b", "a/b", "é", "\x00\"\\\n", "\u2028<", "\xff",
		strings.Repeat("0123456789", 2), "options", "samples", "GL_a",
	}
	return values[g.value(len(values))]
}

// Params returns up to n params, links or attrs. Some are not sorted.
func (g *Gen) Params(n int) traceid.Params {
	var pairs traceid.Params
	for range g.value(n + 1) {
		pairs = append(pairs, traceid.Param{Key: g.Text(), Value: g.Text()})
	}
	if g.value(30) == 1 {
		return pairs
	}
	return traceid.FromPairs(pairs...)
}

// Number returns a value to give to a Writer.
func (g *Gen) Number() float64 {
	values := []float64{
		1, 2, -1.5, 0.1, math.Copysign(0, -1), 1e21, 5e-324, 1e300, math.MaxFloat32,
		0x1.ffffffp127, 0x1.ffffff00001p127, -0x1.ffffffp127, math.NaN(), math.Inf(1),
	}
	return values[g.value(len(values))]
}
