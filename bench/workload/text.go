package workload

import (
	"math"
	"strconv"
)

// A random is a generator of numbers that look random: the same for the same seed, everywhere.
type random uint64

// newRandom returns the generator for the i-th thing of a kind. Kinds have different seeds.
func newRandom(seed, i int) random {
	r := random(uint64(seed)<<40 ^ uint64(i))
	r.next()
	return r
}

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	x := uint64(*r)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// below returns an integer from 0 to n-1.
func (r *random) below(n int) int { return int(r.next() >> 1 % uint64(n)) }

// chance reports true in the given percentage of calls.
func (r *random) chance(percent int) bool { return r.below(100) < percent }

// float returns a number from 0 to less than 1.
func (r *random) float() float64 { return float64(r.next()>>11) / (1 << 53) }

func pick[T any](r *random, items []T) T { return items[r.below(len(items))] }

// words are the parts of names, as in the names of tests, benchmarks and functions.
var words = [...]string{
	"a", "io", "gl", "hot", "map", "png", "rect", "path", "text", "desk", "mobi", "tabl", "blur", "clip", "draw", "load",
	"page", "sort", "insert", "search", "decode", "encode", "parse", "shader", "canvas", "matrix", "bitmap", "layer",
	"glyph", "cache", "buffer", "stream", "vector", "render", "upload", "gradient", "textblob", "compress", "factorial",
	"writepix", "surface", "recording", "playback", "deferred", "wikipedia", "googlenews", "animation", "rasterize",
	"tessellate", "allocation", "throughput", "premultiply", "googledocs", "intermediate", "discardable", "accessibility",
	"googlespreadsheet", "backgroundcolor", "convolution", "startuptime",
}

// appendName appends a name of one to six words, usually 10 to 50 bytes.
func appendName(b []byte, r *random) []byte {
	n := 1 + r.below(3) + r.below(2)*r.below(4)
	for i := range n {
		if i > 0 {
			b = append(b, "____.-"[r.below(6)])
		}
		b = append(b, pick(r, words[:])...)
	}
	return b
}

// appendTest appends the name of the i-th test: the same every time, and different from all others.
// Some end in a size, as many tests of graphics do.
func appendTest(b []byte, i int) []byte {
	r := newRandom(1, i)
	b = appendName(b, &r)
	b = append(b, '_')
	b = strconv.AppendInt(b, int64(i), 10)
	switch r.below(4) {
	case 0:
		b = append(b, "_640_480"...)
	case 1:
		b = append(b, "_1_1000_1000"...)
	}
	return b
}

// A kind is how a program writes the measurements of one kind.
type kind int

// appendNumber appends a positive number of 1 to 17 significant digits, of any kind.
func appendNumber(b []byte, r *random) []byte { return r.kind().append(b, r) }

// kind returns one of the kinds. Of 20,
//
//   - 6 are integers of up to 6 digits, and 1 is integers of up to 16 digits: counts, bytes, nanoseconds;
//   - 6 have 1 to 6 decimals: someone rounded them;
//   - 6 have all digits of a float64, usually 15 to 17: averages, and times that were divided;
//   - 1 has an exponent.
func (r *random) kind() kind { return kind(r.below(20)) }

// append appends a number of kind k.
func (k kind) append(b []byte, r *random) []byte {
	switch {
	case k < 6:
		return appendInteger(b, r, 6)
	case k < 7:
		return appendInteger(b, r, 16)
	case k < 13:
		return appendDecimal(b, r, int(k-6))
	case k < 19:
		return appendFull(b, r)
	}
	v := (1 + float64(9*r.float())) * math.Pow10(-12+r.below(6))
	return strconv.AppendFloat(b, v, 'e', r.below(17), 64)
}

// appendInteger appends a positive integer of up to the given number of digits: each number of
// digits is equally likely.
func appendInteger(b []byte, r *random, digits int) []byte {
	low := int64(math.Pow10(r.below(digits)))
	return strconv.AppendInt(b, low+int64(r.next()>>1%uint64(9*low)), 10)
}

// appendDecimal appends a number of up to six digits before the point, and up to the given number
// after it. Like all programs that write the shortest form, it leaves out zeros at the end.
func appendDecimal(b []byte, r *random, decimals int) []byte {
	v := (0.01 + r.float()) * math.Pow10(r.below(6))
	scale := math.Pow10(decimals)
	v = max(1, math.Round(v*scale)) / scale
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}

// appendFull appends a number with all digits that a float64 needs, usually 15 to 17.
func appendFull(b []byte, r *random) []byte {
	return strconv.AppendFloat(b, (0.1+r.float())*math.Pow10(r.below(6)-2), 'f', -1, 64)
}

// appendHex appends n hexadecimal digits.
func appendHex(b []byte, r *random, n int) []byte {
	for range n {
		b = append(b, "0123456789abcdef"[r.below(16)])
	}
	return b
}
