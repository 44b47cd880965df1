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
	text := (*[Longest - 1]byte)(b)
	t := binary.LittleEndian.Uint64(text[:]) ^ zeros
	other := notDigits(t)
	if other&0x8080|t&0xff == 0 {
		return parse(b) // a superfluous zero
	}

	n = bits.TrailingZeros64(other) / 8
	switch n {
	case 0:
		return negative(b)
	case 8:
		return parse16(b, t, n)
	}
	if text[n&7] != '.' {
		f = float64(int64(eightDigits(t << (64 - 8*n&63))))
		if text[n&7]|0x20 == 'e' {
			return withExponent(b, n, uint64(f), 0)
		}
		return f, n
	}

	// The digits after the point take its place.
	before := (other&-other)>>7 - 1
	t = (t^t>>8)&before ^ t>>8
	other &= other - 1
	if other == 0 {
		return parse16(b, t<<8, n)
	}
	end := bits.TrailingZeros64(other) / 8
	if end == n+1 {
		return 0, 0
	}
	integer := eightDigits(t << (8 * (9 - end) & 63))
	decimals := end - n - 1
	if text[end&7]|0x20 == 'e' {
		return withExponent(b, end, integer, decimals)
	}
	return float64(int64(integer)) / pow10[decimals&7], end
}

func withExponent(b []byte, n int, integer uint64, decimals int) (float64, int) {
	f, m := scaled(b, n, integer, decimals)
	if m == 0 {
		return parse(b)
	}
	return f, m
}

func parse16(b []byte, first uint64, digits int) (f float64, n int) {
	text := (*[Longest - 1]byte)(b)
	t := binary.LittleEndian.Uint64(text[8:]) ^ zeros
	other := notDigits(t)
	if other == 0 {
		return parse24(b, first, t, digits)
	}

	more := bits.TrailingZeros64(other) / 8
	integer := eightDigits(first)*upTo8[more&15] + eightDigits(t<<(8*(7-more)&63)<<8)
	n = 8 + more
	decimals := n - digits - 1
	switch {
	case digits == 8:
		if text[n&15] == '.' {
			return parse(b)
		}
		decimals = 0
	case decimals == 0:
		return 0, 0
	}
	if text[n&15]|0x20 == 'e' {
		return withExponent(b, n, integer, decimals)
	}
	return float64(int64(integer)) / pow10[decimals&15], n
}

func parse24(b []byte, first, second uint64, digits int) (f float64, n int) {
	text := (*[Longest - 1]byte)(b)
	t := binary.LittleEndian.Uint64(text[16:]) ^ zeros
	other := notDigits(t)
	more := bits.TrailingZeros64(other) / 8
	if other == 0 || more > 3 && (digits == 8 || text[0] != '0' || more > 5) {
		return parse(b)
	}
	integer := eightDigits(first)*1e8 + eightDigits(second)
	integer = integer*upTo8[more&15] + eightDigits(t<<(8*(7-more)&63)<<8)
	n = 16 + more
	decimals := n - digits - 1
	if digits == 8 {
		if text[n] == '.' {
			return parse(b)
		}
		decimals = 0
	}
	if text[n&31]|0x20 == 'e' {
		return withExponent(b, n, integer, decimals)
	}
	return long(integer, decimals), n
}

func negative(b []byte) (f float64, n int) {
	if b[0] != '-' || b[1]-'0' > 9 {
		return 0, 0
	}
	if f, n = Parse(b[1:]); n == 0 {
		return 0, 0
	}
	return -f, n + 1
}
