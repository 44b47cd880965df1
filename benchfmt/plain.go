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
	common := commonPrefix(rest, name.text)
	if common < n || n >= len(rest) || !isBlank(rest[n]) || !name.valid() {
		if f, _, _ = name.read(parts, rest, common); f == nil {
			parts.count = 0 // the name may end in text that is not input
			return false
		}
		n = parts.end
	}

	// Read the number of iterations.
	i := len(prefix) + n
	if i >= memory {
		parts.count = 0
		return false
	}
	t := (*[lines.Room]byte)(text[i:])
	start := numberStart(t)
	x, ok := readShort(t, start)
	if !ok || x.point != noPoint || !isBlank(t[x.end&63]) {
		integer, decimals, n := number.Plain(t[start&31:])
		if n == 0 || n > maxIterations || decimals > 0 || !isBlank(t[(start+n)&63]) {
			parts.count = 0
			return false
		}
		x.integer, x.end = integer, start+n
	}
	if t[start&31] == '0' {
		parts.count = 0
		return false
	}
	start += i
	i += x.end

	res := &r.result
	same := int(x.integer) == res.iterations && res.iterText != ""
	if f != nil {
		line := r.strings.New(text[len(prefix):i])
		name.take(f, parts, line, s.config.sorted)
		if !same {
			res.iterText = line[start-len(prefix):]
		}
	} else if !same {
		res.iterText = r.strings.New(text[start:i])
	}
	res.iterations = int(x.integer)

	// Read the values.
	end := r.readPlainValues(text, i)
	if end < 0 || end > memory || end > r.limits.MaxLineBytes {
		return false
	}
	r.lines.TakeLine(end)
	res.at, res.stream = place{offset: r.lines.Offset(), line: r.lines.Number()}, s
	return true
}

// maxIterations is the number of digits up to which every number of iterations fits into an int.
const maxIterations = 9 * bits.UintSize / 32

// readPlainValues reads the values from byte i of text on, and the line end, into r.result. It
// returns where the next line begins, or -1. The last lines.Room bytes of text are not input: they
// may be read as if they were.
func (r *Reader) readPlainValues(text []byte, i int) int {
	values := r.result.values[:cap(r.result.values)]
	offset := r.lines.End()
	for k := range values {
		if i+lines.Room > len(text) {
			return -1
		}
		t := (*[lines.Room]byte)(text[i:])
		if !isBlank(t[0]) {
			return r.endPlainValues(t, i, k)
		}

		// Read the number.
		v := &values[k]
		start := numberStart(t)
		v.offset = offset + int64(i+start)
		if x, ok := readShort(t, start); ok && t[x.end&63] == ' ' {
			v.number = float64(int64(x.integer)) / scale[x.point&15]
			i += x.end + 1
		} else {
			f, n := longNumber(t[start&31:])
			if n == 0 || t[(start+n)&63] != ' ' {
				return -1
			}
			v.number = f
			i += start + n + 1
		}

		// The unit is probably that of the same column in the line before.
		u := v.unit
		if u == nil || !u.begins(text[i:]) {
			if u = r.plainUnit(text[i:]); u == nil {
				return -1
			}
			v.unit = u
		}
		i += len(u.text)
	}
	if i+lines.Room > len(text) {
		return -1
	}
	return r.endPlainValues((*[lines.Room]byte)(text[i:]), i, len(values))
}

// endPlainValues ends a line of k values at byte i, and returns where the next line begins, or -1.
func (r *Reader) endPlainValues(t *[lines.Room]byte, i, k int) int {
	n := 0
	if t[0] == '\r' {
		n++
	}
	if k == 0 || t[n] != '\n' {
		return -1
	}
	r.result.values = r.result.values[:k]
	return i + n + 1
}

// begins reports whether text, which goes on after it, begins with u.
func (u *unit) begins(text []byte) bool {
	n := len(u.text)
	if len(text) <= max(n, 16) || text[n] > ' ' || (binary.LittleEndian.Uint64(text)^u.low)&u.lowMask != 0 {
		return false
	}
	return n <= 8 || (binary.LittleEndian.Uint64(text[8:])^u.high)&u.highMask == 0 &&
		(n <= 16 || string(text[:n]) == u.text)
}

// plainUnit returns the unit that text begins with, if it is known and consists of visible ASCII.
func (r *Reader) plainUnit(text []byte) *unit {
	n := 0
	for n < len(text) && isPlain(text[n]) {
		n++
	}
	return r.units.known[string(text[:n])]
}
