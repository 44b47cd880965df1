package jsonscan

import "iter"

// Members enters the object ahead and iterates over its members: over each member's name, which is valid until the next
// call, and the kind of its value, which the loop reads. A duplicate key fails s. Names is reset, and used to find
// duplicates; it must not be shared with an object that is still open.
//
// The iteration ends after the object, or at the first error.
func (s *Scanner) Members(names *Names) iter.Seq2[[]byte, Kind] {
	return func(yield func([]byte, Kind) bool) {
		names.Reset()
		for s.EnterObject(); ; {
			name, kind, ok := s.Member()
			if !ok || !names.Add(s, name) && !s.FailRepeated(name) || !yield(name, kind) {
				return
			}
		}
	}
}
