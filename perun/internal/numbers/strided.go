package numbers

import (
	"bytes"
	"encoding/binary"

	"perfdata/internal/number"
)

// Numbers that programs write in an array often have as many digits as the numbers beside them.
// Then each begins the same number of bytes after the one before, which needn't be read first to
// know it: the processor looks at several of them at the same time. That makes reading them three
// times as fast.

// A cell describes a number of an array, after a separator.
type cell struct {
	n     int // bytes
	sep   int // bytes of the separator
	words [maxCell / 8]byteRanges
}

// maxCell is the length of the longest cell, in bytes.
const maxCell = 24

// byteRanges are ranges that eight bytes of a text must be in. Each byte of least is the lowest
// value; each byte of slack is 127 minus the size of the range; the mask has the highest bit of
// each byte that is compared.
type byteRanges struct{ least, slack, mask uint64 }

// mismatch returns 0 if each byte of w is in its range. The first byte that isn't sets its
// highest bit: if it is below the range, by the subtraction, and if it is above, by the addition.
// The carry may change later bytes.
func (r *byteRanges) mismatch(w uint64) uint64 {
	w -= r.least
	return (w | (w + r.slack)) & r.mask
}

// makeCell returns the cell of the separator that b begins with and the number after it, which
// has the given length, and no exponent. A cell that would be too long has no bytes.
func makeCell(b []byte, sep, length int) (c cell) {
	n := sep + length
	if n > maxCell || len(b) < maxCell {
		return c
	}
	c.n, c.sep = n, sep
	digits := b[sep:n]
	if digits[0] == '-' {
		digits = digits[1:]
	}
	whole := bytes.IndexByte(digits, '.') < 0
	first, last := n-len(digits), n-1
	for i := n - 1; i >= 0; i-- {
		// Python writes no 0 at the beginning of a number of several digits, no -0, and no 0 at
		// the end of a fraction of several digits.
		least, most := b[i], b[i]
		if i >= first && b[i] != '.' {
			least, most = '0', '9'
			if i == first && (n-first > 1 || first > sep) || i == last && !whole && b[i-1] != '.' {
				least = '1'
			}
		}
		w := &c.words[i/8]
		w.least = w.least<<8 | uint64(least)
		w.slack = w.slack<<8 | uint64(0x7f-(most-least))
		w.mask = w.mask<<8 | 0x80
	}
	return c
}

// count returns how many cells b begins with, one after the other, and at most max.
func (c *cell) count(b []byte, max int) (n int) {
	if c.n == 0 {
		return 0
	}
	max = min(max, (len(b)-Longest)/c.n)
	i := 0
	w0, w1, w2 := c.words[0], c.words[1], c.words[2]
	switch step := c.n; {
	case step <= 8:
		for n < max && w0.mismatch(binary.LittleEndian.Uint64(b[i:])) == 0 {
			i += step
			n++
		}

	case step <= 16:
		for ; n < max; n++ {
			text := (*[16]byte)(b[i:])
			if w0.mismatch(binary.LittleEndian.Uint64(text[:]))|w1.mismatch(binary.LittleEndian.Uint64(text[8:])) != 0 {
				break
			}
			i += step
		}
	default:
		for ; n < max; n++ {
			text := (*[24]byte)(b[i:])
			if w0.mismatch(binary.LittleEndian.Uint64(text[:]))|w1.mismatch(binary.LittleEndian.Uint64(text[8:]))|
				w2.mismatch(binary.LittleEndian.Uint64(text[16:])) != 0 {
				break
			}

			i += step
		}
	}
	if n > 0 && !endsNumber(b[i]) {
		n-- // it goes on
	}
	return n
}

// A Strided is the texts of numbers of the same length, one every Step bytes of a text.
type Strided struct {
	Text   []byte // a part of the text that was read
	First  int    // where the first number begins
	Step   int
	Length int // of each number
	Count  int
}

// MaxStrided is the length of the text that Strided needs for each number, at most.
const MaxStrided = maxCell

// Strided reads the next numbers if all of them, max or as many as the array has, are written
// alike, and as Python would write them. If not, it reads nothing, and returns a Count of 0.
func (a *Array) Strided(text []byte, max int) (Strided, int) {
	n, ok := a.cell.countAll(text, max)
	if !ok {
		sep := separatorOf(text)
		if sep.n == 0 {
			return Strided{}, 0
		}
		length := longTextLen(text[sep.n : sep.n+Longest])
		if length == 0 {
			return Strided{}, 0
		}
		a.cell = makeCell(text, sep.n, length)
		if n, ok = a.cell.countAll(text, max); !ok {
			return Strided{}, 0
		}
	}
	c := &a.cell
	size := n * c.n
	return Strided{Text: text[:size], First: c.sep, Step: c.n, Length: c.n - c.sep, Count: n}, size
}

// countAll is count, and returns true if there are max cells, or fewer and then the end of the
// array.
func (c *cell) countAll(b []byte, max int) (n int, all bool) {
	n = c.count(b, max)
	return n, n > 0 && (n == max || endsArray(b[n*c.n:]))
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

// texts copies the numbers of the cells that b begins with to dst, and sets ends to where they
// end, counted from end.
func (c *cell) texts(b, dst []byte, ends []uint32, end uint32) {
	length := c.n - c.sep
	i, at := c.sep, 0
	for k := range ends {
		// All that a cell has room for is copied, whatever the length: that takes no loop.
		to, from := (*[maxCell]byte)(dst[at:]), (*[maxCell]byte)(b[i:])
		w0, w1 := binary.LittleEndian.Uint64(from[:]), binary.LittleEndian.Uint64(from[8:])
		w2 := binary.LittleEndian.Uint64(from[16:])
		binary.LittleEndian.PutUint64(to[:], w0)
		binary.LittleEndian.PutUint64(to[8:], w1)
		binary.LittleEndian.PutUint64(to[16:], w2)
		i += c.n
		at += length
		ends[k] = end + uint32(at)
	}
}

// read reads the numbers of the cells that b begins with, at most as many as dst has room for,
// and their offsets in the input, if b is at the given offset. It returns how many there are.
func (c *cell) read(b []byte, dst []float64, offsets []int64, at int64) int {
	n := c.count(b, len(dst))
	if n == 0 || !c.floats(b, dst[:n]) {
		return 0
	}
	at += int64(c.sep)
	for i := range offsets[:n] {
		offsets[i] = at
		at += int64(c.n)
	}
	return n
}

// floats reads the numbers of the cells that b begins with. It returns false if they are too long
// for it, or negative.
func (c *cell) floats(b []byte, dst []float64) bool {
	length := uint(c.n - c.sep)
	first := binary.LittleEndian.Uint64(b[c.sep:])
	if length > 8 || byte(first) == '-' {
		return false
	}
	// The digits after the point take its place.
	point := uint(0)
	for point < length && byte(first>>(8*point)) != '.' {
		point++
	}

	before, n, divisor := ^uint64(0), length, 1.0
	if point < length {
		before = 1<<(8*point) - 1
		n--
		divisor = number.Pow10(int(n - point))
	}

	shift := (64 - 8*n) & 63
	step, after := c.n, ^before
	for k, i := 0, c.sep; k < len(dst); k++ {
		t := binary.LittleEndian.Uint64(b[i:]) ^ lowest*'0'
		t = t&before | t>>8&after
		dst[k] = float64(int64(eightDigits(t<<shift))) / divisor
		i += step
	}
	return true
}
