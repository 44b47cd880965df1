package drift

import (
	"bytes"
	"hash/maphash"
)

// A list has millions of elements in pieces that are never copied, so that it needs no more
// memory while it grows.
type list[T any] struct {
	chunks [][]T
	len    uint32
}

const (
	listBits  = 12 // of the number of an element in its chunk
	listChunk = 1 << listBits
)

func (l *list[T]) at(n uint32) *T { return &l.chunks[n>>listBits][n&(listChunk-1)] }

// add adds an element, and returns its number.
func (l *list[T]) add(element T) uint32 {
	if l.len%listChunk == 0 {
		l.chunks = append(l.chunks, make([]T, listChunk))
	}
	l.len++
	*l.at(l.len - 1) = element
	return l.len - 1
}

// A set numbers texts in the order in which they are added. The texts are in a few large pieces of
// memory without pointers: with a string and an element of a map for each, a million would take
// three times as much.
type set struct {
	starts list[uint32] // of the texts; each ends where the next one begins
	texts  [][]byte
	table  []uint32 // numbers plus 1, by the hashes of their texts, or after others; 0 if free
	tags   []byte   // 8 bits of the hashes: without them, to look at other texts costs a fifth of the time
	seed   maphash.Seed
}

const (
	textBits  = 20            // of the place of a text in its chunk
	textChunk = 1 << textBits // bytes; a longer text is a chunk
)

// text returns a text by its number.
func (s *set) text(n uint32) []byte {
	at := *s.starts.at(n)
	chunk := s.texts[at>>textBits]
	end := len(chunk)
	if n+1 < s.starts.len {
		if next := *s.starts.at(n + 1); next>>textBits == at>>textBits {
			end = int(next % textChunk)
		}
	}
	return chunk[at%textChunk : end]
}

// number returns the number of a text, and whether it is new. Files of both sides often have the
// same texts in the same order. To try a guess first, without the table, which is too large for
// the processor's caches, saves a fifth of the time of a million names, and a third of that of IDs.
func (s *set) number(text []byte, guess uint32) (n uint32, isNew bool) {
	if guess < s.starts.len && bytes.Equal(s.text(guess), text) {
		return guess, false
	}
	if 4*int(s.starts.len) >= 3*len(s.table) {
		s.grow()
	}
	slot := s.slot(text)
	if s.table[slot] > 0 {
		return s.table[slot] - 1, false
	}

	if last := len(s.texts) - 1; last < 0 || len(s.texts[last])+len(text) >= textChunk {
		s.texts = append(s.texts, make([]byte, 0, max(textChunk, len(text))))
	}
	last := len(s.texts) - 1
	n = s.starts.add(uint32(last<<textBits + len(s.texts[last])))
	s.texts[last] = append(s.texts[last], text...)
	s.table[slot] = n + 1
	return n, true
}

// slot returns where the table has the number of a text, or the free place for it.
func (s *set) slot(text []byte) uint64 {
	sum, mask := maphash.Bytes(s.seed, text), uint64(len(s.table)-1)
	tag := byte(sum >> 56)
	for at := sum & mask; ; at = (at + 1) & mask {
		switch n := s.table[at]; {
		case n == 0:
			s.tags[at] = tag
			return at
		case s.tags[at] == tag && bytes.Equal(s.text(n-1), text):
			return at
		}
	}
}

// grow doubles the table.
func (s *set) grow() {
	if s.table == nil {
		s.seed = maphash.MakeSeed()
	}
	size := max(1<<10, 2*len(s.table))
	s.table, s.tags = make([]uint32, size), make([]byte, size)
	for n := range s.starts.len {
		s.table[s.slot(s.text(n))] = n + 1
	}
}
