package drift

// A table finds numbers by hashes. A key is 32 bits of the hash, or the next free one: it has no
// pointers, and a million numbers take about 14 MB.
type table map[uint32]uint32

// find returns the number with the hash for which a function returns true, or the key for a new one.
func (t table) find(sum uint64, is func(number uint32) bool) (number, key uint32, ok bool) {
	for key = uint32(sum >> 32); ; key++ {
		if number, ok = t[key]; !ok || is(number) {
			return number, key, ok
		}
	}
}
