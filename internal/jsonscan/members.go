package jsonscan

import (
	"hash/maphash"
	"iter"
)

// Members enters the object ahead and iterates over its members: over each member's name, which
// is valid until the next call, and the kind of its value, which the loop reads. A duplicate member
// fails s, or is reported and skipped, see ReportRepeated.
//
// The iteration ends after the object, or at the first error.
func (s *Scanner) Members() iter.Seq2[[]byte, Kind] {
	return func(yield func([]byte, Kind) bool) {
		depth := len(s.open)
		s.namesAt(depth).Reset()
		for s.EnterObject(); ; {
			name, kind, ok := s.Member()
			if !ok {
				return
			}
			if !s.names[depth].Add(s, name) {
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
func (s *Scanner) KnownMembers(known []string) iter.Seq2[int, Kind] {
	return func(yield func(int, Kind) bool) {
		depth := len(s.open)
		seen := uint64(0) // a bit for each known name, and the next one for others
		for s.EnterObject(); ; {
			name, kind, ok := s.Member()
			if !ok {
				return
			}

			i := 0
			for i < len(known) && known[i] != string(name) {
				i++
			}
			repeated := seen&(1<<i) != 0
			seen |= 1 << i
			if i == len(known) {
				names := s.namesAt(depth)
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

// Glance enters the object ahead and iterates over its members, as Members does, but does not look for
// duplicates. It skips each value that the loop leaves unread. It is for detecting formats.
func (s *Scanner) Glance() iter.Seq2[[]byte, Kind] {
	return func(yield func([]byte, Kind) bool) {
		for s.EnterObject(); ; {
			name, kind, ok := s.Member()
			if !ok {
				return
			}
			at := s.Offset()
			if !yield(name, kind) {
				return
			}
			if s.Offset() == at {
				s.Skip()
			}
		}
	}
}

// Names is the set of the names of one object's members, for an object that may have any. It
// holds a hash of 64 bits for each name, under a random seed: an object of a million members is
// falsely said to repeat one with a probability of 3 in 100 million. It takes less time and memory
// than a map, which would hash them again. The zero Names is empty and ready for use.
type Names struct {
	seed maphash.Seed
	len  int
	few  [16]uint64 // the hashes; 0: free; enough for the members of most objects
	many []uint64   // in place of few, if they are more; their number is a power of two
}

// namesAt returns the names of the object that opens, or has opened, at the depth. Entering a deeper
// object may move it.
func (s *Scanner) namesAt(depth int) *Names {
	for len(s.names) <= depth {
		s.names = append(s.names, Names{})
	}
	return &s.names[depth]
}

// Reset empties the set.
func (n *Names) Reset() { *n = Names{seed: n.seed} }

// Add adds the name and returns false if it was there already, or if there are too many, which
// fails s.
func (n *Names) Add(s *Scanner, name []byte) bool {
	if n.seed == (maphash.Seed{}) {
		n.seed = maphash.MakeSeed()
	}
	hash := max(maphash.Bytes(n.seed, name), 1)
	slots := n.few[:]
	if n.many != nil {
		slots = n.many
	}
	i := slotOf(slots, hash)
	switch {
	case slots[i] == hash:
		return false
	case n.len >= s.limits.MaxMembers:
		s.failMembers()
		return false
	}

	slots[i] = hash
	if n.len++; 4*n.len >= 3*len(slots) {
		n.many = make([]uint64, 2*len(slots))
		for _, hash := range slots {
			if hash != 0 {
				n.many[slotOf(n.many, hash)] = hash
			}
		}
	}
	return true
}

// slotOf returns the slot of the hash, or the free slot where it belongs.
func slotOf(slots []uint64, hash uint64) int {
	mask := uint64(len(slots) - 1)
	i := hash & mask
	for slots[i] != 0 && slots[i] != hash {
		i = (i + 1) & mask
	}
	return int(i)
}

// Ahead returns the text after the element that was read last, of the array that was entered
// last, so that the caller can read elements itself. The text is a part of the rest of the input,
// at least min bytes, if the input has them and the window has room, and is valid until the next
// call. There is none before the first element, after an error, or while the Scanner must see
// every value.
func (s *Scanner) Ahead(min int) []byte {
	const minAheadLimit = 64 // what callers read at once is shorter
	if s.first || s.err != nil || s.general || s.limits.MaxStringBytes < minAheadLimit {
		return nil
	}
	if len(s.buf)-s.pos < min {
		s.fill()
	}
	return s.buf[s.pos:]
}

// Take consumes n bytes of Ahead's text, which hold the given number of elements, each with the comma
// before it.
func (s *Scanner) Take(n, elements int) {
	if elements > 0 {
		s.pos += n
		s.open[len(s.open)-1].index += elements
	}
}
