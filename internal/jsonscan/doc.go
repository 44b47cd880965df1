// Package jsonscan reads JSON from a stream, fast enough for formats of many small objects.
//
// The caller of a [Scanner] says what to read: enter this object, return the name of its next
// member, read a number. The Scanner builds nothing and copies nothing: its results are in its
// window of the input, and valid until the next call. The typical use is
//
//	for name, kind := range s.Members() {
//		switch string(name) {
//		case "measurement":
//			f, ok = s.Number()
//		default:
//			s.Skip()
//		}
//	}
//	if s.Err() != nil { ... }
//
// Errors are sticky, as in bufio.Scanner: after the first error every call returns false, and Err
// returns that error.
//
// The scanner accepts what RFC 8259 allows and nothing else: no data after the document, no bytes
// that are not UTF-8, no byte order mark. As RFC 7493 (I-JSON) requires, an object must not have
// duplicate keys. Skip, Members and KnownMembers check that; a caller of Member checks it. An
// escaped lone surrogate is read as U+FFFD.
//
// The scanner works out positions only when it is asked: it counts lines in bulk, once for each
// window, and makes paths from the open arrays and objects.
//
// A value that repeats the text of an earlier one can be read by comparing text: see [Forms] and
// package forms. In this package, the slow path of a function readX is named readAnyX.
//
// Files:
//
//	scanner.go   structure: arrays, objects, members, literals, the end
//	text.go      strings
//	number.go    numbers, and NaN and similar words
//	members.go   iterators over members; duplicate keys; elements that a caller reads
//	forms.go     values that repeat the text of earlier ones
//	window.go    the part of the input in memory, and its limits; inputs that cannot seek
//	position.go  positions, paths and errors
//	message.go   the words of errors; JSON Schema validators' for values of another type
//	skip.go      skipping values, with all checks; copying them without white space
//	bookmark.go  coming back to an earlier place; reading several places at the same time
//	fastskip.go      skipping values that will be read later, and long arrays of numbers
//	last.go      looking at the last members of a document first
package jsonscan
