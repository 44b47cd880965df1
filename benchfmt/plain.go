package benchfmt

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"perfdata/internal/chars"
	"perfdata/internal/number"
)

// This file is the fast path of reading result lines: it reads a line as package testing writes it
// in one look, without looking for the line's end first. The slow path is readLine, to which
// readPlain leaves any other line.
//
// Until the line end is found, the line is not taken: the slow path sets again the fields that
// readPlain has set by then. Bytes after the end of the input, where memory has old text, have no
// effect: a name and a line are kept only after a check that they end within the input.
//
// White space here is spaces and tabs, and what ends a field is a blank or a line end. Other white
// space, as Unicode has it, fails a comparison somewhere, and is left to the slow path.

// readPlain reads the line at the beginning of text, which has room after it, into g.result, if it is
// a result of the current stream and its units are known. The text begins at the offset in the input.
// readPlain returns the end of the line, which includes its line end, or -1 if it has read nothing.
func (g *grammar) readPlain(s *stream, text []byte, offset int64) (end int) {
	memory := len(text) - room // the input ends here, or has not been read further
	if memory <= len(prefix) || string(text[:len(prefix)]) != prefix || s != g.current {
		return -1
	}

	// Find the name. Usually it is the last one, whose params are complete.
	name, parts := &g.names, &g.parts
	end = len(prefix) + len(name.text)
	repeats := end < memory && isBlank(text[end]) && string(text[len(prefix):end]) == name.text &&
		name.pattern != nil && name.pattern.version == name.version
	if !repeats {
		parts.find(text[:memory])
		if end = parts.end; !parts.ascii && !utf8.Valid(text[:end]) || parts.count() > g.limits.MaxParams {
			return -1
		}
	}

	// Read the number of iterations. One with a zero in front has another text than its own.
	t := (*window)(text[end:])
	start := t.afterBlanks(0)
	if isBlank(t[start&mask]) { // some tools align this column with spaces and a tab
		start = t.afterBlanks(start)
	}

	x, ok := t.readShort(start)
	if !ok || x.point != noPoint || !isBlank(t[x.end&mask]) {
		integer, decimals, n := number.Digits((*[number.Longest - 1]byte)(text[end+start:]))
		const maxIterations = 9 * bits.UintSize / 32 // digits, of which every number fits into an int
		if n == 0 || n > maxIterations || decimals > 0 || !isBlank(text[end+start+n]) {
			return -1
		}
		x.integer, x.end = integer, start+n
	}
	first, last := end+start, end+x.end
	if !isBlank(t[0]) || text[first] == '0' || last >= memory {
		return -1
	}

	// From here on, the name and the number are kept. They share a string.
	res := &g.result
	isNew := int(x.integer) != res.iterations || res.iterText == ""
	if !repeats {
		line := g.strings.New(text[len(prefix):last])
		name.read(parts, text[:memory], line[:end-len(prefix)], s.config.sorted)
		if isNew {
			res.iterText = line[first-len(prefix):]
		}
	} else if isNew {
		res.iterText = g.strings.New(text[first:last])
	}

	res.iterations, res.name, res.stream = int(x.integer), name, s
	return g.readPlainValues(text, last, offset)
}

// readPlainValues reads the values from byte i of text on, and the line end, into g.result. It
// returns where the next line begins, or -1.
func (g *grammar) readPlainValues(text []byte, i int, offset int64) int {
	values := g.result.values[:cap(g.result.values)]
	memory := len(text) - room
	for k := 0; i < memory; k++ {
		if !isBlank(text[i]) {
			if text[i] == '\r' {
				i++
			}
			if i++; k == 0 || text[i-1] != '\n' || i > memory || i > g.limits.MaxLineBytes {
				return -1
			}

			g.result.values = values[:k]
			return i
		}
		if k == len(values) {
			return -1 // the slow path makes room
		}

		// Read the number.
		v := &values[k]
		t := (*window)(text[i:])
		start := t.afterBlanks(0)
		v.offset = offset + int64(i+start)
		at := 0 // of the unit, in t
		if x, ok := t.readShort(start); ok && t[x.end&mask] == ' ' {
			v.number = float64(int64(x.integer)) / scale[x.point&15]
			at = x.end + 1
		} else {
			const maxPlainNumber = 30 // the length of the longest number that is read so
			f, n := number.Parse(text[i+start:])
			if n == 0 || n > maxPlainNumber || f-f != 0 || text[i+start+n] != ' ' {
				return -1
			}

			v.number = f
			i += start + n + 1
			t = (*window)(text[i:])
		}

		// The unit is probably that of the same column in the previous line. A unit is only
		// remembered together with its metadata: a Unit line removes it from all columns.
		i += at
		if v.unit == nil || !v.unit.isAt(t, at) {
			if v.unit = g.plainUnit(text[i:]); v.unit == nil {
				return -1
			}
		}
		i += len(v.unit.text)
	}
	return -1
}

// A window is a part of the text. An index in it is at most mask, which tells the compiler that 16 bytes
// from there on are in the window.
type window [64]byte

const mask = 31

// isAt reports whether the unit is at byte i of a window, and ends before a blank or a line end. It
// is compared as integers, without a branch that depends on the length; a unit of more than 16
// bytes is left to plainUnit. A byte up to a space that is neither, as a form feed, also ends it:
// the byte after the unit is then neither a blank nor a line end, and the line is left to the slow
// path.
func (u *unit) isAt(t *window, i int) bool {
	return (binary.LittleEndian.Uint64(t[i&mask:])^u.low)&u.lowMask|
		(binary.LittleEndian.Uint64(t[i&mask+8:])^u.high)&u.highMask == 0 &&
		len(u.text) <= 16 && t[(i+len(u.text))&(len(t)-1)] <= ' '
}

// plainUnit returns the unit that text begins with, if it is known.
func (g *grammar) plainUnit(text []byte) *unit {
	n := 0
	for n < len(text) && text[n] > ' ' {
		n++
	}
	return g.units.known[string(text[:n])]
}

// afterBlanks returns the index of the first byte that is not a space after the blank at byte i, or of
// the ninth.
func (t *window) afterBlanks(i int) int {
	const spaces = ' ' * lowest
	return i + 1 + bits.TrailingZeros64(binary.LittleEndian.Uint64(t[i&mask+1:])^spaces)/8
}

// The rest of this file reads numbers. Most have at most eight bytes, and are read without a branch
// that depends on their width, or on whether they have a point, because both vary from line to
// line.

// A shortNumber is the number of up to eight bytes that ends at a byte of a line.
type shortNumber struct {
	integer uint64 // without its point
	point   uint   // index of its point in the last eight bytes, or noPoint
	end     int
}

const noPoint = 8

// readShort returns the number that begins at byte start. It returns false if the bytes are not
// digits, perhaps with a point before the last one. The number may go on after its end.
func (t *window) readShort(start int) (x shortNumber, ok bool) {
	// The number ends at the first byte up to a space. The subtraction sets the highest bit of such
	// bytes. It is also set in bytes from 0xa1 on, which &^ w drops, and perhaps in a '!' after the
	// first such byte: only the first one is used. If there is none, n is 8.
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

// scale has the powers of ten to divide by, by the index of the point. A short number is rounded
// correctly as a quotient: both its digits and the power of ten are below 2^53.
var scale = [16]float64{1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1e0, noPoint: 1}
