package numbers

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"perfdata/internal/number"
)

// This is the hot loop for arrays of numbers. Scan finds numbers of any width, without a branch
// that depends on the width, and then another loop reads what is needed of all of them. In profiles
// with numbers of 1 to 17 digits, that mispredicts 3.1 branches a record. A search that went from
// number to number, eight bytes at a time, mispredicted 5.1 and took 7% more instructions.

// A Span is the place of a number in a text.
type Span struct {
	Start, End uint32
	digits     uint32 // before the point; 0: the number has an exponent
}

// Scan finds numbers of an array. It takes the text that follows an element that was read, up to
// where it is known: a comma, usually. It appends the places of the numbers at the text's beginning
// to spans, at most max, and returns how many bytes they take.
//
// It stops before anything unusual, such as a number that may not be whole in the text, white space
// that varies, or a fault: the caller reads that with a JSON parser, as it must read an array's
// first element.
func Scan(spans []Span, text []byte, max int) ([]Span, int) {
	sep := separatorOf(text)
	if sep.n == 0 {
		return spans, 0
	}

	k, end := len(spans), 0
	spans = slices.Grow(spans, max)[:k+max]
	var others bitmap
	base, mapped := 0, 0 // others is of text[base:], for numbers that begin before text[mapped]
	for start := sep.n; k < len(spans) && start+window <= len(text); start = end + sep.n {
		if start >= mapped {
			base, mapped = start, start+block
			others.set(text[base:])
		}
		n := sep.plain(spans[k:], text, &others, base, start)
		if sep.n > 8 {
			n = sep.whole(spans[k:k+n], text)
		}
		if n > 0 {
			k += n
			end = int(spans[k-1].End)
			continue
		}

		// The number may be the last one, or have a sign or an exponent.
		digits, length := lengthOf((*[window]byte)(text[start:]))
		if length == 0 {
			break
		}
		end = start + length
		spans[k] = Span{uint32(start), uint32(end), uint32(digits)}
		k++
		if !sep.at(text, end) {
			break
		}
	}
	return spans[:k], end
}

const (
	// maxLength is the length of the longest number that is found, a sign and an exponent included.
	maxLength = 32

	// window is the length of text that is looked at for one number and what follows it.
	window = number.Longest + 8

	// block is the length of text whose bitmap is made at once.
	block = 512
)

// plain finds numbers that have no sign or exponent and are followed by the first eight bytes of
// the separator. The first one begins at text[start], and the bitmap is of text[base:].
func (sep *separator) plain(spans []Span, text []byte, others *bitmap, base, start int) (found int) {
	text = text[base:]
	limit := min(block, len(text)-window+1)
	for k := range spans {
		i := start - base
		if i >= limit {
			return k
		}

		b := (*[window]byte)(text[i : i+window : i+window])
		w := others.from(i)
		digits := bits.TrailingZeros32(w)
		n := digits
		if b[digits] == '.' {
			if n = bits.TrailingZeros32(w & (w - 1)); n == digits+1 {
				return k
			}
		}

		superfluousZero := w&3|uint32(b[0]^'0') == 0
		follows := (binary.LittleEndian.Uint64(b[n:])^sep.first)&sep.mask == 0
		if !follows || digits == 0 || superfluousZero {
			return k
		}
		spans[k] = Span{uint32(start), uint32(start + n), uint32(digits)}
		start += n + sep.n
	}
	return len(spans)
}

// whole returns how many of the numbers are followed by the whole separator, one after the other.
func (sep *separator) whole(spans []Span, text []byte) int {
	for k := range spans {
		if !sep.at(text, int(spans[k].End)) {
			return k
		}
	}
	return len(spans)
}

// lengthOf returns the number of digits before the point, and the length, of a number that may
// have a sign or an exponent. The length is 0 if the number is unusual.
func lengthOf(b *[window]byte) (digits, n int) {
	sign := 0
	if b[0] == '-' {
		sign = 1
	}
	digits, n = number.Extent((*[number.MaxExtent]byte)(b[sign:]))
	if n == 0 {
		return 0, 0
	}

	n += sign
	if b[n]|0x20 == 'e' {
		digits, n = 0, n+1
		if b[n] == '+' || b[n] == '-' {
			n++
		}
		first := n
		for n < maxLength && b[n]-'0' <= 9 {
			n++
		}
		if n == first || n > first+2 { // a larger exponent may be out of range
			return 0, 0
		}
	}
	if c := b[n]; c != ',' && c != ']' && c > ' ' {
		return 0, 0
	}
	return digits, n
}

// AppendFloats appends the numbers at places in the text that Scan found.
func AppendFloats(dst []float64, text []byte, spans []Span) []float64 {
	k := len(dst)
	dst = slices.Grow(dst, len(spans))[:k+len(spans)]
	for i, at := range spans {
		b := (*[number.Longest]byte)(text[at.Start:])
		integer, decimals, ok := uint64(0), 0, false
		if b[0] != '-' && at.digits > 0 {
			integer, decimals, ok = number.Integer((*[number.Longest - 1]byte)(b[:]), int(at.digits), int(at.End-at.Start))
		}
		if ok {
			dst[k+i] = number.Decimal(integer, decimals)
		} else {
			dst[k+i], _ = number.Parse(b[:])
		}
	}
	return dst
}

// AppendTexts appends the texts that Python writes for the numbers at places in the text that Scan
// found. They share strings of at most maxShared bytes.
func AppendTexts(dst []string, text []byte, spans []Span) []string {
	for len(spans) > 0 {
		n := len(spans)
		for n > 1 && spans[n-1].End-spans[0].Start > maxShared {
			n /= 2
		}
		dst = appendShared(dst, text, spans[:n])
		spans = spans[n:]
	}
	return dst
}

// maxShared is the length of the longest string that texts share. A program that keeps one of the
// texts keeps all of the string.
const maxShared = 3 << 10

// appendShared is AppendTexts with one string, except for texts that Python writes in another way.
func appendShared(dst []string, text []byte, spans []Span) []string {
	from := spans[0].Start
	shared := string(text[from:spans[len(spans)-1].End])
	k := len(dst)
	dst = slices.Grow(dst, len(spans))[:k+len(spans)]
	texts := dst[k:][:len(spans)]
	for i := range spans {
		texts[i] = shared[spans[i].Start-from : spans[i].End-from]
	}

	for i := range spans {
		whole := spans[i].End-spans[i].Start == spans[i].digits
		if !whole && !isPython(text, &spans[i]) {
			texts[i] = Python(texts[i])
		}
	}
	return dst
}

// isPython reports whether it is certain that Python writes a number with a sign, a point or an
// exponent as it is.
func isPython(text []byte, at *Span) bool {
	start := at.Start
	if text[start] == '-' {
		start++
	}
	if at.digits == 0 {
		return false
	}
	b := (*[number.Longest - 1]byte)(text[start:])
	integer, decimals, ok := number.Integer(b, int(at.digits), int(at.End-start))
	if decimals == 0 {
		return ok && integer > 0 // not -0
	}
	return ok && isPythonFloat(integer, decimals)
}

// isPythonFloat reports whether it is certain that Python writes a number with a point so. The
// number has no point, and decimals, which must be positive, says how many digits come after it.
func isPythonFloat(integer uint64, decimals int) bool {
	if integer%10 == 0 { // only one zero can come after the point, and no other digit
		return decimals == 1 && integer < 1e15
	}
	if decimals > 4 && integer < smallest[min(decimals, len(smallest)-1)] {
		return false // it is below 1e-4, which has an exponent
	}
	return integer < 1e17 && number.Shortest(integer, decimals)
}

// smallest has the smallest numbers with so many digits after the point that Python writes without
// an exponent, without their point. Larger ones have more than 17 digits.
var smallest = [...]uint64{
	5: 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
}

// A bitmap has a bit for each byte of a text: 1 if the byte is not a digit. It has eight bytes more
// than a block, for a number that begins at the block's end.
type bitmap [block/8 + 8]byte

// set sets the bits for the beginning of a text.
func (m *bitmap) set(text []byte) {
	var end [8 * len(m)]byte
	all := &end
	if len(text) >= len(end) {
		all = (*[8 * len(m)]byte)(text)
	} else {
		copy(end[:], text)
	}

	for i := 0; i < len(m); i += 4 {
		b := (*[32]byte)(all[8*i:])
		w := number.Others(b[:]) | number.Others(b[8:])<<8 | number.Others(b[16:])<<16 | number.Others(b[24:])<<24
		binary.LittleEndian.PutUint32(m[i:], w)
	}
}

// from returns the bits for the text from byte i on.
func (m *bitmap) from(i int) uint32 {
	return uint32(binary.LittleEndian.Uint64(m[i>>3&(block/8-1):]) >> (i & 7))
}

// A separator is what is between two numbers: a comma, usually with white space.
type separator struct {
	n     int    // bytes; 0: it is unknown
	first uint64 // eight bytes
	mask  uint64 // of the first n
	all   []byte
}

// separatorOf returns the separator that the text begins with.
func separatorOf(text []byte) (sep separator) {
	if len(text) == 0 || text[0] != ',' {
		return sep
	}
	i := 1
	for i < len(text) && i < 100 && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
		i++
	}
	if len(text)-i < window {
		return sep
	}
	mask := ^uint64(0) >> (64 - 8*min(i, 8))
	return separator{i, binary.LittleEndian.Uint64(text), mask, text[:i]}
}

// at reports whether the separator is at b[i].
func (sep *separator) at(b []byte, i int) bool {
	return i+sep.n <= len(b) && string(b[i:i+sep.n]) == string(sep.all)
}
