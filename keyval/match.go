package keyval

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"perfdata/internal/lines"
	"perfdata/internal/number"
	"perfdata/traceid"
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

// A pattern is the text of an iteration without its values. An iteration that it matches is read
// as [Reader.read] would read it: no pattern is made of an iteration in which a line was left out,
// a key repeats, a value has a deviation, or a line has white space at its beginning or end.
type pattern struct {
	ok    bool // an iteration can be matched
	parts []part
	lines int
	perfs int // performance values
	attrs int // parts up to the last attribute
	size  int // bytes of the literals
	reach int // bytes of an iteration whose numbers are as long as possible

	// While the pattern is made:
	keys       []string // of the attributes
	lineStart  int64    // offset of the current line, or -1 before the first
	lineLength int      // of the current line, without its end
	lineEnd    int      // length of the end of the previous line
}

// A part of a pattern is a literal and the kind of the value after it. The literal is the end of
// the previous line, if there is one, and the text before the value. A long literal has several
// parts.
type part struct {
	literal [literalSize]byte  // with zeros at its end
	mask    *[literalSize]byte // 0xff for each byte of the literal, and zeros
	length  int32              // of the literal
	start   int32              // of the line, relative to the literal; may be negative
	index   int32              // of the value in [Iteration.Attr] or [Iteration.Perf]
	line    int32              // lines before this one
	value   valueKind
}

// literalSize is one more than the length of the longest literal of a part.
const literalSize = 64

// A valueKind says what comes after a literal.
type valueKind int8

const (
	perfValue valueKind = iota
	attrValue
	noValue // the next part's literal
)

// masks has the masks of all literals: the mask of n bytes begins at literalSize-n.
var masks = func() (all [2 * literalSize]byte) {
	for i := range literalSize {
		all[i] = 0xff
	}
	return all
}()

// maxPattern is the largest text of a pattern. An iteration with more text is rarely in memory as
// a whole.
const maxPattern = 64 << 10

// begin starts a new pattern.
func (p *pattern) begin() {
	*p = pattern{ok: true, parts: p.parts[:0], keys: p.keys[:0], lineStart: -1}
}

// invalidate makes p match nothing.
func (p *pattern) invalidate() { p.ok = false }

// beginLine begins the line at an offset. The length does not include the line end.
func (p *pattern) beginLine(offset int64, length int) {
	if p.lineStart >= 0 {
		p.lineEnd = int(offset-p.lineStart) - p.lineLength
	}
	p.lineStart, p.lineLength = offset, length
}

// lineEnds are the line ends, by length.
var lineEnds = [...]string{"", "\n", "\r\n"}

// blankEnds are the ends of a line and of the blank line after it, by the length of one.
var blankEnds = [...]string{"", "\n\n", "\r\n\r\n"}

// add adds the current line to the pattern, given the text before its value and its value.
func (p *pattern) add(before []byte, value valueKind, index int) {
	if !p.ok || p.size+len(before) > maxPattern || p.lineEnd >= len(lineEnds) {
		p.ok = false
		return
	}

	p.size += p.lineEnd + len(before)
	end, start := lineEnds[p.lineEnd], p.lineEnd
	for {
		p.parts = append(p.parts, part{start: int32(start), index: int32(index), line: int32(p.lines), value: value})
		l := &p.parts[len(p.parts)-1]
		n := copy(l.literal[:], end)
		m := copy(l.literal[n:literalSize-1], before)
		l.length, l.mask = int32(n+m), (*[literalSize]byte)(masks[literalSize-n-m:])

		before = before[m:]
		if len(before) == 0 {
			break
		}
		l.value = noValue
		end, start = "", start-n-m
	}
	p.lines++
}

// addAttr is add for the line of an attribute.
func (p *pattern) addAttr(before []byte, key string) {
	p.add(before, attrValue, len(p.keys))
	p.keys = append(p.keys, key)
}

// addPerf is add for the line of a performance value.
func (p *pattern) addPerf(before []byte) {
	p.add(before, perfValue, p.perfs)
	p.perfs++
}

// end completes the pattern at the blank line after an iteration with these attributes.
func (p *pattern) end(attrs traceid.Params) {
	if !p.ok || p.lines == 0 || p.lineEnd >= len(lineEnds) {
		p.ok = false
		return
	}

	p.reach = len(blankEnds[p.lineEnd]) + p.size + p.perfs*number.Longest
	for i := range p.parts {
		if l := &p.parts[i]; l.value == attrValue {
			at, _ := attrs.Find(p.keys[l.index])
			l.index = int32(at)
			p.reach += len(attrs[at].Value)
			p.attrs = i + 1
		}
	}
}
