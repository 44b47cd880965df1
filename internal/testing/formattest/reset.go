package formattest

import (
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfdata/format"
	"perfdata/internal/testing/quick"
)

// A Resetter is a Reader that can read one input after the other.
type Resetter interface {
	format.Reader
	Reset(in io.Reader)
}

// CheckReset reads the files, whole and in part, in many orders with one Reader, which must yield
// what a new one does. The Readers are made by newReader.
func CheckReset[R Resetter](t *testing.T, files map[string]string, newReader func(io.Reader) R) {
	t.Helper()
	names := slices.Sorted(maps.Keys(files))
	rng := rand.New(rand.NewPCG(1, 2))
	r := newReader(strings.NewReader(""))

	for range quick.Of(20, 5) * len(names) {
		name := names[rng.IntN(len(names))]
		in := files[name]
		if rng.IntN(4) == 0 {
			in = in[:rng.IntN(len(in)+1)]
		}
		open := Stream
		if rng.IntN(2) == 0 {
			open = func(s string) io.Reader { return strings.NewReader(s) }
		}

		steps := math.MaxInt
		if rng.IntN(3) == 0 {
			steps = rng.IntN(4)
		}
		headerFirst := rng.IntN(2) == 0

		r.Reset(open(in))
		got, want := readSome(r, headerFirst, steps), readSome(newReader(open(in)), headerFirst, steps)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s, %d bytes, %d steps, header first: %v (-new Reader +Reset):\n%s", name, len(in), steps,
				headerFirst, diff)
		}
	}
}

// readSome returns the text of the header, if it is to be read first, of the first steps of the
// iteration, and of the header after that.
func readSome(r format.Reader, headerFirst bool, steps int) []string {
	var got []string
	header := func() {
		h, err := r.FileHeader()
		got = append(got, fmt.Sprintf("%+v, %v", h, err))
	}
	if headerFirst {
		header()
	}
	if steps > 0 {
		for rec, err := range r.Records() {
			got = append(got, ShowStep(rec, err))
			if steps--; steps == 0 {
				break
			}
		}
	}
	header()
	r.Close()
	return got
}
