package jsonscan

import "hash/maphash"

// Skip passes over the value ahead, whatever it is, and checks all of it.
func (s *Scanner) Skip() bool {
	switch s.Kind() {
	case Null:
		return s.Null()
	case Bool:
		_, ok := s.Bool()
		return ok
	case Number:
		_, ok := s.Number()
		return ok
	case String:
		_, ok := s.Text()
		return ok
	case Array:
		for s.EnterArray(); s.Element(); {
			s.Skip()
		}
	case Object:
		s.eachMember(func([]byte) { s.Skip() })
	}
	return s.err == nil
}

// eachMember reads the object ahead, and calls read after each member's name, to read its value. A name that repeats is an error.
func (s *Scanner) eachMember(read func(name []byte)) {
	// One set for each depth, so that its memory is used again.
	depth := len(s.open)
	for len(s.names) <= depth {
		s.names = append(s.names, Names{})
	}
	names := s.names[depth]
	count := 0
	for s.EnterObject(); ; {
		name, _, ok := s.Member()
		if !ok {
			break
		}
		if !names.Add(s, name) {
			s.Fail(s.NameError(RepeatedMessage(name)))
			break
		}
		count++
		if s.remembered++; s.remembered > s.limits.MaxMembers {
			s.failMembers()
			break
		}
		read(name)
	}
	s.remembered -= count
	names.Reset()
	s.names[depth] = names
}

func (s *Scanner) failMembers() {
	s.Fail(s.NameError(LimitMessage("MaxMembers", int64(s.limits.MaxMembers), "members of one object, or of several one in another")))
}

// Names is the set of the names of one object's members, for an object that may have any. It holds a hash of 64
// bits for each name, under a random seed: an object of a million members is falsely said to repeat one with a
// probability of 3 in 100 million. The zero Names is empty and ready for use.
type Names struct {
	seed maphash.Seed
	few  []uint64
	many map[uint64]struct{}
}

// Reset empties the set.
func (n *Names) Reset() {
	n.few = n.few[:0]
	n.many = nil
}

const fewNames = 32 // up to which a search one by one beats a map

// Add adds the name and returns false if it was there already, or if there are too many, which fails s.
func (n *Names) Add(s *Scanner, name []byte) bool {
	if n.seed == (maphash.Seed{}) {
		n.seed = maphash.MakeSeed()
	}
	hash := maphash.Bytes(n.seed, name)
	if n.many != nil {
		if len(n.many) >= s.limits.MaxMembers {
			s.failMembers()
			return false
		}
		before := len(n.many)
		n.many[hash] = struct{}{}
		return len(n.many) > before
	}
	for _, h := range n.few {
		if h == hash {
			return false
		}
	}
	n.few = append(n.few, hash)
	if len(n.few) > fewNames {
		n.many = make(map[uint64]struct{}, 2*fewNames)
		for _, h := range n.few {
			n.many[h] = struct{}{}
		}
	}
	return true
}
