//go:build race

package formattest

// Race reports whether the race detector is on. The longest tests then take larger steps, and do
// not count allocations.
const Race = true
