package perfdata_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"perfdata"
	"perfdata/format"
	"perfdata/internal/testing/formattest"
	"perfdata/internal/testing/quick"
	"perfdata/perun"
)

// breakTemp makes the open files in a folder fail: writing says that the disk is full, and
// reading fails. It reports whether there is one.
func breakTemp(t *testing.T, temp string) bool {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	descriptors, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}

	found := false
	for _, d := range descriptors {
		var fd int
		name, err := os.Readlink("/proc/self/fd/" + d.Name())
		if err != nil || !strings.HasPrefix(name, temp+"/") {
			continue
		}
		if _, err := fmt.Sscan(d.Name(), &fd); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Dup3(int(full.Fd()), fd, syscall.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		found = true
	}
	return found
}

// An eventReader calls event before each Read.
type eventReader struct {
	io.Reader
	event func()
}

func (r eventReader) Read(p []byte) (int, error) {
	r.event()
	return r.Reader.Read(p[:min(len(p), 16<<10)])
}

// readWithEvents reads a pipe that does not fit in memory. It calls event before each Read of the
// pipe, and before some of the records.
func readWithEvents(file string, event func()) (string, error) {
	o := perfdata.Opener{Options: format.Options{Limits: format.Limits{MaxSpoolMemory: 1}}}
	f, err := o.NewReader(eventReader{strings.NewReader(file), event}, "in")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	n := 0
	for rec, err := range f.Records() {
		if err != nil {
			return b.String(), errors.Join(err, f.Close())
		}
		if n++; n%100 == 0 {
			event()
		}
		b.WriteString(formattest.Show(rec) + "\n")
	}
	return b.String(), f.Close()
}

// If the temporary file fails at any time, a Reader returns its error, or all records if it needed
// nothing more of the file.
func TestTemporaryFileFaults(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	total, failed := 0, 0
	files := headerLast(1000)
	for _, name := range []string{"skiav1", "nanolegacy", "perun", "perun snapshots"} {
		t.Run(name, func(t *testing.T) {
			events := 0
			want, err := readWithEvents(files[name], func() { events++ })
			if err != nil {
				t.Fatal(err)
			}
			for at := 0; at < events; at += quick.Of(1, 3) {
				n, broke := 0, false
				got, err := readWithEvents(files[name], func() {
					if n++; n == at+1 {
						broke = breakTemp(t, temp)
					}
				})
				if broke {
					total++
				}
				switch {
				case err == nil && got != want:
					t.Errorf("event %d: no error, and other records", at)
				case err != nil:
					failed++
					if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EBADF) || !broke {
						t.Errorf("event %d: %v", at, err)
					}
				}
			}

			t.Setenv("TMPDIR", temp+"/nowhere")
			if _, err := readWithEvents(files[name], func() {}); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("without a folder for temporary files: %v", err)
			}
		})
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	t.Logf("%d times, the temporary file failed; reading failed %d times", total, failed)
	if failed == 0 {
		t.Error("no temporary file was read")
	}
}

// A profile's Writer that cannot read its temporary file returns the error.
func TestWriteTemporaryFileFaults(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	var out strings.Builder
	w := perun.NewWriter(&out, perunHeader)
	fields := perun.Fields{
		{Key: "uid", Value: perun.ValueOf(strings.Repeat("x", 9<<20))},
		{Key: "model", Value: perun.ValueOf("linear")},
	}
	if err := w.WriteModel(&perun.Model{Fields: fields}); err != nil {
		t.Fatal(err)
	}
	if !breakTemp(t, temp) {
		t.Fatal("no temporary file")
	}
	for range 2 {
		if err := w.Close(); !errors.Is(err, syscall.EBADF) {
			t.Errorf("%v", err)
		}
	}
}
