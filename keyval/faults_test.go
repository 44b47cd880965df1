package keyval

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"perfdata/internal/testing/faulty"
)

// Whatever call fails, a file to which an iteration was to be appended stays as it was.
func TestAppendFaults(t *testing.T) {
	name := filepath.Join(t.TempDir(), "keyval")
	it := iteration(map[string]string{"a": "b"}, map[string]float64{"fps": 12345})
	text, err := appendIteration(nil, it)
	if err != nil {
		t.Fatal(err)
	}
	content := func() string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	total := 0
	for _, before := range []string{"", "a{perf}=1\n\n", "a{perf}=1\n", "a{perf}=1"} {
		t.Run(before, func(t *testing.T) {
			reset := func() {
				if err := os.WriteFile(name, []byte(before), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			try := func(s *faulty.Script) (string, error) {
				f, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0)
				if err != nil {
					return "", err
				}
				defer f.Close()
				err = appendTo(faulty.OSFile{File: f, Script: s}, text)
				return content(), err
			}
			total += faulty.Check(t, faulty.Subject{Target: content, Reset: reset, Try: try})
		})
	}
	t.Logf("%d calls failed", total)
}

// A partialFile writes a part of a text, and then fails in its own way.
type partialFile struct {
	*os.File
	err error
}

func (f partialFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p[:1])
	return n, cmp.Or(err, f.err)
}

// A part of an iteration is removed, and the error is the file's.
func TestAppendPart(t *testing.T) {
	for _, test := range []struct{ fault, want error }{{fs.ErrPermission, fs.ErrPermission}, {nil, io.ErrShortWrite}} {
		f, err := os.Create(filepath.Join(t.TempDir(), "keyval"))
		if err != nil {
			t.Fatal(err)
		}
		err = appendTo(partialFile{f, test.fault}, []byte("fps{perf}=1\n\n"))
		left, readErr := os.ReadFile(f.Name())
		if !errors.Is(err, test.want) || len(left) > 0 || readErr != nil {
			t.Errorf("%v: got %v, and %q is left, %v", test.fault, err, left, readErr)
		}
		f.Close()
	}
}
