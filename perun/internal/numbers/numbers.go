package numbers

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strings"

	"perfdata/internal/number"
)

// A Span is the place of a number in a text.
type Span struct {
	Start, End uint32
	digits     uint32 // before the point; 0: the number has a sign or an exponent
}

// The lengths of texts that Scan looks at.
const (
	block        = 512                // at once
	longest      = 31                 // of a number that it finds
	maxSeparator = 40                 // of what is between two numbers
	window       = number.Longest + 8 // of what is looked at for one number and what follows it
)

// A blockText is a block of text, with a number that begins at its end, and what follows.
type blockText [block + window]byte

// Scan finds numbers of an array. It takes the text that follows an element that was read, up to
// where it is known: a comma, usually. It returns the places of the numbers that the text begins
// with, at most max, in the memory of spans, and how many bytes they take.
//
// It stops before anything unusual, such as a number that may not be whole in the text, white space
// that varies, or a fault: the caller reads that with a JSON parser, as it must read an array's
// first element.
//
// This is the hot loop for arrays of numbers. It finds numbers of any width, without a branch that
// depends on the width, and then another loop reads what is needed of them. To look at the text of
// each number by itself, without the bitmap of a block, takes 24% more instructions; to parse each
// number at once, 22%.
func Scan(spans []Span, text []byte, max int) (_ []Span, taken int) {
	sep := separator(text)
	known := len(text) - number.Longest // where numbers may end, so that they can be parsed
	if len(sep) == 0 || known < 0 {
		return spans[:0], 0
	}
	size := uint(len(sep))
	first, mask := binary.LittleEndian.Uint64(text), ^uint64(0)>>(64-8*min(size, 8))

	spans = slices.Grow(spans[:0], max)[:max]
	k := 0
	var others bitmap
	var tail blockText // the end of the text, with zeros after it
scan:
	for base, last := len(sep), false; k < len(spans) && base < known; {
		b := &tail
		if len(text)-base >= len(b) {
			b = (*blockText)(text[base:])
		} else {
			clear(tail[copy(tail[:], text[base:known]):])
		}
		others.set(b)

		i := uint(0)
		for i < block && k < len(spans) {
			w := others.from(i)
			digits := zerosBefore(w)
			end := i + digits
			next := binary.LittleEndian.Uint64(b[end:])
			if byte(next) == '.' {
				if length := zerosBefore(w & (w - 1)); length > digits+1 {
					end = i + length
					next = binary.LittleEndian.Uint64(b[end:])
				}
			}

			// Whether there is a second digit varies, so a branch on it would cost a tenth of Scan's time.
			zero := (uint64(b[i]^'0') - 1) >> 63 &^ (uint64(w) >> 1)
			if (next^first)&mask|uint64(w&1)|zero != 0 {
				// It has a sign or an exponent, or a superfluous zero, or is the last one.
				length := lengthOf(b[i:][:window])
				if length == 0 {
					break scan
				}
				digits, end = 0, i+length
				last = (binary.LittleEndian.Uint64(b[end:])^first)&mask != 0
			}

			spans[k] = Span{uint32(base) + uint32(i), uint32(base) + uint32(end), uint32(digits)}
			k++
			if last || size > 8 && string(b[end:end+size]) != string(sep) {
				break scan
			}
			i = end + size
		}
		base += int(i)
	}
	if k > 0 {
		taken = int(spans[k-1].End)
	}
	return spans[:k], taken
}

// lengthOf returns the length of the number that b begins with, or 0 if it is long, or out of range,
// or if something follows that cannot follow an element of an array.
func lengthOf(b []byte) uint {
	f, n := number.Parse(b[:number.Longest])
	if n > longest || math.IsInf(f, 0) || strings.IndexByte(",] \n\r\t", b[n]) < 0 {
		return 0
	}
	return uint(n)
}

// A bitmap has a bit for each byte of a text: 1 if the byte is not a digit. It has eight bytes more
// than a block, for a number that begins at the block's end.
type bitmap [block/8 + 8]byte

// set sets the bits for the text.
func (m *bitmap) set(text *blockText) {
	for i := 0; i < len(m); i += 4 {
		b := (*[32]byte)(text[8*i:])
		w := number.Others(b[:]) | number.Others(b[8:])<<8 | number.Others(b[16:])<<16 | number.Others(b[24:])<<24
		binary.LittleEndian.PutUint32(m[i:], w)
	}
}

// zerosBefore returns how many zeros are below the lowest bit of w, at most 32. The mask saves a check of
// bounds. Of what Scan takes, bits.TrailingZeros32 would take 20% more on AMD's processors: it is an
// instruction of eight steps, unless the program is compiled for newer processors only.
func zerosBefore(w uint32) uint { return uint(bits.OnesCount32((w-1)&^w)) & 63 }

// from returns the bits for the text from byte i on.
func (m *bitmap) from(i uint) uint32 {
	return uint32(binary.LittleEndian.Uint64(m[i>>3&(block/8-1):]) >> (i & 7))
}

// separator returns what the text begins with if that is what separates two numbers: a comma, usually
// with white space.
func separator(text []byte) []byte {
	if len(text) == 0 || text[0] != ',' {
		return nil
	}
	i := 1
	for i < len(text) && i < maxSeparator && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
		i++
	}
	return text[:i]
}

// AppendFloats appends the numbers at places in the text that Scan found.
func AppendFloats(dst []float64, text []byte, spans []Span) []float64 {
	k := len(dst)
	dst = slices.Grow(dst, len(spans))[:k+len(spans)]
	for i := range spans {
		at := &spans[i]
		b := text[at.Start:]
		integer, decimals, ok := number.Integer(b, int(at.digits), int(at.End-at.Start))
		if ok && at.digits > 0 {
			dst[k+i] = number.Decimal(integer, decimals)
		} else {
			dst[k+i], _ = number.Parse(b)
		}
	}
	return dst
}
