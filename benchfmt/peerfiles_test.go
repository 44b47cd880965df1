package benchfmt

import "testing"

// Every file of the reference's test data, and of this project's, is read as the reference reads
// it.
func TestPeerFiles(t *testing.T) {
	for name, text := range perfFiles(t) {
		t.Run(name, func(t *testing.T) { checkAgainstPerf(t, text) })
	}
	for name, text := range testFiles(t) {
		t.Run(name, func(t *testing.T) { checkAgainstPerf(t, text) })
	}
}
