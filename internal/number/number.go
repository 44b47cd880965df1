// Package number parses decimal numbers from bytes, always to the nearest float64, and writes them.
// It is fast for numbers with few digits, which most numbers are.
package number

import "math"

// maxDigits is the number of digits up to which every integer fits into 64 bits.
const maxDigits = 19

// pow10 has the powers of ten that float64 holds exactly.
var pow10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// InNumber tells which bytes may occur in a JSON number.
var InNumber = [256]bool{
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true,
	'.': true, 'e': true, 'E': true, '+': true, '-': true,
}

// parse is the slow path of Parse. It finds the end of the number byte by byte, and leaves its value to the
// standard library.
func parse(b []byte) (f float64, n int) {
	start := 0
	if b[0] == '-' {
		start = 1
	}

	n = afterDigits(b, start)
	switch {
	case n == start:
		return 0, 0
	case n > start+1 && b[start] == '0':
		n = start + 1 // JSON numbers have no leading zeros: the number ends here
	default:
		if n < len(b) && b[n] == '.' {
			point := n + 1
			if n = afterDigits(b, point); n == point {
				return 0, 0
			}
		}

		if n < len(b) && b[n]|0x20 == 'e' {
			first := n + 1
			if first < len(b) && (b[first] == '+' || b[first] == '-') {
				first++
			}
			if n = afterDigits(b, first); n == first {
				return 0, 0
			}
		}
	}

	f, err := ParseFloat(string(b[:n]), 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, 0
	}
	return f, n
}

// afterDigits returns the index in b, from i on, of the first byte that is not a digit.
func afterDigits(b []byte, i int) int {
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}
