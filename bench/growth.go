package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	gojson "github.com/goccy/go-json"

	"perfdata/bench/workload"
)

// An axis is something with which time and memory may grow.
type axis struct {
	name, title string
	values      []int
	document    func(value int) *workload.Document
	perRecord   bool // the times are of a record, because all documents have about the same size
}

const growthSize = 30e6 // of documents whose size does not vary

func axes() []axis {
	formed := func(form workload.Form) *workload.Document {
		return workload.NewFormedSkia(workload.Indented, form).WithSize(growthSize)
	}

	return []axis{
		{
			name: "size", title: "size of the document in MB", values: []int{1, 3, 10, 30, 100, 300, 1000},
			document: func(value int) *workload.Document {
				return workload.NewSkia(workload.Indented).WithSize(int64(value) * 1e6)
			},
		},
		{
			name: "params", title: "params of a record", values: []int{10, 20, 50, 100, 200, 500}, perRecord: true,
			document: func(value int) *workload.Document {
				return formed(workload.Form{Params: value, Names: 1e6, NameLength: 40})
			},
		},
		{
			name: "strings", title: "different names in the document",
			values: []int{10, 100, 1000, 10_000, 100_000}, perRecord: true,
			document: func(value int) *workload.Document {
				return formed(workload.Form{Params: 10, Names: value, NameLength: 40})
			},
		},
		{
			name: "length", title: "bytes of a name", values: []int{10, 100, 1000, 10_000, 100_000}, perRecord: true,
			document: func(value int) *workload.Document {
				return formed(workload.Form{Params: 10, Names: 1e6, NameLength: value})
			},
		},
	}
}

// growthReaders are the readers whose time and memory are measured: each reads a file and returns
// the number of records, or 0.
var growthReaders = []struct {
	name string
	most int64 // size of a file, because the reader holds all of it in memory; 0: any
	read func(*os.File) (int, error)
}{
	{"InOrder", 0, readingFile(way{inOrder: true})},
	{"default", 0, readingFile(way{})},
	{"from a pipe", 0, readingFile(way{pipe: true})},
	{"with trace IDs", 0, readingFile(way{ids: true})},
	{goJSON, 310e6, func(file *os.File) (int, error) {
		text, err := io.ReadAll(file)
		if err != nil {
			return 0, err
		}
		v := new(workload.SkiaFile)
		err = gojson.Unmarshal(text, v)
		runtime.KeepAlive(v)
		return 0, err
	}},
}

func readingFile(w way) func(*os.File) (int, error) {
	return func(file *os.File) (int, error) {
		in := io.Reader(file)
		if w.pipe {
			in = struct{ io.Reader }{file}
		}
		r := newSkiaReader(in, w)
		if w.ids {
			return readRecords(r, new(idAppender).append)
		}
		return readRecords(r, nil)
	}
}

// A point is what one reader takes for one document.
type point struct {
	value   int
	records int
	seconds float64
	memory  int64 // peak, less what the process took before
}

// printGrowth measures how time and memory grow along each axis, prints a table for each, in
// Markdown, and writes a plot of each to the folder.
func printGrowth(out io.Writer, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, a := range axes() {
		series, err := a.measure()
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		a.print(out, series)
		if err := a.plot(filepath.Join(dir, "growth-"+a.name+".svg"), series); err != nil {
			return err
		}
	}
	return nil
}

// measure returns the points of each reader. A reader that fails, such as go-json with too large a
// file, has fewer.
func (a *axis) measure() ([][]point, error) {
	series := make([][]point, len(growthReaders))
	for _, value := range a.values {
		file, size, records, err := writeDocument(a.document(value))
		if err != nil {
			return nil, err
		}
		for i, reader := range growthReaders {
			if reader.most > 0 && size > reader.most {
				continue
			}

			cmd, err := child("point", reader.name, file)
			if err != nil {
				return nil, errors.Join(err, os.Remove(file))
			}
			text, err := cmd.Output()
			if err != nil {
				return nil, errors.Join(fmt.Errorf("%s, %d: %w", reader.name, value, err), os.Remove(file))
			}

			p := point{value: value, records: records}
			if _, err := fmt.Sscanf(string(text), pointLine, &p.seconds, &p.memory); err != nil {
				return nil, err
			}
			series[i] = append(series[i], p)
		}
		if err := os.Remove(file); err != nil {
			return nil, err
		}
	}
	return series, nil
}

// writeDocument writes a document to a temporary file.
func writeDocument(d *workload.Document) (name string, size int64, records int, err error) {
	file, err := os.CreateTemp("", "perfdata-bench-*")
	if err != nil {
		return "", 0, 0, err
	}
	size, err = io.Copy(file, d.Reader())
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err == nil {
		records, err = readRecords(newSkiaReader(file, way{inOrder: true}), nil)
	}
	return file.Name(), size, records, errors.Join(err, file.Close())
}

const pointLine = "%g seconds, %d bytes\n"

// printPoint reads the file in this process several times, and prints the shortest time, and the
// memory that the first took.
func printPoint(reader, name string) error {
	for _, r := range growthReaders {
		if r.name != reader {
			continue
		}
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()

		runtime.LockOSThread() // the clock may be that of the thread
		before := status("VmRSS:")
		var memory int64
		var times []time.Duration

		for total := time.Duration(0); len(times) < 3 || total < 300*time.Millisecond && len(times) < 100; {
			if _, err := file.Seek(0, io.SeekStart); err != nil {
				return err
			}

			runtime.GC()
			began := clock.now()
			if _, err := r.read(file); err != nil {
				return err
			}
			elapsed := clock.now() - began
			times = append(times, elapsed)
			total += elapsed
			if memory == 0 {
				memory = max(1, status("VmHWM:")-before)
			}
		}

		_, err = fmt.Printf(pointLine, slices.Min(times).Seconds(), memory)
		return err
	}
	return fmt.Errorf("unknown reader %q", reader)
}

// time returns the time of a point in the unit of the axis.
func (a *axis) time(p point) float64 {
	if a.perRecord {
		return p.seconds / float64(p.records) * float64(time.Second/time.Microsecond)
	}
	return p.seconds
}

func (a *axis) unit() string {
	if a.perRecord {
		return "µs a record"
	}
	return "seconds"
}

func (a *axis) print(out io.Writer, series [][]point) {
	fmt.Fprintf(out, "\n| %s |", a.title)
	for _, r := range growthReaders {
		fmt.Fprintf(out, " %s: %s, MiB |", r.name, a.unit())
	}
	fmt.Fprint(out, "\n| --- |")
	for range growthReaders {
		fmt.Fprint(out, " --- |")
	}
	fmt.Fprintln(out)
	for i, value := range a.values {
		fmt.Fprintf(out, "| %s |", strconv.Itoa(value))
		for _, points := range series {
			if i >= len(points) {
				fmt.Fprint(out, " |")
				continue
			}
			fmt.Fprintf(out, " %.3g, %.1f |", a.time(points[i]), float64(points[i].memory)/(1<<20))
		}
		fmt.Fprintln(out)
	}
}
