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
	ok     bool // an iteration can be matched
	lines  []patternLine
	blocks []block  // the literals of the lines
	need   int      // the length of an iteration is usually less
	keys   []string // of the lines with attributes
	attrs  int      // lines up to the last attribute
	perfs  int      // performance values

	// While the pattern is made:
	lineStart  int64 // offset of the current line, or -1 before the first
	lineLength int   // of the current line, without its end
	lineEnd    int   // length of the end of the line before
}

// A patternLine is a line of a pattern. Its literal is the end of the line before and the text
// before its value.
type patternLine struct {
	length  int32 // of the literal
	blocks  int32 // of the literal
	lineEnd int32 // length of the line end that the literal begins with
	attr    int32 // index of the attribute, or -1 for a performance value
}

// A block is a part of a literal, with zeros after its end.
type block struct {
	words, masks [blockSize / 8]uint64
}

const blockSize = 32

// maxPattern is the largest text of a pattern. An iteration with more text is rarely in memory as
// a whole.
const maxPattern = 64 << 10

// begin starts a new pattern.
func (p *pattern) begin() {
	p.ok, p.lineStart, p.lineEnd = true, -1, 0
	p.lines, p.blocks, p.keys = p.lines[:0], p.blocks[:0], p.keys[:0]
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
	if !p.ok || blockSize*len(p.blocks)+len(before) > maxPattern || p.lineEnd >= len(lineEnds) {
		p.ok = false
		return
	}
	l := patternLine{length: int32(p.lineEnd + len(before)), lineEnd: int32(p.lineEnd), attr: -1}
	end := lineEnds[p.lineEnd]
	for rest := before; l.blocks == 0 || len(rest) > 0; l.blocks++ {
		var text, mask [blockSize]byte
		n := copy(text[:], end)
		end = ""
		m := copy(text[n:], rest)
		rest = rest[m:]
		for i := range n + m {
			mask[i] = 0xff
		}
		var c block
		for i := range c.words {
			c.words[i] = binary.LittleEndian.Uint64(text[8*i:])
			c.masks[i] = binary.LittleEndian.Uint64(mask[8*i:])
		}
		p.blocks = append(p.blocks, c)
	}
	p.lines = append(p.lines, l)
}

// addAttr is add for the line of an attribute.
func (p *pattern) addAttr(before []byte, key string) {
	p.add(before)
	if p.ok {
		p.lines[len(p.lines)-1].attr = int32(len(p.keys))
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
		if l.attr >= 0 {
			at, _ := attrs.Find(p.keys[l.attr])
			l.attr = int32(at)
			p.need += len(attrs[at].Value)
			p.attrs = i + 1
		} else {
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
	perf, blocks := it.Perf[:p.perfs], p.blocks
	pos, next, k, i := 0, 0, 0, 0
match:
	for ; i < len(p.lines); i++ {
		l := &p.lines[i]
		if len(text)-pos < int(l.length)+number.Longest {
			break
		}
		rest := text[pos:]
		for n := range int(l.blocks) {
			c, t := &blocks[k], (*[blockSize]byte)(rest[blockSize*n:])
			k++
			if (binary.LittleEndian.Uint64(t[:])^c.words[0])&c.masks[0]|
				(binary.LittleEndian.Uint64(t[8:])^c.words[1])&c.masks[1]|
				(binary.LittleEndian.Uint64(t[16:])^c.words[2])&c.masks[2]|
				(binary.LittleEndian.Uint64(t[24:])^c.words[3])&c.masks[3] != 0 {
				break match
			}
		}
		at := pos + int(l.length)
		if l.attr >= 0 {
			if at > memory {
				return false
			}
			n := r.matchAttr(text[at:memory], &it.Attr[l.attr].Value)
			if n < 0 {
				return false
			}
			pos = at + n
			continue
		}

		f, n := number.Parse(text[at:])
		if n == 0 || f-f != 0 {
			return false
		}
		kv := &perf[next]
		kv.Value, kv.Offset = f, offset+int64(pos)+int64(l.lineEnd)
		next++
		pos = at + n
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
	it.Perf = perf[:next]
	if pos > r.limits.MaxLineBytes || int64(pos) > r.limits.MaxResultBytes {
		return false // the iteration may exceed a limit: read decides
	}

	r.lines.TakeLine(pos)
	it.Index++
	it.Offset, it.Line = r.lines.Offset(), r.lineNumber()
	r.taken += i
	return true
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
