package jsonscan

import (
	"math"
	"slices"
	"unicode/utf8"
)

// A Template makes reading a value fast that looks like another one. It is the text of a value that was read, with holes
// where strings and numbers stood. A value that has the same text around its holes has the same structure, the same members'
// names, and as many strings and numbers in the same places, so that nothing of this needs to be looked at again. Comparing text is
// many times as fast as reading it, white space above all, and what programs write consists mostly of such values.
//
// Strings that never change are compared with the text around them: a string's hole opens when it is first seen to change.
//
// The zero Template matches nothing.
type Template struct {
	text    []byte
	holes   []hole   // in the order of the text; all of them
	changes []change // the holes that are open, with what the match found in them

	from    int64 // offset of the value that is recorded
	unusual bool  // it has what a hole can't take

	window []byte // the match, and what is behind it
}

// A hole is where in a Template's text a string, without its quotes, or a number stood.
type hole struct {
	start, end int
	isText     bool
}

type change struct {
	hole       int
	start, end int // in window
	number     float64
}

// Record begins to make t a template of the value ahead, which is then read as always. No white space may be ahead of it.
func (s *Scanner) Record(t *Template) {
	t.holes, t.changes, t.unusual = t.holes[:0], t.changes[:0], false
	t.from = s.Offset()
	s.template = t
}

// EndRecord ends what Record began, after the value was read. It returns how many holes the template has: one for each string and number that was read by
// Text, Number or Skip. If it has none, it matches nothing; so it is if the value was too large for one window, or has a string with escape sequences.
func (s *Scanner) EndRecord() int {
	t := s.template
	s.template = nil
	if t.unusual || t.from < s.base || s.err != nil {
		t.holes = t.holes[:0]
	}
	if len(t.holes) == 0 {
		return 0
	}
	t.text = append(t.text[:0], s.buf[t.from-s.base:s.pos]...)
	for k, h := range t.holes {
		if !h.isText {
			t.changes = append(t.changes, change{hole: k})
		}
	}
	return len(t.holes)
}

// Discard makes t match nothing.
func (t *Template) Discard() { t.holes = t.holes[:0] }

// HoleStart returns where the k-th hole is in the value that t was made of, from its beginning.
func (t *Template) HoleStart(k int) int { return t.holes[k].start }

// addHole records that what was read from s.tokenStart on is a hole. The length is that of a text.
func (s *Scanner) addHole(isText bool, length int) {
	t := s.template
	h := hole{start: int(s.base + int64(s.tokenStart) - t.from), end: int(s.Offset() - t.from), isText: isText}
	if isText {
		h.start++
		h.end--
		t.unusual = t.unusual || h.end-h.start != length // there are escape sequences
	}
	t.holes = append(t.holes, h)
}

// Match reads the value ahead if it is like the one that t was made of. Otherwise it leaves it unread and returns false.
// No white space may be ahead of it.
func (s *Scanner) Match(t *Template) bool { return s.readLike(t, false) }

// readLike is Match. To skim, it doesn't read the numbers, and doesn't check them.
func (s *Scanner) readLike(t *Template, skim bool) bool {
	if len(t.holes) == 0 {
		return false
	}
	// A value can't be in the window more than once without being whole: the other fills are for readers that give little at a time, but
	// not for any number of them, as each begins anew.
	for range 4 {
		n, end, ok := s.match(t, s.buf[s.pos:], skim)
		switch {
		case ok:
			t.window = s.buf[s.pos:]
			s.pos += n
			return true
		case end:
			if !s.hasRoom() || !s.fill() {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// hasRoom reports whether fill can read more without making the full window larger.
func (s *Scanner) hasRoom() bool {
	return len(s.buf) < cap(s.buf) || cap(s.buf) < fullWindow || s.pos >= cap(s.buf)/2
}

// match compares b with t. If b begins with a value like it, it returns the value's length. Otherwise end tells whether that is only because b ends too
// early.
func (s *Scanner) match(t *Template, b []byte, skim bool) (n int, end, ok bool) {
	done := 0 // in t.text
	for k := 0; k < len(t.changes); {
		c := &t.changes[k]
		h := &t.holes[c.hole]
		literal := t.text[done:h.start]
		if len(b)-n <= len(literal) || string(b[n:n+len(literal)]) != string(literal) {
			if t.open(b[n:], done, h.start) {
				continue // with the hole that stands before this one now
			}
			return n, startsWith(literal, b[n:]), false
		}
		n += len(literal)
		c.start = n
		if h.isText {
			n = plainLen(b, n)
			if n < len(b) && b[n] != '"' {
				n = plainTextLen(b, c.start)
			}
			if n >= len(b) || b[n] != '"' || n-c.start > s.limits.MaxStringBytes {
				return n, n >= len(b), false
			}
		} else if skim {
			for n < len(b) && isNumberByte(b[n]) {
				n++
			}
		} else {
			length := 0
			if kinds[b[n]] != Number {
				return n, false, false
			}
			if c.number, length = parseNumber(b[n:]); length == 0 || math.IsInf(c.number, 0) {
				return n, n+length == len(b), false
			}
			n += length
		}
		if n == len(b) {
			return n, true, false // a number may go on
		}
		c.end = n
		done = h.end
		k++
	}
	literal := t.text[done:]
	if len(b)-n < len(literal) || string(b[n:n+len(literal)]) != string(literal) {
		if t.open(b[n:], done, len(t.text)) {
			return s.match(t, b, skim) // at most once for each hole
		}
		return n, startsWith(literal, b[n:]), false
	}
	return n + len(literal), false, true
}

// startsWith reports whether b, which ends too early, is the beginning of literal.
func startsWith(literal, b []byte) bool {
	return len(b) < len(literal) && string(b) == string(literal[:len(b)])
}

// open opens the hole at which b begins to differ from the template's text between two places, if there is one.
func (t *Template) open(b []byte, from, to int) bool {
	at := from
	for at < to && at-from < len(b) && b[at-from] == t.text[at] {
		at++
	}
	if at-from == len(b) || at == to {
		return false // no difference
	}
	k, _ := slices.BinarySearchFunc(t.holes, at, func(h hole, at int) int { return h.end - at })
	if k == len(t.holes) || !t.holes[k].isText || at < t.holes[k].start || t.holes[k].end >= to {
		return false
	}
	i, isOpen := slices.BinarySearchFunc(t.changes, k, func(c change, k int) int { return c.hole - k })
	if isOpen {
		return false
	}
	t.changes = slices.Insert(t.changes, i, change{hole: k})
	return true
}

// plainTextLen is plainLen for text that may not be ASCII. It returns the index of the quote that ends it, or len(b); where neither, there is something
// else than plain text.
func plainTextLen(b []byte, i int) int {
	start, ascii := i, true
	for ; i < len(b) && b[i] != '"'; i++ {
		if b[i] < ' ' || b[i] == '\\' {
			return i
		}
		ascii = ascii && b[i] < utf8.RuneSelf
	}
	if !ascii && i < len(b) && !utf8.Valid(b[start:i]) {
		return start
	}
	return i
}

// Changes returns how many holes of the match were open. All others have what they had when t was made.
func (t *Template) Changes() int { return len(t.changes) }

// Hole returns which hole the i-th open one is, and where it begins in the match.
func (t *Template) Hole(i int) (k, start int) { return t.changes[i].hole, t.changes[i].start }

// Text returns the string in the i-th open hole, valid until the Scanner's next call.
func (t *Template) Text(i int) []byte { return t.window[t.changes[i].start:t.changes[i].end] }

// Number returns the number in the i-th open hole.
func (t *Template) Number(i int) float64 { return t.changes[i].number }
