package store

import "sync"

// A cache has values that were read from one state of the database, which a stamp identifies. When
// it is asked to add a value from another state, or is full, it forgets everything, and the next
// questions read the database again. The zero cache has no room.
type cache[S, K comparable, V any] struct {
	max int // the sum of the sizes of all values

	mu     sync.RWMutex
	stamp  S
	values map[K]V
	size   int
}

// find returns the value of a key in a state.
func (c *cache[S, K, V]) find(stamp S, key K) (value V, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.stamp != stamp {
		return value, false
	}
	value, ok = c.values[key]
	return value, ok
}

// add adds a value, unless one would take a quarter of the cache, and so all others out of it
// soon.
func (c *cache[S, K, V]) add(stamp S, key K, value V, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil || c.stamp != stamp || c.size+size > c.max {
		c.stamp, c.values, c.size = stamp, make(map[K]V), 0
	}
	if size > c.max/4 {
		return
	}
	if _, ok := c.values[key]; !ok {
		c.size += size
	}
	c.values[key] = value
}
