// Package plausible makes names and numbers from seeds that look like names and numbers in files
// of real projects: their lengths, digits and spellings vary in the same way. The same seed gives
// the same names and numbers on every platform.
package plausible

import (
	"math"
	"strconv"
)

// A Random generates integers that look random. Its value is its seed, and a copy of it generates
// the same integers again.
type Random uint64

// New returns the generator for the i-th thing of a kind. Kinds have different seeds.
func New(seed, i int) Random {
	r := Random(uint64(seed)<<40 ^ uint64(i))
	r.Uint64()
	return r
}

// Uint64 returns the next integer.
func (r *Random) Uint64() uint64 {
	*r += 0x9e3779b97f4a7c15
	x := uint64(*r)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Below returns an integer from 0 to n-1.
func (r *Random) Below(n int) int { return int(r.Uint64() >> 1 % uint64(n)) }

// Chance reports true in the given percentage of calls.
func (r *Random) Chance(percent int) bool { return r.Below(100) < percent }

// Float returns a number from 0 to less than 1.
func (r *Random) Float() float64 { return float64(r.Uint64()>>11) / (1 << 53) }

// Pick returns one of the items.
func Pick[T any](r *Random, items []T) T { return items[r.Below(len(items))] }

// words are the parts of names, as in the names of tests, benchmarks and functions.
var words = [...]string{
	"a", "io", "gl", "hot", "map", "png", "rect", "path", "text", "desk", "mobi", "tabl", "blur", "clip", "draw", "load",
	"page", "sort", "insert", "search", "decode", "encode", "parse", "shader", "canvas", "matrix", "bitmap", "layer",
	"glyph", "cache", "buffer", "stream", "vector", "render", "upload", "gradient", "textblob", "compress", "factorial",
	"writepix", "surface", "recording", "playback", "deferred", "wikipedia", "googlenews", "animation", "rasterize",
	"tessellate", "allocation", "throughput", "premultiply", "googledocs", "intermediate", "discardable", "accessibility",
	"googlespreadsheet", "backgroundcolor", "convolution", "startuptime",
}

// Word returns a part of a name.
func Word(r *Random) string { return Pick(r, words[:]) }

// AppendName appends a name of one to six words, usually 10 to 50 bytes.
func AppendName(b []byte, r *Random) []byte {
	n := 1 + r.Below(3) + r.Below(2)*r.Below(4)
	for i := range n {
		if i > 0 {
			b = append(b, "____.-"[r.Below(6)])
		}
		b = append(b, Word(r)...)
	}
	return b
}

// A Kind is how a program writes the measurements of one kind.
type Kind int

// AppendNumber appends a positive number of 1 to 17 significant digits, of any kind.
func AppendNumber(b []byte, r *Random) []byte { return r.Kind().Append(b, r) }

// Kind returns one of the kinds. Of 20,
//
//   - 6 are integers of up to 6 digits, and 1 is integers of up to 16 digits: counts, bytes, nanoseconds;
//   - 6 have 1 to 6 decimals: someone rounded them;
//   - 6 have all digits of a float64, usually 15 to 17: averages, and times that were divided;
//   - 1 has an exponent.
func (r *Random) Kind() Kind { return Kind(r.Below(20)) }

// Append appends a number of kind k.
func (k Kind) Append(b []byte, r *Random) []byte {
	switch {
	case k < 6:
		return AppendInteger(b, r, 6)
	case k < 7:
		return AppendInteger(b, r, 16)
	case k < 13:
		return AppendDecimal(b, r, int(k-6))
	case k < 19:
		return AppendFull(b, r)
	}
	v := (1 + float64(9*r.Float())) * math.Pow10(-12+r.Below(6))
	return strconv.AppendFloat(b, v, 'e', r.Below(17), 64)
}

// AppendInteger appends a positive integer of up to the given number of digits: each number of
// digits is equally likely.
func AppendInteger(b []byte, r *Random, digits int) []byte {
	low := int64(math.Pow10(r.Below(digits)))
	return strconv.AppendInt(b, low+int64(r.Uint64()>>1%uint64(9*low)), 10)
}

// AppendDecimal appends a number of up to six digits before the point, and up to the given number
// after it. Like all programs that write the shortest form, it leaves out zeros at the end.
func AppendDecimal(b []byte, r *Random, decimals int) []byte {
	v := (0.01 + r.Float()) * math.Pow10(r.Below(6))
	scale := math.Pow10(decimals)
	v = max(1, math.Round(v*scale)) / scale
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}

// AppendFull appends a number with all digits that a float64 needs, usually 15 to 17.
func AppendFull(b []byte, r *Random) []byte {
	return strconv.AppendFloat(b, (0.1+r.Float())*math.Pow10(r.Below(6)-2), 'f', -1, 64)
}

// AppendHex appends n hexadecimal digits.
func AppendHex(b []byte, r *Random, n int) []byte {
	for range n {
		b = append(b, "0123456789abcdef"[r.Below(16)])
	}
	return b
}
