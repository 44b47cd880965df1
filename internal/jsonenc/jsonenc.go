// Package jsonenc appends JSON to byte slices: what the writers and the command-line tool share. It exists beside
// the JSON libraries because those allocate for each value, and because a writer wants to know of bytes that aren't
// UTF-8 before it writes.
package jsonenc

import (
	"iter"
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendString appends s as a JSON string. A byte that is no UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	done := 0
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

// AppendFloat appends a finite number with the fewest digits that give back the same float64, written as ECMAScript
// writes numbers: with an exponent only below 1e-6 and from 1e21 on.
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

// appendShort appends f if up to four decimals are enough for it, as for most measurements: several times as fast as finding out
// how many are needed. A quotient of an integer below 2^53 and such a power of ten is rounded once, as the decimal
// number is when it is read.
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

// AppendParams appends an object with the given members, in their order.
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
