package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"text/tabwriter"
	"time"

	"perfdata/bench/workload"
)

// printMemory reads a document of at least the given size in every mode and prints what that takes. Each mode has a
// process of its own: a process's peak never falls.
func printMemory(size int64) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer w.Flush()
	fmt.Fprintln(w, "GiB\trecords\tseconds\tpeak MiB\tat start MiB\t  mode")
	for _, m := range modes {
		cmd := exec.Command(self, "-memory", fmt.Sprintf("%gGiB", float64(size)/(1<<30)), "-mode", m.name)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("mode %s: %w", m.name, err)
		}
		var f footprint
		if err := f.parse(out); err != nil {
			return err
		}
		if f.peak == 0 {
			f.peak = maxResident(cmd.ProcessState)
		}
		fmt.Fprintf(w, "%.2f\t%d\t%.1f\t%.1f\t%.1f\t  %s\n", float64(f.size)/(1<<30), f.records, f.seconds,
			float64(f.peak)/(1<<20), float64(f.start)/(1<<20), m.name)
	}
	return nil
}

// A footprint is what reading a document took.
type footprint struct {
	size    int64 // of the document
	records int
	seconds float64
	start   int64 // resident bytes before reading, which are mostly the other contestants' code; 0: unknown
	peak    int64 // most resident bytes; 0: unknown
}

const footprintLine = "%d bytes, %d records, %g seconds, %d bytes resident at the start, %d at the peak\n"

func (f *footprint) parse(line []byte) error {
	_, err := fmt.Sscanf(string(line), footprintLine, &f.size, &f.records, &f.seconds, &f.start, &f.peak)
	return err
}

// printFootprint reads a document of at least the given size in the mode that has the name, and prints its footprint.
func printFootprint(name string, size int64) error {
	d := workload.NewSkia(1, workload.Indent)
	d = d.WithResults(d.ResultsForSize(size))
	for _, m := range modes {
		if m.name != name {
			continue
		}
		var in io.Reader = d.ReadSeeker()
		if !m.seeks {
			in = d.Reader()
		}
		f := footprint{size: d.Size(), records: d.Records(), start: status("VmRSS:")}
		begin := time.Now()
		if err := readSkia(in, m, d.Records(), nil); err != nil {
			return err
		}
		f.seconds = time.Since(begin).Seconds()
		f.peak = status("VmHWM:")
		_, err := fmt.Printf(footprintLine, f.size, f.records, f.seconds, f.start, f.peak)
		return err
	}
	return fmt.Errorf("no mode %q", name)
}

// status returns a number of bytes that Linux knows of this process, and 0 elsewhere. It is better than what
// getrusage says, which begins with the parent's peak.
func status(field string) int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(text) {
		if words := bytes.Fields(line); len(words) == 3 && string(words[0]) == field {
			n, _ := strconv.ParseInt(string(words[1]), 10, 64)
			return n << 10
		}
	}
	return 0
}
