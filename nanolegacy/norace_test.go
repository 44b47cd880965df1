//go:build !race

package nanolegacy

// raceEnabled tells the longest test to take larger steps.
const raceEnabled = false
