//go:build race

package benchfmt

const raceEnabled = true
