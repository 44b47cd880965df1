package benchfmt

import (
	"encoding/binary"
	"math/bits"

	"perfdata/internal/lines"
	"perfdata/internal/number"
)

// This file is the fast path of reading result lines: it reads a line as package testing writes it
// in one look, without looking for the line's end first. The slow path is readResult, which
// readPlain leaves any other line to. With the slow path only, reading takes 60% more instructions
// if all names differ, and twice as many if each name is on ten consecutive lines.

// readPlain reads the next line into r.result if the line is all in memory, its name has the keys
// of an earlier name, and its units are known. Otherwise, it reads nothing.
func (r *Reader) readPlain() bool {
	s := &r.text
	memory := r.lines.Ahead()
	if len(memory) < len(prefix) || string(memory[:len(prefix)]) != prefix || s != r.names.current || s.name == nil {
		return false
	}
	text := memory[:len(memory)+lines.Room]

	// Find the name. If it is not that of the line before, it is taken later, because it shares a
	// string with the number of iterations.
	name, parts, f := s.name, &r.names.parts, (*form)(nil)
	rest := text[len(prefix):]
	n := commonPrefix(rest, name.text)
	if !name.valid() || n < len(name.text) || !isBlank(rest[n]) {
		if !parts.find(rest, n) {
			return false
		}
		if f, _ = name.formOf(parts, rest); f == nil {
			return false
		}
		n = parts.end
	}

	// Read the number of iterations.
	i := len(prefix) + n
	for i < len(memory) && isBlank(text[i]) {
		i++
		i += bits.TrailingZeros64(binary.LittleEndian.Uint64(text[i:])^spaces) / 8
	}
	start := min(i, len(memory))
	integer, decimals, n := number.Plain(text[start:])
	i = start + n
	if n == 0 || decimals > 0 || n > maxIterations || i >= len(memory) || !isBlank(text[i]) || text[start] == '0' {
		if f != nil {
			parts.count = 0
		}
		return false
	}

	res := &r.result
	same := int(integer) == res.iterations && res.iterText != ""
	if f != nil {
		line := r.strings.New(text[len(prefix):i])
		name.take(f, parts, line, s.config.sorted)
		if !same {
			res.iterText = line[start-len(prefix):]
		}
	} else if !same {
		res.iterText = r.strings.New(text[start:i])
	}
	res.iterations = int(integer)

	// Read the values.
	left := r.readPlainValues(text[i:], r.lines.End()+int64(len(text)))
	end := len(text) - left
	if left < lines.Room || end > r.limits.MaxLineBytes {
		return false
	}
	r.lines.TakeLine(end)
	res.at, res.stream = place{offset: r.lines.Offset(), line: r.lines.Number()}, s
	return true
}

// maxIterations is the number of digits up to which every number of iterations fits into an int.
const maxIterations = 9 * bits.UintSize / 32

// readPlainValues reads the values that text begins with, and the line end, into r.result. It
// returns the length of the rest of text, or -1. At least lines.Room bytes at the end of text are
// not input: they may be read as if they were. The end is the offset of the end of text.
func (r *Reader) readPlainValues(text []byte, end int64) int {
	values := r.result.values[:cap(r.result.values)]
	for k := 0; len(text) >= lines.Room; k++ {
		t := (*[lines.Room]byte)(text)
		if !isBlank(t[0]) {
			n := 0
			if t[0] == '\r' {
				n++
			}
			if k == 0 || t[n] != '\n' {
				return -1
			}
			r.result.values = values[:k]
			return len(text) - n - 1
		}
		if k == len(values) {
			return -1
		}

		// Skip the first blank and up to 15 spaces after it.
		start := 1 + bits.TrailingZeros64(binary.LittleEndian.Uint64(t[1:])^spaces)/8
		if start == 9 {
			start += bits.TrailingZeros64(binary.LittleEndian.Uint64(t[9:])^spaces) / 8
		}

		// Read the number.
		f, n := number.Short(binary.LittleEndian.Uint64(t[start&31:]))
		if n == 0 {
			if f, n = number.Parse(t[start&31:]); n == 0 || n > maxPlainNumber || f-f != 0 {
				return -1
			}
		}

		// The unit is probably that of the same column in the line before.
		v := &values[k]
		v.number, v.offset = f, end-int64(len(text)-start)
		at := start + n + 1
		u := v.unit
		if u == nil || !u.isAt(t, at) {
			if u = r.plainUnit(text[at:]); u == nil || t[at-1] != ' ' {
				return -1
			}
			v.unit = u
		}
		text = text[at+len(u.text):]
	}
	return -1
}

// maxPlainNumber is the length of the longest number that readPlainValues reads.
const maxPlainNumber = 30

// isAt reports whether a space and u are before and at a byte, from 1 to 63, and u ends there.
func (u *unit) isAt(t *[lines.Room]byte, at int) bool {
	word := (*[17]byte)(t[(at-1)&63:])
	low := binary.LittleEndian.Uint64(word[1:])
	high := binary.LittleEndian.Uint64(word[9:])
	if (low^u.low)&u.lowMask|(high^u.high)&u.highMask != 0 || word[0] != ' ' {
		return false
	}
	end := at + len(u.text)
	return end < len(t) && !isPlain(t[end]) && (len(u.text) <= 16 || string(t[at:end]) == u.text)
}

// plainUnit returns the unit that text begins with, if it is known and consists of visible ASCII.
func (r *Reader) plainUnit(text []byte) *unit {
	n := 0
	for n < len(text) && isPlain(text[n]) {
		n++
	}
	return r.units.known[string(text[:n])]
}
