package benchfmt

import (
	"encoding/binary"
	"math/bits"

	"perfdata/internal/chars"
	"perfdata/internal/lines"
	"perfdata/internal/number"
)

// This file is the fast path of reading result lines: it reads a line as package testing writes it
// in one look, without looking for the line's end first. The slow path is readLine, to which
// readPlain leaves any other line. With the slow path only, reading takes 54% more instructions
// if all names differ, and 67% more if each name is on ten consecutive lines.
//
// Three invariants hold.
//
//   - Until the line end is found, the line is not taken: what readPlain has set by then, the slow
//     path sets again.
//   - What is found after the end of the input, where memory has old text, has no effect: that no
//     part is there is checked before the part is kept.
//   - Every index in a window is below windowSize, and the text read there has at most 64 bytes. Masking
//     changes no such index. It only shows the compiler that the access is within the window. Where a
//     loop could leave that range, its bound is written beside it.
//
// White space here is spaces and tabs, and what ends a field is a blank or a line end. Other white
// space, as Unicode has it, fails a comparison somewhere, and is left to the slow path.

// window returns the window that text begins with. If text is shorter, what comes after it may have
// any values.
func (g *grammar) window(text []byte) *window {
	if len(text) < len(window{}) {
		copy(g.tail[:], text)
		return &g.tail
	}
	return (*window)(text)
}

// readPlain reads the next line, which is the stream's, if it is a result and all in memory, its
// name has the keys of an earlier name, and its units are known. Otherwise, it reads nothing.
func (g *grammar) readPlain(s *stream) *result {
	if &s.name != g.names.current || s.name == nil {
		return nil
	}
	text := g.lines.Ahead()
	memory := len(text) - lines.Room // the input ends here, or has not been read further
	t := g.window(text)
	if string(t[:len(prefix)]) != prefix {
		return nil
	}

	// Find the name. If it is not that of the previous line, it is taken later, because it shares
	// a string with the number of iterations.
	name, parts := s.name, &g.names.parts
	var p *pattern
	n := len(name.text)
	if after := (*nameText)(t[len(prefix):]); !name.repeats(after[:maxName+1]) {
		if p, _, _ = name.find(parts, after); p == nil {
			return nil
		}
		n = parts.end
	}

	// Read the number of iterations. The name is at most maxName bytes long, so even behind 16 spaces
	// the number begins below windowSize.
	start := t.numberStart(len(prefix) + n)
	for isBlank(t[start&mask]) && start < windowSize-64 { // some tools align this column with spaces and a tab
		start = t.numberStart(start)
	}
	x, ok := t.readShort(start)
	if !ok || x.point != noPoint || !isBlank(t[x.end&mask]) {
		integer, decimals, n := number.Plain(t[start&mask:])
		if n == 0 || n > maxIterations || decimals > 0 || !isBlank(t[(start+n)&mask]) {
			return nil
		}
		x.integer, x.end = integer, start+n
	}

	// A number with a zero in front has another text than its own. From here on, the name and the
	// number are kept, so they must be input. They are if the blank after them, at x.end, is.
	if t[start&mask] == '0' || x.end >= memory {
		return nil
	}

	res := &g.result
	same := int(x.integer) == res.iterations && res.iterText != ""
	if p != nil {
		line := g.strings.New(t[len(prefix):x.end])
		name.take(p, parts, line, s.config.sorted)
		if !same {
			res.iterText = line[start-len(prefix):]
		}
	} else if !same {
		res.iterText = g.strings.New(t[start:x.end])
	}
	res.iterations = int(x.integer)

	// Read the values. If the line turns out to be longer than the input in memory, it is read
	// from its start.
	end := g.readPlainValues(text, t, x.end)
	if end < 0 || end > memory || end > g.limits.MaxLineBytes {
		return nil
	}
	g.lines.Take(end, 1)
	res.at, res.stream = place{offset: g.lines.Offset(), line: g.lines.Number()}, s
	return res
}

// maxIterations is the number of digits up to which every number of iterations fits into an int.
const maxIterations = 9 * bits.UintSize / 32

// readPlainValues reads the values from byte i of text on, and the line end, into g.result. It
// returns where the next line begins, or -1. What it reads may be after the end of the input. The
// window is the one that text begins with.
func (g *grammar) readPlainValues(text []byte, t *window, i int) int {
	values := g.result.values[:cap(g.result.values)]
	offset := g.lines.End()
	base := 0 // index in text of the window
	for k := 0; ; k++ {
		// A value is at most maxPlainValue bytes long. So all indices are less than windowSize in the
		// loop. The window moves on with the text: base+i is the position in it, and stays the same.
		if i > windowSize-maxPlainValue {
			if base += i; base > len(text) {
				return -1
			}
			t, i = g.window(text[base:]), 0
		}

		if !isBlank(t[i&mask]) {
			if k == 0 {
				return -1
			}
			if t[i&mask] == '\r' {
				i++
			}
			if t[i&mask] != '\n' {
				return -1
			}

			// The caller checks that the line ends within the input. If not, the number of values
			// is set again, by readValues.
			g.result.values = values[:k]
			return base + i + 1
		}
		if k == len(values) {
			return -1 // the slow path makes room
		}

		// Read the number. A short one is rounded correctly as a quotient: both its digits and the
		// power of ten are below 2^53.
		v := &values[k]
		start := t.numberStart(i)
		v.offset = offset + int64(base+start)

		if x, ok := t.readShort(start); ok && t[x.end&mask] == ' ' {
			v.number = float64(int64(x.integer)) / scale[x.point&15]
			i = x.end + 1
		} else {
			f, n := longNumber(t[start&mask:])
			if n == 0 || t[(start+n)&mask] != ' ' {
				return -1
			}
			v.number = f
			i = start + n + 1
		}

		// The unit is probably that of the same column in the previous line. Its first 16 bytes are
		// compared as integers, without a branch that depends on the length. A unit is only
		// remembered together with its metadata: a Unit line removes it from all columns.
		u := v.unit
		if u == nil || (binary.LittleEndian.Uint64(t[i&mask:])^u.low)&u.lowMask|
			(binary.LittleEndian.Uint64(t[i&mask+8:])^u.high)&u.highMask != 0 || !u.ends(t, i) {
			if u = g.plainUnit(t[i&mask:]); u == nil {
				return -1
			}
			v.unit = u
		}
		i += len(u.text)
	}
}

// maxPlainValue is more than the length of the longest value that readPlainValues reads: blanks, a
// number, a space and a unit.
const maxPlainValue = 192

// ends reports whether u, whose first 16 bytes are at byte i, is there and ends with a blank or
// the line. A byte up to a space that is neither, as a form feed, ends it too: what follows the unit
// is then neither a blank nor a line end, and the line is left to the slow path.
func (u *unit) ends(t *window, i int) bool {
	n := len(u.text)
	return t[(i+n)&mask] <= ' ' && (n <= 16 || n <= maxPlainUnit && string(t[i&mask:i&mask+n]) == u.text)
}

// maxPlainUnit is the length of the longest unit that readPlainValues reads.
const maxPlainUnit = 60

// plainUnit returns the unit that text begins with, if it is known and consists of visible ASCII.
func (g *grammar) plainUnit(text []byte) *unit {
	n := 0
	for n <= maxPlainUnit && isPlain(text[n]) {
		n++
	}
	if n > maxPlainUnit {
		return nil
	}
	return g.units.known[string(text[:n])]
}

// This file is the fast path of reading the numbers of a line. Most have at most eight bytes:
// those are read without a branch that depends on their width, or on whether they have a point,
// because both vary from line to line. The slow path is number.Parse. With the slow path only,
// reading takes 28% more instructions if all names differ, and 39% more if each name is on ten
// consecutive lines.

// A window is the text from a byte on: of a line, and what comes after it. If an index is less than
// windowSize, it says so with "& mask", because Go checks no bounds then.
type window [windowSize + 64]byte

const (
	windowSize = 512
	mask       = windowSize - 1
)

// A shortNumber is the number of up to eight bytes that ends at a byte of a line.
type shortNumber struct {
	integer uint64 // without its point
	point   uint   // index of its point in the last eight bytes, or noPoint
	end     int
}

const noPoint = 8

// numberStart returns where the number begins that comes after the blank at byte i and up to 16
// spaces.
func (t *window) numberStart(i int) int {
	if x := binary.LittleEndian.Uint64(t[(i+1)&mask:]) ^ spaces; x != 0 {
		return i + 1 + bits.TrailingZeros64(x)/8
	}
	return i + 9 + bits.TrailingZeros64(binary.LittleEndian.Uint64(t[(i+9)&mask:])^spaces)/8
}

// readShort returns the number that begins at byte start. It returns false if what it reads is not
// digits, perhaps with a point before the last one. The number may go on after its end.
func (t *window) readShort(start int) (x shortNumber, ok bool) {
	// The number ends at the first byte up to a space. The subtraction sets the highest bit of such
	// bytes. It is also set in bytes from 0xa1 on, which &^ w drops, and perhaps in a '!' after the
	// first such byte: only that one counts. If there is none, n is 8.
	w := binary.LittleEndian.Uint64(t[start&mask:])
	n := bits.TrailingZeros64((w-lowest*(' '+1))&^w&highest) / 8
	digits := (w ^ zeros) << ((64 - 8*n) & 63) // if n is 0, the first one is not a digit

	// The digits are at the end of the word now, and zeros before them.
	// Look for a point. The digits before it take its place, and a zero comes first.
	other := digits ^ lowest*('.'^'0')
	point := (other - lowest) &^ other & highest
	before := point>>7 - 1 // bits of the bytes before it: all, without a point
	moved := (digits & before) << 8
	if point == 0 {
		moved = digits
	}
	digits = moved | digits&^(before<<8|0xff)

	// No byte may be 10 or more. A second point is one, and so is every byte that is not a digit. A
	// point in the last place has no digits after it.
	odd := (digits + lowest*(0x80-10)) | digits | point&(1<<63)
	x = shortNumber{number.EightDigits(digits), uint(bits.TrailingZeros64(point)) / 8, start + n}
	return x, odd&highest == 0
}

const (
	lowest  = chars.Lowest
	highest = 0x80 * lowest
	zeros   = lowest * '0'
)

// scale has the powers of ten to divide by, by the index of the point.
var scale = [16]float64{1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1e0, noPoint: 1}

// longNumber returns a number that readShort does not read, and its length, which is 0 if it is
// not certain.
func longNumber(text []byte) (f float64, n int) {
	f, n = number.Parse(text)
	if n > maxPlainNumber || f-f != 0 {
		return 0, 0
	}
	return f, n
}

// maxPlainNumber is the length of the longest number that is read so.
const maxPlainNumber = 30
