package main

import (
	"bytes"
	"io"

	perf "golang.org/x/perf/benchfmt"

	"perfdata/benchfmt"
)

// xperfReader is the contestant with which readers of Go benchmark data are compared. It keeps
// names whole.
const xperfReader = "x.perf Reader"

// goBenchReaders returns the readers of Go benchmark data.
func goBenchReaders() []contestant {
	all := readers(newGoBenchReader, []way{{}, {ids: true}, {reset: true}})
	return append(all,
		contestant{name: "perfdata Results", run: func(file []byte) (int, error) {
			n := 0
			for res, err := range benchfmt.NewReader(bytes.NewReader(file)).Results() {
				if err != nil {
					return n, err
				}
				n += len(res.Values)
			}
			return n, nil
		}},

		contestant{name: xperfReader, run: func(file []byte) (int, error) {
			n := 0
			r := perf.NewReader(bytes.NewReader(file), "")
			for r.Scan() {
				// Other lines, such as unit lines, are not results.
				if res, ok := r.Result().(*perf.Result); ok {
					n += len(res.Values)
				}
			}
			return n, r.Err()
		}},
		contestant{name: "bufio.Scanner", run: scanLines})
}

func newGoBenchReader(in io.Reader, _ way) resetter { return benchfmt.NewReader(in) }
