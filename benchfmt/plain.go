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
	if s != r.names.current || s.name == nil {
		return false
	}
	text := r.lines.Ahead()
	memory := len(text) - lines.Room
	if string(text[:len(prefix)]) != prefix {
		return false
	}

	// Find the name. If it is not that of the line before, it is taken later, because it shares a
	// string with the number of iterations.
	name, parts, f := s.name, &r.names.parts, (*form)(nil)
	rest := text[len(prefix):]
	n := len(name.text)
	if !name.valid() || n >= len(rest) || !isBlank(rest[n]) || string(rest[:n]) != name.text {
		if !parts.find(rest, name.text) {
			return false
		}
		if f, _ = name.formOf(parts, rest); f == nil {
			parts.count = 0 // the name may end in text that is not input
			return false
		}
		n = parts.end
	}

	// Read the number of iterations.
	i := len(prefix) + n
	for i < memory && isBlank(text[i]) {
		i++
		i += bits.TrailingZeros64(binary.LittleEndian.Uint64(text[i:])^spaces) / 8
	}
	start := min(i, memory)
	integer, decimals, n := number.Plain(text[start:])
	i = start + n
	if n == 0 || decimals > 0 || n > maxIterations || i >= memory || !isBlank(text[i]) || text[start] == '0' {
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
// not input: they may be read as if they were. The offset after is that of the end of text.
func (r *Reader) readPlainValues(text []byte, after int64) int {
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

		v := &values[k]
		f, start, end := plainNumber(t)
		if end == 0 {
			return -1
		}
		v.number, v.offset = f, after-int64(len(text)-start)

		// The unit is probably that of the same column in the line before. Its first 16 bytes are
		// compared as integers.
		u := v.unit
		word := (*[17]byte)(t[end&63:])
		if u == nil || (binary.LittleEndian.Uint64(word[1:])^u.low)&u.lowMask != 0 ||
			(binary.LittleEndian.Uint64(word[9:])^u.high)&u.highMask != 0 || !u.ends(t, end+1) {
			if u = r.plainUnit(text[end+1:]); u == nil {
				return -1
			}
			v.unit = u
		}
		if word[0] != ' ' {
			return -1
		}
		text = text[end+1+len(u.text):]
	}
	return -1
}

// plainNumber returns the number that comes after a blank and up to 16 spaces, and where it begins
// and ends. The end is 0 if it is not certain.
func plainNumber(t *[lines.Room]byte) (f float64, start, end int) {
	start = 1 + bits.TrailingZeros64(binary.LittleEndian.Uint64(t[1:])^spaces)/8
	if start == 9 {
		start += bits.TrailingZeros64(binary.LittleEndian.Uint64(t[9:])^spaces) / 8
	}
	f, n := number.Short(binary.LittleEndian.Uint64(t[start&31:]))
	if n == 0 {
		if f, n = number.Parse(t[start&31:]); n == 0 || n > maxPlainNumber || f-f != 0 {
			return 0, 0, 0
		}
	}
	return f, start, start + n
}

// maxPlainNumber is the length of the longest number that readPlainValues reads.
const maxPlainNumber = 30

// ends reports whether u, whose first 16 bytes are at a byte, is at this byte and ends there.
func (u *unit) ends(t *[lines.Room]byte, at int) bool {
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
