package keyval

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"perfdata/internal/lines"
	"perfdata/internal/number"
)

// This file is the hot loop. The iterations of a file resemble each other: most have the keys of
// the previous iteration, in the same order, and differ only in their values. So the text of an
// iteration becomes a pattern, and the next iteration is compared with it in memory, without
// looking for lines and keys. That takes a fifth of the time of reading line by line. An iteration
// may have fewer lines than the pattern, because tests that fail report the first keys only. Other
// iterations are read line by line: Reader.match is the fast path of Reader.read.
//
// Nothing is taken until the blank line is found in memory: before, match may write to it.Perf and
// it.Attr, which read begins again. A key occurs once in a pattern, so no value is written twice. The
// white space that read trims can be at the end of a line only, where it fails the comparison with
// the next literal, which begins with the line end.

// maxAhead is the number of bytes that match wants to have in memory at most.
const maxAhead = 2 * maxPattern

// match reads the next iteration if the pattern matches it. Otherwise, it reads nothing. It waits
// for more of the input only if the iteration goes on.
func (r *Reader) match() bool {
	p, it := &r.pattern, &r.it
	if !p.ok {
		return false
	}
	text, ok := r.iterationAhead()
	if !ok {
		return false
	}
	offset, memory := r.lines.End(), len(text)-lines.Room
	it.Perf = it.Perf[:p.perfs]

	// What comes after the memory can have any values. If it matches, the blank line would be
	// after it, so it is not in memory.
	i, pos, ok := p.matchPerfs(it.Perf, 0, text, 0, offset)
	for ok {
		if pos > memory {
			return false
		}
		n := r.matchAttr(text[pos:memory], &it.Attr[p.parts[i].index].Value)
		if n < 0 {
			return false
		}
		i, pos, ok = p.matchPerfs(it.Perf, i+1, text, pos+n, offset)
	}
	if i < p.attrs || i == 0 || p.parts[i-1].value == noValue {
		return false
	}

	// The end of the last line and a blank line follow.
	end := blankEnds[p.lineEnd]
	if memory-pos < len(end) || string(text[pos:pos+len(end)]) != end {
		return false
	}
	pos += len(end)
	if pos > r.limits.MaxLineBytes || int64(pos) > r.limits.MaxResultBytes {
		return false // the iteration may exceed a limit: read decides
	}

	count := p.lines
	if i < len(p.parts) {
		count = int(p.parts[i].line)
	}
	it.Perf = it.Perf[:count-len(p.keys)]
	r.lines.TakeLine(pos)
	it.Index++
	it.Offset, it.Line = r.lines.Offset(), r.lineNumber()
	r.taken += count
	return true
}

// iterationAhead returns the unread lines in memory and [lines.Room] bytes more. They have the
// next iteration, unless it is much longer than the pattern. It returns false at the end of the
// input, and if the iteration is too long.
func (r *Reader) iterationAhead() ([]byte, bool) {
	line, seen := 0, 0 // where a line begins, and up to where its end was searched
	for {
		text := r.lines.Ahead()
		memory := text[:len(text)-lines.Room]
		if len(memory) >= r.pattern.reach {
			return text, true
		}

		// Near the end of the memory, look for the blank line.
		for {
			i := bytes.IndexByte(memory[seen:], '\n')
			if i < 0 {
				break
			}
			seen += i + 1
			if l := trim(memory[line:seen]); l.start == l.end {
				return text, true
			}
			line = seen
		}
		seen = len(memory)

		if !r.lines.More(maxAhead) {
			return nil, false
		}
	}
}

// matchPerfs reads the performance values at text[pos:], from the i-th part of the pattern on, up
// to the next attribute. It returns the part and the position at which it stops, and true if that
// is the value of an attribute. The offset is that of the text.
//
// A literal is compared as four or eight words, whatever its length. With a comparison of
// strings, keyvals of 1 to 17 digits take 9% more time, and short integers 4%. With Parse in
// place of Digits and Decimal, they take 4% and 10% more.
func (p *pattern) matchPerfs(perf []Keyval, i int, text []byte, pos int, offset int64) (int, int, bool) {
	const window = literalSize + number.Longest
	for parts := p.parts; i < len(parts) && pos <= len(text)-window; i++ {
		l := &parts[i]

		// Compare the literal. The window is checked against the bounds of the text once.
		t := (*[window]byte)(text[pos : pos+window : pos+window])
		if !equal32((*[32]byte)(t[:]), (*[32]byte)(l.literal[:]), (*[32]byte)(l.mask[:])) ||
			l.length > 32 && !equal32((*[32]byte)(t[32:]), (*[32]byte)(l.literal[32:]), (*[32]byte)(l.mask[32:])) {
			return i, pos, false
		}

		at := int(l.length) & (literalSize - 1)
		if l.value != perfValue {
			pos += at
			if l.value == attrValue {
				return i, pos, true
			}
			continue
		}

		// Most numbers have neither a sign nor an exponent.
		v := (*[number.Longest]byte)(t[at : at+number.Longest : at+number.Longest])
		integer, decimals, n := number.Digits((*[number.Longest - 1]byte)(v[:]))
		kv := &perf[l.index]
		if n > 0 && v[n&(number.Longest-1)] <= ' ' {
			kv.Value = number.Decimal(integer, decimals)
		} else if kv.Value, n = number.Unusual(v[:], integer, decimals, n); n == 0 || kv.Value-kv.Value != 0 {
			return i, pos, false
		}
		kv.Offset = offset + int64(pos) + int64(l.start)
		pos += at + n
	}
	return i, pos, false
}

// equal32 reports whether two texts are equal in the bytes in which the mask is 0xff. All words are
// compared: whether a word is needed would be a branch, and lengths vary from line to line.
func equal32(a, b, mask *[32]byte) bool {
	return (binary.LittleEndian.Uint64(a[:])^binary.LittleEndian.Uint64(b[:]))&binary.LittleEndian.Uint64(mask[:])|
		(binary.LittleEndian.Uint64(a[8:])^binary.LittleEndian.Uint64(b[8:]))&binary.LittleEndian.Uint64(mask[8:])|
		(binary.LittleEndian.Uint64(a[16:])^binary.LittleEndian.Uint64(b[16:]))&binary.LittleEndian.Uint64(mask[16:])|
		(binary.LittleEndian.Uint64(a[24:])^binary.LittleEndian.Uint64(b[24:]))&binary.LittleEndian.Uint64(mask[24:]) == 0
}

// matchAttr reads the value of an attribute at the beginning of text into *value. It returns the
// value's length, or -1 for a value that is left to read: one with white space at its end, with
// invalid UTF-8, or not followed by a line end.
func (r *Reader) matchAttr(text []byte, value *string) int {
	n := len(*value)
	if n < len(text) && string(text[:n]) == *value && (text[n] == '\n' || text[n] == '\r') {
		return n
	}
	n = bytes.IndexByte(text, '\n')
	if n > 0 && text[n-1] == '\r' {
		n--
	}
	if n < 0 || n > 0 && isSpace(text[n-1]) || !utf8.Valid(text[:n]) {
		return -1
	}
	*value = r.strings.String(text[:n])
	return n
}
