package nanolegacy

import (
	"strings"

	"perfdata/unit"
)

// A units remembers the units of sub-results. Most files have a few.
type units map[string]string

// The bounds of the memory of units.
const (
	maxUnits   = 1000
	maxUnitLen = 64
)

// of returns the unit of a sub-result, or "".
func (u *units) of(subResult string) string {
	if strings.HasSuffix(subResult, milliseconds) {
		return milliseconds[1:]
	}
	known, ok := (*u)[subResult]
	if ok || len(subResult) > maxUnitLen {
		return known
	}
	if *u == nil || len(*u) >= maxUnits {
		*u = make(units)
	}
	if _, ok := unit.Parse(subResult); ok && subResult != minimum {
		known = subResult
	}
	(*u)[subResult] = known
	return known
}

const (
	// milliseconds ends nanobench's sub-results, such as min_ms, and sub-results of the
	// specification, such as wall_time_ms.
	milliseconds = "_ms"
	// minimum is not the unit min here: a statistic is more likely than minutes.
	minimum = "min"
)
