package perfdata

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/hostile"
	"perfdata/nanolegacy"
	"perfdata/perun"
	"perfdata/skiav1"
)

// hostileFile names, for the process that reads it, the input. Its base name is the name of its format.
const hostileFile = "PERFDATA_HOSTILE_FILE"

var allWays = flag.Bool("all-ways", false, "read hostile inputs also in ways that do less than validating them")

// Whatever the input, reading it and validating it takes less memory than promised: all of a
// process of its own that does nothing else.
func TestMemory(t *testing.T) {
	if file := os.Getenv(hostileFile); file != "" {
		for _, way := range waysToRead(filepath.Base(file)) {
			readHostile(t, file, way)
		}
		return
	}
	if _, err := peakMemory(); err != nil {
		t.Skip(err)
	}
	switch {
	case formattest.Race:
		t.Skip("the race detector takes memory of its own")
	case testing.Short():
		t.Skip("it reads a gigabyte")
	}
	for _, g := range hostile.Generators(Formats()) {
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), g.Format)
			size, most := g.ForReading()
			if err := os.WriteFile(file, g.Generate(size), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestMemory$", fmt.Sprintf("-all-ways=%t", *allWays))
			cmd.Env = append(os.Environ(), hostileFile+"="+file)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			reports := 0
			for line := range strings.Lines(string(out)) {
				report, ok := strings.CutPrefix(line, "peak: ")
				if !ok {
					continue
				}
				reports++
				t.Log(strings.TrimSpace(report))
				if peak, _ := strconv.Atoi(strings.Fields(report)[0]); peak > most {
					t.Errorf("%swant %d MB at most", report, most)
				}
			}
			if want := len(waysToRead(g.Format)); reports != want {
				t.Errorf("%d reports, want %d:\n%s", reports, want, out)
			}
		})
	}
}

// waysToRead returns the ways to read an input of the format. Validation reads all records, from a pipe, and keeps
// more for a second pass than reading a file does.
func waysToRead(name string) []string {
	var ways []string
	switch name {
	case "skiav1":
		ways = []string{"records", "in order"}
	case "nanolegacy", "perun":
		ways = []string{"records", "in order", "native"}
	}
	if *allWays {
		ways = append(ways, "records from a pipe")
	}
	return append(ways, "validate")
}

// readHostile reads the file, and reports how much memory this process took at most.
func readHostile(t *testing.T, file, way string) {
	// Ignore the memory of earlier readings.
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Fatalf("forgetting the peak: %v", err)
	}
	start := time.Now()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, ok := FormatNamed(filepath.Base(file))
	if !ok {
		t.Fatalf("unknown format of %s", file)
	}
	var in io.Reader = f
	if way != "records" && way != "native" {
		in = bufio.NewReader(f) // it does not seek
	}
	records, faults := 0, 0
	var last error
	count := func(err error) {
		if err == nil {
			records++
		} else {
			faults++
			last = err
		}
	}
	switch r := info.Open(nil, in, format.Options{}); way {
	case "validate":
		for e := range info.Validate(in, format.Options{}) {
			count(e)
		}
	case "native":
		switch r := r.(type) {
		case *nanolegacy.Reader:
			countAll(r.Samples(), count)
		case *perun.Reader:
			countAll(r.Resources(), count)
			countAll(r.Models(), count)
			r.Close()
		}
	default:
		inOrder := way == "in order"
		switch r := r.(type) {
		case *skiav1.Reader:
			r.InOrder = inOrder
		case *nanolegacy.Reader:
			r.InOrder = inOrder
		case *perun.Reader:
			r.InOrder = inOrder
		}
		countAll(r.Records(), count)
	}
	peak, err := peakMemory()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("peak: %3d MB %5.1f s %-20s %8d read, %6d faults, the last: %.200v\n", peak,
		time.Since(start).Seconds(), way, records, faults, last)
}

func countAll[T any](seq iter.Seq2[T, error], count func(error)) {
	for _, err := range seq {
		count(err)
	}
}

// peakMemory returns the most memory that this process was resident in so far, in MB.
func peakMemory() (int, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, fmt.Errorf("the system does not tell how much memory a process takes: %w", err)
	}
	_, rest, ok := bytes.Cut(status, []byte("VmHWM:"))
	if fields := bytes.Fields(rest); ok && len(fields) > 1 {
		kb, err := strconv.Atoi(string(fields[0]))
		return kb >> 10, err
	}
	return 0, fmt.Errorf("no VmHWM in /proc/self/status")
}
