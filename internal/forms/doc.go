// Package forms is the fast path of the parsers: a value that repeats the text of an earlier
// value is read by comparing text. Most files are written by programs, and most of their values
// differ from an earlier one only in some numbers and strings. Comparing is several times as fast
// as parsing, above all in indented files.
//
// A parser binds what it reads: it says which string or number is which field of the result. The text
// of the value, with placeholders where the bound fields were, is a [Form], which a [Set] learns. When
// a later value matches the form, the parser takes the new texts and numbers of the bound fields, and
// keeps everything else as it was.
//
//	if m, _ := set.Match(&in, nil); m != nil {
//		// what was made of the value that the form m.Form was learned from, with these fields:
//		for i := range m.Changes() {
//			... m.Tag(i), m.Text(i), m.Number(i)
//		}
//	}
//
// # Contract
//
//  1. The parser accepts everything that a form accepts. A bound field takes the new text, and
//     everything derived from it is derived by the same function that the parser calls.
//  2. Only bound fields may differ; all other text must repeat byte for byte.
//  3. So a parser that forgets to bind a field is slower, never wrong.
//  4. A value that has a fault is never remembered: faults have positions, and positions do not
//     repeat.
//  5. Memory is bounded: a [Set] has at most 128 forms, with 512 KiB of text and 40,000 placeholders.
//
// The package works on bytes. Package jsonscan binds the text that its Scanner reads.
//
// Files: form.go has the form of a value that is being read, set.go learns forms, match.go compares
// a value with them, and fastskip.go makes forms of text that was passed over without being parsed.
package forms
