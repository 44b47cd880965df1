// Package peers finds change points as other programs do: [EDivisive] as Apache Otava does, and [StepFit] as
// Skia Perf does. They are for programs that compare methods, and for users who want the answers that they
// know. The documentation of package series/change has the scores of all.
package peers

import "perfdata/series/change"

// newStep returns a step whose place is certain. Its Ratio is 1 if both levels are equal.
func newStep(at int, before, after float64) change.Point {
	p := change.Point{Index: at, Lo: at, Hi: at, Before: before, After: after, Ratio: 1}
	if before != after {
		p.Ratio = after / before
	}
	return p
}
