// Package delta finds the params that change from one record to the next. Most params of a record
// equal the previous record's, and so do the results computed from them: their part of the trace
// ID, their checks, and their hashes.
//
// A [Layout] makes the trace IDs of the records of a Reader. A [Tracker] compares the params of any
// records, for Writers and validators, and hashes them to find duplicates. Both compare the params
// with a copy of the last ones, so they notice every change, whoever made it.
package delta

import (
	"slices"
	"unsafe"

	"perfdata/traceid"
)

// A Tracker has the params, links or attrs of the last record, and what the next ones change. The
// zero Tracker is that of a record without any.
//
// Compare finds what changes. Accept makes the same params the last ones. If it is not called, as
// for a record that is refused, nothing has changed.
//
// What holds between calls: bytes is the size of Last, hashes has an element for each of Last, and sum
// is the sum of their hashes, as far as they were made. Between Compare and Accept, Bytes, next and
// spare are the same for the params that were compared; Changed has the index of each that Last does
// not have, key and value, and only those need a new hash.
type Tracker struct {
	Last traceid.Params

	// These are about the params that were compared last.
	Changed []Change // new keys and values, in ascending order
	Rekeyed bool     // some keys are new, or some of the last keys are missing
	Bytes   int      // of all keys and values

	bytes  int // of Last
	hasher hasher
	sum    uint64 // of the hashes of Last
	next   uint64 // of the hashes of the params that were compared last
	hashes []hash // of Last
	spare  []hash // of the params that were compared last, if they are rekeyed
}

// A Change is a param with a new key or value.
type Change struct {
	Index int
	hash  uint64 // of the param
}

// Next compares p and makes it the last params.
func (s *Tracker) Next(p traceid.Params) {
	s.Compare(p)
	s.Accept(p)
}

// Compare finds what p changes. If p has other keys than the last params, they should be sorted.
func (s *Tracker) Compare(p traceid.Params) {
	changed := s.Changed[:0]
	s.Changed, s.Rekeyed, s.Bytes, s.next = changed, false, s.bytes, s.sum
	if len(p) != len(s.Last) {
		s.align(p, 0)
		return
	}
	last := s.Last[:len(p)]
	for i := range p {
		x, y := &p[i], &last[i]
		if sameParam(x, y) {
			continue
		}

		if !SameText(x.Key, y.Key) {
			s.Changed = changed
			s.align(p, i)
			return
		}
		if !SameText(x.Value, y.Value) {
			s.Bytes += len(x.Value) - len(y.Value)
			changed = append(changed, Change{Index: i})
		}
	}
	s.Changed = changed
}

// align compares params that have other keys than the last ones. Those before i are done. Params
// with one of the last keys keep their hashes.
func (s *Tracker) align(p traceid.Params, i int) {
	s.Rekeyed = true
	s.Changed = slices.Grow(s.Changed, len(p)-i)
	s.spare = append(s.spare[:0], s.hashes[:i]...)
	for _, c := range s.Changed {
		s.spare[c.Index].param = 0
	}
	hashes := slices.Grow(s.spare, len(p)-i)[:len(p)]
	s.spare = hashes

	// Both are sorted, so one walk finds the keys that both have. At each turn, the params before i
	// are done, and the last ones before j are either found or counted out. If p is not sorted, a key
	// that was passed is taken for a new one, which costs time and nothing else.
	j := i // in the last params
	for ; i < len(p); i++ {
		x := &p[i]
		for ; j < len(s.Last) && !sameString(s.Last[j].Key, x.Key) && s.Last[j].Key < x.Key; j++ {
			s.Bytes -= len(s.Last[j].Key) + len(s.Last[j].Value)
		}
		if j == len(s.Last) || !SameText(s.Last[j].Key, x.Key) {
			s.Bytes += len(x.Key) + len(x.Value)
			hashes[i] = hash{}
			s.Changed = append(s.Changed, Change{Index: i})
			continue
		}

		hashes[i] = s.hashes[j]
		if value := s.Last[j].Value; !SameText(value, x.Value) {
			s.Bytes += len(x.Value) - len(value)
			hashes[i].param = 0
			s.Changed = append(s.Changed, Change{Index: i})
		}
		j++
	}
	for _, x := range s.Last[j:] {
		s.Bytes -= len(x.Key) + len(x.Value)
	}
}

// Accept makes the params that were compared last the last ones, and keeps their strings.
func (s *Tracker) Accept(p traceid.Params) {
	if s.Rekeyed {
		s.Last = append(s.Last[:0], p...)
		s.hashes, s.spare = s.spare, s.hashes
	}
	for i := range s.Changed {
		c := &s.Changed[i]
		s.Last[c.Index].Value = p[c.Index].Value
		s.hashes[c.Index].param = c.hash
	}
	s.bytes, s.sum = s.Bytes, s.next
}

// Repeats is Compare for params that usually are the last ones, as links and attrs. It reports
// whether they are.
func (s *Tracker) Repeats(p traceid.Params) bool {
	if SameParams(p, s.Last) {
		s.Changed, s.Rekeyed, s.Bytes, s.next = s.Changed[:0], false, s.bytes, s.sum
		return true
	}
	s.Compare(p)
	return s.Same()
}

// Same reports whether the params that were compared last are the last ones.
func (s *Tracker) Same() bool { return len(s.Changed) == 0 && !s.Rekeyed }

// Only returns the index of the only value that has changed, if there is exactly one, and the keys
// have not changed.
func (s *Tracker) Only() (index int, ok bool) {
	if s.Rekeyed || len(s.Changed) != 1 {
		return 0, false
	}
	return s.Changed[0].Index, true
}

// SameText reports whether a and b are equal, and is fast if they are the same bytes in memory.
func SameText(a, b string) bool { return sameString(a, b) || a == b }

// sameString reports whether a and b are the same bytes in memory. If it returns false, their
// contents may be equal. Comparing the contents takes a call, which costs more than all else that
// users of this package do with a param that has not changed.
func sameString(a, b string) bool {
	return len(a) == len(b) && unsafe.StringData(a) == unsafe.StringData(b)
}

// SameParams reports whether the strings of p and q are the same bytes in memory. It is one comparison
// of memory: comparing the strings one by one takes five times as long.
func SameParams(p, q []traceid.Param) bool { return memory(p) == memory(q) }

// memory returns the memory of the params, with the addresses and lengths of their strings. It is
// valid as long as they are. The callers compare it at once and keep nothing of it, so that neither
// the garbage collector nor a later change of the params matters. Params without elements may have
// no address; their memory is empty.
func memory(p []traceid.Param) string {
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(p))), len(p)*int(unsafe.Sizeof(traceid.Param{})))
}

// sameParam is SameParams for one.
func sameParam(p, q *traceid.Param) bool {
	return *(*[4]uintptr)(unsafe.Pointer(p)) == *(*[4]uintptr)(unsafe.Pointer(q))
}
