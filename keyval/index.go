package keyval

import "hash/maphash"

// An index finds a key among many performance values. It takes 8 to 16 bytes for each key; a map
// takes 40 to 80.
type index struct {
	seed  maphash.Seed
	slots []uint32 // by hash, 1 + the index of the value; a power of two of them, at most half of them in use
}

const (
	fewKeys  = 16 // fewer keys are searched one by one
	minSlots = 1 << 6
	maxKept  = 1 << 11 // more slots take longer to clear than new ones to make
)

// find returns the index of the key among those that were added, or -1.
func (x *index) find(perf []Keyval, key string) int {
	for at := x.slot(key); x.slots[at] != 0; at = (at + 1) & uint64(len(x.slots)-1) {
		if i := int(x.slots[at] - 1); perf[i].Key == key {
			return i
		}
	}
	return -1
}

// add adds the last value of perf, whose key is new. The values before it must have been added.
func (x *index) add(perf []Keyval) {
	if 2*len(perf) > len(x.slots) {
		if x.slots == nil {
			x.seed = maphash.MakeSeed()
		}
		x.slots = make([]uint32, max(minSlots, 2*len(x.slots)))
		for i := range perf[:len(perf)-1] {
			x.put(perf[i].Key, i)
		}
	}
	x.put(perf[len(perf)-1].Key, len(perf)-1)
}

func (x *index) put(key string, i int) {
	at := x.slot(key)
	for x.slots[at] != 0 {
		at = (at + 1) & uint64(len(x.slots)-1)
	}
	x.slots[at] = uint32(i + 1)
}

func (x *index) slot(key string) uint64 {
	return maphash.String(x.seed, key) & uint64(len(x.slots)-1)
}

// clear removes all keys.
func (x *index) clear() {
	if len(x.slots) > maxKept {
		x.slots = nil
	}
	clear(x.slots)
}
