// Package quick makes long tests short under go test -short, for a quick answer. With the flag
// -full beside -short, they are as long as without -short, or as their packages choose for that case.
package quick

import (
	"flag"
	"runtime/debug"
	"testing"
)

var full = flag.Bool("full", false, "with -short: run in full what it shortens, except for what takes minutes")

// Test reports whether tests are to be quick.
func Test() bool { return testing.Short() && !*full }

// Of returns n, or in a quick test the smaller number.
func Of(n, smaller int) int {
	if Test() {
		return smaller
	}
	return n
}

// Main runs the tests of a package that makes much garbage. Collecting it at Go's default rate
// would take a fifth of the CPU time, as what is in use at a time is small. Tests that measure
// the memory in use collect the garbage first.
func Main(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}
