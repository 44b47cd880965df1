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
// the iteration before, in the same order, and differ only in their values. So the text of an
// iteration becomes a pattern, and the next iteration is compared with it in memory, without
// looking for lines and keys. That takes a quarter of the time of reading line by line. An iteration
// may have fewer lines than the pattern, because tests that fail report the first keys only. Other
// iterations are read line by line: Reader.match is the fast path of Reader.read.

// A pattern is the text of an iteration without its values. An iteration that it matches is read
// as [Reader.read] would read it: no pattern is made of an iteration in which a line was left out,
// a key repeats, a value has a deviation, or a line has white space at its beginning or end.
type pattern struct {
	ok    bool // an iteration can be matched
	lines []patternLine
	size  int      // of the literals
	need  int      // the length of an iteration is usually less
	keys  []string // of the lines with attributes
	attrs int      // lines up to the last attribute
	perfs int      // performance values

	// While the pattern is made:
	lineStart  int64 // offset of the current line, or -1 before the first
	lineLength int   // of the current line, without its end
	lineEnd    int   // length of the end of the line before
}

// A patternLine is a line of a pattern. Its literal is the end of the line before and the text
// before its value.
type patternLine struct {
	length  int32 // of the literal
	lineEnd int32 // length of the line end that the literal begins with
	index   int32 // of the attribute or performance value
	attr    bool
	words   [literalSize / 8]uint64 // of the literal
	mask    *[literalSize]byte
	rest    string
}

const literalSize = 64

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
	p.ok, p.lineStart, p.lineEnd = true, -1, 0
	p.lines, p.keys, p.size = p.lines[:0], p.keys[:0], 0
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

// add adds the current line, given the text before its value, to the pattern.
func (p *pattern) add(before []byte) {
	if !p.ok || p.size+len(before) > maxPattern || p.lineEnd >= len(lineEnds) {
		p.ok = false
		return
	}
	l := patternLine{length: int32(p.lineEnd + len(before)), lineEnd: int32(p.lineEnd)}
	var text [literalSize]byte
	n := copy(text[:], lineEnds[p.lineEnd])
	m := copy(text[n:], before)
	l.rest = string(before[m:])
	l.mask = (*[literalSize]byte)(masks[literalSize-n-m:])
	for i := range l.words {
		l.words[i] = binary.LittleEndian.Uint64(text[8*i:])
	}
	p.size += int(l.length)
	p.lines = append(p.lines, l)
}

// addAttr is add for the line of an attribute.
func (p *pattern) addAttr(before []byte, key string) {
	p.add(before)
	if p.ok {
		l := &p.lines[len(p.lines)-1]
		l.index, l.attr = int32(len(p.keys)), true
		p.keys = append(p.keys, key)
	}
}

// end completes the pattern at the blank line after an iteration with these attributes.
func (p *pattern) end(attrs traceid.Params) {
	if !p.ok || len(p.lines) == 0 || p.lineEnd >= len(lineEnds) {
		p.ok = false
		return
	}

	p.attrs, p.perfs, p.need = 0, 0, len(blankEnds)
	for i := range p.lines {
		l := &p.lines[i]
		p.need += int(l.length) + number.Longest
		if l.attr {
			at, _ := attrs.Find(p.keys[l.index])
			l.index = int32(at)
			p.need += len(attrs[at].Value)
			p.attrs = i + 1
		} else {
			l.index = int32(p.perfs)
			p.perfs++
		}
	}
}

// maxAhead is the number of bytes that match wants to have in memory at most.
const maxAhead = 2 * maxPattern

// match reads the next iteration if the pattern matches it. Otherwise, it reads nothing. It waits for
// more of the input only if the iteration goes on.
func (r *Reader) match() bool {
	p, it := &r.pattern, &r.it
	if !p.ok {
		return false
	}

	text, ok := r.nextIteration()
	if !ok {
		return false
	}
	offset := r.lines.End()
	memory := len(text) - lines.Room
	perf := it.Perf[:p.perfs]
	pos, i, attr := 0, 0, false
	for {
		i, pos, attr = p.matchLines(i, perf, text, pos, offset)
		if !attr {
			break
		}
		l := &p.lines[i]
		at := pos + int(l.length)
		if at > memory {
			return false
		}
		n := r.matchAttr(text[at:memory], &it.Attr[l.index].Value)
		if n < 0 {
			return false
		}
		pos = at + n
		i++
	}
	if i < p.attrs {
		return false
	}

	// The end of the last line and a blank line follow.
	end := blankEnds[p.lineEnd]
	if i == 0 || memory-pos < len(end) || string(text[pos:pos+len(end)]) != end {
		return false
	}
	pos += len(end)
	it.Perf = perf[:i-len(p.keys)]
	if pos > r.limits.MaxLineBytes || int64(pos) > r.limits.MaxResultBytes {
		return false // the iteration may exceed a limit: read decides
	}

	r.lines.TakeLine(pos)
	it.Index++
	it.Offset, it.Line = r.lines.Offset(), r.lineNumber()
	r.taken += i
	return true
}

// matchLines
func (p *pattern) matchLines(i int, perf []Keyval, text []byte, pos int, offset int64) (int, int, bool) {
	lines := p.lines
	for ; i < len(lines); i++ {
		l := &lines[i]
		at := pos + int(l.length)
		if at > len(text)-number.Longest {
			return i, pos, false
		}
		t, m := (*[literalSize]byte)(text[pos:pos+literalSize:pos+literalSize]), l.mask
		if (binary.LittleEndian.Uint64(t[:])^l.words[0])&binary.LittleEndian.Uint64(m[:])|
			(binary.LittleEndian.Uint64(t[8:])^l.words[1])&binary.LittleEndian.Uint64(m[8:])|
			(binary.LittleEndian.Uint64(t[16:])^l.words[2])&binary.LittleEndian.Uint64(m[16:])|
			(binary.LittleEndian.Uint64(t[24:])^l.words[3])&binary.LittleEndian.Uint64(m[24:])|
			(binary.LittleEndian.Uint64(t[32:])^l.words[4])&binary.LittleEndian.Uint64(m[32:])|
			(binary.LittleEndian.Uint64(t[40:])^l.words[5])&binary.LittleEndian.Uint64(m[40:])|
			(binary.LittleEndian.Uint64(t[48:])^l.words[6])&binary.LittleEndian.Uint64(m[48:])|
			(binary.LittleEndian.Uint64(t[56:])^l.words[7])&binary.LittleEndian.Uint64(m[56:]) != 0 {
			return i, pos, false
		}
		if l.length > literalSize && string(text[pos+literalSize:at]) != l.rest {
			return i, pos, false
		}
		if l.attr {
			return i, pos, true
		}
		integer, decimals, n := number.Plain(text[at : at+number.Longest : at+number.Longest])
		f := 0.0
		if n > 0 && text[at+n] <= ' ' {
			f = number.Decimal(integer, decimals)
		} else {
			f, n = number.Parse(text[at : at+number.Longest : at+number.Longest])
			if n == 0 || f-f != 0 {
				return i, pos, false
			}
		}
		kv := &perf[l.index]
		kv.Value, kv.Offset = f, offset+int64(pos+int(l.lineEnd))
		pos = at + n
	}
	return i, pos, false
}

// nextIteration returns the unread text in memory, which has the next iteration.
func (r *Reader) nextIteration() ([]byte, bool) {
	line, seen := 0, 0
	for {
		text := r.lines.Ahead()
		memory := text[:len(text)-lines.Room]
		if len(memory) >= r.pattern.need {
			return text, true
		}
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
