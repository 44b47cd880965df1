// Package series compares the params of consecutive records, for Writers and validators. Most
// params of a record are those of the one before, so what was found out about them is still true.
// Without that, writing Skia v1 takes four to five times the instructions, and writing legacy files
// almost three times.
package series

import (
	"slices"

	"perfdata/internal/same"
	"perfdata/traceid"
)

// A Series has the params, links or attrs of the last record, and what the next one changes. The
// zero Series is that of a record without any.
type Series struct {
	Pairs   []Pair
	Changed []int // the indices in Pairs of new keys and values, in ascending order
	Rekeyed bool  // some keys are new, or some of the keys before are missing
	Bytes   int   // of all keys and values

	spare []Pair
}

// A Pair is a param. Its hashes are kept by the user of the Series, and are 0 until they are known.
type Pair struct {
	traceid.Param
	KeyHash, Hash uint64 // of the key, and of the param
	OddKey        bool   // the key is not canonical; known with KeyHash
}

// Next makes p the last params, and keeps its strings. If p has other keys, they should be sorted.
func (s *Series) Next(p traceid.Params) {
	s.Changed, s.Rekeyed = s.Changed[:0], false
	if len(p) != len(s.Pairs) {
		s.align(p, 0)
		return
	}
	pairs := s.Pairs[:len(p)]
	for i := range p {
		x, y := &p[i], &pairs[i]
		if !same.Text(x.Key, y.Key) {
			s.align(p, i)
			return
		}
		if !same.Text(x.Value, y.Value) {
			s.change(i, x.Value)
		}
	}
}

// change gives the pair at index i another value.
func (s *Series) change(i int, value string) {
	pair := &s.Pairs[i]
	s.Bytes += len(value) - len(pair.Value)
	pair.Value, pair.Hash = value, 0
	s.Changed = append(s.Changed, i)
}

// align makes the params from index i on the last ones. Those before it are done. Pairs whose keys
// remain keep their hashes.
func (s *Series) align(p traceid.Params, i int) {
	s.Rekeyed = true
	old := append(s.spare[:0], s.Pairs[i:]...)
	s.spare, s.Pairs = old, slices.Grow(s.Pairs[:i], len(p)-i)
	s.Changed = slices.Grow(s.Changed, len(p)-i)
	for ; i < len(p); i++ {
		x := &p[i]
		for len(old) > 0 && !same.String(old[0].Key, x.Key) && old[0].Key < x.Key {
			s.Bytes -= len(old[0].Key) + len(old[0].Value)
			old = old[1:]
		}
		if len(old) == 0 || old[0].Key != x.Key {
			s.Bytes += len(x.Key) + len(x.Value)
			s.Pairs = append(s.Pairs, Pair{Param: *x})
			s.Changed = append(s.Changed, i)
			continue
		}

		s.Pairs = append(s.Pairs, old[0])
		if old = old[1:]; s.Pairs[i].Value != x.Value {
			s.change(i, x.Value)
		}
	}
	for _, x := range old {
		s.Bytes -= len(x.Key) + len(x.Value)
	}
}

// Only returns the index of the only value that has changed, if there is exactly one, and the keys
// have not changed.
func (s *Series) Only() (index int, ok bool) {
	if s.Rekeyed || len(s.Changed) != 1 {
		return 0, false
	}
	return s.Changed[0], true
}

// Forget makes s the Series of a record without params.
func (s *Series) Forget() { s.Pairs, s.Bytes = s.Pairs[:0], 0 }
