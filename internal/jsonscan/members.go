package jsonscan

import "iter"

// Members enters the object ahead and iterates over its members: over each member's name, which
// is valid until the next call, and the kind of its value, which the loop reads. A duplicate member
// fails s, or is reported and skipped, see ReportRepeated. Names is reset, and used to find
// duplicates; it must not be shared with an object that is still open.
//
// The iteration ends after the object, or at the first error.
func (s *Scanner) Members(names *Names) iter.Seq2[[]byte, Kind] {
	return func(yield func([]byte, Kind) bool) {
		names.Reset()
		for s.EnterObject(); ; {
			name, kind, ok := s.Member()
			if !ok {
				return
			}
			if !names.Add(s, name) {
				if !s.PassRepeated(name) {
					return
				}
				continue
			}
			if !yield(name, kind) {
				return
			}
		}
	}
}

// KnownMembers is Members for an object that usually has a few known members, at most 63. Instead
// of a member's name, it yields the index in known, or -1 for any other name. It is faster than
// Members, and needs names only for the others.
func (s *Scanner) KnownMembers(known []string, names *Names) iter.Seq2[int, Kind] {
	return func(yield func(int, Kind) bool) {
		seen := uint64(0) // a bit for each known name, and the next one for others
		for s.EnterObject(); ; {
			name, kind, ok := s.Member()
			if !ok {
				return
			}

			i := indexOf(known, name)
			repeated := seen&(1<<i) != 0
			seen |= 1 << i
			if i == len(known) {
				if !repeated {
					names.Reset()
				}
				i, repeated = -1, !names.Add(s, name)
			}
			if repeated {
				if !s.PassRepeated(name) {
					return
				}
				continue
			}
			if !yield(i, kind) {
				return
			}
		}
	}
}

func indexOf(names []string, name []byte) int {
	for i := range names {
		if names[i] == string(name) {
			return i
		}
	}
	return len(names)
}
