package jsonscan

import (
	"encoding/binary"

	"perfdata/internal/number"
)

// Numbers that programs write in an array mostly have as many digits as those beside them. Where they have, each begins
// so many bytes behind the one before, which needn't be read first to know it: the processor looks at several of them at
// the same time. That makes it three times as fast.

// A cell is what a number of an array and the separator before it look like.
type cell struct {
	n     int // bytes
	sep   int // of those, the separator's
	words [maxCell / 8]cellWord
}

// maxCell is how long cells can be.
const maxCell = 24

// A cellWord is what eight bytes of a cell look like.
type cellWord struct {
	text    uint64 // of the first one
	fixed   uint64 // masks the bytes that are as in text, the separator, the sign and the point, and the upper half of digits
	digits  uint64 // masks the upper half of digits
	nonzero uint64 // masks a bit of digits that must not be 0: the first one, and the last behind a point
}

// mismatch returns 0 if w looks as the word says.
func (c *cellWord) mismatch(w uint64) uint64 {
	// The digits are 0x30 to 0x39. A sum runs over from one byte into the next only if the first is neither a digit nor ASCII.
	return (w^c.text)&c.fixed | ((w+lowest*6)^c.text)&c.digits | ^(w+lowest*15)&c.nonzero
}

// makeCell returns what the number that b[sep:] begins with, of the given length, looks like with the separator that b
// begins with. It has no exponent.
func makeCell(b []byte, sep, length int) (c cell) {
	n := sep + length
	if n > maxCell || len(b) < maxCell {
		return c
	}
	c.n, c.sep = n, sep
	point := -1
	first := sep // of the digits
	if b[sep] == '-' {
		first++
	}
	for i := range c.words {
		w := &c.words[i]
		w.text = binary.LittleEndian.Uint64(b[8*i:])
		w.digits = bytesTo(n-8*i) &^ bytesTo(first-8*i) & (lowest * 0xf0)
		w.fixed = bytesTo(first-8*i) | w.digits
	}
	for i := first; i < n; i++ {
		if b[i] == '.' {
			point = i
		}
	}
	if point >= 0 {
		w, mask := &c.words[point/8], uint64(0xff)<<(8*(point%8))
		w.fixed |= mask
		w.digits &^= mask
	}
	nonzero := func(i int) { c.words[i/8].nonzero |= 0x40 << (8 * (i % 8)) }
	if n-first > 1 || first > sep {
		nonzero(first)
	}
	if point >= 0 && n-point > 2 {
		nonzero(n - 1)
	}
	return c
}

// bytesTo returns the mask of the first n bytes of a word.
func bytesTo(n int) uint64 {
	switch {
	case n <= 0:
		return 0
	case n >= 8:
		return ^uint64(0)
	}
	return 1<<(8*n) - 1
}

// count returns how many cells there are at the beginning of b, one behind the other, and at most max.
func (c *cell) count(b []byte, max int) (n int) {
	if c.n == 0 {
		return 0
	}
	i := 0
	w0, w1, w2 := c.words[0], c.words[1], c.words[2]
	switch {
	case c.n <= 8:
		for n < max && i+runMargin <= len(b) && w0.mismatch(binary.LittleEndian.Uint64(b[i:])) == 0 {
			i += c.n
			n++
		}
	case c.n <= 16:
		for n < max && i+runMargin <= len(b) {
			text := (*[16]byte)(b[i:])
			if w0.mismatch(binary.LittleEndian.Uint64(text[:]))|w1.mismatch(binary.LittleEndian.Uint64(text[8:])) != 0 {
				break
			}
			i += c.n
			n++
		}
	default:
		for n < max && i+runMargin <= len(b) {
			text := (*[24]byte)(b[i:])
			if w0.mismatch(binary.LittleEndian.Uint64(text[:]))|w1.mismatch(binary.LittleEndian.Uint64(text[8:]))|
				w2.mismatch(binary.LittleEndian.Uint64(text[16:])) != 0 {
				break
			}
			i += c.n
			n++
		}
	}
	if n > 0 && !endsNumber(b[i]) {
		n-- // it goes on
	}
	return n
}

// An Even is numbers that stand in a text so many bytes apart, and are all as long.
type Even struct {
	Text                []byte // valid until the Scanner's next call
	First, Step, Length int    // bytes
	Count               int
}

// EvenNumbers reads the next numbers of the array that was entered last, where Element could be called, if all of them, max or
// those that are left, are written alike, and so that Python would write them so. If not, it reads nothing, and returns false.
func (s *Scanner) EvenNumbers(max int) (e Even, ok bool) {
	if s.first {
		return e, false // no separator is before the first
	}
	if len(s.buf)-s.pos < max*maxCell+runMargin {
		s.fill()
	}
	sep := s.separator()
	if sep.n == 0 {
		return e, false
	}
	b := s.buf[s.pos:]
	length := anyNumberText(b[sep.n : sep.n+runMargin])
	if length == 0 {
		return e, false
	}
	c := makeCell(b, sep.n, length)
	n := c.count(b, max)
	if n == 0 || n < max && !endsArray(b[n*c.n:]) {
		return e, false
	}
	e = Even{Text: b[:n*c.n], First: c.sep, Step: c.n, Length: length, Count: n}
	s.passed(s.pos+n*c.n, n)
	return e, true
}

// endsArray reports whether b begins with the end of an array.
func endsArray(b []byte) bool {
	for _, c := range b {
		if c > ' ' {
			return c == ']'
		}
	}
	return false
}

// endsNumber reports whether c can follow a number.
func endsNumber(c byte) bool { return c == ',' || c == ']' || c <= ' ' }

// texts copies the numbers of cells, which b begins with, to dst, and notes where they end, so many bytes further.
func (c *cell) texts(b, dst []byte, ends []uint32, end uint32) {
	length := c.n - c.sep
	i, at := c.sep, 0
	for k := range ends {
		// All that a cell has room for is copied, whatever the length: that takes no loop.
		to, from := (*[maxCell]byte)(dst[at:]), (*[maxCell]byte)(b[i:])
		w0, w1, w2 := binary.LittleEndian.Uint64(from[:]), binary.LittleEndian.Uint64(from[8:]), binary.LittleEndian.Uint64(from[16:])
		binary.LittleEndian.PutUint64(to[:], w0)
		binary.LittleEndian.PutUint64(to[8:], w1)
		binary.LittleEndian.PutUint64(to[16:], w2)
		i += c.n
		at += length
		ends[k] = end + uint32(at)
	}
}

// floats reads the numbers of cells that b begins with. It returns false if it doesn't: they are too long.
func (c *cell) floats(b []byte, dst []float64) bool {
	length := uint(c.n - c.sep)
	first := binary.LittleEndian.Uint64(b[c.sep:])
	if length > 8 || byte(first) == '-' {
		return false
	}
	// The digits behind the point take its place.
	point := uint(0)
	for point < length && byte(first>>(8*point)) != '.' {
		point++
	}
	before, n, decimals := ^uint64(0), length, uint(0)
	if point < length {
		before = 1<<(8*point) - 1
		n--
		decimals = n - point
	}
	for k, i := 0, c.sep; k < len(dst); k++ {
		t := binary.LittleEndian.Uint64(b[i:]) ^ lowest*'0'
		t = t&before | t>>8&^before
		dst[k] = number.Decimal(eightDigits(t<<(64-8*n)), int(decimals))
		i += c.n
	}
	return true
}

// eightDigits returns the number whose digits, from 0 to 9, are the bytes of t.
func eightDigits(t uint64) uint64 {
	t = t*10 + t>>8
	const pairs = 0x000000ff000000ff
	return ((t&pairs)*(100+1000000<<32) + (t>>16&pairs)*(1+10000<<32)) >> 32
}
