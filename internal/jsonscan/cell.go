package jsonscan

import (
	"bytes"
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

// A cellWord is what eight bytes of a cell look like: what is left of each byte, taken from the text, is not above what
// is added to it to make 128.
type cellWord struct{ least, room, mask uint64 }

// mismatch returns 0 if w looks as the word says. The first byte that doesn't shows it, whatever it does to those behind it:
// less than the least is a byte of 128 or more, and so is more than there is room for.
func (c *cellWord) mismatch(w uint64) uint64 {
	w -= c.least
	return (w | (w + c.room)) & c.mask
}

// makeCell returns what the number that b[sep:] begins with, of the given length, looks like with the separator that b
// begins with. It has no exponent.
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
		// A number of several digits doesn't begin with 0, nor does one with a sign, and a fraction of several doesn't end with it.
		least, most := b[i], b[i]
		if i >= first && b[i] != '.' {
			least, most = '0', '9'
			if i == first && (n-first > 1 || first > sep) || i == last && !whole && b[i-1] != '.' {
				least = '1'
			}
		}
		w := &c.words[i/8]
		w.least = w.least<<8 | uint64(least)
		w.room = w.room<<8 | uint64(0x7f-(most-least))
		w.mask = w.mask<<8 | 0x80
	}
	return c
}

// count returns how many cells there are at the beginning of b, one behind the other, and at most max.
func (c *cell) count(b []byte, max int) (n int) {
	if c.n == 0 {
		return 0
	}
	max = min(max, (len(b)-runMargin)/c.n)
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

// An Even is numbers that stand in a text so many bytes apart, and are all as long.
type Even struct {
	Text                []byte // valid until the Scanner's next call
	First, Step, Length int    // bytes
	Count               int
}

// EvenNumbers reads the next numbers of the array that was entered last, where Element could be called, if all of them, max or
// those that are left, are written alike, and so that Python would write them so. If not, it reads nothing, and returns false.
func (s *Scanner) EvenNumbers(max int) (e Even, ok bool) {
	if !s.inArray() {
		return e, false
	}
	if len(s.buf)-s.pos < max*maxCell+runMargin {
		s.fill()
	}
	b := s.buf[s.pos:]
	n, ok := s.cell.countAll(b, max)
	if !ok {
		sep := s.separator()
		if sep.n == 0 {
			return e, false
		}
		length := anyNumberText(b[sep.n : sep.n+runMargin])
		if length == 0 {
			return e, false
		}
		s.cell = makeCell(b, sep.n, length)
		if n, ok = s.cell.countAll(b, max); !ok {
			return e, false
		}
	}
	c := &s.cell
	e = Even{Text: b[:n*c.n], First: c.sep, Step: c.n, Length: c.n - c.sep, Count: n}
	s.passed(s.pos+n*c.n, n)
	return e, true
}

// inArray reports whether an element of the array that was entered last was read, and all is as usual.
func (s *Scanner) inArray() bool {
	return !s.first && s.err == nil && !s.general && s.limits.MaxStringBytes >= runMargin
}

// countAll is count, which returns true if there are max cells, or fewer and the end of the array behind them.
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

// read reads cells that b begins with, at most as many as there is room for, and where in the input they stand, as b stands
// at the given offset. It returns how many.
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
	before, n, divisor := ^uint64(0), length, 1.0
	if point < length {
		before = 1<<(8*point) - 1
		n--
		divisor = number.Pow10(int(n - point))
	}
	shift := (64 - 8*n) & 63
	step, behind := c.n, ^before
	for k, i := 0, c.sep; k < len(dst); k++ {
		t := binary.LittleEndian.Uint64(b[i:]) ^ lowest*'0'
		t = t&before | t>>8&behind
		dst[k] = float64(int64(eightDigits(t<<shift))) / divisor
		i += step
	}
	return true
}

// eightDigits returns the number whose digits, from 0 to 9, are the bytes of t.
func eightDigits(t uint64) uint64 {
	t = t*10 + t>>8
	const pairs = 0x000000ff000000ff
	return ((t&pairs)*(100+1000000<<32) + (t>>16&pairs)*(1+10000<<32)) >> 32
}
