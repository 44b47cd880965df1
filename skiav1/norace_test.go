//go:build !race

package skiav1

// raceEnabled tells the longest test to take larger steps.
const raceEnabled = false
