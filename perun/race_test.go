//go:build race

package perun

const raceEnabled = true
