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
	// BindNested is not called.
	Nested func(value *T, tag forms.Tag, b []byte) int

	set     forms.Set
	values  [forms.Count]T   // what was made of the value that each form was learned from
	charged [forms.Count]int // what reading that value charged

	// The value that Next left unread.
	from   int64 // its offset
	before int   // Charged before it
}

// Reset makes f forget all values.
func (f *Forms[T]) Reset() {
	if f.from > 0 { // Next was called: no value begins a document
		*f = Forms[T]{Nested: f.Nested}
	}
}

// Next reads the value ahead if it matches an earlier one. It returns what was made of the
// earlier value, and the match, from which the caller takes the bound fields. Both are valid
// until the next call.
//
// If the value matches none, or if it exceeds the limit of the region, match is nil. Then the
// caller reads the value into what Next returned, which is an earlier value or the zero T, and
// calls Keep. The Scanner must be at the beginning of the value, without white space before it.
func (f *Forms[T]) Next(s *Scanner) (value *T, match *forms.Form) {
	f.from, f.before = s.Offset(), s.Charged()
	learn := !s.general && f.set.Worthwhile(8)
	if learn {
		for i, form := range f.set.Candidates() {
			if !f.matches(s, i, form) {
				continue
			}
			if s.chargeMatch(f.from, f.charged[i]) {
				return &f.values[i], form
			}
			learn = false
			break
		}
	}

	next, form := f.set.Next()
	form.Forget()
	if f.charged[next] > maxCharged {
		f.values[next] = *new(T)
	}
	if learn {
		s.learn(form)
	}
	return &f.values[next], nil
}

// maxCharged is how much memory a value may charge to be remembered, and to have its memory
// reused.
const maxCharged = 512 << 10

func (f *Forms[T]) matches(s *Scanner, i int, form *forms.Form) bool {
	if f.Nested == nil {
		return s.match(form, nil)
	}
	return s.match(form, func(tag forms.Tag, b []byte) int { return f.Nested(&f.values[i], tag, b) })
}

// Keep remembers the value that Next left to be read, and was read since. Sound says whether it
// can be remembered: it has no fault, and what was made of it has all of its fields. Keep returns
// whether the value is remembered: not if it has no bound field, if its text is larger than the
// window, if it charged very much memory, or if remembering values has not been worthwhile.
func (f *Forms[T]) Keep(s *Scanner, sound bool) bool {
	i, form := f.set.Next()
	f.charged[i] = s.Charged() - f.before
	learned := s.learned(form) && sound && f.charged[i] <= maxCharged
	if !learned {
		form.Forget()
	}
	f.set.Missed(s.Offset()-f.from, learned)
	return learned
}

// Refuse takes back the match that Next just returned: the value is ahead again, as if it had
// matched none, and Refuse returns the variable to read it into. It is for matches with a fault
// whose position only the parser can tell.
func (f *Forms[T]) Refuse(s *Scanner) (value *T) {
	s.pos = int(f.from - s.base)
	s.region.start += int64(s.Charged() - f.before)
	next, form := f.set.Next()
	form.Forget()
	return &f.values[next]
}

// match reads the value ahead if it matches the form. Otherwise it leaves the value unread and
// returns false.
func (s *Scanner) match(f *forms.Form, nested forms.NestedFunc) bool {
	// After the first fill, the window has the whole value. The others are for readers that
	// return little at a time; but as each comparison starts over, there are few of them.
	for range 4 {
		in := forms.Input{Bytes: s.buf[s.pos:], Offset: s.Offset(), MaxText: s.limits.MaxStringBytes}
		n, more := f.Match(&in, nested)
		if n > 0 {
			s.pos += n
			return true
		}
		if !more || !s.hasRoom() || !s.fill() {
			return false
		}
	}
	return false
}

// hasRoom reports whether fill can read more without enlarging the full window.
func (s *Scanner) hasRoom() bool {
	return len(s.buf) < cap(s.buf) || cap(s.buf) < s.full || s.pos >= cap(s.buf)/2
}

// learn begins to make f a form of the value ahead.
func (s *Scanner) learn(f *forms.Form) {
	f.Learn()
	s.form, s.formFrom = f, s.Offset()
}

// learned ends what learn began, after the value was read, and returns whether f is a form of it.
func (s *Scanner) learned(f *forms.Form) bool {
	if s.form != f || f == nil {
		return false
	}
	s.form = nil
	return s.err == nil && s.formFrom >= s.base && f.Learned(s.buf[s.formFrom-s.base:s.pos])
}

// Bind says that the string or number that was just read is the field with the tag, of a part
// of the value that begins at the offset from. In a later value that matches, the field may
// differ. It must be called before anything else is read. If no form is being learned, it does
// nothing.
func (s *Scanner) Bind(tag forms.Tag, from int64) {
	if s.form != nil {
		s.bind(tag, from)
	}
}

func (s *Scanner) bind(tag forms.Tag, from int64) {
	shift := int(s.base - s.formFrom) // from an index in buf to one in the value's text
	start, end := s.tokenStart+shift, s.pos+shift
	kind := forms.Number
	if s.buf[s.tokenStart] == '"' {
		kind = forms.Text
		start++
		end--
		if bytes.IndexByte(s.Token(), '\\') >= 0 {
			s.form.Refuse()
		}
	}
	s.form.Bind(kind, tag, int(from-s.formFrom), start, end)
}

// BindNested is Bind for the array or object that was just read, and that begins at the
// offset from.
func (s *Scanner) BindNested(tag forms.Tag, from int64) {
	if s.form != nil {
		start := int(from - s.formFrom)
		s.form.Bind(forms.Nested, tag, start, start, int(s.Offset()-s.formFrom))
	}
}
