package metamorphic

import (
	"flag"
	"testing"

	"perfdata/internal/testing/formattest"
	"perfdata/perfdatatest"
)

var (
	count = flag.Uint64("documents", 500, "how many documents of each format to read")
	first = flag.Uint64("seed", 0, "the seed of the first one")
)

// blockSize is the number of documents that a Tester reads one after the other. A failure depends on
// the earlier documents of its block only.
const blockSize = 500

// However a document arrives, and however it is spelled, its records and errors are the same.
func TestMetamorphic(t *testing.T) {
	for _, name := range perfdatatest.Formats() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := *count
			if formattest.Race || testing.Short() {
				n /= 10
			}
			var tester *Tester
			failed := 0
			for i := range n {
				if i%blockSize == 0 {
					tester = NewTester()
				}
				if err := tester.Check(name, *first+i); err != nil {
					t.Error(err)
					if failed++; failed == 5 {
						break
					}
				}
			}
		})
	}
}
