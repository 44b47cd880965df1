//go:build !race

package perun

// raceEnabled tells the longest test to take larger steps.
const raceEnabled = false
