package jsonscan

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"perfdata/format"
	"perfdata/internal/forms"
	"perfdata/internal/message"
	"perfdata/internal/opening"
)

// A Kind is what a value is, as told by its first byte.
type Kind byte

// The kinds. None means that a value is missing: at the end of the input, or before a byte that
// does not begin a value.
const (
	None Kind = iota
	Null
	NaN // see ForgiveNaN
	Bool
	Number
	String
	Array
	Object
)

func (k Kind) String() string {
	return [...]string{"nothing", "null", "NaN", "boolean", "number", "string", "array", "object"}[k]
}

var kinds = [256]Kind{
	'n': Null, 't': Bool, 'f': Bool, '"': String, '[': Array, '{': Object, '-': Number,
	'0': Number, '1': Number, '2': Number, '3': Number, '4': Number,
	'5': Number, '6': Number, '7': Number, '8': Number, '9': Number,
}

// A Scanner reads one document. Create it with New.
//
// Between two calls:
//
//   - buf[pos:] is the part of the input in memory that has not been read, and base+pos is its offset.
//     There may be white space at pos. So a method that needs the first byte of what is ahead calls
//     next, unless at finds it directly.
//   - open has an entry for each array and object that was entered and not left. While first is set,
//     no member or element of the innermost one was read, and no comma comes before the next.
//   - An index in buf is valid until fill, which may move buf[pos:] to the beginning of buf. Code that
//     fills leaves pos at the beginning of what it still needs, and counts bytes from there: these
//     numbers are called n, and indices i.
//   - After an error, the window is empty and srcErr is io.EOF. So every loop finds the end of the
//     input, and only the code that makes errors asks whether there is one: the first one stays.
type Scanner struct {
	name   string
	limits format.Limits
	settings
	err *format.Error

	input
	window
	failed    window     // the window as it was before an error emptied it
	region    region     // see window.go
	shortcuts []shortcut // in the order of the input

	open       []container // from the outermost in; see position.go
	first      bool        // nothing has been read of the innermost container yet
	assigned   bool        // see PassAssignment
	tokenStart int         // of the string or number read last, in buf
	text       []byte      // scratch for a text that is not in the window as it is
	names      []Names     // of the objects that are open, by their depth, so that memory is reused
	remembered int         // names of the objects that Skip reads

	skipsNaN     bool // see SkipForgiving
	bindsSkipped bool // see SkipBound
	skippedTag   forms.Tag

	form     *forms.Form // that is being learned, or nil; see forms.go
	formFrom int64       // offset of the value that it is learned from
}

// settings are kept by Reset.
type settings struct {
	full        int          // size of the window
	allowNaN    bool         // see AllowNaN
	forgivesNaN bool         // see ForgiveNaN
	general     bool         // see DisableFastPath
	repeated    func([]byte) // see ReportRepeated
	last        *Scanner     // see last.go
}

// An input is where the window's bytes come from.
type input struct {
	src       io.Reader
	seeker    io.Seeker // src, if it can seek
	seekZero  int64     // where the document begins, for the seeker
	moved     bool      // seeker isn't where the window ends
	shortRead int       // if it isn't 0, how much is read at the next time, at most

	// See window.go.
	buffered *bufferedInput // src, if it could not seek
	lost     bool           // what follows the window could not be held
}

// New returns a Scanner that reads from src. The name is for errors. Limits must have their
// defaults filled in.
func New(src io.Reader, name string, limits format.Limits) *Scanner {
	m := new(struct {
		s     Scanner
		open  [7]container // most documents have no more open at a time
		names [7]Names
	})
	s := &m.s
	s.full, s.open, s.names = fullWindow, m.open[:0], m.names[:0]
	s.Reset(src, name, limits)
	return s
}

// OfBytes returns a Scanner of a document in memory, with the default limits and without a name. It
// does not copy the document, and Reset cannot be used.
func OfBytes(document []byte) *Scanner {
	s := New(nil, "", format.Limits{}.WithDefaults())
	s.buf, s.srcErr = slices.Clip(document), io.EOF
	return s
}

// Reset makes s read another document, with the memory and the settings that it has. It closes s
// first.
func (s *Scanner) Reset(src io.Reader, name string, limits format.Limits) {
	s.Close()
	if s.err != nil {
		s.window = s.failed
	}
	if cap(s.buf) > s.full {
		s.buf = nil
	}
	if cap(s.text) > s.full {
		s.text = nil
	}

	*s = Scanner{
		name:     name,
		limits:   limits,
		settings: s.settings,
		input:    input{src: opening.Missing(src)},
		window:   newWindow(s.buf[:0], Position{Line: 1, Column: 1}),
		region:   noRegion,
		open:     s.open[:0],
		text:     s.text[:0],
		names:    s.names,
	}

	if seeker, ok := src.(io.Seeker); ok {
		// A pipe has the method too, and fails.
		if zero, err := seeker.Seek(0, io.SeekCurrent); err == nil {
			s.seeker, s.seekZero = seeker, zero
		}
	}
}

// DisableFastPath makes s read everything in the general way, without forms, without reading runs
// of numbers at once, and without shortcuts. What s reads stays the same. It is for tests that
// compare the two.
func (s *Scanner) DisableFastPath() { s.general = true }

// Err returns the first error, or nil.
func (s *Scanner) Err() error {
	if s.err == nil {
		return nil
	}
	return s.err
}

// Depth returns how many arrays and objects are open.
func (s *Scanner) Depth() int { return len(s.open) }

// Kind returns the kind of the value ahead. None is an error.
func (s *Scanner) Kind() Kind {
	// Usually, the byte ahead begins the value.
	if s.pos < len(s.buf) {
		if k := kinds[s.buf[s.pos]]; k != None {
			return k
		}
	}
	c := s.nextAfterSpace() // 0 at the end of the input, which begins no value
	k := kinds[c]
	switch {
	case k != None:
	case s.isSpecial(c):
		return Number
	case s.forgivesNaN && (c == 'N' || c == 'I' || c == 'i') && s.err == nil:
		return NaN
	default:
		s.failAhead("a value")
	}
	return k
}

// IsArray reports whether an array is ahead. If not, nothing fails.
func (s *Scanner) IsArray() bool { return s.next() == '[' }

// Beginning returns what is ahead: at least n bytes, if the input has them. The same is still ahead afterward.
func (s *Scanner) Beginning(n int) []byte {
	for len(s.buf)-s.pos < n && s.fill() {
	}
	return s.buf[s.pos:]
}

// EnterObject enters the object ahead, whose members Member then gives.
func (s *Scanner) EnterObject() bool { return s.enter('{', false, "an object") }

// EnterArray enters the array ahead, whose elements Element then announces.
func (s *Scanner) EnterArray() bool { return s.enter('[', true, "an array") }

func (s *Scanner) enter(bracket byte, array bool, what string) bool {
	if !s.at(bracket) && s.next() != bracket {
		s.failAhead(what)
		return false
	}
	if len(s.open) >= s.limits.MaxDepth {
		s.failLimit("MaxDepth", int64(s.limits.MaxDepth), "arrays and objects nest too deep")
		return false
	}
	s.push(array)
	s.pos++
	s.first = true
	return true
}

// at reports whether c is the next byte, without skipping white space. Where it usually is, this
// saves a call of next.
func (s *Scanner) at(c byte) bool { return s.pos < len(s.buf) && s.buf[s.pos] == c }

// Member returns the name of the next member of the object that was entered last, and the kind of
// its value, which the caller must read next. It returns false at the object's end, which it leaves, or
// after an error. The name is valid until the next call.
func (s *Scanner) Member() (name []byte, kind Kind, ok bool) {
	// Nearly always, the comma comes directly after the value before, and the colon after the
	// name.
	if !s.first && s.at(',') {
		s.pos++
	} else if !s.begin('}') {
		return nil, None, false
	}

	top := &s.open[len(s.open)-1]
	top.nameStart = noName // an error in the next name is not one of the previous member
	if !s.at('"') && s.nextAfterSpace() != '"' {
		s.failAhead("a member's name")
		return nil, None, false
	}
	if name, ok = s.scanText(); !ok {
		return nil, None, false
	}

	// The name is not copied: its place is enough for errors and paths. When the window drops the
	// name, flushPlaces makes a copy. The value usually comes directly after the colon, or after one
	// space.
	top.nameStart, top.nameEnd = s.tokenStart+1, s.pos-1
	if i := s.pos; i+2 < len(s.buf) && s.buf[i] == ':' {
		if i++; s.buf[i] == ' ' {
			i++
		}
		if kind = kinds[s.buf[i]]; kind != None {
			s.pos = i
			return name, kind, true
		}
	}
	return s.finishName(name)
}

// begin reads what comes before a member or an element, or after the last one. It returns false at the
// end of the object or array, which is the bracket, or after an error.
func (s *Scanner) begin(bracket byte) bool {
	c := s.next()
	switch {
	case c == bracket:
		s.pos++
		s.first = false
		s.open = s.open[:len(s.open)-1]
		return false
	case s.first && (c == '"' || bracket == ']'): // Member or Element reads it
	case s.first:
		s.failAhead("a member's name or }")
	case c == ',':
		s.pos++
	default:
		s.failAhead("a comma or " + string(bracket))
	}
	s.first = false
	return s.err == nil
}

// finishName reads what comes between a member's name, which was read, and its value. It copies the
// name, because the window may drop it.
func (s *Scanner) finishName(name []byte) ([]byte, Kind, bool) {
	s.text = append(s.text[:0], name...)
	if s.next() != ':' {
		s.failAhead("a colon")
		return nil, None, false
	}
	s.pos++
	kind := s.Kind()
	return s.text, kind, kind != None
}

// Element reports whether the array that was entered last has another element, which is to be
// read next. It returns false at the array's end, which it leaves, or after an error.
func (s *Scanner) Element() bool {
	if !s.first && s.at(',') {
		s.pos++
	} else if !s.begin(']') {
		return false
	}
	if s.Kind() == None {
		return false
	}
	s.open[len(s.open)-1].index++
	return true
}

// Null reads the null ahead.
func (s *Scanner) Null() bool { return s.literal("null") }

// Bool reads the true or false ahead.
func (s *Scanner) Bool() (value, ok bool) {
	if s.next() == 't' {
		return true, s.literal("true")
	}
	return false, s.literal("false")
}

func (s *Scanner) literal(word string) bool {
	s.next()
	s.Beginning(len(word))
	for i := range len(word) {
		if s.pos+i >= len(s.buf) || s.buf[s.pos+i] != word[i] {
			s.failAt(s.pos+i, word)
			return false
		}
	}
	s.pos += len(word)
	return true
}

// More reports whether something follows that is not white space, of an input that holds one document
// after another.
func (s *Scanner) More() bool { return s.next() != 0 || s.pos < len(s.buf) }

// PassText passes lines of other text, up to one that begins with an object. It returns false at the
// end of the input.
func (s *Scanner) PassText() bool {
	for s.err == nil {
		switch c := s.next(); {
		case s.pos >= len(s.buf):
			return false
		case c == '{':
			return true
		}
		i := bytes.IndexByte(s.buf[s.pos:], '\n')
		for ; i < 0; i = bytes.IndexByte(s.buf[s.pos:], '\n') {
			if s.pos = len(s.buf); !s.fill() {
				return false
			}
		}
		s.pos += i
	}
	return false
}

// End checks that nothing but white space is left, or a semicolon if PassAssignment allows it.
func (s *Scanner) End() bool {
	if s.next() == ';' && s.assigned {
		s.pos++
		s.next()
	}
	if s.pos < len(s.buf) {
		s.fail(s.pos, "data after the end of the document", format.ErrSyntax)
	} else if s.srcErr != io.EOF {
		s.failAhead("")
	}
	return s.err == nil
}

// failAhead fails because what was expected isn't what is ahead.
func (s *Scanner) failAhead(expected string) { s.failAt(s.pos, expected) }

// failAt is failAhead for the byte at i, which may be the end of the window if that is the end of
// the input.
func (s *Scanner) failAt(i int, expected string) {
	n := i - s.pos
	for s.pos+n < len(s.buf) && !utf8.FullRune(s.buf[s.pos+n:]) && s.fill() {
	}
	i = s.pos + n
	switch {
	case s.err != nil:
	case i < len(s.buf):
		s.fail(i, fmt.Sprintf("found %s, expected %s", describe(s.buf[i:]), expected), format.ErrSyntax)
	case s.srcErr != nil && s.srcErr != io.EOF:
		s.fail(i, "reading failed: "+s.srcErr.Error(), s.srcErr)
	case s.base == 0 && i == 0:
		s.fail(i, "the input is empty", io.ErrUnexpectedEOF)
	default:
		s.fail(i, "unexpected end of input, expected "+expected, io.ErrUnexpectedEOF)
	}
}

func (s *Scanner) failLimit(limit string, max int64, what string) {
	s.fail(s.pos, message.Limit(limit, max, what), format.ErrLimit)
}

// fail records an error at buf[i], and makes every further call find the input at its end.
func (s *Scanner) fail(i int, message string, cause error) {
	if s.err != nil {
		return
	}
	s.err = s.errorAt(s.locate(i), message)
	s.err.Err = cause
	s.form = nil

	// The positions and names of open containers may be asked for after an error, too. They are worked
	// out while the window still has them. Its memory is kept for Reset.
	s.flushPlaces(len(s.buf) + 1)
	s.failed = s.window
	s.window = newWindow(nil, s.locate(i))
	s.srcErr = io.EOF
}

// PassAssignment reads the beginning of a script that assigns the document to a variable, as in
// "window.DATA = {}": the name and the equals sign. If something else is ahead, it reads nothing.
// Otherwise, one semicolon may follow the document, and End reads it.
func (s *Scanner) PassAssignment(name string) {
	if s.next() != name[0] || !s.literal(name) {
		return
	}
	if s.next() != '=' {
		s.failAhead("=")
		return
	}
	s.pos++
	s.assigned = true
}
