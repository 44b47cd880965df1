package drift

import "math"

// A table finds numbers by hashes. It has several parts, by the lowest bits of the hash, so that
// only a small one is in memory twice while it grows.
type table [tableParts]tablePart

// A tablePart is an open-addressing table.
type tablePart struct {
	slots []uint64 // tags and numbers plus 1, by hash, or in the next free slot
	len   int
}

const tableParts = 64

// A slot has the highest 32 bits of the hash, so that most slots of others are passed over
// without a look at what they refer to, and a number plus 1.
func slotOf(sum uint64, number uint32) uint64 { return sum&^math.MaxUint32 | uint64(number+1) }

func numberOf(slot uint64) uint32         { return uint32(slot) - 1 }
func hasTag(slot, sum uint64) bool        { return (slot^sum)>>32 == 0 }
func (t *table) of(sum uint64) *tablePart { return &t[sum%tableParts] }

// first returns the slot to which a hash, or its tag, is proportional.
func (t *tablePart) first(sum uint64) int { return int(sum >> 32 * uint64(len(t.slots)) >> 32) }

// slot returns the slot of the number with the hash for which a function returns true, or the free slot where it
// belongs.
func (t *tablePart) slot(sum uint64, is func(number uint32) bool) *uint64 {
	for i := t.first(sum); ; i++ {
		if i == len(t.slots) {
			i = 0
		}
		if slot := t.slots[i]; slot == 0 || hasTag(slot, sum) && is(numberOf(slot)) {
			return &t.slots[i]
		}
	}
}

// reserve makes room for one more number.
func (t *tablePart) reserve() {
	if 5*t.len < 4*len(t.slots) {
		return
	}
	old := t.slots
	t.slots = make([]uint64, max(64, len(old)*4/3))
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
