package keyval

import (
	"bytes"
	"math"
	"unicode/utf8"

	"perfdata/internal/number"
	"perfdata/traceid"
)

// This is the hot loop. The iterations of a file resemble each other: mostly, one has the keys of the one before, in the same
// order, and differs in its values. So the text of an iteration that was read becomes a layout, and in one that follows it
// the keys are only compared, in place, and where a number ends, the line has to end too. That saves looking for
// line ends and for keys. TODO figures.

// A layout is the text of an iteration without its values. What it matches is read as [Reader.read] would read it: it
// is never made of an iteration in which a line was left out, a key repeats, a value has a deviation, or white
// space stands around what a line says.
type layout struct {
	ok    bool // an iteration can be matched
	slots []slot
	text  []byte // memory of the slots' literals
	last  []byte // what stands behind the last value: its line's end and the blank line

	// While it is made:
	lineAt int64 // offset of the line begun last; -1: there is none
	length int   // of that line, without its end
	eol    int   // bytes of the end of the line before
}

// A slot is a value with what stands before it.
type slot struct {
	literal []byte // the end of the line before, if there is one, and the line's beginning
	lead    int    // bytes of that line end
	isAttr  bool
	attr    int // index in Attr

	key   string // of an attribute, while the layout is made
	start int    // of literal in text, while the layout is made
}

// maxLayout is how large the text of a layout becomes. An iteration with more is never in memory as a whole.
const maxLayout = 64 << 10

// begin begins a new layout.
func (l *layout) begin() {
	*l = layout{ok: true, slots: l.slots[:0], text: l.text[:0], lineAt: -1}
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
	if !l.ok || len(l.text)+len(before) > maxLayout || l.eol >= len(lineEnds) {
		l.ok = false
		return
	}
	l.slots = append(l.slots, slot{lead: l.eol, isAttr: isAttr, key: key, start: len(l.text)})
	l.text = append(l.text, lineEnds[l.eol]...)
	l.text = append(l.text, before...)
}

// end completes the layout of an iteration with these attributes at the blank line behind it.
func (l *layout) end(attrs traceid.Params) {
	if !l.ok || len(l.slots) == 0 || l.eol >= len(lineEnds) {
		l.ok = false
		return
	}
	end := len(l.text)
	l.text = append(l.text, lineEnds[l.eol]...)
	l.text = append(l.text, lineEnds[l.eol]...)
	l.last = l.text[end:]
	for i := len(l.slots) - 1; i >= 0; i-- {
		s := &l.slots[i]
		s.literal = l.text[s.start:end]
		end = s.start
		if s.isAttr {
			s.attr, _ = attrs.Find(s.key)
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
	it.Offset, it.Line = r.lines.Offset(), r.lines.Number()+r.taken
	r.taken += len(l.slots)
	for i := range it.Perf {
		it.Perf[i].Offset += it.Offset
	}
	return true
}
