//go:build race

package skiav1

const raceEnabled = true
