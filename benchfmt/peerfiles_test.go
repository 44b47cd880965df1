package benchfmt

import (
	"testing"

	"perfdata/internal/testing/formattest"
)

// Every file of the reference's test data, of this project's, and of the conformance corpus is read
// as the reference reads it.
func TestPeerFiles(t *testing.T) {
	for name, text := range perfFiles(t) {
		t.Run(name, func(t *testing.T) { checkAgainstPerf(t, text) })
	}
	for name, text := range testFiles(t) {
		t.Run(name, func(t *testing.T) { checkAgainstPerf(t, text) })
	}
	for name, text := range formattest.Files(t, "../testdata/conformance/benchfmt/*.txt", 20) {
		t.Run(name, func(t *testing.T) { checkAgainstPerf(t, text) })
	}
}
