package delta

import (
	"slices"

	"perfdata/traceid"
)

// A Series has the params, links or attrs of the last record, and what the next ones change. The
// zero Series is that of a record without any.
//
// Compare finds what changes. Accept makes the same params the last ones. If it is not called, as
// for a record that is refused, nothing has changed.
type Series struct {
	Last traceid.Params

	// These are about the params that were compared last.
	Changed []Change // new keys and values, in ascending order
	Rekeyed bool     // some keys are new, or some of the last keys are missing
	Bytes   int      // of all keys and values
	Sum     uint64   // of the hashes; set by their user, and 0 if rekeyed

	bytes  int    // of Last
	sum    uint64 // of Last
	hashes []Hash // of Last
	spare  []Hash // of the params that were compared last, if they are rekeyed
}

// A Change is a param with a new key or value.
type Change struct {
	Index     int
	Canonical bool   // the value is known to be canonical in a trace ID
	Hash      uint64 // of the param; set by the user of the hashes
}

// A Hash is what the user of the Series remembers of a param. It is 0 until it is set.
type Hash struct {
	Key   uint64 // of the key
	Param uint64 // of key and value
}

// Next compares p and makes it the last params.
func (s *Series) Next(p traceid.Params) {
	s.Compare(p)
	s.Accept(p)
}

// Compare finds what p changes. If p has other keys than the last params, they should be sorted.
func (s *Series) Compare(p traceid.Params) {
	s.Changed, s.Rekeyed, s.Bytes, s.Sum = s.Changed[:0], false, s.bytes, s.sum
	if len(p) != len(s.Last) {
		s.align(p, 0)
		return
	}
	last := s.Last[:len(p)]
	for i := range p {
		x, y := &p[i], &last[i]
		if sameString(x.Key, y.Key) && sameString(x.Value, y.Value) {
			continue
		}
		if x.Key != y.Key {
			s.align(p, i)
			return
		}
		if x.Value != y.Value {
			s.Bytes += len(x.Value) - len(y.Value)
			s.Changed = append(s.Changed, Change{Index: i})
		}
	}
}

// align compares params that have other keys than the last ones. Those before i are done. Params
// with one of the last keys keep their hashes.
func (s *Series) align(p traceid.Params, i int) {
	s.Rekeyed, s.Sum = true, 0
	s.Changed = slices.Grow(s.Changed, len(p)-i)
	s.spare = append(s.spare[:0], s.hashes[:i]...)
	for _, c := range s.Changed {
		s.spare[c.Index].Param = 0
	}
	hashes := slices.Grow(s.spare, len(p)-i)[:len(p)]
	s.spare = hashes

	j := i // in the last params
	for ; i < len(p); i++ {
		x := &p[i]
		if j < len(s.Last) && !sameString(s.Last[j].Key, x.Key) {
			j = s.seek(j, x.Key)
		}
		if j == len(s.Last) || !SameText(s.Last[j].Key, x.Key) {
			s.Bytes += len(x.Key) + len(x.Value)
			hashes[i] = Hash{}
			s.Changed = append(s.Changed, Change{Index: i})
			continue
		}

		hashes[i] = s.hashes[j]
		if value := s.Last[j].Value; !SameText(value, x.Value) {
			s.Bytes += len(x.Value) - len(value)
			hashes[i].Param = 0
			s.Changed = append(s.Changed, Change{Index: i})
		}
		j++
	}
	for _, x := range s.Last[j:] {
		s.Bytes -= len(x.Key) + len(x.Value)
	}
}

// seek returns the index of the first of the last params, from j on, whose key is not before the
// given one. It subtracts those in between from Bytes.
func (s *Series) seek(j int, key string) int {
	for ; j < len(s.Last); j++ {
		x := &s.Last[j]
		if x.Key >= key {
			break
		}
		s.Bytes -= len(x.Key) + len(x.Value)
	}
	return j
}

// Hashes returns the hashes of the params that were compared last. The hashes of changed params are
// 0, or still belong to the last params.
func (s *Series) Hashes() []Hash {
	if s.Rekeyed {
		return s.spare
	}
	return s.hashes
}

// Accept makes the params that were compared last the last ones, and keeps their strings.
func (s *Series) Accept(p traceid.Params) {
	if s.Rekeyed {
		s.Last = append(s.Last[:0], p...)
		s.hashes, s.spare = s.spare, s.hashes
	}
	for i := range s.Changed {
		c := &s.Changed[i]
		s.Last[c.Index].Value = p[c.Index].Value
		s.hashes[c.Index].Param = c.Hash
	}
	s.bytes, s.sum = s.Bytes, s.Sum
}

// Only returns the index of the only value that has changed, if there is exactly one, and the keys
// have not changed.
func (s *Series) Only() (index int, ok bool) {
	if s.Rekeyed || len(s.Changed) != 1 {
		return 0, false
	}
	return s.Changed[0].Index, true
}
