//go:build !race

package formattest

// Race tells that the race detector is on: the longest tests then take larger steps, and allocations aren't counted.
const Race = false
