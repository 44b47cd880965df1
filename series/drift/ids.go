package drift

import (
	"bytes"
	"encoding/binary"
	"math"
)

// ids is the set of the trace IDs of both sides, in a few large pieces of memory. An ID is a byte of
// flags, a value, and the number of its params and the numbers of these as varints: most params of
// a file have small numbers, so that a million IDs of seven params take 15 MB, and 36 as integers of
// 32 bits.
type ids struct {
	chunks [][]byte
	tables [tables]table // by the lowest bits of the hash
	len    int
	next   ref    // the ID after the last one that was added or found
	key    []byte // scratch
}

// A table has a part of the IDs. There are several so that only a small part is in memory twice while
// it grows.
type table struct {
	slots []uint64 // tags and references plus 1, by hash, or in the next free slot
	len   int
}

const tables = 64

// A ref refers to an ID.
type ref uint32

const (
	chunkBits = 20
	idChunk   = 1 << chunkBits // bytes; an ID is shorter
	idHead    = 1 + 4          // the bytes of the flags and of the value

	explained = 1 << 2 // the flag after those of the sides
)

func (s *ids) at(r ref) []byte { return s.chunks[r>>chunkBits][r&(idChunk-1):] }

// appendParams appends the numbers of the params of an ID.
func (s *ids) appendParams(dst []uint32, r ref) []uint32 {
	rest := s.at(r)[idHead:]
	n, size := binary.Uvarint(rest)
	for range n {
		rest = rest[size:]
		var number uint64
		number, size = binary.Uvarint(rest)
		dst = append(dst, uint32(number))
	}
	return dst
}

// sum returns the sum of the hashes of the params of an ID that are not dropped.
func (s *ids) sum(r ref, dropped []bool) (sum uint64) {
	rest := s.at(r)[idHead:]
	count, size := binary.Uvarint(rest)
	for range count {
		rest = rest[size:]
		var n uint64
		if n, size = binary.Uvarint(rest); !dropped[n] {
			sum += hash(uint32(n))
		}
	}
	return sum
}

// value returns the value of the first measurement with the ID.
func (s *ids) value(r ref) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(s.at(r)[1:])))
}

// sides returns whether the ID is on either side.
func (s *ids) sides(r ref) (old, new bool) {
	flags := s.at(r)[0]
	return flags&(1<<Old) != 0, flags&(1<<New) != 0
}

// explain notes that it is known why an ID vanished or appeared.
func (s *ids) explain(r ref) { s.at(r)[0] |= explained }

func (s *ids) isExplained(r ref) bool { return s.at(r)[0]&explained != 0 }

// add adds an ID of a side, with the sum of the hashes of its params. Files of both sides often have
// the same IDs in the same order. To try the next ID first, without the table, which is too large for
// the processor's caches, saves a third of the time.
func (s *ids) add(params []uint32, sum uint64, side Side, value float64) {
	s.key = binary.AppendUvarint(s.key[:0], uint64(len(params)))
	for _, n := range params {
		s.key = binary.AppendUvarint(s.key, uint64(n))
	}
	if s.isAt(s.next, s.key) {
		s.found(s.next, side)
		return
	}

	table := &s.tables[sum%tables]
	if 4*table.len >= 3*len(table.slots) {
		table.grow()
	}
	slot := s.slot(table, s.key, sum)
	if *slot != 0 {
		s.found(refOf(*slot), side)
		return
	}
	if n := len(s.chunks); n == 0 || len(s.chunks[n-1])+idHead+len(s.key) > idChunk {
		s.chunks = append(s.chunks, make([]byte, 0, idChunk))
	}
	last := &s.chunks[len(s.chunks)-1]
	r := ref((len(s.chunks)-1)<<chunkBits + len(*last))
	*last = append(*last, 1<<side)
	*last = binary.LittleEndian.AppendUint32(*last, math.Float32bits(float32(value)))
	*last = append(*last, s.key...)
	*slot = tagOf(sum) | uint64(r+1)
	table.len++
	s.len++
	s.next = r + ref(idHead+len(s.key))
}

// found notes that a side has the ID with the key.
func (s *ids) found(r ref, side Side) {
	s.at(r)[0] |= 1 << side
	s.next = r + ref(idHead+len(s.key))
	if chunk := int(s.next >> chunkBits); int(s.next&(idChunk-1)) >= len(s.chunks[min(chunk, len(s.chunks)-1)]) {
		s.next = r&^(idChunk-1) + idChunk // the next chunk, which may not exist
	}
}

// isAt reports whether the ID with encoded params is at a place, where there may be none.
func (s *ids) isAt(r ref, key []byte) bool {
	if int(r>>chunkBits) >= len(s.chunks) {
		return false
	}
	chunk := s.chunks[r>>chunkBits]
	at := int(r&(idChunk-1)) + idHead
	return at <= len(chunk) && bytes.HasPrefix(chunk[at:], key)
}

// A slot has the highest 32 bits of the hash, and a reference plus 1.
func tagOf(sum uint64) uint64 { return sum &^ math.MaxUint32 }
func refOf(slot uint64) ref   { return ref(uint32(slot) - 1) }

// slot returns the slot of the ID with the encoded params, or the free slot where it belongs.
func (s *ids) slot(t *table, key []byte, sum uint64) *uint64 {
	tag := tagOf(sum)
	for i := t.first(sum); ; i++ {
		if i == len(t.slots) {
			i = 0
		}
		slot := t.slots[i]
		if slot == 0 || tagOf(slot) == tag && bytes.HasPrefix(s.at(refOf(slot))[idHead:], key) {
			return &t.slots[i]
		}
	}
}

// first returns the slot to which a hash, or its tag, is proportional.
func (t *table) first(sum uint64) int { return int(sum >> 32 * uint64(len(t.slots)) >> 32) }

func (t *table) grow() {
	old := t.slots
	t.slots = make([]uint64, max(64, len(old)*3/2))
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		i := t.first(slot)
		for t.slots[i] != 0 {
			if i++; i == len(t.slots) {
				i = 0
			}
		}
		t.slots[i] = slot
	}
}

// all calls do with each ID, in the order of their first measurements.
func (s *ids) all(do func(ref)) {
	for n, chunk := range s.chunks {
		for i := 0; i < len(chunk); {
			do(ref(n<<chunkBits + i))
			i += idHead
			count, size := binary.Uvarint(chunk[i:])
			for i += size; count > 0; i++ {
				if chunk[i] < 0x80 {
					count-- // the last byte of a number
				}
			}
		}
	}
}
