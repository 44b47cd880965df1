package keyval

import (
	"perfdata/internal/number"
	"perfdata/traceid"
)

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
