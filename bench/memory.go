package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"perfdata/bench/workload"
	"perfdata/perun"
	"perfdata/skiav1"
)

// A stream is a way to read a document that is not in memory: it is generated while it is read.
type stream struct {
	name, format string
	document     *workload.Document
	way          way
	most         int // results of the document; 0: any number
	newReader    func(io.Reader, way) resetter
}

// streams returns all streams of the format, or of all formats if it is empty.
func streams(format string) []stream {
	skia := workload.NewSkia(workload.Indented)
	legacy := workload.NewNanolegacy(workload.Indented, false)
	unlimited := func(in io.Reader, w way) resetter {
		r := skiav1.NewReader(in)
		r.InOrder = w.inOrder
		r.Limits.MaxSpoolBytes = math.MaxInt64
		return r
	}
	profile := func(in io.Reader, _ way) resetter {
		r := perun.NewReader(in)
		r.Limits.MaxSpoolBytes = math.MaxInt64
		return r
	}

	all := []stream{
		{"skiav1 InOrder", "skiav1", skia, way{inOrder: true}, 0, unlimited},
		{"skiav1 default", "skiav1", skia, way{}, 0, unlimited},
		{"skiav1 from a pipe", "skiav1", skia, way{pipe: true}, 0, unlimited},
		{"nanolegacy InOrder", "nanolegacy", legacy, way{inOrder: true}, workload.MaxTests, newNanolegacyReader},
		{"benchfmt", "benchfmt", workload.NewGoBench(1), way{pipe: true}, 0, newGoBenchReader},
		{"keyval", "keyval", workload.NewKeyval(), way{pipe: true}, 0, newKeyvalReader},
		{"perun, today's layout", "perun", workload.NewPerunTypes(workload.Python), way{}, workload.MaxPerunTypes, profile},
		{"perun, snapshots", "perun", workload.NewPerunSnapshots(workload.Python), way{}, 0, profile},
	}
	return slices.DeleteFunc(all, func(s stream) bool { return format != "" && format != s.format })
}

// peaks returns the footprint of each stream of the format with a document of about the given
// size. Each stream is read in a process of its own, because a process's peak never falls.
func peaks(format string, size int64) (map[string]footprint, error) {
	all := map[string]footprint{}
	for _, s := range streams(format) {
		f, err := footprintOf(s.name, size)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		all[s.name] = f
	}
	return all, nil
}

// footprintOf runs this program to read a stream.
func footprintOf(name string, size int64) (f footprint, err error) {
	cmd, err := child("footprint", name, strconv.FormatInt(size, 10))
	if err != nil {
		return f, err
	}
	out, err := cmd.Output()
	if err != nil {
		return f, err
	}
	if err := f.parse(out); err != nil {
		return f, err
	}
	if f.peak == 0 {
		f.peak = maxResident(cmd.ProcessState)
	}
	return f, nil
}

// printMemory prints the memory of reading documents of about the given size with all streams of
// the format, in Markdown.
func printMemory(out io.Writer, format string, size int64) error {
	all, err := peaks(format, size)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "| stream | GiB | records | peak MiB | MiB before reading |\n| --- | --- | --- | --- | --- |")
	for _, s := range streams(format) {
		f := all[s.name]
		fmt.Fprintf(out, "| %s | %.2f | %d | %.1f | %.1f |\n",
			s.name, float64(f.size)/(1<<30), f.records, float64(f.peak)/(1<<20), float64(f.start)/(1<<20))
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

// printFootprint reads the named stream with about the given size, and prints the footprint.
func printFootprint(name, sizeText string) error {
	size, err := strconv.ParseInt(sizeText, 10, 64)
	if err != nil {
		return err
	}
	for _, s := range streams("") {
		if s.name != name {
			continue
		}

		d := s.document.WithSize(size)
		if s.most > 0 && d.Results() > s.most {
			d = d.WithResults(s.most)
		}
		in := &counter{in: d.Reader()}
		var source io.Reader = in
		if !s.way.pipe && !s.way.inOrder {
			source = d.ReadSeeker()
		}

		f := footprint{size: size, start: status("VmRSS:")}
		begin := time.Now()
		records, err := readRecords(s.newReader(source, s.way), nil)
		if err != nil {
			return err
		}
		f.records, f.seconds, f.peak = records, time.Since(begin).Seconds(), status("VmHWM:")

		if seeker, ok := source.(io.Seeker); ok {
			f.size, err = seeker.Seek(0, io.SeekEnd)
		} else {
			f.size = in.n
		}
		if err != nil {
			return err
		}
		_, err = fmt.Printf(footprintLine, f.size, f.records, f.seconds, f.start, f.peak)
		return err
	}
	return fmt.Errorf("unknown stream %q", name)
}

// A counter counts the bytes that are read.
type counter struct {
	in io.Reader
	n  int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	return n, err
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
