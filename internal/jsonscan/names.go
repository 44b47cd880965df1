package jsonscan

import (
	"hash/maphash"
	"slices"
)

// Names is the set of the names of one object's members, for an object that may have any. It
// holds a hash of 64 bits for each name, under a random seed: an object of a million members is
// falsely said to repeat one with a probability of 3 in 100 million. The zero Names is empty and
// ready for use.
type Names struct {
	seed maphash.Seed
	len  int                // of few and more
	few  [usualNames]uint64 // the first ones
	more []uint64           // after these
	many hashes             // all, if they are more than fewNames
}

const (
	usualNames = 8  // of most objects
	fewNames   = 32 // up to which a search one by one beats a table
)

// Reset empties the set.
func (n *Names) Reset() {
	n.len, n.more = 0, n.more[:0]
	n.many = hashes{}
}

// Add adds the name and returns false if it was there already, or if there are too many, which
// fails s.
func (n *Names) Add(s *Scanner, name []byte) bool {
	if n.seed == (maphash.Seed{}) {
		n.seed = maphash.MakeSeed()
	}
	hash := max(maphash.Bytes(n.seed, name), 1) // 0 has a meaning in the table
	if n.many.slots != nil {
		if n.many.len >= s.limits.MaxMembers {
			s.failMembers()
			return false
		}
		return n.many.add(hash)
	}

	few := n.few[:min(n.len, usualNames)]
	if slices.Contains(few, hash) || slices.Contains(n.more, hash) {
		return false
	}
	if n.len >= s.limits.MaxMembers {
		s.failMembers()
		return false
	}

	if n.len++; n.len <= usualNames {
		n.few[n.len-1] = hash
		return true
	}
	n.more = append(n.more, hash)
	if n.len > fewNames {
		n.many.slots = make([]uint64, 4*fewNames)
		for _, h := range slices.Concat(few, n.more) {
			n.many.add(h)
		}
	}
	return true
}

// hashes is a set of hashes that aren't 0. It takes less time and memory than a map, which would
// hash them again.
type hashes struct {
	slots []uint64 // 0: free. Their number is a power of two
	len   int
}

// add adds the hash and returns false if it was there already.
func (h *hashes) add(hash uint64) bool {
	if 4*h.len >= 3*len(h.slots) {
		old := h.slots
		*h = hashes{slots: make([]uint64, 2*len(old))}
		for _, hash := range old {
			if hash != 0 {
				h.add(hash)
			}
		}
	}
	mask := uint64(len(h.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		switch h.slots[i] {
		case 0:
			h.slots[i] = hash
			h.len++
			return true
		case hash:
			return false
		}
	}
}
