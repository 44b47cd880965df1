package keyval

import "slices"

// writtenKeys holds the keys of the iteration that is written. Usually they are the keys of the
// previous iteration, in the same order, so they need no check, and no map to find duplicates.
// With a check and a map for each key, writing the iterations of a test takes 70% more
// instructions.
type writtenKeys struct {
	order []string // valid and different: first the n keys of the iteration, then keys that may follow
	n     int
	known map[string]bool // the first n of order; empty if they are few, or those of the previous iteration
}

const maxMapped = 1000 // clearing a larger map takes longer than filling a new one

// begin begins an iteration. It is expected to have the keys of the previous iteration.
func (k *writtenKeys) begin() {
	if len(k.known) > maxMapped {
		k.known = nil
	}
	clear(k.known)
	k.n = 0
}

// isNext reports whether the key is the next key of the previous iteration.
func (k *writtenKeys) isNext(key string) bool {
	return k.n < len(k.order) && k.order[k.n] == key
}

// has reports whether the iteration has the key.
func (k *writtenKeys) has(key string) bool {
	switch {
	case k.isNext(key):
		return false
	case k.n <= fewKeys:
		return slices.Contains(k.order[:k.n], key)
	}
	k.index()
	return k.known[key]
}

// add adds a valid key that the iteration does not have.
func (k *writtenKeys) add(key string) {
	if !k.isNext(key) {
		k.order = append(k.order[:k.n], key)
	}
	k.n++
	if len(k.known) > 0 {
		k.known[key] = true
	}
}

// index fills the map.
func (k *writtenKeys) index() {
	if len(k.known) == k.n {
		return
	}
	if k.known == nil {
		k.known = make(map[string]bool)
	}
	for _, key := range k.order[:k.n] {
		k.known[key] = true
	}
}
