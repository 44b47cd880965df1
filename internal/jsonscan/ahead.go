package jsonscan

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"perfdata/internal/spool"
)

// A Bookmark is a place in the input to come back to.
type Bookmark struct {
	offset    int64
	line      int
	lineStart int64
	open      []container
	first     bool
}

// LookAhead returns a Bookmark of where the scanner is. If the input can't seek, what is read from here on is kept until
// Close. There can be several Bookmarks; where the input can't seek, none may be before the first.
func (s *Scanner) LookAhead() Bookmark {
	b := Bookmark{offset: s.Offset(), first: s.first}
	b.line, b.lineStart = s.lineAt(s.pos)
	// What the open containers know of the window must hold when another one is there.
	s.settle(len(s.buf) + 1)
	b.open = slices.Clone(s.open)
	for i := range b.open {
		b.open[i].name = slices.Clone(b.open[i].name)
	}
	if s.seeker == nil && s.ahead == nil && s.behind == nil && s.discard() { // what is before isn't to be kept
		s.ahead = spool.New(s.limits.MaxSpoolMemory, s.limits.MaxSpoolBytes)
		s.keptFrom = s.base
	}
	return b
}

// Member returns the Bookmark of a member of the object that b is at the beginning of, right after EnterObject: the one
// whose name stands at p. Member then gives it, and those after it.
func (b Bookmark) Member(p Position) Bookmark {
	b.offset, b.line, b.lineStart, b.first = p.Offset, p.Line-1, p.Offset-int64(p.Column-1), true
	return b
}

// Return brings the scanner back to the Bookmark, also after an error, which it forgets. If it can't, the scanner has
// the earlier error again, or if there was none, one that says why. Where the input can't seek, only those may return
// more than once that have read to its end before.
func (s *Scanner) Return(b Bookmark) bool {
	earlier := s.err
	if s.err != nil {
		s.err, s.window = nil, s.failed
	}
	s.region = noRegion
	s.template, s.remembered = nil, 0
	s.reopen(b.open)
	s.first = b.first
	if b.offset >= s.base && b.offset <= s.base+int64(len(s.buf)) {
		s.pos = int(b.offset - s.base)
		return true
	}
	if err := s.rewind(b.offset); err != nil {
		s.fail(s.pos, fmt.Sprintf("going back to byte %d for a second reading: %v", b.offset, err), err)
		if earlier != nil {
			s.err = earlier
		}
		return false
	}
	s.window = newWindow(s.buf[:0], b.offset, b.line, b.lineStart)
	return true
}

// reopen makes open a copy of the containers, which shares none of their memory: a Bookmark may be returned to again.
func (s *Scanner) reopen(open []container) {
	s.open = s.open[:0]
	for i := range open {
		s.push(false)
		c := &s.open[i]
		name := append(c.name[:0], open[i].name...)
		*c = open[i]
		c.name = name
	}
}

// rewind makes src give again what begins at offset.
func (s *Scanner) rewind(offset int64) error {
	if s.seeker != nil {
		s.moved = false
		_, err := s.seeker.Seek(s.seekZero+offset, io.SeekStart)
		return err
	}
	if s.behind == nil {
		if _, err := s.ahead.Write(s.buf); err != nil {
			return err
		}
		s.behind, s.ahead = s.ahead, nil
		s.rest = s.src
		if s.srcErr != nil {
			s.rest = errorReader{s.srcErr}
		}
	} else if _, whole := s.rest.(errorReader); !whole {
		return errors.New("the input can't seek")
	}
	from := offset - s.keptFrom
	s.src = io.MultiReader(io.NewSectionReader(s.behind, from, s.behind.Size()-from), s.rest)
	return nil
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

// Close releases what LookAhead kept.
func (s *Scanner) Close() error {
	var err error
	for _, kept := range []*spool.Spool{s.ahead, s.behind} {
		if kept != nil {
			err = errors.Join(err, kept.Close())
		}
	}
	s.ahead, s.behind = nil, nil
	return err
}

// LookPast returns a Bookmark of the value ahead and passes over it, as Skim does. What is wrong with the value is
// reported where Skip finds it.
func (s *Scanner) LookPast() Bookmark {
	b := s.LookAhead()
	if !s.Skim() {
		// Skim noticed late, if at all where, what is wrong. Skip knows.
		err := s.err
		if s.Return(b); s.Skip() {
			s.Fail(err)
		}
	}
	return b
}

// FirstError returns the error that ended the reading, or an earlier one in a value that was passed over and has not been read:
// of what is wrong there, Skim noticed only what makes its end be found elsewhere.
func (s *Scanner) FirstError(skimmed ...Bookmark) error {
	err := s.err
	for _, b := range skimmed {
		if !s.Return(b) || !s.Skip() {
			return s.err
		}
	}
	s.Fail(err)
	return err
}

// Skim passes over the value ahead, looking for little more than its end: it is for what Return will come back to.
// It is many times as fast as Skip. It fails only on what Skip fails on too, though perhaps later in the input.
func (s *Scanner) Skim() bool {
	kind := s.Kind()
	if kind != Array && kind != Object {
		return s.Skip()
	}
	// The elements, or the members' values, mostly resemble others. The more often one resembles none, the rarer
	// templates are tried and made. Nothing is gained by either for the smallest, such as {}.
	const small = 16
	var templates [8]Template
	last, next := 0, 0
	wait, waited := 0, 0
	s.enterAny(kind)
	for s.nextOf(kind) {
		if waited < wait {
			waited++
			s.skimValue()
			continue
		}
		if s.skimLike(templates[:], &last) {
			wait /= 2
			continue
		}
		start := s.Offset()
		nested := s.Kind() >= Array // of the others, there is nothing to gain, and Skip looks at more
		skimmed := s.skimValue()
		if nested && s.Offset()-start < small {
			continue
		}
		waited, wait = 0, min(2*wait+1, 100)
		if skimmed && nested && start >= s.base {
			templates[next].makeUnchecked(s.buf[start-s.base : s.pos])
			last, next = next, (next+1)%len(templates)
		}
	}
	return s.err == nil
}

// enterAny enters the array or object ahead.
func (s *Scanner) enterAny(kind Kind) {
	if kind == Array {
		s.EnterArray()
	} else {
		s.EnterObject()
	}
}

// nextOf goes to the next element of an array, or to the value of an object's next member.
func (s *Scanner) nextOf(kind Kind) bool {
	if kind == Array {
		return s.Element()
	}
	_, _, ok := s.Member()
	return ok
}

// skimLike skims the value ahead if it is like one of the templates, of which last tells where to begin.
func (s *Scanner) skimLike(templates []Template, last *int) bool {
	for range templates {
		if s.readLike(&templates[*last], true) {
			return true
		}
		if *last++; *last == len(templates) {
			*last = 0
		}
	}
	return false
}

// SkimRest passes over the rest of the array that was entered last, and leaves it, as Skim does. No element may have been
// announced and not been read.
func (s *Scanner) SkimRest() bool {
	if s.err != nil {
		return false
	}
	if s.takeShortcut() || s.skimTo(1, '[') {
		s.open = s.open[:len(s.open)-1]
		return true
	}
	return false
}

// skimValue passes over the value ahead, looking only for where it ends.
func (s *Scanner) skimValue() bool {
	if k := s.Kind(); k != Array && k != Object {
		return s.Skip()
	}
	return s.skimTo(0, s.buf[s.pos])
}

// skimTo passes over the rest of an array or object, of which opening is the bracket and in which depth arrays and
// objects are open, itself included.
func (s *Scanner) skimTo(depth int, opening byte) bool {
	numbers := depth > 0 // maybe
	begin := int64(0)    // of the last array, if it holds numbers only
	for {
		if numbers {
			s.pos = endOfNumbers(s.buf, s.pos)
		}
		i := nextBracketOrQuote(s.buf, s.pos)
		if i == len(s.buf) {
			s.pos = i
			if !s.fill() {
				s.failAt(s.pos, "the end of an array or object")
				return false
			}
			continue
		}
		s.pos = i + 1
		numbers = false
		c := s.buf[i]
		if c == ']' && begin > 0 {
			s.noteShortcut(begin)
		}
		begin = 0
		switch c {
		case '"':
			if !s.skimText() {
				return false
			}
		case '[':
			depth++
			if numbers = beginsNumbers(s.buf[s.pos:]); numbers {
				begin = s.Offset()
			}
		case '{':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				s.first = false
				if c != opening+2 {
					s.failAt(i, string(opening+2))
				}
				return s.err == nil
			}
		}
	}
}

// ValueLen returns how long the array or object is that b begins with, and how many arrays and objects at most are open in it
// at the same time, if all else is well with it. The length is 0 if b ends before it.
func ValueLen(b []byte) (length, depth int) {
	open := 0
	for i := 0; ; {
		if i = nextBracketOrQuote(b, i); i == len(b) {
			return 0, 0
		}
		i++
		switch b[i-1] {
		case '"':
			if i = endOfText(b, i); i == len(b) {
				return 0, 0
			}
			i++
		case '[', '{':
			open++
			depth = max(depth, open)
		default:
			if open--; open == 0 {
				return i, depth
			}
		}
	}
}

// A shortcut leads over a long array of numbers that was skimmed.
type shortcut struct {
	begin, end int64 // offsets behind its brackets
	line       int   // as a window has them, at the end
	lineStart  int64
}

// minShortcut is the least length that is worth one. A file has few of that length.
const minShortcut = 32 << 10

// noteShortcut notes that an array of numbers, without anything nested, goes from begin to here.
func (s *Scanner) noteShortcut(begin int64) {
	end := s.Offset()
	if n := len(s.shortcuts); end-begin < minShortcut || n > 0 && s.shortcuts[n-1].begin >= begin {
		return
	}
	line, lineStart := s.lineAt(s.pos)
	s.shortcuts = append(s.shortcuts, shortcut{begin, end, line, lineStart})
}

// takeShortcut goes to the end of the array that the scanner is in, if that is known and far away.
func (s *Scanner) takeShortcut() bool {
	if s.general {
		return false
	}
	at := s.Offset()
	i, _ := slices.BinarySearchFunc(s.shortcuts, at, func(c shortcut, at int64) int { return cmp.Compare(c.end, at) })
	if i == len(s.shortcuts) || s.shortcuts[i].begin > at || s.shortcuts[i].end <= s.base+int64(len(s.buf)) {
		return false
	}
	c := s.shortcuts[i]
	s.settle(len(s.buf) + 1)
	if s.rewind(c.end) != nil {
		return false
	}
	s.window = newWindow(s.buf[:0], c.end, c.line, c.lineStart)
	s.first = false
	s.sip = minSip
	return true
}

// minSip is how much is read at first after a shortcut: mostly, another one follows soon.
const minSip = 2 << 10

// beginsNumbers reports whether an array of which b follows the bracket seems to hold numbers.
func beginsNumbers(b []byte) bool {
	for i, c := range b {
		if c > ' ' {
			return numberBytes[c]
		}
		if i == 32 {
			break
		}
	}
	return false
}

// endOfNumbers returns the index of the next bracket, brace or quote in b, from i on, or len(b). It is several times as fast
// as nextBracketOrQuote where that is far away, which it is in a long array of numbers.
func endOfNumbers(b []byte, i int) int {
	const chunk = 8 << 10 // what is looked at several times stays in a first-level cache
	for {
		rest := b[i:min(i+chunk, len(b))]
		n := len(rest)
		for _, c := range [...]byte{']', '"', '[', '{', '}'} {
			if k := bytes.IndexByte(rest, c); k >= 0 {
				rest = rest[:k]
			}
		}
		i += len(rest)
		if len(rest) < n || i == len(b) {
			return i
		}
	}
}

// nextBracketOrQuote returns the index of the next byte of b, from i on, that is a bracket, a brace or a quote, or
// len(b).
func nextBracketOrQuote(b []byte, i int) int {
	for {
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			// The four brackets and braces differ in the bits of 0x26 only. What else becomes 0x7f with these set
			// is y, Y, _ and DEL; they are told apart below.
			bracket := (w | lowest*0x26) ^ lowest*0x7f
			quote := w ^ lowest*'"'
			found := ((bracket - lowest) &^ bracket) | ((quote - lowest) &^ quote)
			if found &= highest; found != 0 {
				i += bits.TrailingZeros64(found) / 8
				break
			}
			i += 8
		}
		for ; i < len(b); i++ {
			switch b[i] {
			case '{', '}', '[', ']', '"':
				return i
			}
			if i+8 < len(b) {
				break // one of the lookalikes, or the start of eight that the loop above can look at again
			}
		}
		if i >= len(b) {
			return len(b)
		}
		i++
	}
}

// skimText passes over the rest of a string whose first quote was read.
func (s *Scanner) skimText() bool {
	for {
		s.pos = endOfText(s.buf, s.pos)
		if s.pos < len(s.buf) && s.buf[s.pos] == '"' {
			s.pos++
			return true
		}
		if !s.fill() {
			s.failAt(len(s.buf), "the end of the string")
			return false
		}
	}
}

// endOfText returns the index of the quote that ends the string whose rest begins at b[i]; or if there is none, len(b) or the
// index of a last backslash.
func endOfText(b []byte, i int) int {
	for {
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			quote, backslash := w^lowest*'"', w^lowest*'\\'
			found := ((quote - lowest) &^ quote) | ((backslash - lowest) &^ backslash)
			if found &= highest; found != 0 {
				i += bits.TrailingZeros64(found) / 8
				break
			}
			i += 8
		}
		for i < len(b) && b[i] != '"' && b[i] != '\\' {
			i++
		}
		if i+1 >= len(b) || b[i] == '"' {
			return i
		}
		i += 2 // what is escaped
	}
}
