// Package number parses decimal numbers from bytes: fast for those with few digits, which most are, and always to the
// nearest float64.
package number

import (
	"math"
	"strconv"
)

// Powers of ten that float64 holds exactly.
var pow10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// InNumber tells which bytes a JSON number can have.
var InNumber = [256]bool{
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true,
	'.': true, 'e': true, 'E': true, '+': true, '-': true,
}

// Parse parses the JSON number that b, which isn't empty, begins with, and returns it and its length, which is 0 if b
// begins with none. One that is out of float64's range is given as an infinity.
func Parse(b []byte) (f float64, n int) {
	i := 0
	negative := b[0] == '-'
	if negative {
		i++
	}
	// The digits, without the point, as an integer; it overflows only from the twentieth on.
	var mantissa uint64
	start := i
	for i < len(b) && b[i]-'0' <= 9 {
		mantissa = mantissa*10 + uint64(b[i]-'0')
		i++
	}
	digits := i - start
	if digits == 0 {
		return 0, 0
	}
	if digits > 1 && b[start] == '0' {
		return signed(0, negative), start + 1 // what follows the zero is a fault, but not of the number
	}
	if digits <= 15 && (i == len(b) || b[i] != '.' && b[i]|0x20 != 'e') {
		return signed(float64(mantissa), negative), i
	}
	exponent := 0
	if i < len(b) && b[i] == '.' {
		i++
		point := i
		for i < len(b) && b[i]-'0' <= 9 {
			mantissa = mantissa*10 + uint64(b[i]-'0')
			i++
		}
		if i == point {
			return 0, 0
		}
		digits += i - point
		exponent = point - i
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		down := false
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			down = b[i] == '-'
			i++
		}
		first, e := i, 0
		for i < len(b) && b[i]-'0' <= 9 {
			if e < 1e6 { // more makes no difference
				e = e*10 + int(b[i]-'0')
			}
			i++
		}
		if i == first {
			return 0, 0
		}
		if down {
			e = -e
		}
		exponent += e
	}
	// A mantissa and a power of ten that are both exact give a quotient or product that is rounded once, as it must be.
	if digits <= 19 && mantissa < 1<<53 && -22 <= exponent && exponent <= 22 {
		f = float64(mantissa)
		if exponent < 0 {
			f /= pow10[-exponent]
		} else {
			f *= pow10[exponent]
		}
		return signed(f, negative), i
	}
	f, err := strconv.ParseFloat(string(b[:i]), 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, 0
	}
	return f, i
}

// Pow10 returns the power of ten, of at most 22, which float64 holds exactly. An integer below 2^53 that is divided by it is
// rounded once, as a number with so many digits behind the point must be.
func Pow10(n int) float64 { return pow10[n] }

func signed(f float64, negative bool) float64 {
	if negative {
		return -f
	}
	return f
}
