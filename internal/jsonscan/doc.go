// Package jsonscan reads JSON from a stream, as fast as formats of many small objects need it.
//
// A [Scanner] is told what its caller wants to read: enter this object, give its next member's name, read a number. It
// builds nothing and copies nothing; what it returns stands in its window of the input until the next call. The typical
// use is
//
//	for s.EnterObject(); ; {
//		name, kind, ok := s.Member()
//		if !ok {
//			break // the object is read, or there was an error
//		}
//		switch string(name) {
//		case "measurement":
//			f, ok = s.Number()
//		default:
//			s.Skip()
//		}
//	}
//	if s.Err() != nil { ... }
//
// Errors stick, as in bufio.Scanner: after the first one every call returns false, and Err returns it.
//
// The scanner accepts what RFC 8259 allows and nothing else: no data after the document, no bytes that aren't
// UTF-8, no byte order mark. As RFC 7493 (I-JSON) asks, an object must not repeat a member; Skip checks that, and
// whoever enters an object checks it, because most know their few members by heart (see [Names] for those who
// don't). An escaped lone surrogate is read as U+FFFD.
//
// Where it is, it knows exactly only when asked: lines are counted in bulk, once for each window, and paths are put
// together from the open arrays and objects.
//
// Files: scanner.go is the structure, text.go and number.go are the scalars, window.go is the input, position.go is
// where things are, message.go is what is wrong there, skip.go passes over values, compact.go copies them, names.go finds
// names that repeat, ahead.go looks ahead and comes back, cursor.go reads several places in turns, elements.go lets a caller
// read elements of an array itself, and template.go reads values that resemble each other.
package jsonscan
