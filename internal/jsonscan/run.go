package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"perfdata/internal/number"
)

// This is the hot loop for arrays of numbers. It takes those that stand whole in the window and are written plainly, eight
// bytes at a time; whoever calls it reads the others, such as the first of an array and the last of a window, one by
// one. With it, and with cells, reading a million Perun resources of four numbers each takes 40 ms instead of 390 by
// Element and Number (and a string for each), on a machine on which go-json unmarshals them in 80 to 120.

// runMargin is how many bytes have to be in the window from a number's beginning on.
const runMargin = 64

// A separator is what stands between two numbers: a comma, mostly with white space.
type separator struct {
	n          int // bytes; 0: none that is known
	first      uint64
	firstMask  uint64
	last       uint64 // the last eight of more than eight
	compareAll []byte // of more than sixteen
}

// separator returns what stands between the number that was read last and the next one.
func (s *Scanner) separator() (sep separator) {
	i := s.pos
	if !s.inArray() || i >= len(s.buf) || s.buf[i] != ',' {
		return sep
	}
	for i++; i < len(s.buf) && i-s.pos < 100 && (s.buf[i] == ' ' || s.buf[i] == '\n' || s.buf[i] == '\t' || s.buf[i] == '\r'); {
		i++
	}
	text := s.buf[s.pos:i]
	if len(s.buf)-i < runMargin {
		return sep
	}
	sep.n = len(text)
	sep.first = binary.LittleEndian.Uint64(s.buf[s.pos:])
	sep.firstMask = ^uint64(0) >> (64 - 8*min(sep.n, 8))
	if sep.n > 8 {
		sep.last = binary.LittleEndian.Uint64(text[sep.n-8:])
	}
	if sep.n > 16 {
		sep.compareAll = text
	}
	return sep
}

// at reports whether the separator is at b[i].
func (sep *separator) at(b []byte, i int) bool {
	if i+8 > len(b) || (binary.LittleEndian.Uint64(b[i:])^sep.first)&sep.firstMask != 0 {
		return false
	}
	return sep.n <= 8 || sep.longAt(b, i)
}

func (sep *separator) longAt(b []byte, i int) bool {
	if i+sep.n > len(b) || binary.LittleEndian.Uint64(b[i+sep.n-8:]) != sep.last {
		return false
	}
	return sep.n <= 16 || string(b[i:i+sep.n]) == string(sep.compareAll)
}

// digits returns how many of the eight bytes of w are digits before another one comes, and what number they are.
func digits(w uint64) (n int, value uint64) {
	t := w ^ lowest*'0'
	other := ((t + lowest*(0x80-10)) | t) & highest
	n = bits.TrailingZeros64(other) / 8
	if n == 0 {
		return 0, 0
	}
	return n, eightDigits(t << (64 - 8*n)) // as if there were zeros before
}

var integerPow10 = [...]uint64{1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000}

// Floats reads numbers of the array that was entered last, where Element could be called, and appends them to dst, and where
// they stand to offsets. It stops after max of them, or earlier.
func (s *Scanner) Floats(dst []float64, offsets []int64, max int) ([]float64, []int64) {
	if !s.inArray() {
		return dst, offsets
	}
	from := len(dst)
	dst, offsets = slices.Grow(dst, max)[:from+max], slices.Grow(offsets, max)[:from+max]
	buf, i := s.buf, s.pos
	k := from
	if n := s.cell.read(buf[i:], dst[k:], offsets[k:], s.base+int64(i)); n > 0 {
		s.passed(i+n*s.cell.n, n)
		i, k = s.pos, k+n
	}
	sep := separator{}
	if k < len(dst) {
		sep = s.separator()
	}
	if sep.n == 0 {
		return dst[:k], offsets[:k]
	}
	known := k
	length := 0 // of the number before
	for k < len(dst) && k < len(offsets) && sep.at(buf, i) {
		start := i + sep.n
		if start+runMargin > len(buf) {
			break
		}
		b := buf[start : start+runMargin]
		f, at := shortFloat(binary.LittleEndian.Uint64(b))
		if at == 0 || at > 1 && b[0] == '0' && b[1] != '.' {
			if f, at = plainFloat(b); at == 0 {
				break
			}
		}
		if !endsNumber(b[at]) {
			break
		}
		dst[k], offsets[k] = f, s.base+int64(start)
		k++
		before := i
		i = start + at
		if at != length {
			length = at
			continue
		}
		s.cell = makeCell(buf[before:], sep.n, at)
		n := s.cell.read(buf[i:], dst[k:], offsets[k:], s.base+int64(i))
		k, i = k+n, i+n*s.cell.n
	}
	s.passed(i, k-known)
	return dst[:k], offsets[:k]
}

// shortFloat returns the number that w begins with, without sign or exponent, and its length; or 0 if it has none that ends
// within w. It doesn't look for leading zeros.
func shortFloat(w uint64) (f float64, length int) {
	t := w ^ lowest*'0'
	other := ((t + lowest*(0x80-10)) | t) & highest
	n := uint(bits.TrailingZeros64(other)) / 8
	if n == 0 || n == 8 {
		return 0, 0
	}
	decimals, end := uint(0), n
	if byte(w>>(8*n)) == '.' {
		// The digits behind the point take its place.
		other &= other - 1
		end = uint(bits.TrailingZeros64(other)) / 8
		if end == 8 || end == n+1 {
			return 0, 0
		}
		decimals = end - n - 1
		before := uint64(1)<<(8*n) - 1
		t = t&before | t>>8&^before
		n = end - 1
	}
	mantissa := eightDigits(t << (64 - 8*n))
	if decimals > 0 {
		return float64(mantissa) / number.Pow10(int(decimals)), int(end)
	}
	return float64(mantissa), int(end)
}

// plainFloat is shortFloat for numbers of up to 15 digits, with a sign if there is one. It looks for leading zeros.
func plainFloat(b []byte) (f float64, length int) {
	at := 0
	if b[0] == '-' {
		at = 1
	}
	n, mantissa := digits(binary.LittleEndian.Uint64(b[at:]))
	if n == 0 || n > 1 && b[at] == '0' {
		return 0, 0
	}
	at += n
	if n == 8 {
		var more uint64
		n, more = digits(binary.LittleEndian.Uint64(b[at:]))
		if n == 8 {
			return 0, 0
		}
		mantissa = mantissa*integerPow10[n] + more
		at += n
		n += 8
	}
	f = float64(mantissa)
	if b[at] == '.' {
		d, fraction := digits(binary.LittleEndian.Uint64(b[at+1:]))
		if d == 0 || n+d > 15 {
			return 0, 0
		}
		at += 1 + d
		f = float64(mantissa*integerPow10[d]+fraction) / number.Pow10(d)
	}
	if b[0] == '-' {
		f = -f
	}
	return f, at
}

// NumberTexts is Floats for the numbers as they are written, one right after the other, and for where they end in that. It
// stops at those that Python wouldn't write so.
func (s *Scanner) NumberTexts(dst []byte, ends []uint32, max int) ([]byte, []uint32) {
	sep := s.separator()
	if sep.n == 0 {
		return dst, ends
	}
	from := len(ends)
	ends = slices.Grow(ends, max)[:from+max]
	dst = slices.Grow(dst, 8*max+runMargin)
	out, end := dst[:cap(dst)], len(dst)
	buf, i := s.buf, s.pos
	k := from
	length := 0 // of the number before
	for k < len(ends) && sep.at(buf, i) {
		start := i + sep.n
		if start+runMargin > len(buf) {
			break
		}
		b := buf[start : start+runMargin]
		at := digitCount(binary.LittleEndian.Uint64(b))
		if at == 8 {
			at += digitCount(binary.LittleEndian.Uint64(b[8:]))
			if at == 16 {
				at += digitCount(binary.LittleEndian.Uint64(b[16:]))
			}
		}
		if at == 0 || at == 24 || at > 1 && b[0] == '0' || b[at] == '.' {
			if at = anyNumberText(b); at == 0 {
				break
			}
		} else if !endsNumber(b[at]) {
			break
		}
		// Two words are copied, whatever the length: that takes no loop.
		if end+32 > len(out) {
			out = append(out[:end], make([]byte, 1024)...)
		}
		room := out[end : end+32]
		*(*[16]byte)(room) = *(*[16]byte)(b)
		if at > 16 {
			*(*[16]byte)(room[16:]) = *(*[16]byte)(b[16:])
		}
		end += at
		ends[k] = uint32(end)
		k++
		before := i
		i = start + at
		if at != length {
			length = at
			continue
		}
		c := makeCell(buf[before:], sep.n, at)
		if n := c.count(buf[i:], len(ends)-k); n > 0 {
			if room := n*at + maxCell; end+room > len(out) {
				out = append(out[:end], make([]byte, room+1024)...)
			}
			c.texts(buf[i:], out[end:], ends[k:k+n], uint32(end))
			k, i, end = k+n, i+n*c.n, end+n*at
		}
	}
	s.passed(i, k-from)
	return out[:end], ends[:k]
}

// anyNumberText returns the length of the number that b begins with, or 0 if it isn't known that Python would write it as it
// is, or that it is whole.
func anyNumberText(b []byte) int {
	at := 0
	if b[0] == '-' {
		at = 1
	}
	first := at
	n := 8
	for n == 8 && at < 24 {
		n = digitCount(binary.LittleEndian.Uint64(b[at:]))
		at += n
	}
	if at == first || at-first > 19 || b[first] == '0' && (at-first > 1 || first > 0) {
		return 0 // none, very many, or a leading zero, or -0
	}
	if b[at] == '.' {
		point := at
		n = digitCount(binary.LittleEndian.Uint64(b[at+1:]))
		at += 1 + n
		if n == 8 {
			n = digitCount(binary.LittleEndian.Uint64(b[at:]))
			at += n
		}
		small := b[first] == '0' && b[point+1] == '0'
		if n == 8 || at == point+1 || at-first > 16 || at > point+2 && (b[at-1] == '0' || small) {
			return 0
		}
	}
	if !endsNumber(b[at]) {
		return 0
	}
	return at
}

// digitCount returns how many of the eight bytes of w are digits before another one comes.
func digitCount(w uint64) int {
	t := w ^ lowest*'0'
	return bits.TrailingZeros64(((t+lowest*(0x80-10))|t)&highest) / 8
}

// passed notes that so many elements were read, up to buf[i].
func (s *Scanner) passed(i, count int) {
	if count > 0 {
		s.pos = i
		s.open[len(s.open)-1].index += count
	}
}
