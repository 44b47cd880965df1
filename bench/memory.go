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

// A stream is a way to read a document that is not in memory. It is generated on the fly or, if
// the reader seeks often, which would be slow, in a temporary file.
type stream struct {
	name     string
	document func(size int64) *workload.Document
	mode     mode
	file     bool
	read     func(in io.Reader, m mode, records int) error
}

// streams returns all streams of the format, or of all formats if it is empty.
func streams(format string) []stream {
	var all []stream
	if format == "" || format == "skiav1" {
		for _, m := range modes {
			all = append(all, stream{
				"skiav1 " + m.name,
				func(size int64) *workload.Document {
					d := workload.NewSkia(1, workload.Indent)
					return d.WithResults(d.ResultsForSize(size))
				},
				m, false, func(in io.Reader, m mode, records int) error { return readSkia(in, m, records, nil) },
			})
		}
	}

	if format == "" || format == "perun" {
		read := func(in io.Reader, _ mode, records int) error { return readPerun(in, records) }
		all = append(all,
			stream{"perun, today's layout", func(size int64) *workload.Document {
				n := workload.NewPerunTypes(1, "").ResultsForSize(size) // at most the largest number of types
				return workload.NewPerunTypes(min(n, workload.MaxPerunTypes), "")
			}, defaultMode, true, read},
			stream{"perun, snapshots", func(size int64) *workload.Document {
				d := workload.NewPerunSnapshots(1, "")
				return d.WithResults(d.ResultsForSize(size))
			}, defaultMode, false, read})
	}
	return all
}

// printMemory reads documents of at least the given size with all streams of the format, and
// prints the memory used. Each stream is read in a process of its own, because a process's peak
// never falls.
func printMemory(format string, size int64) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}

	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer w.Flush()
	fmt.Fprintln(w, "GiB\trecords\tseconds\tpeak MiB\tat start MiB\t  stream")
	for _, m := range streams(format) {
		cmd := exec.Command(self, "-memory", fmt.Sprintf("%gGiB", float64(size)/(1<<30)), "-stream", m.name)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
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

// A footprint is the resources used for reading a document.
type footprint struct {
	size    int64 // of the document
	records int
	seconds float64
	start   int64 // resident bytes before reading, usually the other contestants' code; 0: unknown
	peak    int64 // peak of resident bytes; 0: unknown
}

const footprintLine = "%d bytes, %d records, %g seconds, %d bytes resident at the start, %d at the peak\n"

func (f *footprint) parse(line []byte) error {
	_, err := fmt.Sscanf(string(line), footprintLine, &f.size, &f.records, &f.seconds, &f.start, &f.peak)
	return err
}

// printFootprint reads the named stream with at least the given size, and prints the footprint.
func printFootprint(name string, size int64) error {
	for _, m := range streams("") {
		if m.name != name {
			continue
		}

		d := m.document(size)
		var in io.Reader = d.ReadSeeker()
		switch {
		case m.file:
			file, err := os.CreateTemp("", "perfdata-bench-*")
			if err != nil {
				return err
			}
			defer os.Remove(file.Name())
			defer file.Close()
			if _, err := io.Copy(file, d.Reader()); err != nil {
				return err
			}
			if _, err := file.Seek(0, io.SeekStart); err != nil {
				return err
			}
			in = file
		case !m.mode.seeks:
			in = d.Reader()
		}

		f := footprint{size: d.Size(), records: d.Records(), start: status("VmRSS:")}
		begin := time.Now()
		if err := m.read(in, m.mode, d.Records()); err != nil {
			return err
		}

		f.seconds = time.Since(begin).Seconds()
		f.peak = status("VmHWM:")
		_, err := fmt.Printf(footprintLine, f.size, f.records, f.seconds, f.start, f.peak)
		return err
	}
	return fmt.Errorf("unknown stream %q", name)
}

// status returns a number of bytes from this process's status file on Linux, and 0 elsewhere. The
// peak of getrusage is less useful: it begins with the parent's peak.
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
