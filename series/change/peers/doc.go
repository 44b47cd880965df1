// Package peers finds change points as other programs do: [EDivisive] as Apache Otava does, and [StepFit] as
// Skia Perf does. They are for programs that compare methods, and for users who want the answers that they
// know. The documentation of package series/change has the scores of all.
package peers

// ratio returns after divided by before, and 1 if they are equal.
func ratio(before, after float64) float64 {
	if before == after {
		return 1
	}
	return after / before
}
