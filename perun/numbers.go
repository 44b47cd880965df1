package perun

import (
	"bytes"
	"math"
	"slices"

	"perfdata/internal/number"
)

// A span is a number in a text: its place, and the digits that are there.
type span struct {
	start, end uint32
	decimals   int32  // digits after the point; negative: the number has a sign, an exponent or many digits
	integer    uint64 // all digits
}

const longest = 31 // of a number that scanNumbers finds

// scanNumbers finds numbers of an array. It takes the text that follows an element that was read, up to
// where it is known: a comma, usually. It returns the numbers that the text begins with, at most
// max, in the memory of spans, and how many bytes they take.
//
// It stops before anything unusual, such as a number that may not be whole in the text, white space
// that varies, or a fault: the caller reads that with a JSON parser, as it must read an array's
// first element.
func scanNumbers(spans []span, text []byte, max int) (_ []span, taken int) {
	spans = spans[:0]
	if len(text) == 0 || text[0] != ',' {
		return spans, 0
	}
	sep := text[:len(text)-len(bytes.TrimLeft(text[1:], " \n\r\t"))] // usually of all elements
	for len(spans) < max && len(text)-taken >= len(sep)+number.Longest {
		start := taken + len(sep)
		if string(text[taken:start]) != string(sep) {
			break
		}

		b := text[start:]
		integer, decimals, n := number.Digits((*[number.Longest - 1]byte)(b))
		if n == 0 || !endsNumber[b[n]] {
			var f float64
			f, n = number.Unusual(b, integer, decimals, n)
			if n == 0 || n > longest || math.IsInf(f, 0) || !endsNumber[b[n]] {
				break // what follows may be the rest of the number
			}
			decimals = -1
		}
		taken = start + n
		spans = append(spans, span{uint32(start), uint32(taken), int32(decimals), integer})
	}
	return spans, taken
}

// endsNumber tells what may follow a number of an array.
var endsNumber = [256]bool{',': true, ']': true, ' ': true, '\n': true, '\r': true, '\t': true}

// appendFloats appends the numbers at places in the text that scanNumbers found.
func appendFloats(dst []float64, text []byte, spans []span) []float64 {
	k := len(dst)
	dst = slices.Grow(dst, len(spans))[:k+len(spans)]
	for i := range spans {
		if at := &spans[i]; at.decimals >= 0 {
			dst[k+i] = number.Decimal(at.integer, int(at.decimals))
		} else {
			dst[k+i], _ = number.Parse(text[at.start:])
		}
	}
	return dst
}

// appendTexts appends the texts that Python writes for the numbers at places in the text that scanNumbers
// found. They share a string, with the separators between them: a program that keeps one of them keeps
// all.
func appendTexts(dst []string, text []byte, spans []span) []string {
	if len(spans) == 0 {
		return dst
	}
	from := spans[0].start
	shared := string(text[from:spans[len(spans)-1].end])
	for i := range spans {
		at := &spans[i]
		number := shared[at.start-from : at.end-from]
		if at.decimals != 0 && (at.decimals < 0 || !isPython(at.integer, int(at.decimals))) {
			number = pythonNumber(number)
		}
		dst = append(dst, number)
	}
	return dst
}
