// Command bench compares this library with others that read the same formats.
//
//	go run .                  times all contestants on the same bytes
//	go run . -format benchfmt the same for one format
//	go run . -memory 10GiB    measures the memory of reading a document of that size
//
// Ratios of the contestants' times carry over to other machines; the times do not. The benchmarks
// of go test are the same contests on smaller documents.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	var (
		results = flag.Int("results", 100_000, "number of results in a document; documents with small results have a multiple of it")
		format  = flag.String("format", "", "compare readers of this `format` only")
		rounds  = flag.Int("rounds", 5, "runs of each contestant; the median time is used")
		memory  size
		only    = flag.String("stream", "", "with -memory, read only this stream, in this process")
	)
	flag.Var(&memory, "memory", "measure memory instead of time, reading documents of this `size`, such as 10GiB")
	flag.Parse()
	if flag.NArg() > 0 || *results < 1 || *rounds < 1 || *only != "" && memory == 0 {
		flag.Usage()
		os.Exit(2)
	}

	var err error
	switch {
	case *only != "":
		err = printFootprint(*only, int64(memory))
	case memory > 0:
		err = printMemory(*format, int64(memory))
	default:
		err = printTimes(*format, *results, *rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A size is a number of bytes as a flag: 512MiB, or 2GiB, or 2 for the same.
type size int64

func (s *size) String() string { return fmt.Sprintf("%gGiB", float64(*s)/(1<<30)) }

func (s *size) Set(text string) error {
	unit := float64(1 << 30)
	if number, ok := strings.CutSuffix(text, "MiB"); ok {
		text, unit = number, 1<<20
	} else {
		text = strings.TrimSuffix(text, "GiB")
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f > 0 && f < 1<<20) {
		return fmt.Errorf("not a size such as 512MiB or 2GiB")
	}
	*s = size(f * unit)
	return nil
}
