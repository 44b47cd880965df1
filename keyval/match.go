package keyval

import (
	"bytes"
	"unicode/utf8"

	"perfdata/internal/lines"
	"perfdata/internal/number"
	"perfdata/traceid"
)

// This file is the hot loop. The iterations of a file resemble each other: most have the keys of
// the previous iteration, in the same order, and differ only in their values. So the texts of its
// lines without their values are a pattern, and the lines of the next iteration are compared with it
// in memory, without looking for lines and keys. An iteration may have fewer lines than the pattern,
// because tests that fail report the first keys only.
//
// Reader.match is the fast path. The slow path is Reader.readLine, which reads any line: the rest of an
// iteration, from the first line on that is not the pattern's. Without the fast path, reading takes
// three times as long. To compare the texts in words instead, with masks, saves 5% of it.
//
// A key occurs once in a pattern, so lines that have it do not repeat a key. What match has written
// for a line that it then does not take has no effect: leave drops it, or readLine writes it again.

// A pattern has the lines of the previous iteration up to their values, or the first of these lines. As
// long as an iteration follows it, the iteration's Attr and Perf are those of the whole pattern.
type pattern struct {
	lines   []patternLine
	attrs   int  // lines of attributes
	attrEnd int  // lines up to the last of these
	size    int  // bytes of all lines
	next    int  // the line that comes next, while the iteration follows
	closed  bool // no more lines of the iteration can be added
}

// A patternLine is a line up to its value. It begins with the key.
type patternLine struct {
	text   string
	key    string // of an attribute
	isAttr bool
	index  int // of the value in Iteration.Attr or Iteration.Perf
}

// clear removes all lines.
func (p *pattern) clear() { *p = pattern{lines: p.lines[:0]} }

// begin begins an iteration, which follows the pattern at first.
func (p *pattern) begin(it *Iteration) {
	p.next, p.closed = 0, false
	if len(p.lines) == 0 {
		p.clear()
		it.Attr = it.Attr[:0]
	}
	it.Perf = it.Perf[:len(p.lines)-p.attrs]
}

// leave ends following: the iteration and the pattern have the lines that were read. The next lines are
// added to both.
func (p *pattern) leave(it *Iteration) {
	p.lines = p.lines[:p.next]
	if p.next < p.attrEnd {
		var read []traceid.Param
		for _, l := range p.lines {
			if l.isAttr {
				read = append(read, it.Attr[l.index])
			}
		}
		it.Attr = append(it.Attr[:0], traceid.FromPairs(read...)...)
	}
	it.Perf = it.Perf[:len(p.lines)-len(it.Attr)]
}

// add adds a line of an iteration that has left the pattern.
func (p *pattern) add(l patternLine) {
	const maxPattern = 64 << 10 // bytes that the lines have at most
	if p.size += len(l.text); p.closed || p.size > maxPattern {
		p.closed = true
		return
	}
	p.lines = append(p.lines, l)
}

// end ends an iteration that does not follow the pattern to its blank line, and makes it the pattern.
func (p *pattern) end(it *Iteration) {
	p.attrs, p.attrEnd, p.size = 0, 0, 0
	for i := range p.lines {
		l := &p.lines[i]
		p.size += len(l.text)
		if l.isAttr {
			l.index, _ = it.Attr.Find(l.key)
			p.attrs, p.attrEnd = p.attrs+1, i+1
		}
	}
	if p.attrs < len(it.Attr) {
		p.clear() // the iteration has attributes that the pattern lacks
	}
}

// match reads the lines of the pattern, and the blank line after them. It reports whether it has read
// that one.
func (r *Reader) match() (blank bool) {
	const maxCutOff = 4 << 10 // the length up to which it waits for the rest of a line
	for !r.matchAhead() {
		rest := r.in.Ahead()
		rest = rest[:len(rest)-lines.Room]
		if len(rest) > maxCutOff || bytes.IndexByte(rest, '\n') >= 0 || !r.in.More() {
			return false
		}
	}
	return true
}

// matchAhead is match for what is in memory.
func (r *Reader) matchAhead() (blank bool) {
	p, it := &r.pattern, &r.it
	text, offset := r.in.Ahead(), r.in.End()
	memory := len(text) - lines.Room // what comes after it can have any values
	longest := min(int64(r.in.Limits.MaxLineBytes), r.in.Limits.MaxResultBytes-r.size)

	pos, count, size := 0, 0, 0
	known, perf := p.lines[p.next:], it.Perf
	for ; count < len(known); count++ {
		l := &known[count]
		at := pos + len(l.text)
		if at > memory || string(text[pos:at]) != l.text {
			break
		}

		n := 0 // the length of the value
		if l.isAttr {
			if n = r.matchAttr(text[at:memory], &it.Attr[l.index].Value); n < 0 {
				break
			}
		} else {
			// Most numbers have neither a sign nor an exponent.
			kv := &perf[l.index]
			v := (*[number.Longest]byte)(text[at:])
			var integer uint64
			var decimals int
			integer, decimals, n = number.Digits((*[number.Longest - 1]byte)(v[:]))
			if n > 0 && v[n&(number.Longest-1)] <= ' ' {
				kv.Value = number.Decimal(integer, decimals)
			} else if kv.Value, n = number.Unusual(v[:], integer, decimals, n); n == 0 || kv.Value-kv.Value != 0 {
				break
			}
			kv.Offset = offset + int64(pos)
		}

		at += n
		length := at - pos
		if text[at] == '\r' {
			at++
		}
		if at >= memory || text[at] != '\n' || int64(at) > longest {
			break // readLine decides whether the line exceeds a limit
		}
		size += length
		pos = at + 1
	}
	r.size += int64(size)
	p.next += count

	for _, end := range [...]string{"\n", "\r\n"} {
		if after := pos + len(end); p.next > 0 && after <= memory && string(text[pos:after]) == end {
			pos, count, blank = after, count+1, true
			break
		}
	}
	if count > 0 {
		r.in.Take(pos, count)
	}
	return blank
}

// matchAttr reads the value of an attribute at the beginning of text into *value. It returns the
// value's length, or -1 for a value that is left to readLine: one with white space at its end, with
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
