// Command bench compares this library with others that read and write the same formats.
//
//	go run . -targets         what the library must reach, and what it reaches now
//	go run .                  all contestants of all contests, on the same bytes
//	go run . -format benchfmt the same for one format
//	go run . -memory 10GiB    the memory of reading documents of that size
//	go run . -growth plots    how time and memory grow, as tables and plots
//	go run . -metamorphic 10000000    read generated documents in ways that must not matter
//	go run . -fuzz .          run all fuzz targets of the library, and keep a corpus
//	go run . -update          all of it, into README.md, RESULTS.md and the plots
//
// The others print Markdown. Ratios of the contestants' times carry over to other machines; the
// times do not. The benchmarks of go test are the same contests on smaller documents.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

func main() {
	documents, memory := size(40e6), size(0)
	var (
		targets = flag.Bool("targets", false, "print what the library must reach, and what it reaches now")
		format  = flag.String("format", "", "only this `format`")
		rounds  = flag.Int("rounds", 5, "runs of each contestant; the median of their ratios is used")
		growth  = flag.String("growth", "", "measure how time and memory grow, and write the plots to this `folder`")
		hostile = flag.Bool("hostile", false, "with -targets, also measure the tool's memory with hostile inputs")
		reads   = flag.Int("metamorphic", 0, "read generated documents in ways that must not matter, this `number` of times")
		seed    = flag.Uint64("seed", 0, "with -metamorphic, the first `seed` of documents")
		fuzz    = flag.String("fuzz", "", "run the fuzz targets of the library whose names match this `pattern`")
		runs    = flag.Int("executions", 2_000_000, "with -fuzz, `executions` of each target")
		wait    = flag.Duration("patience", 15*time.Minute,
			"with -fuzz, stop a target that finds no new input in this `time`")
		all  = flag.Bool("update", false, "measure everything, and write the tables to README.md and RESULTS.md")
		part = flag.String("child", "", "for this program's own use: what to do in a process of its own")
	)

	flag.BoolVar(&clock.cpu, "cpu", false, "measure the CPU time of the thread, for a busy machine (only on Linux)")
	flag.Var(&documents, "size", "`size` of a document, such as 40MB")
	flag.Var(&memory, "memory", "measure memory instead of time, reading documents of this `size`, such as 10GiB")
	flag.StringVar(&corpusDir, "corpus", corpusDir, "`folder` of the files of other projects")
	flag.StringVar(&simdjsonProgram, "simdjson", os.Getenv("SIMDJSON"), "the `program` that simdjson/build makes")
	flag.Parse()
	if *part == "" && flag.NArg() > 0 || *rounds < 1 {
		flag.Usage()
		os.Exit(2)
	}

	var err error
	switch {
	case *part != "":
		err = runChild(*part, flag.Args())
	case *all:
		err = update(int64(documents), int64(memory), *rounds, *hostile)
	case *reads > 0:
		err = printMetamorphic(os.Stdout, *format, *reads, *seed)
	case *fuzz != "":
		err = printFuzz(os.Stdout, *fuzz, fuzzing{*runs, *wait})
	case *growth != "":
		err = printGrowth(os.Stdout, *growth)
	case *targets:
		err = printTargets(os.Stdout, *format, int64(documents), int64(memory), *rounds, *hostile)
	case memory > 0:
		err = printMemory(os.Stdout, *format, int64(memory))
	default:
		err = printTimes(os.Stdout, *format, int64(documents), *rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// child returns a command that runs this program with a part of the work: see runChild. Its
// standard error is that of this process.
func child(kind string, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, append([]string{fmt.Sprintf("-cpu=%t", clock.cpu), "-child", kind}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd, nil
}

// runChild does a part of the work in a process of its own, which the program starts.
func runChild(kind string, args []string) error {
	switch {
	case kind == "footprint" && len(args) == 2:
		return printFootprint(args[0], args[1])
	case kind == "hostile" && len(args) == 0:
		return measureHostile(os.Stdout)
	case kind == "hostile input" && len(args) == 2:
		return writeHostile(args[0], args[1])
	case kind == "point" && len(args) == 2:
		return printPoint(args[0], args[1])
	}
	return fmt.Errorf("unknown child %s %q", kind, args)
}

// A size is a number of bytes as a flag, such as 40MB, 512MiB or 2GiB.
type size int64

func (s *size) String() string { return fmt.Sprintf("%gMB", float64(*s)/1e6) }

func (s *size) Set(text string) error {
	units := []struct {
		suffix string
		bytes  float64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}}
	for _, unit := range units {
		number, ok := strings.CutSuffix(text, unit.suffix)
		if !ok {
			continue
		}
		f, err := strconv.ParseFloat(number, 64)
		if err != nil || !(f > 0 && f*unit.bytes < 1<<50) {
			break
		}
		*s = size(f * unit.bytes)
		return nil
	}
	return fmt.Errorf("not a size such as 40MB, 512MiB or 2GiB")
}
