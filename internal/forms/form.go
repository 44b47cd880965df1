package forms

import "slices"

// A Form is the text of a value that is being read, with a placeholder for each bound field. When the
// value was read, a [Set] may learn the Form. The zero Form is ready for use.
type Form struct {
	placeholders []placeholder // in the order of the text
	refused      bool          // a Set must not learn it
}

// A Kind is what a placeholder takes.
type Kind byte

const (
	Text          Kind = iota // the text of a JSON string without escape sequences
	Escaped                   // the text of a JSON string, without decoding: reading data.js takes a third less time
	Number                    // a JSON number in the range of float64
	Unread                    // a JSON number whose value is not wanted: BenchmarkDotNet's files take 14% less time
	Nested                    // a value that a NestedFunc accepts
	List                      // a value that a NestedFunc accepts, whatever the form
	unparsed                  // bytes of a number, not parsed
	noPlaceholder             // the end of the value
)

// A Tag says which field a placeholder is, in the parser's own numbers: for example the value of the
// third param.
type Tag struct{ Field, Index int }

// A placeholder is a bound field in a form's text.
type placeholder struct {
	start, end   uint32 // in the text
	from         uint32 // in the text: where the part of the value begins whose offset Start returns
	field, index uint32 // of its tag
	kind         Kind
}

// usualPlaceholders is how many placeholders most forms have at most.
const usualPlaceholders = 16

// maxPlaceholders is how many placeholders a form can have. A value that has more gains little from a
// form, which would take much memory.
const maxPlaceholders = 20_000

// Reset begins the form of a value that is read next.
func (f *Form) Reset() { f.placeholders, f.refused = f.placeholders[:0], false }

// Bind makes a placeholder of the bytes between two indices in the text of the value. The
// placeholder belongs to a part of the value that begins at the index from. Placeholders must come
// in the order of the text and must not overlap; otherwise the form is not learned.
func (f *Form) Bind(kind Kind, tag Tag, from, start, end int) {
	n := len(f.placeholders)
	if n == maxPlaceholders || n > 0 && start < int(f.placeholders[n-1].end) || end > maxText {
		f.refused = true
	}
	if !f.refused {
		if n == 0 {
			f.placeholders = slices.Grow(f.placeholders, usualPlaceholders)
		}
		f.placeholders = append(f.placeholders, placeholder{
			start: uint32(start), end: uint32(end), from: uint32(from),
			field: uint32(tag.Field), index: uint32(tag.Index), kind: kind,
		})
	}
}

// Refuse says that the form must not be learned.
func (f *Form) Refuse() { f.refused = true }
