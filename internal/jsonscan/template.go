package jsonscan

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"

	"perfdata/internal/number"
)

// A Template makes reading a value fast that looks like another one. It is the text of a value that was read, with
// holes where strings and numbers stood. A value that has the same text around its holes has the same structure,
// the same members' names, and as many strings and numbers in the same places, so that nothing of this needs to be
// looked at again. Comparing text is many times as fast as reading it, white space above all, and what programs
// write consists mostly of such values.
//
// Strings that never change are compared with the text around them: a string's hole opens when it is first seen to
// change.
//
// Where values are nested in others, that are large and come again as a whole, one hole can take all of such a value:
// see BeginNested.
//
// The zero Template matches nothing.
type Template struct {
	// Known returns how long the nested value is that b begins with, which the k-th hole is to take; 0 if it can't take it,
	// and less if b ends too early.
	Known func(k int, b []byte) int

	text    []byte
	holes   []hole   // in the order of the text; all of them
	changes []change // the holes that are open, with what the match found in them
	tail    []byte   // of text, after the last open hole

	from    int64 // offset of the value that is recorded
	unusual bool  // it has what a hole can't take

	window []byte // the match, and what is behind it
}

// A hole is where in a Template's text a string, without its quotes, a number or a nested value stood.
type hole struct {
	start, end int
	kind       Kind // String, Number; Object: a nested value
}

// A change is an open hole.
type change struct {
	hole   int
	before []byte // of text, from the open hole before
	kind   Kind   // of the hole

	start, end int // in window
	number     float64
}

// Record begins to make t a template of the value ahead, which is then read as always. No white space may be ahead
// of it.
func (s *Scanner) Record(t *Template) {
	t.holes, t.changes, t.unusual = t.holes[:0], t.changes[:0], false
	t.from = s.Offset()
	s.template = t
}

// EndRecord ends what Record began, after the value was read. It returns how many holes the template has: one for
// each string and number that was read by Text, Number or Skip. If it has none, it matches nothing; so it is if the
// value was too large for one window, has a string with escape sequences, or too many holes.
func (s *Scanner) EndRecord() int {
	t := s.template
	s.template = nil
	if t.unusual || t.from < s.base || s.err != nil {
		t.holes = t.holes[:0]
	}
	if len(t.holes) == 0 {
		return 0
	}
	t.make(s.buf[t.from-s.base : s.pos])
	return len(t.holes)
}

// make makes t a template of the text, in which it has the holes. Those of numbers are open.
func (t *Template) make(text []byte) {
	t.text = append(t.text[:0], text...)
	t.changes = t.changes[:0]
	done := 0
	for k, h := range t.holes {
		if h.kind == Number {
			t.changes = append(t.changes, change{hole: k, before: t.text[done:h.start], kind: Number})
			done = h.end
		}
	}
	t.tail = t.text[done:]
}

// makeUnchecked makes t a template of a value's text that was skimmed, not read: its brackets and strings are
// closed, and more isn't known. What matches it is no better.
func (t *Template) makeUnchecked(text []byte) {
	t.holes = t.holes[:0]
	for i := 0; i < len(text) && len(t.holes) <= maxHoles; i++ {
		start := i
		switch {
		case text[i] == '"':
			escaped := false
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					escaped = true
					i++
				}
			}
			if !escaped && !isName(text[i+1:]) {
				t.holes = append(t.holes, hole{start + 1, i, String})
			}
		case numberBytes[text[i]] && kinds[text[i]] == Number:
			for i+1 < len(text) && numberBytes[text[i+1]] {
				i++
			}
			t.holes = append(t.holes, hole{start, i + 1, Number})
		}
	}
	if len(t.holes) > maxHoles {
		t.Discard()
		return
	}
	t.make(text)
}

// isName reports whether a string that rest follows is a member's name.
func isName(rest []byte) bool {
	for _, c := range rest {
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c == ':'
		}
	}
	return false
}

// maxHoles is how many holes a template can have. What has more gains little by one, and would take much memory.
const maxHoles = 20_000

// Discard makes t match nothing.
func (t *Template) Discard() { t.holes = t.holes[:0] }

// HoleStart returns where the k-th hole is in the value that t was made of, from its beginning.
func (t *Template) HoleStart(k int) int { return t.holes[k].start }

// addHole records that what was read from s.tokenStart on is a hole. The length is that of a text.
func (s *Scanner) addHole(kind Kind, length int) {
	t := s.template
	h := hole{start: int(s.base + int64(s.tokenStart) - t.from), end: int(s.Offset() - t.from), kind: kind}
	if kind == String {
		h.start++
		h.end--
		t.unusual = t.unusual || h.end-h.start != length // there are escape sequences
	}
	t.add(h)
}

func (t *Template) add(h hole) {
	if t.unusual = t.unusual || len(t.holes) == maxHoles; !t.unusual { // else no more needs to be remembered
		t.holes = append(t.holes, h)
	}
}

// BeginNested tells what is recorded that the value ahead becomes one hole, which is what EndNested then makes of it. What
// the hole takes of other values is up to the Template's Known.
func (s *Scanner) BeginNested() Nested {
	n := Nested{s.template, s.Offset()}
	s.template = nil
	return n
}

// EndNested ends what BeginNested began, after the value was read.
func (s *Scanner) EndNested(n Nested) {
	if n.template != nil {
		s.template = n.template
		n.template.add(hole{int(n.start - n.template.from), int(s.Offset() - n.template.from), Object})
	}
}

// A Nested is a value that BeginNested was called for.
type Nested struct {
	template *Template
	start    int64
}

// Match reads the value ahead if it is like the one that t was made of. Otherwise it leaves it unread and returns
// false. No white space may be ahead of it.
func (s *Scanner) Match(t *Template) bool { return s.readLike(t, false) }

// Unmatch takes back the Match of t that was made just now: its value is ahead again, to be read in the general way.
func (s *Scanner) Unmatch(t *Template) { s.pos = len(s.buf) - len(t.window) }

// readLike is Match. To skim, it doesn't read the numbers, and doesn't check them.
func (s *Scanner) readLike(t *Template, skim bool) bool {
	if len(t.holes) == 0 || s.general {
		return false
	}
	// A value can't be in the window more than once without being whole: the other fills are for readers that give
	// little at a time, but not for any number of them, as each begins anew.
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
	return len(s.buf) < cap(s.buf) || cap(s.buf) < s.full || s.pos >= cap(s.buf)/2
}

// match compares b with t. If b begins with a value like it, it returns the value's length. Otherwise end tells
// whether that is only because b ends too early.
func (s *Scanner) match(t *Template, b []byte, skim bool) (n int, end, ok bool) {
	rest, changes := b, t.changes
	for k := 0; ; k++ {
		last := k == len(changes)
		literal := t.tail
		if !last {
			literal = changes[k].before
		}
		if !bytes.HasPrefix(rest, literal) {
			if t.open(rest, k, literal) {
				changes = t.changes
				k-- // go on with the hole that stands before this one now
				continue
			}
			return 0, bytes.HasPrefix(literal, rest), false
		}
		rest = rest[len(literal):]
		if last {
			return len(b) - len(rest), false, true
		}
		if len(rest) == 0 {
			return 0, true, false
		}
		c := &changes[k]
		length := 0
		switch {
		case c.kind == String:
			length = plainLen(rest, 0)
			if length < len(rest) && rest[length] != '"' {
				length = plainTextLen(rest)
			}
			if length < len(rest) && rest[length] != '"' || length > s.limits.MaxStringBytes {
				return 0, false, false
			}
		case c.kind == Object:
			length = t.Known(c.hole, rest)
			if length <= 0 {
				return 0, length < 0, false
			}
		case skim:
			for length < len(rest) && numberBytes[rest[length]] {
				length++
			}
			if length == 0 {
				return 0, false, false // another kind of value
			}
		case kinds[rest[0]] != Number:
			return 0, false, false
		default:
			c.number, length = number.Parse(rest)
			if length == 0 || length > s.limits.MaxStringBytes || math.IsInf(c.number, 0) {
				return 0, length == len(rest), false
			}
		}
		if length == len(rest) {
			return 0, true, false // a string or number may go on
		}
		c.start = len(b) - len(rest)
		c.end = c.start + length
		rest = rest[length:]
	}
}

// open opens the hole at which b begins to differ from part, which is of the text and ends at the i-th open hole.
// It returns false if there is none.
func (t *Template) open(b []byte, i int, part []byte) bool {
	n := 0
	for n < len(part) && n < len(b) && b[n] == part[n] {
		n++
	}
	if n == len(b) || n == len(part) {
		return false // no difference
	}
	from := 0
	if i > 0 {
		from = t.holes[t.changes[i-1].hole].end
	}
	at := from + n
	k, _ := slices.BinarySearchFunc(t.holes, at, func(h hole, at int) int { return h.end - at })
	if k == len(t.holes) {
		return false
	}
	h := t.holes[k]
	if h.kind == Number || at < h.start || h.start < from || h.end >= from+len(part) {
		return false // the difference isn't in a closed hole of this part
	}
	before, after := part[:h.start-from], part[h.end-from:]
	if i == len(t.changes) {
		t.tail = after
	} else {
		t.changes[i].before = after
	}
	t.changes = slices.Insert(t.changes, i, change{hole: k, before: before, kind: h.kind})
	return true
}

// plainTextLen is plainLen for text that may not be ASCII. It returns the index of the quote that ends it, or
// len(b); where neither, there is something else than plain text.
func plainTextLen(b []byte) int {
	i, ascii := 0, true
	for ; i < len(b) && b[i] != '"'; i++ {
		if b[i] < ' ' || b[i] == '\\' {
			return i
		}
		ascii = ascii && b[i] < utf8.RuneSelf
	}
	if !ascii && i < len(b) && !utf8.Valid(b[:i]) {
		return 0
	}
	return i
}

// Changes returns how many holes of the match were open. All others have what they had when t was made.
func (t *Template) Changes() int { return len(t.changes) }

// Hole returns which hole the i-th open one is, and where it begins in the match.
func (t *Template) Hole(i int) (k, start int) { return t.changes[i].hole, t.changes[i].start }

// Text returns the string, or the text of the number, in the i-th open hole, valid until the Scanner's next call.
func (t *Template) Text(i int) []byte { return t.window[t.changes[i].start:t.changes[i].end] }

// Number returns the number in the i-th open hole.
func (t *Template) Number(i int) float64 { return t.changes[i].number }
