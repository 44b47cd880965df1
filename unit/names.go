package unit

import "strings"

// The base units.
const (
	baseTime        = "s"
	baseInformation = "B"
	baseAllocations = "allocs"
	baseOperations  = "op"
	baseNumber      = "1"
)

// named returns the unit with a name, which contains no "/".
func named(name string) (Unit, bool) {
	u, ok := symbols[name]
	var word [len("milliseconds")]byte // the longest one that is known
	if ok || len(name) > len(word) {
		return u, ok
	}

	// Make the singular, in lower case.
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		word[i] = c
	}
	end := len(name)
	if end > 1 && word[end-1] == 's' {
		end--
	}
	u, ok = words[string(word[:end])]
	return u, ok
}

// Units by symbol, and by word. A word is in the singular and in lower case.
var symbols, words = index([]meaning{
	{"ns nsec", "nanosecond", baseTime, "", factor{ten: -9}},
	{"us µs μs usec", "microsecond", baseTime, "", factor{ten: -6}}, // the micro sign, and the Greek letter
	{"ms msec", "millisecond", baseTime, "", factor{ten: -3}},
	{"s sec secs", "second", baseTime, "", factor{}},
	{"min mins", "minute", baseTime, "", factor{sixty: 1}},
	{"h", "hour", baseTime, "", factor{sixty: 2}},

	{"B", "byte", baseInformation, "", factor{}},
	{"kB KB", "kilobyte", baseInformation, "", factor{ten: 3}},
	{"MB", "megabyte", baseInformation, "", factor{ten: 6}},
	{"GB", "gigabyte", baseInformation, "", factor{ten: 9}},
	{"TB", "", baseInformation, "", factor{ten: 12}},
	{"KiB", "", baseInformation, "", factor{two: 10}},
	{"MiB", "", baseInformation, "", factor{two: 20}},
	{"GiB", "", baseInformation, "", factor{two: 30}},
	{"TiB", "", baseInformation, "", factor{two: 40}},
	{"", "bit", baseInformation, "", factor{two: -3}},
	{"kbit", "", baseInformation, "", factor{ten: 3, two: -3}},
	{"Mbit", "", baseInformation, "", factor{ten: 6, two: -3}},
	{"Gbit", "", baseInformation, "", factor{ten: 9, two: -3}},
	{"bps", "", baseInformation, baseTime, factor{two: -3}},
	{"kbps", "", baseInformation, baseTime, factor{ten: 3, two: -3}},
	{"Mbps", "", baseInformation, baseTime, factor{ten: 6, two: -3}},
	{"Gbps", "", baseInformation, baseTime, factor{ten: 9, two: -3}},

	{"alloc allocs", "allocation", baseAllocations, "", factor{}},
	{"op ops iter iters i", "operation iteration", baseOperations, "", factor{}},
	{"1", "", baseNumber, "", factor{}},
	{"%", "percent percentage", baseNumber, "", factor{ten: -2}},
	{"Hz", "", baseNumber, baseTime, factor{}},
	{"fps", "", "frames", baseTime, factor{}},
})

// A meaning is what symbols and words stand for.
type meaning struct {
	symbols, words string // with spaces between them
	of, per        string
	factor         factor
}

// index returns the units by symbol and by word.
func index(all []meaning) (symbols, words map[string]Unit) {
	symbols, words = make(map[string]Unit), make(map[string]Unit)
	for _, m := range all {
		u := Unit{Quantity: Quantity{Of: m.of, Per: m.per}, factor: m.factor}
		for name := range strings.FieldsSeq(m.symbols) {
			symbols[name] = u
		}
		for name := range strings.FieldsSeq(m.words) {
			words[name] = u
		}
	}
	return symbols, words
}
