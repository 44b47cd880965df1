package number

import (
	"encoding/binary"
	"math/bits"
)

// Parse is
func Parse(b []byte) (f float64, n int) {
	if len(b) < Longest-1 {
		return parse(b)
	}
	integer, decimals, n := Digits((*[Longest - 1]byte)(b))
	if c := b[n]; n == 0 || c|0x20 == 'e' {
		return Unusual(b, integer, decimals, n)
	}
	return Decimal(integer, decimals), n
}

// Unusual is
func Unusual(b []byte, integer uint64, decimals, n int) (f float64, m int) {
	switch {
	case n > 0 && b[n]|0x20 == 'e':
		f, m = scaled(b, n, integer, decimals)
	case n > 0:
		return Decimal(integer, decimals), n
	case b[0] == '-' && b[1]-'0' <= 9:
		if f, m = Parse(b[1:]); m > 0 {
			return -f, m + 1
		}
	}
	if m == 0 {
		return parse(b)
	}
	return f, m
}

// Plain is
func Plain(b []byte) (integer uint64, decimals, n int) {
	if len(b) < Longest-1 {
		return 0, 0, 0
	}
	return Digits((*[Longest - 1]byte)(b))
}

// Digits
func Digits(text *[Longest - 1]byte) (integer uint64, decimals, n int) {
	t := binary.LittleEndian.Uint64(text[:]) ^ zeros
	other := notDigits(t)
	if other&0x8080|t&0xff == 0 {
		return 0, 0, 0 // a superfluous zero
	}

	digits := 8
	if other != 0 {
		digits = bits.TrailingZeros64(other) / 8
		if digits == 0 {
			return 0, 0, 0
		}
		if text[digits&7] != '.' {
			return eightDigits(t << (-8 * digits & 63)), 0, digits
		}

		// The digits after the point take its place.
		before := (other&-other)>>7 - 1
		t = (t^t>>8)&before ^ t>>8
		other &= other - 1
		if other != 0 {
			n = bits.TrailingZeros64(other) / 8
			if n == digits+1 {
				return 0, 0, 0
			}
			return eightDigits(t << (8 * (9 - n) & 63)), n - digits - 1, n
		}
		t <<= 8
	}

	second := binary.LittleEndian.Uint64(text[8:]) ^ zeros
	other = notDigits(second)
	integer = eightDigits(t)
	n = 8
	if other == 0 {
		integer = integer*1e8 + eightDigits(second)
		second = binary.LittleEndian.Uint64(text[16:]) ^ zeros
		n = 16
		if other = notDigits(second); other == 0 {
			return 0, 0, 0
		}
	}
	more := bits.TrailingZeros64(other) / 8
	integer = integer*upTo8[more&15] + eightDigits(second<<(8*(7-more)&63)<<8)
	n += more
	decimals = n - digits - 1
	switch {
	case digits == 8:
		if text[n&31] == '.' {
			return longInteger(text)
		}
		decimals = 0
	case decimals == 0:
		return 0, 0, 0
	}
	if n > 19 && (n > 21 || decimals == 0 || n == 21 && text[0] != '0') {
		return 0, 0, 0
	}
	return integer, decimals, n
}

func longInteger(text *[Longest - 1]byte) (integer uint64, decimals, n int) {
	digits := 0
	for n < 20 && (text[n]-'0' <= 9 || text[n] == '.' && digits == 0) {
		if text[n] == '.' {
			digits = n
		} else {
			integer = integer*10 + uint64(text[n]-'0')
		}
		n++
	}
	if c := text[n]; c-'0' <= 9 || c == '.' && digits == 0 || n == digits+1 || n == 20 && digits == 0 {
		return 0, 0, 0
	}
	return integer, n - digits - 1, n
}
