package benchfmt

import (
	"encoding/binary"
	"math/bits"

	"perfdata/internal/chars"
	"perfdata/internal/number"
)

// This file is the fast path of reading the numbers of a line. Most have at most eight bytes:
// those are read without a branch that depends on their width, or on whether they have a point,
// because both vary from line to line. The slow path is number.Parse. With the slow path only,
// reading takes 28% more instructions if all names differ, and 39% more if each name is on ten
// consecutive lines.

// A piece is the text from a byte on: of a line, and what comes after it. If an index is less than
// reach, it says so with "& mask", because Go checks no bounds then.
type piece [reach + 64]byte

const (
	reach = 512
	mask  = reach - 1
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
func (t *piece) numberStart(i int) int {
	if x := binary.LittleEndian.Uint64(t[(i+1)&mask:]) ^ spaces; x != 0 {
		return i + 1 + bits.TrailingZeros64(x)/8
	}
	return i + 9 + bits.TrailingZeros64(binary.LittleEndian.Uint64(t[(i+9)&mask:])^spaces)/8
}

// readShort returns the number that begins at byte start. It returns false if what it reads is not
// digits, perhaps with a point before the last one. The number may go on after its end.
func (t *piece) readShort(start int) (x shortNumber, ok bool) {
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
