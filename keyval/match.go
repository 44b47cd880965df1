package keyval

import (
	"bytes"
	"math"
	"strings"
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
	text  []byte // the literals of the lines
	attrs int    // lines up to the last attribute
	perfs int    // performance values

	// While the pattern is made:
	lineStart  int64 // offset of the current line, or -1 before the first
	lineLength int   // of the current line, without its end
	lineEnd    int   // length of the end of the line before
}

// A patternLine is a line of a pattern. Its literal is the end of the line before and the text
// before its value.
type patternLine struct {
	literal []byte // once the pattern is complete
	end     int    // where the literal ends in pattern.text; it begins where that of the line before ends
	lineEnd int    // length of the line end that the literal begins with
	key     string // of an attribute
	attr    int    // index of the attribute, or -1 for a performance value
}

// maxPattern is the largest text of a pattern. An iteration with more text is rarely in memory as
// a whole.
const maxPattern = 64 << 10

// begin starts a new pattern.
func (p *pattern) begin() {
	p.ok, p.lineStart, p.lineEnd = true, -1, 0
	p.lines, p.text = p.lines[:0], p.text[:0]
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
func (p *pattern) add(before []byte) *patternLine {
	if !p.ok || len(p.text)+len(before) > maxPattern || p.lineEnd >= len(lineEnds) {
		p.ok = false
		return &patternLine{}
	}
	p.text = append(p.text, lineEnds[p.lineEnd]...)
	p.text = append(p.text, before...)
	p.lines = append(p.lines, patternLine{end: len(p.text), lineEnd: p.lineEnd, attr: -1})
	return &p.lines[len(p.lines)-1]
}

// addAttr is add for the line of an attribute.
func (p *pattern) addAttr(before []byte, key string) {
	l := p.add(before)
	l.key, l.attr = key, 0
}

// end completes the pattern at the blank line after an iteration with these attributes.
func (p *pattern) end(attrs traceid.Params) {
	if !p.ok || len(p.lines) == 0 || p.lineEnd >= len(lineEnds) {
		p.ok = false
		return
	}

	p.attrs, p.perfs = 0, 0
	start := 0
	for i := range p.lines {
		l := &p.lines[i]
		l.literal = p.text[start:l.end]
		start = l.end
		if l.attr >= 0 {
			l.attr, _ = attrs.Find(l.key)
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

	text, offset := r.lines.Ahead(), r.lines.End()
	pos, next, i := 0, 0, 0
	it.Perf = it.Perf[:p.perfs]
	for i < len(p.lines) {
		l := &p.lines[i]
		memory := len(text) - lines.Room
		at := pos + len(l.literal) // the value
		if at >= memory && bytes.HasPrefix(l.literal, text[pos:memory]) && r.lines.More(maxAhead) {
			text = r.lines.Ahead()
			continue
		}
		if at >= memory || string(text[pos:at]) != string(l.literal) {
			if i < p.attrs {
				return false
			}
			break // the iteration may end here
		}

		if l.attr >= 0 {
			n := r.matchAttr(text[at:memory], &it.Attr[l.attr].Value)
			if n < 0 {
				return false
			}
			pos = at + n
			i++
			continue
		}

		f, n := number.Parse(text[at:])
		if n == 0 || f > math.MaxFloat64 || f < -math.MaxFloat64 {
			return false
		}
		if at+n >= len(text)-lines.Room {
			// The number may go on after the memory.
			if !r.lines.More(maxAhead) {
				return false
			}
			text = r.lines.Ahead()
			continue
		}
		kv := &it.Perf[next]
		kv.Value, kv.Offset = f, offset+int64(pos+l.lineEnd)
		next++
		pos = at + n
		i++
	}

	// The end of the last line and a blank line follow.
	end := blankEnds[p.lineEnd]
	for len(text)-lines.Room-pos < len(end) && strings.HasPrefix(end, string(text[pos:len(text)-lines.Room])) &&
		r.lines.More(maxAhead) {
		text = r.lines.Ahead()
	}
	if i == 0 || len(text)-lines.Room-pos < len(end) || string(text[pos:pos+len(end)]) != end {
		return false
	}
	pos += len(end)
	it.Perf = it.Perf[:next]
	if pos > r.limits.MaxLineBytes || int64(pos) > r.limits.MaxResultBytes {
		return false // the iteration may exceed a limit: read decides
	}

	r.lines.TakeLine(pos)
	it.Index++
	it.Offset, it.Line = r.lines.Offset(), r.lineNumber()
	r.taken += i
	return true
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
