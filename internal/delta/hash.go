package delta

import (
	"math/bits"
	"math/rand/v2"

	"perfdata/internal/chars"
	"perfdata/traceid"
)

// A hasher makes the hashes of a Tracker, with random seeds.
type hasher struct {
	key, value, factor uint64         // factor is 0 until there are seeds
	text               []byte         // scratch
	settled            map[uint64]int // scratch: the params that count, by the hashes of their keys
}

// A hash is what a Tracker remembers of a param for Hash. It is 0 until it is set.
type hash struct {
	key   uint64 // of the key
	param uint64 // of key and value
}

// Hash returns a hash of 64 bits of the canonical form of p, the params that were compared last,
// and whether all changed params are canonical. The hash is not 0. Params with the same trace ID
// have the same hash. Two others have the same hash with a probability of about 1 in 2^64. All
// params that are accepted must have been hashed.
//
// The hash is the sum of the hashes of the params, so unchanged params are hashed once.
func (s *Tracker) Hash(p traceid.Params) (sum uint64, canonical bool) {
	h := &s.hasher
	if h.factor == 0 {
		h.key, h.value, h.factor = rand.Uint64(), rand.Uint64(), rand.Uint64()|1
	}
	hashes := s.hashes
	sum, canonical = s.sum, true
	if s.Rekeyed {
		// Complete the hashes of the keys, and the sum.
		hashes, sum = s.spare, 0
		odd := uint64(0)
		for i := range hashes {
			if hashes[i].key == 0 {
				hashes[i].key = h.hashKey(p[i].Key)
			}
			odd |= hashes[i].key & oddKey
			sum += hashes[i].param
		}
		if odd != 0 {
			sum, canonical = h.settle(hashes, p), false
		}
	}

	for i := range s.Changed {
		c := &s.Changed[i]
		old := &hashes[c.Index]
		value, ok := h.hashValue(p[c.Index].Value)
		canonical = canonical && ok
		c.hash = pair(old.key, value)
		sum += c.hash - old.param
	}
	s.next = sum
	return max(sum, 1), canonical
}

// The hash of a key is the hash of its canonical form, without the lowest bit.
const (
	oddKey  = 1      // the lowest bit: the key is not canonical
	lostKey = oddKey // another key with the same canonical form counts
)

// hashKey returns the hash of a key.
func (h *hasher) hashKey(key string) uint64 {
	sum, canonical := chars.Hash(key, h.key, h.factor)
	if canonical {
		return max(sum&^oddKey, lostKey+1)
	}
	h.text = charset.AppendString(h.text[:0], key)
	sum, _ = chars.Hash(string(h.text), h.key, h.factor)
	return max(sum|oddKey, lostKey+2)
}

// settle finds out which of the keys that are canonical, or become so, count: see package traceid. It
// sets the hashes, and returns the sum of the params'. Without it, each trace with such keys would
// have to be made canonical as a whole, which takes some hundred microseconds for a thousand params.
func (h *hasher) settle(hashes []hash, p traceid.Params) (sum uint64) {
	clear(h.settled)
	if h.settled == nil {
		h.settled = make(map[uint64]int)
	}

	for i := range hashes {
		hashes[i].key = h.hashKey(p[i].Key)
		canonical := hashes[i].key | oddKey
		j, clash := h.settled[canonical]
		if clash && (hashes[j].key&oddKey == 0 || hashes[i].key&oddKey != 0 && p[i].Key < p[j].Key) {
			hashes[i].key = lostKey
			continue
		}
		if clash {
			hashes[j].key = lostKey
		}
		h.settled[canonical] = i
	}

	for i := range hashes {
		value, _ := h.hashValue(p[i].Value)
		hashes[i].param = pair(hashes[i].key, value)
		sum += hashes[i].param
	}
	return sum
}

// hashValue returns the hash of a value's canonical form, and whether the value is canonical.
func (h *hasher) hashValue(value string) (sum uint64, canonical bool) {
	if sum, canonical = chars.Hash(value, h.value, h.factor); !canonical {
		h.text = charset.AppendString(h.text[:0], value)
		sum, _ = chars.Hash(string(h.text), h.value, h.factor)
	}
	return sum, canonical
}

// pair returns the hash of a param, given the hashes of its key and value.
func pair(key, value uint64) uint64 {
	if key == lostKey {
		return 0
	}
	high, low := bits.Mul64(key|oddKey, value)
	return high ^ low
}
