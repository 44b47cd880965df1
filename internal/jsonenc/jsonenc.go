// Package jsonenc appends JSON to byte slices, for the Writers and the command-line tool. JSON
// libraries allocate for each value, and replace invalid UTF-8 without reporting it.
package jsonenc

import (
	"iter"
	"math"
	"strconv"
	"unicode/utf8"

	"perfdata/internal/swar"
)

// AppendString appends s as a JSON string. An invalid UTF-8 byte becomes U+FFFD.
//
// Most strings are written as they are. So AppendString copies s and looks at the copy, eight
// bytes at a time.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := len(dst)
	dst = append(dst, s...)
	i := swar.PlainLen(dst, start)
	for i < len(dst) && dst[i] >= ' ' && dst[i] != '"' && dst[i] != '\\' && dst[i] < utf8.RuneSelf {
		i++
	}
	if i < len(dst) {
		return appendAnyString(dst[:start], s)
	}
	return append(dst, '"')
}

// appendAnyString appends what is left of a JSON string after its first quote.
func appendAnyString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	done := 0 // s[:done] is appended
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, s[done:i]...)
				dst = append(dst, "\ufffd"...)
				done = i + 1
			}
			i += size
			continue
		}

		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}

		dst = append(dst, s[done:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		done = i
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"')
}

// AppendFloat appends a finite number as ECMAScript writes it: with the fewest digits that
// identify the float64, and with an exponent only below 1e-6 and from 1e21 on.
func AppendFloat(dst []byte, f float64) []byte {
	if abs := math.Abs(f); abs >= 1e-3 && abs < 1e10 {
		if b, ok := appendShort(dst, f, abs); ok {
			return b
		}
	}
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// appendShort appends f if at most four decimals are enough, as for most measurements. It is
// several times as fast as strconv, which has to find the number of decimals. The quotient of an
// integer below 2^53 and such a power of ten is rounded once, as the decimal number is when it is
// read back.
func appendShort(dst []byte, f, abs float64) ([]byte, bool) {
	scale, decimals := uint64(1), 0
	for ; decimals <= 4; decimals++ {
		n := uint64(abs*float64(scale) + 0.5)
		if float64(n)/float64(scale) != abs {
			scale *= 10
			continue
		}

		if f < 0 {
			dst = append(dst, '-')
		}
		dst = strconv.AppendUint(dst, n/scale, 10)
		if decimals == 0 {
			return dst, true
		}

		dst = append(dst, '.')
		for n %= scale; decimals > 0; decimals-- {
			scale /= 10
			dst = append(dst, '0'+byte(n/scale))
			n %= scale
		}
		return dst, true
	}
	return dst, false
}

// AppendParams appends an object with the members, in the given order.
func AppendParams(dst []byte, members iter.Seq2[string, string]) []byte {
	dst = append(dst, '{')
	first := true
	for name, value := range members {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = AppendString(dst, name)
		dst = append(dst, ':')
		dst = AppendString(dst, value)
	}
	return append(dst, '}')
}
