//go:build !race

package benchfmt

// raceEnabled tells the longest test to take larger steps.
const raceEnabled = false
