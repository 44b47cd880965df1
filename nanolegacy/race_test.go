//go:build race

package nanolegacy

const raceEnabled = true
