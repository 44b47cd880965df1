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

// parse is the slow path of Parse. It reads byte by byte.
func parse(b []byte) (f float64, n int) {
	i := 0
	negative := b[0] == '-'
	if negative {
		i++
	}

	// Read the integer part. The mantissa is all digits as an integer. It may overflow from the
	// twentieth digit on, so it is used only where there are fewer.
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
		return signed(0, negative), start + 1 // JSON numbers have no leading zeros: the number ends here
	}
	if digits <= 15 && (i == len(b) || b[i] != '.' && b[i]|0x20 != 'e') {
		return signed(float64(mantissa), negative), i
	}

	// Read the fraction. The number is the mantissa times 10 to the power of the exponent.
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

	// Read the exponent.
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		down := false
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			down = b[i] == '-'
			i++
		}

		first, e := i, 0
		for i < len(b) && b[i]-'0' <= 9 {
			if e < 1e6 { // a larger exponent gives the same result
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

	// digits counts zeros before the first other digit too, which is too many for 0.000…1: such
	// numbers, and all others whose rounding needs care, are the standard library's.
	if digits <= maxDigits && -maxDecimals <= exponent && exponent <= 0 {
		return signed(Decimal(mantissa, -exponent), negative), i
	}
	if digits <= maxDigits && mantissa < 1<<53 && 0 < exponent && exponent <= 22 {
		return signed(float64(mantissa)*pow10[exponent], negative), i // both are exact, and it is rounded once
	}

	f, err := ParseFloat(string(b[:i]), 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, 0
	}
	return f, i
}

func signed(f float64, negative bool) float64 {
	if negative {
		return -f
	}
	return f
}
