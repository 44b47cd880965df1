package formattest

import (
	"math"
	"strings"

	"perfdata/traceid"
)

// A Gen generates what a fuzz target gives to a Writer, from bytes. Each choice uses one byte, as
// long as there are any.
type Gen struct{ data []byte }

// Seeds are interesting inputs for a Gen.
var Seeds = []string{
	"",
	strings.Repeat("\x00\x01\x02\x03", 20),
	strings.Repeat("\x00\x00\x07\x03\x01\x04\x01\x05\x09\x02\x06", 20),
	"\x01\x01\x01" + strings.Repeat("\x00\x81\x92\xa3\x07\x03\x01\x04\x01\x05\x09\x02\x06", 30),
	strings.Repeat("\x01\x10\x00\x20\x02\x30", 40),
}

// NewGen returns a Gen that uses data for its choices.
func NewGen(data []byte) *Gen { return &Gen{data} }

// Done reports whether all bytes are used.
func (g *Gen) Done() bool { return len(g.data) == 0 }

// N chooses a number below n.
func (g *Gen) N(n int) int {
	if g.Done() {
		return 0
	}
	b := g.data[0]
	g.data = g.data[1:]
	return int(b) % n
}

// Text returns a text of a record or a header.
func (g *Gen) Text() string {
	values := []string{
		"a", "b", "c", "", "test", "a b", "a_b", "a/b", "é", "\x00\"\\\n", "\u2028<", "\xff",
		strings.Repeat("0123456789", 2), "options", "samples", "GL_a",
	}
	return values[g.N(len(values))]
}

// Params returns up to n params, links or attrs. Some are not sorted.
func (g *Gen) Params(n int) traceid.Params {
	var pairs traceid.Params
	for range g.N(n + 1) {
		pairs = append(pairs, traceid.Param{Key: g.Text(), Value: g.Text()})
	}
	if g.N(30) == 1 {
		return pairs
	}
	return traceid.FromPairs(pairs...)
}

// Number returns a value of a record.
func (g *Gen) Number() float64 {
	values := []float64{
		1, 2, -1.5, 0.1, math.Copysign(0, -1), 1e21, 5e-324, 1e300, math.MaxFloat32,
		0x1.ffffffp127, 0x1.ffffff00001p127, -0x1.ffffffp127, math.NaN(), math.Inf(1),
	}
	return values[g.N(len(values))]
}
