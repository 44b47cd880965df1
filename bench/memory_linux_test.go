package bench

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"syscall"
	"testing"
	"time"

	"perfdata"
	"perfdata/bench/workload"
	"perfdata/format"
	"perfdata/internal/testing/hostile"
	"perfdata/perun"
	"perfdata/skiav1"
)

var (
	streamed = flag.Float64("memory", 16e6, "`bytes` of the documents that TestMemory reads, such as 10e9")
	exhaust  = flag.Bool("hostile", false, "run TestHostile")
)

// A stream is a way to read a document that is not in memory: it is generated while it is read, or
// in a temporary file if its Reader seeks.
type stream struct {
	name      string
	document  *workload.Document
	most      int // results of the document; 0: any number
	seeks     bool
	newReader func(io.Reader) resetter
}

func streams() []stream {
	skia := workload.NewSkia(workload.Indented)
	legacy := workload.NewNanolegacy(workload.Indented, false)
	unlimited := func(inOrder bool) func(io.Reader) resetter {
		return func(in io.Reader) resetter {
			r := skiav1.NewReader(in)
			r.InOrder, r.Limits.MaxSpoolBytes = inOrder, math.MaxInt64
			return r
		}
	}
	profile := func(in io.Reader) resetter {
		r := perun.NewReader(in)
		r.Limits.MaxSpoolBytes = math.MaxInt64
		return r
	}
	plain := func(name string) func(io.Reader) resetter {
		return func(in io.Reader) resetter { return newReader(name, in, way{inOrder: true}) }
	}

	return []stream{
		{"skiav1 InOrder", skia, 0, false, unlimited(true)},
		{"skiav1 default", skia, 0, true, unlimited(false)},
		{"skiav1 from a pipe", skia, 0, false, unlimited(false)},
		{"nanolegacy InOrder", legacy, workload.MaxTests, false, plain("nanolegacy")},
		{"benchfmt", workload.NewGoBench(1), 0, false, plain("benchfmt")},
		{"keyval", workload.NewKeyval(), 0, false, plain("keyval")},
		{"perun, today's layout", workload.NewPerunTypes(workload.Python), workload.MaxPerunTypes, true, profile},
		{"perun, snapshots", workload.NewPerunSnapshots(workload.Python), 0, true, profile},
	}
}

// The memory of reading does not depend on the size of the document. A process that has no other
// libraries takes 16 MiB before.
func TestMemory(t *testing.T) {
	const most = 48 << 20
	for _, s := range streams() {
		t.Run(s.name, func(t *testing.T) {
			d := s.document.WithSize(int64(*streamed))
			if s.most > 0 && d.Results() > s.most {
				d = d.WithResults(s.most)
			}
			source := d.Reader()
			if s.seeks {
				source = writeFile(t, d)
			}
			in := s.newReader(source)
			start := forgetPeak(t)
			records, err := readRecords(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			peak := status(t, "VmHWM:")
			t.Logf("%d records, peak %.1f MiB, %.1f MiB before reading", records, mib(peak), mib(start))
			if peak-start > most {
				t.Errorf("reading takes %.1f MiB, want %.1f at most", mib(peak-start), mib(most))
			}
		})
	}
}

// writeFile returns a temporary file with a document, at its beginning.
func writeFile(tb testing.TB, d *workload.Document) *os.File {
	file, err := os.Create(filepath.Join(tb.TempDir(), "document"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { file.Close() })
	if _, err = io.Copy(file, d.Reader()); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return file
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// forgetPeak sets the peak of this process's memory to its present size, and returns it.
func forgetPeak(tb testing.TB) int64 {
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		tb.Skip("the system does not tell how much memory a process takes: ", err)
	}
	return status(tb, "VmRSS:")
}

// status returns a number of bytes from this process's status file.
func status(tb testing.TB, field string) int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		tb.Fatal(err)
	}
	_, rest, _ := bytes.Cut(text, []byte(field))
	n, err := strconv.ParseInt(string(bytes.Fields(rest)[0]), 10, 64)
	if err != nil {
		tb.Fatal(err)
	}
	return n << 10
}

// BenchmarkGrowth reads documents in which one property varies: time grows in proportion to it, and
// memory not at all. The size varies from a fortieth to 25 times the size of other documents.
func BenchmarkGrowth(b *testing.B) {
	formed := func(params, names, length int) *workload.Document {
		form := workload.Form{Params: params, Names: names, NameLength: length}
		return workload.NewFormedSkia(workload.Indented, form).WithSize(int64(*size))
	}
	for _, axis := range []struct {
		name     string
		values   []int
		document func(value int) *workload.Document
	}{
		{"fortieths", []int{1, 3, 10, 30, 100, 300, 1000}, func(n int) *workload.Document {
			return workload.NewSkia(workload.Indented).WithSize(int64(float64(n) * *size / 40))
		}},
		{"params", []int{10, 20, 50, 100, 200, 500}, func(n int) *workload.Document { return formed(n, 1e6, 40) }},
		{"names", []int{10, 100, 1000, 10_000, 100_000}, func(n int) *workload.Document { return formed(10, n, 40) }},
		{"length", []int{10, 100, 1000, 10_000, 100_000}, func(n int) *workload.Document { return formed(10, 1e6, n) }},
	} {
		for _, n := range axis.values {
			for _, w := range []way{{inOrder: true}, {}, {pipe: true}, {ids: true}} {
				b.Run(fmt.Sprintf("%s=%d/by=%s", axis.name, n, w.name()), func(b *testing.B) {
					measureGrowth(b, axis.document(n), w)
				})
			}
		}
	}
}

func measureGrowth(b *testing.B, d *workload.Document, w way) {
	file := writeFile(b, d)
	info, err := file.Stat()
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())

	var appendIDs func(*format.Record)
	if w.ids {
		appendIDs = new(idAppender).append
	}
	records, before := 0, forgetPeak(b)
	for b.Loop() {
		in := io.Reader(file)
		if w.pipe {
			in = struct{ io.Reader }{file}
		}
		_, err := file.Seek(0, io.SeekStart)
		if err == nil {
			records, err = readRecords(newReader("skiav1", in, w), appendIDs)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*records), "ns/record")
	b.ReportMetric(mib(status(b, "VmHWM:")-before), "peak-MiB")
}

// With -hostile, no use of the tool takes more memory than promised, whichever input tries to
// exhaust it. Each is stopped after 30 seconds.
func TestHostile(t *testing.T) {
	const most = 256e6
	if !*exhaust {
		t.Skip("no -hostile")
	}
	dir := t.TempDir()
	tool, file := filepath.Join(dir, "perfdata"), filepath.Join(dir, "input")
	buildTool(t, tool)
	for _, g := range hostile.Generators(perfdata.Formats()) {
		t.Run(g.Name, func(t *testing.T) {
			if err := os.WriteFile(file, g.Generate(g.Size), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{
				{"records"},
				{"validate"},
				{"convert", "--to", "skiav1", "--commit", "fe4a402"},
				{"convert", "--to", "keyval"}, // it holds all records
				{"convert", "--to", "perun"},
			} {
				debug.FreeOSMemory() // a process's peak begins with the peak of the process that starts it
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				cmd := exec.CommandContext(ctx, tool, append(args, "--from", g.Format, file)...)
				err := cmd.Run()
				late := ctx.Err() != nil
				cancel()
				// Most inputs are invalid: that is a status.
				if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
					t.Fatal(err)
				}
				peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10 // of Linux
				t.Logf("%v: %d MB, stopped: %v", args, peak/1e6, late)
				if peak > most {
					t.Errorf("%v: %d MB, want %g MB at most", args, peak/1e6, most/1e6)
				}
			}
		})
	}
}
