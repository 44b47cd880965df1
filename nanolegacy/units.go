package nanolegacy

import (
	"strings"

	"perfdata/unit"
)

const (
	// milliseconds ends nanobench's sub-results, such as min_ms, and sub-results of the
	// specification, such as wall_time_ms.
	milliseconds = "_ms"
	// minimum is not the unit min here: a statistic is more likely than minutes.
	minimum = "min"

	maxUnitLen = 64
)

// unitOf returns the unit of a sub-result, or "".
func unitOf(subResult string) string {
	switch {
	case strings.HasSuffix(subResult, milliseconds):
		return milliseconds[1:]
	case subResult == minimum, len(subResult) > maxUnitLen:
		return ""
	}
	if _, ok := unit.Parse(subResult); ok {
		return subResult
	}
	return ""
}
