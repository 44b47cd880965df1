package keyval

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/number"
	"perfdata/traceid"
)

// This is the hot loop. The iterations of a file resemble each other: mostly, one has the keys of the one before in the same
// order, and differs from it in its values. So the text of an iteration that was read becomes a layout, and in the
// next one everything but the values is only compared, where it stands in memory; where a number ends, the line has to
// end too. That saves looking for line ends and for keys. Reading 300,000 iterations of two attributes and five values
// takes 0.19 µs an iteration that way, and 1.07 µs line by line; finding the lines with bufio.Scanner takes 0.11 µs
// (what bench reads, least user time of several runs). Where iterations are of kinds that take turns, they are read
// line by line.

// A layout is the text of an iteration without the values that change. What it matches is read as [Reader.read] would
// read it: it is never made of an iteration in which a line was left out, a key repeats, a value has a deviation,
// or white space stands around what a line says.
type layout struct {
	ok    bool // an iteration can be matched
	slots []slot
	last  []byte // what stands behind the last slot's value: at least its line's end and the blank line
	lines int    // of the iteration, with the blank one

	text   []byte // memory of the literals
	varies []bool // for each of the attributes in prev: whether it had another value once
	prev   traceid.Params

	// While it is made:
	pieces []piece
	before []byte // memory of the pieces
	lineAt int64  // offset of the line begun last; -1: there is none
	length int    // of that line, without its end
	eol    int    // bytes of the end of the line before
}

// A slot is a value, and what stands before it: the rest of the line before, lines with attributes that never
// changed, and the line's own beginning.
type slot struct {
	literal []byte
	lead    int // bytes of literal before the line's own
	isAttr  bool
	attr    int // index in Attr
}

// A piece is what stands before the value of a line: the line end before it, and its beginning.
type piece struct {
	start, end int // in before
	eol        int
	isAttr     bool
	key        string // of an attribute
}

// maxLayout is how large the text of a layout becomes. An iteration with more is never in memory as a whole.
const maxLayout = 64 << 10

// begin begins a new layout. It is given the attributes of the iteration before, and keeps their memory in exchange
// for that of others, which it returns.
func (l *layout) begin(attrs traceid.Params) traceid.Params {
	l.ok, l.lineAt, l.eol = true, -1, 0
	l.pieces, l.before = l.pieces[:0], l.before[:0]
	other := l.prev
	l.prev = attrs
	return other[:0]
}

// spoil makes it a layout that nothing matches.
func (l *layout) spoil() { l.ok = false }

// beginLine is told of each line where it begins and how long it is without its end.
func (l *layout) beginLine(offset int64, length int) {
	if l.lineAt >= 0 {
		l.eol = int(offset-l.lineAt) - l.length
	}
	l.lineAt, l.length = offset, length
}

// lineEnds are the line ends by their length.
var lineEnds = [...]string{"", "\n", "\r\n"}

// add adds the line begun last, with what stands before its value. The key is that of an attribute, or empty.
func (l *layout) add(before []byte, isAttr bool, key string) {
	if !l.ok || len(l.before)+len(before) > maxLayout || l.eol >= len(lineEnds) {
		l.ok = false
		return
	}
	p := piece{start: len(l.before), eol: l.eol, isAttr: isAttr, key: key}
	l.before = append(l.before, lineEnds[l.eol]...)
	l.before = append(l.before, before...)
	p.end = len(l.before)
	l.pieces = append(l.pieces, p)
}

// end completes the layout of an iteration with these attributes at the blank line behind it.
func (l *layout) end(attrs traceid.Params) {
	l.compare(attrs)
	if !l.ok || len(l.pieces) == 0 || l.eol >= len(lineEnds) {
		l.ok = false
		return
	}
	size := len(l.before) + 2*len(lineEnds)
	for _, p := range attrs {
		size += len(p.Value)
	}
	if size > maxLayout {
		l.ok = false
		return
	}
	l.text = slices.Grow(l.text[:0], size) // from here on it stays where it is
	l.slots = l.slots[:0]
	start := 0
	for i := range l.pieces {
		p := &l.pieces[i]
		at := len(l.text) + p.eol
		l.text = append(l.text, l.before[p.start:p.end]...)
		attr := 0
		if p.isAttr {
			attr, _ = attrs.Find(p.key)
			if !l.varies[attr] {
				l.text = append(l.text, attrs[attr].Value...)
				continue
			}
		}
		l.slots = append(l.slots, slot{l.text[start:], at - start, p.isAttr, attr})
		start = len(l.text)
	}
	l.text = append(l.text, lineEnds[l.eol]...)
	l.text = append(l.text, lineEnds[l.eol]...)
	l.last = l.text[start:]
	l.lines = len(l.pieces) + 1
}

// compare notes which attributes have other values than in the iteration before.
func (l *layout) compare(attrs traceid.Params) {
	same := len(attrs) == len(l.prev)
	for i := 0; same && i < len(attrs); i++ {
		same = attrs[i].Key == l.prev[i].Key
	}
	if !same || len(l.varies) != len(attrs) {
		l.varies = append(l.varies[:0], make([]bool, len(attrs))...)
	}
	for i := 0; same && i < len(attrs); i++ {
		if attrs[i].Value != l.prev[i].Value {
			l.varies[i] = true
		}
	}
}

// match reads the iteration ahead if it is like the last one, and all of it is in memory. If not, it reads nothing.
func (r *Reader) match() bool {
	l, it := &r.layout, &r.it
	if !l.ok {
		return false
	}
	b := r.lines.Ahead()
	pos, next := 0, 0
	for i := range l.slots {
		s := &l.slots[i]
		n := len(s.literal)
		if len(b)-pos <= n || string(b[pos:pos+n]) != string(s.literal) {
			return false
		}
		at := pos + s.lead
		pos += n
		if s.isAttr {
			value := &it.Attr[s.attr].Value
			n = len(*value)
			if len(b)-pos > n && string(b[pos:pos+n]) == *value && (b[pos+n] == '\n' || b[pos+n] == '\r') {
				pos += n
				continue
			}
			n = bytes.IndexByte(b[pos:], '\n')
			if n > 0 && b[pos+n-1] == '\r' {
				n--
			}
			if n < 0 || n > 0 && isSpace(b[pos+n-1]) || !utf8.Valid(b[pos:pos+n]) {
				return false
			}
			*value = r.strings.String(b[pos : pos+n])
			pos += n
			continue
		}
		f, n := number.Parse(b[pos:])
		if n == 0 || f > math.MaxFloat64 || f < -math.MaxFloat64 {
			return false
		}
		pos += n
		kv := &it.Perf[next]
		kv.Value, kv.Offset = f, int64(at)
		next++
	}
	n := len(l.last)
	if len(b)-pos < n || string(b[pos:pos+n]) != string(l.last) {
		return false
	}
	pos += n
	if pos > r.Limits.MaxLineBytes || int64(pos) > r.Limits.MaxResultBytes {
		return false // perhaps for nothing, but read knows
	}
	r.lines.TakeLine(pos)
	it.Index++
	it.Position = format.Position{Offset: r.lines.Offset(), Line: r.lines.Number() + r.taken, Column: 1}
	r.taken += l.lines - 1
	for i := range it.Perf {
		it.Perf[i].Offset += it.Offset
	}
	return true
}
