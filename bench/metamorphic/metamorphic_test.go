package metamorphic

import (
	"flag"
	"testing"

	"perfdata/internal/testing/formattest"
	"perfdata/perfdatatest"
)

var documents = flag.Uint64("documents", 1000, "how many documents of each format to read")

// However a document arrives, and however it is spelled, its records and errors are the same.
func TestMetamorphic(t *testing.T) {
	for _, name := range perfdatatest.Formats() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := *documents
			if formattest.Race || testing.Short() {
				n /= 10
			}
			tester := NewTester()
			failed := 0
			for seed := range n {
				if err := tester.Check(Generate(name, seed)); err != nil {
					t.Error(err)
					if failed++; failed == 5 {
						break
					}
				}
			}
			t.Logf("%d reads", tester.Reads())
		})
	}
}
