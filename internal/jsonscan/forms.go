package jsonscan

import (
	"bytes"

	"perfdata/internal/forms"
)

// Forms reads values that repeat the text of an earlier value, and remembers what a parser made
// of that one: see package forms for the contract. The zero Forms is ready for use. A Forms may
// serve several Scanners in turn.
type Forms[T any] struct {
	// Nested is a forms.NestedFunc for the form that value was made from. It may be nil if
	// BindWhole is not called.
	Nested func(value *T, tag forms.Tag, b []byte) int

	set    forms.Set
	form   forms.Form // that is being learned
	values []*result[T]
	few    [4]*result[T] // the memory of values, of most small files
	kept   int           // charged for the values of all forms

	// The value that Next left unread.
	next   int   // its index in values
	from   int64 // its offset
	before int   // Charged before it
}

// A result is what the parser made of the value of a form.
type result[T any] struct {
	value   T
	charged int // by reading it
}

// Reset makes f forget all values. It keeps the memory of the forms.
func (f *Forms[T]) Reset() {
	f.set.Forget()
	for _, v := range f.values {
		*v = result[T]{}
	}
	f.kept = 0
}

// Next reads the value ahead if it matches an earlier one. It returns the result that was made
// from the earlier value, and the match, from which the caller takes the bound fields. Both are
// valid until the next call.
//
// If the value matches none, or if it exceeds the limit of the region, match is nil. Then the
// caller reads the value into what Next returned, which is an earlier value or the zero T, and
// calls Keep. The Scanner must be at the beginning of the value, without white space before it.
func (f *Forms[T]) Next(s *Scanner) (value *T, match *forms.Match) {
	f.from, f.before = s.Offset(), s.Charged()
	learn := !s.general && f.set.Worthwhile(8)
	if learn {
		var nested forms.NestedFunc
		if f.Nested != nil {
			nested = func(form int, tag forms.Tag, b []byte) int { return f.Nested(&f.values[form].value, tag, b) }
		}
		if match = s.match(&f.set, nested); match != nil {
			v := f.values[match.Form]
			if !s.region.exceeded(s.Offset() + int64(v.charged)) {
				s.region.start -= int64(v.charged)
				return &v.value, match
			}
			s.pos, learn = int(f.from-s.base), false // to read the value fails where it becomes too much
		}
	}

	if learn {
		f.form.Reset()
		s.form, s.formFrom = &f.form, f.from
	}
	return f.room(), nil
}

// maxCharged is how much memory a value may charge to be remembered, and to have its memory
// reused. All values together may charge maxKept.
const (
	maxCharged = 512 << 10
	maxKept    = 8 * maxCharged
)

// room returns the variable for the value that Keep may remember.
func (f *Forms[T]) room() *T {
	if f.kept > maxKept {
		f.set.Forget()
		clear(f.values)
		f.values, f.kept = nil, 0
	}
	if f.next = f.set.Next(); f.next == 0 {
		f.kept = 0
	}
	if f.next == len(f.values) {
		if f.values == nil {
			f.values = f.few[:0]
		}
		f.values = append(f.values, new(result[T]))
	}
	v := f.values[f.next]
	if v.charged > maxCharged {
		v.value = *new(T)
	}
	return &v.value
}

// Keep remembers the value that Next left to be read, and was read since. Sound says whether it
// can be remembered: it has no fault, and the result made from it has all of its fields. Keep
// returns whether the value is remembered: not if it has no bound field, if its text is larger
// than the window, if it charged very much memory, or if remembering values has not been
// worthwhile.
func (f *Forms[T]) Keep(s *Scanner, sound bool) bool {
	v := f.values[f.next]
	v.charged = s.Charged() - f.before
	learned := false
	if s.form == &f.form {
		s.form = nil
		if sound && v.charged <= maxCharged && s.err == nil && f.from >= s.base { // the window has all of it
			learned = f.set.Learn(&f.form, s.buf[f.from-s.base:s.pos])
		}
	}
	if learned {
		f.kept += v.charged
	}
	f.set.Missed(s.Offset() - f.from)
	return learned
}

// Refuse takes back the match that Next just returned: the value is ahead again, as if it had
// matched none, and Refuse returns the variable to read it into. It is for matches with a fault
// whose position only the parser can tell.
func (f *Forms[T]) Refuse(s *Scanner) (value *T) {
	s.pos = int(f.from - s.base)
	s.region.start += int64(s.Charged() - f.before)
	return f.room()
}

// OffsetOf returns the offset of the text that Nested gets.
func (s *Scanner) OffsetOf(b []byte) int64 { return s.base + int64(len(s.buf)-len(b)) }

// match reads the value ahead if it matches one of the forms. Otherwise it leaves the value unread
// and returns nil.
func (s *Scanner) match(set *forms.Set, nested forms.NestedFunc) *forms.Match {
	// After the first fill, the window has the whole value. The others are for readers that
	// return little at a time; but as each comparison starts over, there are few of them.
	for range 4 {
		in := forms.Input{Bytes: s.buf[s.pos:], Offset: s.Offset(), MaxText: s.limits.MaxStringBytes}
		m, more := set.Match(&in, nested)
		if m != nil {
			s.pos += m.Length
			return m
		}
		if !more || !s.hasRoom() || !s.fill() {
			break
		}
	}
	return nil
}

// hasRoom reports whether fill can read more without enlarging the full window.
func (s *Scanner) hasRoom() bool {
	return len(s.buf) < cap(s.buf) || cap(s.buf) < s.full || s.kept() >= cap(s.buf)/2
}

// Bind says that the string or number that was just read is the field with the tag, of a part
// of the value that begins at the offset from. In a later value that matches, the field may
// differ. It must be called before anything else is read. If no form is being learned, it does
// nothing.
func (s *Scanner) Bind(tag forms.Tag, from int64) {
	if s.form != nil {
		kind := s.bind(forms.Text, forms.Number, tag, from)
		if kind == forms.Text && bytes.IndexByte(s.Token(), '\\') >= 0 {
			s.form.Refuse()
		}
	}
}

// BindText is Bind for a parser that takes the text of the field as it is written: that of a string may
// have escape sequences, see AppendUnescaped, and the value of a number is not known.
func (s *Scanner) BindText(tag forms.Tag, from int64) {
	if s.form != nil {
		s.bind(forms.Escaped, forms.Unread, tag, from)
	}
}

// bind makes a placeholder of the value that was just read, which is of one of two kinds.
func (s *Scanner) bind(text, number forms.Kind, tag forms.Tag, from int64) forms.Kind {
	shift := int(s.base - s.formFrom) // from an index in buf to one in the value's text
	start, end := s.tokenStart+shift, s.pos+shift
	kind := number
	if s.buf[s.tokenStart] == '"' {
		kind = text
		start++
		end--
	}
	s.form.Bind(kind, tag, int(from-s.formFrom), start, end)
	return kind
}

// BindWhole is Bind for the array or object that was just read, and that begins at the offset from. Its kind is
// forms.Nested; or forms.List, if Nested accepts it in the same way in all forms. Then Nested is called for it in
// each value that is compared, in the order of the text, and it is always among the changes.
func (s *Scanner) BindWhole(kind forms.Kind, tag forms.Tag, from int64) {
	if s.form != nil {
		start := int(from - s.formFrom)
		s.form.Bind(kind, tag, start, start, int(s.Offset()-s.formFrom))
	}
}
