package drift

import (
	"bytes"
	"encoding/binary"
	"math"

	"perfdata/series"
)

// ids is the set of the trace IDs of both sides, in a few large pieces of memory. An ID is a byte
// of flags, the scale of its values on each side, and the number of its params and the numbers of
// these as varints: most params of a file have small numbers, so that a million IDs of seven
// params take 19 MB, and 40 as integers of 32 bits.
type ids struct {
	chunks [][]byte
	table  table
	len    int
	next   ref    // the ID after the last one that was added or found
	key    []byte // scratch
}

// A ref refers to an ID.
type ref uint32

const (
	chunkBits = 20
	idChunk   = 1 << chunkBits // bytes; an ID is shorter
	idHead    = 1 + 2*4        // the bytes of the flags and of the values

	explained = 1 << 2 // the bit after the two sides
)

func (s *ids) at(r ref) []byte { return s.chunks[r>>chunkBits][r&(idChunk-1):] }

// appendParams appends the numbers of the params of an ID.
func (s *ids) appendParams(dst []uint32, r ref) []uint32 {
	count, rest := nextNumber(s.at(r)[idHead:])
	for range count {
		var n uint32
		n, rest = nextNumber(rest)
		dst = append(dst, n)
	}
	return dst
}

// nextNumber returns the varint at the beginning of text, and the rest of the text. Most have one
// byte.
func nextNumber(text []byte) (uint32, []byte) {
	if text[0] < 0x80 {
		return uint32(text[0]), text[1:]
	}
	n, size := binary.Uvarint(text)
	return uint32(n), text[size:]
}

// value returns the smallest magnitude of the values of a side that are not 0. It depends neither
// on their order nor, as much as the first one, on noise. It is 0 if all are 0, and infinite if
// it is not known.
func (s *ids) value(r ref, side int) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(s.at(r)[1+4*side:])))
}

// setValue notes a value of a side.
func (s *ids) setValue(r ref, side int, value float64) {
	if value == 0 {
		return
	}
	small := float32(max(math.Abs(value), math.SmallestNonzeroFloat32))
	if small != small {
		small = float32(math.Inf(1))
	}
	at := s.at(r)[1+4*side:]
	if old := math.Float32frombits(binary.LittleEndian.Uint32(at)); old == 0 || small < old {
		binary.LittleEndian.PutUint32(at, math.Float32bits(small))
	}
}

// sides returns whether the ID is on either side.
func (s *ids) sides(r ref) (old, new bool) {
	flags := s.at(r)[0]
	return flags&(1<<series.Old) != 0, flags&(1<<series.New) != 0
}

// explain notes that it is known why an ID vanished or appeared.
func (s *ids) explain(r ref) { s.at(r)[0] |= explained }

func (s *ids) isExplained(r ref) bool { return s.at(r)[0]&explained != 0 }

// add adds an ID of a side, with the sum of the hashes of its params. Files of both sides often
// have the same IDs in the same order. To try the next ID first, without the table, which is too
// large for the processor's caches, saves a third of the time.
func (s *ids) add(params []uint32, sum uint64, side int, value float64) {
	s.key = binary.AppendUvarint(s.key[:0], uint64(len(params)))
	for _, n := range params {
		s.key = binary.AppendUvarint(s.key, uint64(n))
	}
	if s.isAt(s.next, s.key) {
		s.found(s.next, side, value)
		return
	}

	number, key, ok := s.table.find(sum, func(number uint32) bool {
		return bytes.HasPrefix(s.at(ref(number))[idHead:], s.key)
	})
	if ok {
		s.found(ref(number), side, value)
		return
	}

	if n := len(s.chunks); n == 0 || len(s.chunks[n-1])+idHead+len(s.key) > idChunk {
		s.chunks = append(s.chunks, make([]byte, 0, idChunk))
	}
	last := &s.chunks[len(s.chunks)-1]
	r := ref((len(s.chunks)-1)<<chunkBits + len(*last))
	*last = append(*last, 1<<side, 0, 0, 0, 0, 0, 0, 0, 0)
	*last = append(*last, s.key...)
	s.setValue(r, side, value)
	if s.table == nil {
		s.table = make(table)
	}
	s.table[key] = uint32(r)
	s.len++
	s.next = r + ref(idHead+len(s.key))
}

// found notes that a side has the ID with the key, and a value.
func (s *ids) found(r ref, side int, value float64) {
	s.at(r)[0] |= 1 << side
	s.setValue(r, side, value)
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
